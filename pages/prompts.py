"""Prompts: what language models are asked by, tried on labelled items and compared."""

from workbench.interfaces.web.page import draw
from workbench.interfaces.web.prompts.page import render_prompts

draw(render_prompts)
