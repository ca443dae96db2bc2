"""Runs: what was checked, open or compare it, take it away as a file."""

from workbench.fronts.ui.page import draw
from workbench.fronts.ui.runs_panel import draw_runs

draw(draw_runs)
