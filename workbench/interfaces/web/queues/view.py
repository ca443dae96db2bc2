"""A reviewer's turn laid out as a desk, and what the keys under it show; pure.

Nothing goes to the browser that is not made here or in `card` and `desk`, and what a reviewer may
not see yet is not in the turn: it stands in `pending` and `hidden`, as if it had not been judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.interfaces.web.queues.text import (
    SKIP_REASONS,
    progress_words,
)
from workbench.judging.passages import select_passages
from workbench.presentation.citation_card import card_data
from workbench.presentation.run_view import ReviewState, document_data
from workbench.presentation.verdicts import STYLES
from workbench.records import (
    HUMAN_LABELS,
    Json,
    JsonDict,
    ReviewTask,
    Run,
    Source,
    Span,
)

PASSAGES_CHARS = 900
"""So much of a source is offered where the judge's quote is hidden or there is none."""
MOST_PASSAGES = 4
LONGEST_SOURCE = 400_000
"""Passages are looked for within so much of a source: a key press must not wait for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusMessage:
    """A line of news for the reviewer."""

    words: str = ""
    bad: bool = False


@dataclass(slots=True, kw_only=True)
class QueueSession:
    """A reviewer before a queue in one browser tab; only what the session needs to remember."""

    queue_id: str
    reviewer: str
    task: ReviewTask
    said: StatusMessage = field(default_factory=StatusMessage)
    acts: int = 0
    """Number of acts that were answered; each has a number of its own."""
    last: str = ""
    """The newest act that was answered, so that one sent twice is done once."""
    quote_at: int = 0
    part: int | None = None
    stay: bool = False
    """Whether the item stays on the desk after a decision, so that the judge can be read."""
    source_open: bool = False
    written: int = 0
    """When the database was last written anew, as the turn was read."""


def desk_of(turn: ReviewTask) -> ReviewState | None:
    """The desk with the turn's one item on it; None where there is none, or it was erased."""
    if turn.item is None or turn.result is None:
        return None
    name = turn.item.citation_id
    hidden = frozenset({name}) if turn.judge_hidden else frozenset()
    mine = turn.own_label
    shown_label = mine or (turn.others[-1] if turn.others else None)
    return ReviewState(
        run=Run(
            id=turn.item.run_id,
            output_sha256=turn.output_sha256,
            created_at=turn.queue.created_at,
            judge=(),
            config={},
            citations=(turn.result,),
            references=turn.references,
        ),
        text=turn.text,
        name=turn.name,
        pending=hidden,
        hidden=hidden,
        labels={name: shown_label} if shown_label else {},
        mine={name: mine} if mine else {},
        others={name: turn.others} if turn.others else {},
    )


def passages_of(turn: ReviewTask) -> tuple[Span, ...]:
    """Places in the source that share words with the claim, the likeliest first.

    They are found anew, without the judge; none where the judge has quoted the source.
    """
    result, source = turn.result, turn.source
    if result is None or source is None or not source.text or result.citation.claim is None:
        return ()
    if result.judgment and result.judgment.evidence:
        return ()
    found = select_passages(
        result.citation.claim.text, source.text[:LONGEST_SOURCE], PASSAGES_CHARS, source.title
    )
    ordered = sorted(found, key=lambda one: -(one.score or 0.0))
    return tuple(one.span for one in ordered[:MOST_PASSAGES])


def turn_card(
    desk: ReviewState,
    turn: ReviewTask,
    source: Source | None,
    quote_at: int,
    passages: Sequence[Span] = (),
) -> JsonDict:
    """What the card draws of the item, counted within the queue."""
    assert turn.item is not None
    place = f"{turn.item.position + 1} of {turn.progress.items}"
    return card_data(desk, turn.item.citation_id, source, quote_at, passages) | {
        "place": place,
        "what": "Item",
    }


def turn_text(desk: ReviewState, turn: ReviewTask, part: int | None = None) -> JsonDict:
    """What the text pane draws: the output with the item's mark alone, at the item's place."""
    assert turn.item is not None
    name = turn.item.citation_id
    data = document_data(desk, desk.window_of(name) if part is None else part, name)
    # the marks differ from item to item, so the pane is drawn anew where the text is the same
    return data | {"doc": f"{data['doc']}:{name}"}


def keys_data(seated: QueueSession, quotes: int) -> JsonDict:
    """What the keys under the card show and may do."""
    turn = seated.task
    assert turn.item is not None and turn.result is not None
    queue, mine = turn.queue, turn.own_label
    source = turn.source is not None and bool(turn.source.text)
    return {
        "ack": seated.last,
        "acts": seated.acts,
        "at": turn.item.position,
        "draft": f"{queue.id}:{turn.reviewer}:{turn.item.position}",
        "labels": [_label_key(label, mine.label if mine else None) for label in HUMAN_LABELS],
        "note": mine.note if mine else "",
        "decided": mine is not None,
        "hidden": turn.judge_hidden,
        "blind": queue.blind,
        "agree": None if turn.judge_hidden or turn.result.unjudged else turn.result.verdict,
        "stay": seated.stay,
        "skipped": turn.progress.skipped,
        "quotes": quotes,
        "source": source,
        "said": seated.said.words,
        "bad": seated.said.bad,
        "reasons": list(SKIP_REASONS),
    }


def strip_data(turn: ReviewTask) -> JsonDict:
    """What the strip over the desk shows: the queue's name and how far it is."""
    parts: list[Json] = [*progress_words(turn.queue, turn.progress)]
    return {
        "name": turn.queue.name,
        "role": turn.queue.role,
        "blind": turn.queue.blind,
        "parts": parts,
        "share": round(turn.progress.share, 4),
    }


def _label_key(label: str, mine: str | None) -> JsonDict:
    style = STYLES[label]
    return {
        "value": label,
        "glyph": style.glyph,
        "word": style.word,
        "short": style.short,
        "colour": style.colour,
        "key": style.key,
        "meaning": style.meaning,
        "mine": label == mine,
    }
