"""Runs: what was checked, open or compare it, take it away as a file."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.runs.page import render_runs

draw(render_runs)
