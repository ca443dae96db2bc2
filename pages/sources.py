"""Sources: what was had of every cited address, and what a reviewer can do about it."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.sources.page import render_sources

draw(render_sources)
