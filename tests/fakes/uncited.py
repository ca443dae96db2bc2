"""A run with sentences that cite nothing, one of them stated in its only source."""

from workbench.services.verification import VerifyOptions, verify_and_store

TEXT = """\
The ferry carried 120,000 people in 2023 [1]. The line belongs to the state of Ahm. It has two ships.

No accidents have been reported since 1990.

## References
[1] Yearbook. https://lake.example/2023
"""
SOURCE = "The ferry carried 120,000 people in 2023. The line belongs to the state of Ahm."
MARKER = "c2"
"""The id of the only marker; `c1` is the figure beside it."""
BELONGS = TEXT.index("The line")
SHIPS, ACCIDENTS = TEXT.index("It has two"), TEXT.index("No accidents")


def add_run_with_uncited(store):
    """The run, kept."""
    options = VerifyOptions(sources=[{"label": "1", "content": SOURCE, "title": "Yearbook"}])
    return verify_and_store(store, TEXT, "Ferry", options)
