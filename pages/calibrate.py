"""Calibrate: how far a judge can be trusted, measured against people."""

from workbench.interfaces.web.calibration.page import render_calibrate
from workbench.interfaces.web.page import draw

draw(render_calibrate)
