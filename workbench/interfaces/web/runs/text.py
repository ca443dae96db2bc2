"""Texts of the runs page."""

SELECT_RUNS = "A name opens its run. Select one run to download or rename it, or two to compare."
HIGHEST_COST = "Highest cost"
"""An order of the list, by its name in links."""
DATA_SETS = "Imported data sets"
