"""Calibrate: how far a judge can be trusted, measured against people."""

from workbench.interfaces.web.calibration.page import draw_calibrate
from workbench.interfaces.web.page import draw

draw(draw_calibrate)
