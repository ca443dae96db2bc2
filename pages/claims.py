"""Claims: check a text that carries no citations against given sources."""

from workbench.fronts.ui.claims_panel import draw_claims
from workbench.fronts.ui.page import draw

draw(draw_claims)
