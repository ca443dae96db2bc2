"""Home: where work stands."""

from workbench.interfaces.web.home.page import draw_home
from workbench.interfaces.web.page import draw

draw(draw_home)
