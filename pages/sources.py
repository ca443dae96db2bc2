"""Sources: what was had of every cited address, and what a reviewer can do about it."""

from workbench.fronts.ui.page import draw
from workbench.fronts.ui.sources_page import draw_sources

draw(draw_sources)
