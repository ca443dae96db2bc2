"""Drift: whether a judge still says what it said, asked anew on frozen items."""

from workbench.fronts.ui.drift_page import draw_drift
from workbench.fronts.ui.page import draw

draw(draw_drift)
