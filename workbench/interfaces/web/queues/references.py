"""An entry of a reference list in a queue: its card, its keys, and what a key decides; pure."""

from collections.abc import Iterator, Mapping

from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.view import QueueSession, common_keys
from workbench.interfaces.web.review.reference_text import OTHER_DECISIONS, OVERRIDES
from workbench.presentation.escape import run_label
from workbench.presentation.reference_card import entry_card_data
from workbench.presentation.reference_list import EntryList
from workbench.presentation.reference_styles import DECISIONS, FINDINGS
from workbench.presentation.run_desk import StatusMessage
from workbench.presentation.run_view import ReviewState
from workbench.records.bibliography import ReferenceCheck
from workbench.records.citation import Reference
from workbench.records.queue import ReferenceFilter, ReviewTask
from workbench.records.reference_labels import (
    DECISION_OF_REASON,
    OVERRIDE_REASONS,
    REFERENCE_DECISIONS,
    EntryLabelDecision,
    ReferenceDecision,
    agreed_decision,
)
from workbench.records.text import JsonDict
from workbench.records.verdict import Run
from workbench.services.database import Database
from workbench.services.references.checking import corrected_reference, with_spans
from workbench.services.review_tasks import decide_reference_task

_REASON = "reason:"
REFERENCE_CHOICES = frozenset(
    {*REFERENCE_DECISIONS, *(f"{_REASON}{reason}" for reason in OVERRIDE_REASONS)}
)
"""What a key can decide about an entry: a decision, or an override with its reason."""


def reference_card(task: ReviewTask) -> JsonDict:
    """The card's data of the entry, with its position in the queue.

    While the finding is hidden it is that of an entry that was not looked up.
    """
    shown, item = task.reference, task.item
    assert shown is not None and item is not None
    check = shown.check
    entries = EntryList(
        references=(_reference(check),),
        checks=() if task.judge_hidden else (check,),
        cited={},
        unlisted=(),
    )
    data = entry_card_data(
        entries,
        ReviewState(
            run=Run(
                id=item.run_id,
                output_sha256=task.output_sha256,
                created_at=task.queue.created_at,
                judge=(),
                config={},
                citations=(),
            ),
            text="",
            name=task.name,
            pending=frozenset(),
            hidden=frozenset(),
            labels={},
            own_labels={},
            others={},
        ),
        0,
        with_spans=with_spans,
        corrected=None if task.judge_hidden else corrected_reference(check),
        own_label=shown.mine,
        others=shown.others,
    )
    data |= {
        "id": f"{item.run_id}:{item.entry_position}",
        "place": f"Item {item.position + 1:,} of {task.progress.items:,}",
    }
    return data | {"why": "The finding is hidden until you decide."} if task.judge_hidden else data


def _reference(check: ReferenceCheck) -> Reference:
    return Reference(label=check.label, span=check.span, text=check.text, title=check.entry.title)


def reference_keys(state: QueueSession) -> JsonDict:
    """The data of the buttons beside the card."""
    task = state.task
    assert task.reference is not None
    mine = task.reference.mine
    agreed = None if task.judge_hidden else agreed_decision(task.reference.check)
    chosen = "" if mine is None else f"{_REASON}{mine.reason}" if mine.reason else mine.decision
    return common_keys(state) | {
        "kind": "references",
        "labels": [
            key | {"mine": key["value"] == chosen} for key in _choices(task.judge_hidden, agreed)
        ],
        "note": mine.note if mine else "",
        "decided": mine is not None,
        "agree": agreed,
        "quotes": 0,
        "source": False,
        "reasons": list(texts.REFERENCE_SKIP_REASONS),
    }


def _choices(hidden: bool, agreed: ReferenceDecision | None) -> Iterator[JsonDict]:
    """The keys of decisions: those of the References view, without reasons while all is hidden."""
    if hidden:
        yield _choice("exists", "1", "exists")
        yield _choice("fabricated", "4", "fabricated")
    else:
        for reason, key, word, meaning in OVERRIDES:
            yield _choice(f"{_REASON}{reason}", key, DECISION_OF_REASON[reason], word, meaning)
        if agreed != "exists":
            yield _choice("exists", "6", "exists")
    for decision, key, word, meaning in OTHER_DECISIONS:
        yield _choice(decision, key, decision, word, meaning)


def _choice(
    value: str, key: str, decision: ReferenceDecision, word: str = "", meaning: str = ""
) -> JsonDict:
    style = DECISIONS[decision]
    return {
        "value": value,
        "glyph": style.glyph,
        "word": word or style.word,
        "short": word or style.short,
        "colour": style.colour,
        "key": key,
        "meaning": meaning or style.word,
    }


def decide_entry(
    database: Database, state: QueueSession, choice: str, note: str, *, stay: bool = False
) -> None:
    """Store a decision on the open entry and go on; with `stay` the entry stays open.

    Raises:
        WorkbenchError: It cannot be stored.
    """
    before = state.task
    assert before.item is not None
    stay = stay or (state.stay and before.judge_hidden)
    decision = choice_decision(choice, note)
    state.task = decide_reference_task(database, before, decision, advance=not stay)
    word = DECISIONS[decision.decision].word
    position = before.item.position
    state.status = StatusMessage(text=texts.decided_text(word, position, stay))


def renote_entry(database: Database, state: QueueSession, note: str) -> None:
    """Store the current decision again with another note; nothing where there is none.

    Raises:
        WorkbenchError: It cannot be stored.
    """
    mine = state.task.reference.mine if state.task.reference else None
    if mine is not None:
        choice = f"{_REASON}{mine.reason}" if mine.reason else mine.decision
        decide_entry(database, state, choice, note, stay=True)


def choice_decision(choice: str, note: str) -> EntryLabelDecision:
    """What a key decides; `choice` is one of `REFERENCE_CHOICES`."""
    reason = next((name for name in OVERRIDE_REASONS if choice == f"{_REASON}{name}"), None)
    if reason is not None:
        return EntryLabelDecision(decision=DECISION_OF_REASON[reason], reason=reason, note=note)
    decision = next(name for name in REFERENCE_DECISIONS if name == choice)
    return EntryLabelDecision(decision=decision, note=note)


def reference_filter_text(chosen: ReferenceFilter, names: Mapping[str, str] | None = None) -> str:
    """A filter of references as words; `names` are the outputs' names by run id."""
    states = " or ".join(FINDINGS[status].short.lower() for status in chosen.statuses)
    parts = [
        "References" + (f" with the finding {states}" if states else ""),
        "retracted" if chosen.retracted else "",
        {True: "labelled", False: "not labelled", None: ""}[chosen.labelled],
        "on which reviewers differ" if chosen.reviewers_differ else "",
        {True: "examples only", False: "examples left out", None: ""}[chosen.examples],
    ]
    if chosen.runs:
        parts.append(
            "in " + " or ".join(run_label((names or {}).get(run, ""), 60) for run in chosen.runs)
        )
    return ", ".join(filter(None, parts))
