"""Queues: work laid out for reviewers, and the desk to go through it."""

from workbench.fronts.ui.page import draw
from workbench.fronts.ui.queue_page import draw_queues

draw(draw_queues)
