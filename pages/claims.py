"""Claims: check a text that carries no citations against given sources."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.review.claims import render_claims

draw(render_claims)
