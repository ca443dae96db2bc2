"""Data: backup, restore, erasure."""

from workbench.interfaces.web.data.page import draw_keep
from workbench.interfaces.web.page import draw

draw(draw_keep)
