"""Policy: edit what is done with answers that do not hold, with a preview on stored runs."""

from workbench.fronts.ui.page import draw
from workbench.fronts.ui.policy_page import draw_policy

draw(draw_policy)
