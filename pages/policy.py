"""Policy: edit what is done with answers that do not hold, with a preview on stored runs."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.policies.page import render_policy

draw(render_policy)
