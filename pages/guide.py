"""Label guide: what each label means, in versions."""

from workbench.interfaces.web.guide.page import render_guide
from workbench.interfaces.web.page import draw

draw(render_guide)
