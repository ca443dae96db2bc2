"""Calibrate: how far a judge can be trusted, measured against people."""

from workbench.fronts.ui.calibrate_page import draw_calibrate
from workbench.fronts.ui.page import draw

draw(draw_calibrate)
