"""Texts of the drift page."""

from workbench.records.verify_choices import JUDGE_SPECS

JUDGE_HELP = f"Type another one: {JUDGE_SPECS}."
FIRST = "First"
SECOND = "Second"
