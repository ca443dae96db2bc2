"""Items: the citations behind a number."""

from workbench.fronts.ui.items_page import draw_items
from workbench.fronts.ui.page import draw

draw(draw_items)
