"""Trust: how far a judge can be trusted, and what to do next."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.trust.page import render_trust

draw(render_trust)
