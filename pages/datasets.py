"""Data sets: labelled citations out, labelled items in."""

from workbench.fronts.ui.datasets_page import draw_datasets
from workbench.fronts.ui.page import draw

draw(draw_datasets)
