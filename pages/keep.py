"""Data: backup, restore, erasure."""

from workbench.interfaces.web.data.page import render_data
from workbench.interfaces.web.page import draw

draw(render_data)
