"""Items: the citations behind a number."""

from workbench.interfaces.web.citations.page import render_citations
from workbench.interfaces.web.page import draw

draw(render_citations)
