"""Runs: what was checked, open or compare it, take it away as a file."""

from workbench.fronts.ui.runs_panel import draw_runs

draw_runs()
