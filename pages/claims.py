"""Claims: check a text that carries no citations against given sources."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.review.claims import draw_claims

draw(draw_claims)
