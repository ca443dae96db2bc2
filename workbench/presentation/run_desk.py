"""The desk of a run, on its page and in notebooks: the data of its keys, and what it says; pure.

The reviewer's keys: labels, moves and a note, as buttons that say their key; used on every desk.

The browser sends each press with an id and the position of the item that was on the screen; whoever
handles it sends the id back. `KeyAction` is a press, `keys_data` of each desk what is drawn.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from workbench.presentation.run_view import ReviewState
from workbench.presentation.verdicts import STYLES
from workbench.records.comments import LONGEST_COMMENT
from workbench.records.fields import MOST_FIELDS
from workbench.records.format import word_for
from workbench.records.review import Label
from workbench.records.text import Json, JsonDict
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


LAST_CITATION = "This is the last citation of the selection."
FIRST_CITATION = "This is the first citation of the selection."
NOTHING_TO_UNDO = "You have no label in this run to undo."
NOTE_SAVED = "Note saved."
COMMENTED = "Comment added."


def run_keys_data(
    review: ReviewState,
    citation_id: str,
    reviewer: str,
    *,
    last: str,
    handled: int,
    status: StatusMessage,
    stays: bool,
    source: bool | None,
) -> JsonDict:
    """The data of the buttons under the card of a citation.

    Args:
        review: The run under review.
        citation_id: The citation on the screen.
        reviewer: Whose note it is; drafts of notes are kept by reviewer.
        last: Id of the last handled press.
        handled: Number of presses that were handled.
        status: The line under the buttons.
        stays: Whether the citation stays on the screen after its label.
        source: Whether it has a source to open; None where the desk opens none.
    """
    result, label = review.results[citation_id], review.own_labels.get(citation_id)
    judged = citation_id not in review.pending
    return {
        "desk": "run",
        "ack": last,
        "acts": handled,
        "at": list(review.results).index(citation_id),
        "draft": f"{review.run.id}:{reviewer}:{citation_id}",
        "labels": label_buttons(label.label if label else None, disabled=not judged),
        "note": label.note if label else "",
        "decided": label is not None,
        "agree": result.verdict if judged and not result.unjudged else None,
        "stay": stays,
        "quotes": len(result.judgment.evidence) if result.judgment else 0,
        "source": source,
        "said": status.text,
        "bad": status.bad,
    }


def labelled_text(label: HumanLabel, place: str, left: int | None = None) -> str:
    """The message after a label of a citation; `place` is its position, `7 of 22`.

    `left` is given after the last one of the selection: how many of the run have no label yet.
    """
    words = f"{STYLES[label].word}: citation {place}."
    if left is None:
        return words
    if not left:
        return f"{words} That was the last one: every citation has a label."
    return (
        f"{words} {LAST_CITATION} {left:,} of the run {word_for(left, 'has', 'have')} no label yet."
    )


def undone_text(withdrawn: Label, current: Label | None, place: str) -> str:
    """What an undo took back on a citation at a place, `7 of 22`; `current` is the label now.

    Each change of a label's note, tags or evidence is a label of its own, which replaced the one
    before: what differs between both was undone.
    """
    where = f"on citation {place}"
    if current is None:
        return f"Undone: label “{STYLES[withdrawn.label].word}” {where}."
    if current.label != withdrawn.label:
        before = STYLES[current.label].word
        return f"Undone: label “{STYLES[withdrawn.label].word}” {where}; it is “{before}” again."
    changes = [
        name
        for name, differs in (
            ("note", current.note != withdrawn.note),
            ("error source", current.fault != withdrawn.fault),
            ("tags", current.tags != withdrawn.tags),
            ("evidence", current.evidence != withdrawn.evidence),
            ("mark on a quote", current.wrong_evidence != withdrawn.wrong_evidence),
        )
        if differs
    ]
    return f"Undone: change of {' and '.join(changes) or 'the label'} {where}."
