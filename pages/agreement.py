"""The old address of the agreement of the Trust page."""

from functools import partial

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.trust.page import lead_on

draw(partial(lead_on, "agreement"))
