"""Label guide: what each label means, in versions."""

from workbench.interfaces.web.guide.page import draw_guide
from workbench.interfaces.web.page import draw

draw(draw_guide)
