"""Texts of the citations page."""

from workbench.presentation.verdicts import STYLES
from workbench.records import HumanLabel
from workbench.records.format import count_of, word_for

LABEL = "Label"


def label_button_text(number: int) -> str:
    """The button's words: `Label 12 citations`."""
    return f"Label {count_of(number, 'citation')}" if number else "Label citations"


def labelled_text(label: HumanLabel, added: int, unchanged: int) -> str:
    """The message after an action: what was labelled, and what was skipped."""
    name = STYLES[label].word
    skipped = (
        f" {unchanged:,} already had this label from you and "
        f"{word_for(unchanged, 'was', 'were')} skipped."
        if unchanged
        else ""
    )
    if not added:
        return f"Nothing was added:{skipped}"
    return f"Labelled {count_of(added, 'citation')} “{name}”.{skipped}"


def undo_text(label: HumanLabel, number: int) -> str:
    """The undo button's words."""
    return f"Undo: “{STYLES[label].word}” on {count_of(number, 'citation')}"


def undone_text(label: HumanLabel, withdrawn: int, added: int) -> str:
    """The message after an undo: what it took back, and what it could not."""
    changed_since = added - withdrawn
    rest = (
        f" {changed_since:,} had been changed since and {word_for(changed_since, 'was', 'were')} "
        "left."
        if changed_since
        else ""
    )
    if not withdrawn:
        return f"Nothing was undone.{rest}"
    return f"Undone: label “{STYLES[label].word}” on {count_of(withdrawn, 'citation')}.{rest}"
