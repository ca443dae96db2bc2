"""Data sets: labelled citations out, labelled items in."""

from workbench.interfaces.web.datasets.page import render_datasets
from workbench.interfaces.web.page import draw

draw(render_datasets)
