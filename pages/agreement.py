"""Agreement: how far reviewers agree, and what is left to settle."""

from workbench.fronts.ui.agreement_page import draw_agreement
from workbench.fronts.ui.page import draw

draw(draw_agreement)
