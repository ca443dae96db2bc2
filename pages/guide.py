"""Label guide: what each label means, in versions."""

from workbench.fronts.ui.guide_page import draw_guide
from workbench.fronts.ui.page import draw

draw(draw_guide)
