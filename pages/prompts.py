"""Prompts: what language models are asked by, tried on labelled items and compared."""

from workbench.fronts.ui.page import draw
from workbench.fronts.ui.prompts_page import draw_prompts

draw(draw_prompts)
