"""Home: where work stands."""

from workbench.fronts.ui.home_page import draw_home
from workbench.fronts.ui.page import draw

draw(draw_home)
