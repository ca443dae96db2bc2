"""Search: words in everything that is kept."""

from workbench.fronts.ui.page import draw
from workbench.fronts.ui.search_page import draw_search

draw(draw_search)
