"""Queues: work laid out for reviewers, and the desk to go through it."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.queues.page import render_queues

draw(render_queues)
