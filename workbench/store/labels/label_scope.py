"""Which labels a query uses: those that count, those of real work, or the examples.

The rule stands in `schema/m030_examples.sql`: example labels count in figures only as long as
there is no other label. Exports take real work alone, or the examples where they are asked for.
"""

from typing import Literal

LabelScope = Literal["counted", "real", "examples"]


def current_view(scope: LabelScope, kind: Literal["labels", "reference_labels"] = "labels") -> str:
    """The view of the labels that no later one replaces."""
    return f"example_current_{kind}" if scope == "examples" else f"{scope}_current_{kind}"


def active_view(scope: LabelScope, kind: Literal["labels", "reference_labels"] = "labels") -> str:
    """The view of the labels that were not withdrawn, replaced ones among them."""
    return f"example_active_{kind}" if scope == "examples" else f"{scope}_active_{kind}"
