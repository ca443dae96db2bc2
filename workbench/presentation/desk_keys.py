"""The reviewer's keys: labels, moves and a note, as buttons that say their key; used on every desk.

The browser sends each press with an id and the position of the item that was on the screen; whoever
handles it sends the id back. `KeyAction` is a press, `keys_data` of each desk what is drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from workbench.presentation.verdicts import STYLES
from workbench.records.comments import LONGEST_COMMENT
from workbench.records.fields import MOST_FIELDS
from workbench.records.text import Json
from workbench.records.verdict import HUMAN_LABELS, HumanLabel

Verb = Literal[
    "label", "note", "next", "previous", "last", "skip", "skipped", "undo", "reveal", "stay",
    "quote", "source", "here", "comment",
]  # fmt: skip
VERBS: frozenset[str] = frozenset(get_args(Verb))
LONGEST_CHOICE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyAction:
    """One key press, as sent by the browser."""

    id: str
    verb: Verb
    at: int
    """The position that was on the screen."""
    label: str | None = None
    """What was chosen, for `label`: the page knows which choices there are."""
    note: str = ""
    reason: str = ""
    comment: str = ""
    answers: Mapping[str, object] | None = None
    """To the queue's fields; None where the desk has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusMessage:
    """A status line for the reviewer."""

    text: str = ""
    bad: bool = False


def parse_action(raw: object) -> KeyAction | None:
    """Parse what the browser sent; None if it is not an action."""
    if not isinstance(raw, Mapping):
        return None
    sent = cast(Mapping[str, Json], raw)
    verb, at, label = sent.get("verb"), sent.get("at"), sent.get("label")
    if verb not in VERBS or not isinstance(at, int):
        return None
    if verb == "label" and not isinstance(label, str):
        return None
    return KeyAction(
        id=str(sent.get("id", ""))[:60],
        verb=cast(Verb, verb),
        at=at,
        label=label[:LONGEST_CHOICE] if isinstance(label, str) else None,
        note=str(sent.get("note") or "")[:10_000],
        reason=str(sent.get("reason") or "")[:500],
        comment=str(sent.get("comment") or "")[:LONGEST_COMMENT],
        answers=_answers(sent.get("answers")),
    )


def _answers(raw: Json) -> dict[str, object] | None:
    """The answers as sent; whether they fit their fields is decided where they are stored."""
    if not isinstance(raw, Mapping):
        return None
    return {str(name)[:LONGEST_CHOICE]: value for name, value in list(raw.items())[:MOST_FIELDS]}


def human_label(choice: str | None) -> HumanLabel | None:
    """The label that a press names; None where it names something else."""
    return next((label for label in HUMAN_LABELS if label == choice), None)


def label_buttons(own_label: str | None, disabled: bool = False) -> list[Json]:
    """The data of the six labels' buttons, the reviewer's own marked."""
    return [
        {
            "value": label,
            "glyph": STYLES[label].glyph,
            "word": STYLES[label].word,
            "short": STYLES[label].short,
            "colour": STYLES[label].colour,
            "key": STYLES[label].key,
            "meaning": STYLES[label].meaning,
            "mine": label == own_label,
            "off": disabled,
        }
        for label in HUMAN_LABELS
    ]
