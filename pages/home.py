"""Home: where work stands."""

from workbench.interfaces.web.home.page import render_home
from workbench.interfaces.web.page import draw

draw(render_home)
