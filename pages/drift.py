"""Drift: whether a judge still says what it said, asked anew on frozen items."""

from workbench.interfaces.web.drift.page import render_drift
from workbench.interfaces.web.page import draw

draw(render_drift)
