"""Data: backup, restore, erasure."""

from workbench.fronts.ui.keep_page import draw_keep
from workbench.fronts.ui.page import draw

draw(draw_keep)
