"""Items: the citations behind a number."""

from workbench.interfaces.web.citations.page import draw_items
from workbench.interfaces.web.page import draw

draw(draw_items)
