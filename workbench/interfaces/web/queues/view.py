"""A reviewer's current item as a review state, and the data of its buttons; pure.

Everything sent to the browser is built here or in the card's and the text pane's modules; what a
reviewer may not see yet is left out: it is in `pending` and `hidden`, as if it had not been judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.interfaces.web.queues import text as texts
from workbench.presentation.citation_card import card_data
from workbench.presentation.run_desk import StatusMessage, label_buttons
from workbench.presentation.run_view import ReviewState, document_data
from workbench.records.fields import answer_json
from workbench.records.queue import ReviewTask
from workbench.records.source import Source
from workbench.records.text import Excerpt, Json, JsonDict, Span
from workbench.records.verdict import Run
from workbench.services.sources.passages import select_passages

PASSAGES_CHARS = 900
"""Length of the passages shown if the judge's quote is hidden or missing."""
MOST_PASSAGES = 4
LONGEST_SOURCE = 400_000
"""Passages are searched in this much of a source, so that a key press does not wait longer."""


@dataclass(slots=True, kw_only=True)
class QueueSession:
    """A reviewer in a queue in one browser tab; only what the session needs to remember."""

    queue_id: str
    reviewer: str
    task: ReviewTask
    status: StatusMessage = field(default_factory=StatusMessage)
    acts: int = 0
    """Number of actions that were handled."""
    last: str = ""
    """Id of the last handled action, so that one sent twice is done once."""
    quote_at: int = 0
    part: int | None = None
    stay: bool = False
    """Whether the item stays open after a decision, so that the judge can be read."""
    source_open: bool = False
    written: int = 0
    """The database's stamp when the task was read; restores and deletions change it."""


def review_state_of(task: ReviewTask) -> ReviewState | None:
    """The review state of the task's item; None if there is none, or it was deleted."""
    if task.item is None or task.result is None:
        return None
    name = task.item.citation_id
    hidden = frozenset({name}) if task.judge_hidden else frozenset()
    own_label = task.own_label
    shown_label = own_label or (task.others[-1] if task.others else None)
    return ReviewState(
        run=Run(
            id=task.item.run_id,
            output_sha256=task.output_sha256,
            created_at=task.queue.created_at,
            judge=(),
            config={},
            citations=(task.result,),
            references=task.references,
        ),
        text=task.text,
        name=task.name,
        pending=hidden,
        hidden=hidden,
        labels={name: shown_label} if shown_label else {},
        own_labels={name: own_label} if own_label else {},
        others={name: task.others} if task.others else {},
        questions=task.questions,
        comments={name: task.comments} if task.comments else {},
    )


def passages_of(task: ReviewTask) -> tuple[Span, ...]:
    """Spans of the source that share words with the claim, the likeliest first.

    They are searched without the judge; empty if the judge has quoted the source.
    """
    result, source = task.result, task.source
    if result is None or source is None or not source.text or result.citation.claim is None:
        return ()
    if result.judgment and result.judgment.evidence:
        return ()
    passages = select_passages(
        result.citation.claim.text, source.text[:LONGEST_SOURCE], PASSAGES_CHARS, source.title
    )
    ordered = sorted(passages, key=lambda passage: -(passage.score or 0.0))
    return tuple(passage.span for passage in ordered[:MOST_PASSAGES])


def turn_card(
    review: ReviewState,
    task: ReviewTask,
    source: Source | None,
    quote_at: int,
    passages: Sequence[Span] = (),
) -> JsonDict:
    """The card's data of the item, with its position in the queue."""
    assert task.item is not None
    place = f"{task.item.position + 1:,} of {task.progress.items:,}"
    return card_data(review, task.item.citation_id, source, quote_at, passages) | {
        "place": place,
        "what": "Item",
    }


def turn_text(review: ReviewState, task: ReviewTask, part: int | None = None) -> JsonDict:
    """The text pane's data: the output with only the item's mark, at the item's place."""
    assert task.item is not None
    name = task.item.citation_id
    if task.imported:
        review = _pair(review, task)
    data = document_data(review, review.window_of(name) if part is None else part, name)
    # the marks differ from item to item, so the pane is redrawn even for the same text
    return data | {"doc": f"{data['doc']}:{name}"}


def _pair(review: ReviewState, task: ReviewTask) -> ReviewState:
    """An imported pair as a text of its own: its claim, then its source, without other claims."""
    assert task.result is not None
    citation = task.result.citation
    claim = citation.labelled_claim or citation
    start, end = min(claim.start, citation.start), max(claim.end, citation.end)
    source = task.source.text if task.source else None
    moved = replace(
        citation,
        span=Span(citation.start - start, citation.end - start),
        claim=Excerpt(
            span=Span(claim.start - start, claim.end - start), text=claim.span.of(review.text)
        ),
        scope=None,
    )
    return replace(
        review,
        run=replace(review.run, citations=(replace(task.result, citation=moved),)),
        text=review.text[start:end] + (f"\n\n## Source\n\n{source}" if source else ""),
    )


def common_keys(state: QueueSession) -> JsonDict:
    """What the buttons of a citation and of a reference both get."""
    task = state.task
    assert task.item is not None
    return {
        "ack": state.last,
        "acts": state.acts,
        "at": task.item.position,
        "draft": f"{task.queue.id}:{task.reviewer}:{task.item.position}",
        "hidden": task.judge_hidden,
        "blind": task.queue.blind,
        "stay": state.stay,
        "skipped": task.progress.skipped,
        "said": state.status.text,
        "bad": state.status.bad,
    }


def keys_data(state: QueueSession, quotes: int) -> JsonDict:
    """The data of the buttons under the card."""
    task = state.task
    queue, own_label = task.queue, task.own_label
    fields: JsonDict = {}
    if queue.fields:
        given = own_label.answers_to(queue.id) if own_label else {}
        fields = {
            "fields": [field.to_dict() for field in queue.fields],
            "answers": {name: answer_json(value) for name, value in given.items()},
        }
    return common_keys(state) | {
        "labels": label_buttons(own_label.label if own_label else None),
        "note": own_label.note if own_label else "",
        "decided": own_label is not None,
        "agree": None
        if task.judge_hidden or task.result is None or task.result.unjudged
        else task.result.verdict,
        "quotes": quotes,
        "source": task.source is not None and bool(task.source.text),
        "reasons": list(texts.SKIP_REASONS),
        **fields,
    }


def strip_data(task: ReviewTask) -> JsonDict:
    """The data of the strip above the item: the queue's name and progress."""
    parts: list[Json] = [*texts.progress_text(task.queue, task.progress)]
    return {
        "name": task.queue.name,
        "role": task.queue.role,
        "blind": task.queue.blind,
        "parts": parts,
        "share": round(task.progress.share, 4),
    }
