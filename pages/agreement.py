"""Agreement: how far reviewers agree, and what is left to settle."""

from workbench.interfaces.web.agreement.page import render_agreement
from workbench.interfaces.web.page import draw

draw(render_agreement)
