"""Search: words in everything that is kept."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.search.page import render_search

draw(render_search)
