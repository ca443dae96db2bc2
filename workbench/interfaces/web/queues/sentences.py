"""A sentence without a citation in a queue: its text, its keys, and what a key decides; pure."""

from collections.abc import Mapping

from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.view import QueueSession, common_keys
from workbench.presentation.coverage import SENTENCE_WORDS, suggestion_text
from workbench.presentation.escape import run_label
from workbench.presentation.run_desk import StatusMessage
from workbench.presentation.run_view import ReviewState, document_data
from workbench.presentation.text_pages import window_of
from workbench.presentation.verdicts import STYLES
from workbench.records.citation import SENTENCE_KINDS, SentenceKind
from workbench.records.queue import ReviewTask, SentenceFilter, SentenceTask
from workbench.records.text import JsonDict
from workbench.records.verdict import Run
from workbench.services.database import Database
from workbench.services.review_tasks import decide_sentence_task

STATED = "stated"
"""What a key decides that takes the suggestion: a source of the run states the sentence."""
SENTENCE_CHOICES = frozenset({STATED, *SENTENCE_KINDS})
_KEYS = {"uncited": "1", "absence": "2", "derived": "3", "synthesis": "4", "opinion": "5"} | {
    "structure": "6", "given": "0",
}  # fmt: skip


def sentence_text(task: ReviewTask, part: int | None) -> JsonDict:
    """The text pane's data: the output with the item's sentence lit."""
    assert task.sentence is not None and task.item is not None
    review = ReviewState(
        run=Run(
            id=task.item.run_id,
            output_sha256=task.output_sha256,
            created_at=task.queue.created_at,
            judge=(),
            config={},
            references=task.references,
            sentences=(task.sentence.sentence,),
        ),
        text=task.text,
        labels={},
    )
    start = task.sentence.sentence.start
    shown = window_of(review.windows, start) if part is None else part
    return document_data(review, shown, None) | {"now": start}


def sentence_keys(state: QueueSession) -> JsonDict:
    """The data of the buttons beside the sentence."""
    shown = state.task.sentence
    assert shown is not None
    suggestion = shown.suggestion
    takes = suggestion is not None and suggestion.label == "supported"
    chosen = shown.mine.kind if shown.mine else ""
    return common_keys(state) | {
        "kind": "sentences",
        "labels": [
            {
                "value": kind,
                "glyph": "",
                "word": SENTENCE_WORDS[kind][0],
                "short": SENTENCE_WORDS[kind][0],
                "colour": STYLES["pending"].colour,
                "key": _KEYS[kind],
                "meaning": SENTENCE_WORDS[kind][1],
                "mine": kind == chosen,
            }
            for kind in SENTENCE_KINDS
            if kind in _KEYS
        ]
        + [
            {
                "value": STATED,
                "glyph": "",
                "word": f"Stated in the source of {shown.cited}",
                "short": "Stated there",
                "colour": STYLES["supported"].colour,
                "key": "t",
                "meaning": "The source quoted above states it; it counts as cited.",
                "mine": bool(shown.mine and shown.mine.stated_in),
            }
        ]
        * takes,
        "note": "",
        "decided": shown.mine is not None,
        "agree": STATED if takes and suggestion and suggestion.sure else shown.sentence.kind,
        "quotes": 0,
        "source": False,
        "reasons": list(texts.SKIP_REASONS),
    }


def said_of(shown: SentenceTask) -> str:
    """What a source of the run says of the sentence; else what it is there for now."""
    if shown.suggestion is not None:
        names = {shown.suggestion.citation_id: shown.cited}
        return suggestion_text(shown.suggestion, names)
    word, meaning = SENTENCE_WORDS[shown.sentence.kind]
    return f"{word}: {meaning[:1].lower()}{meaning[1:]}"


def decide_sentence(database: Database, state: QueueSession, choice: str) -> None:
    """Store what the open sentence is there for and go on.

    Raises:
        WorkbenchError: It cannot be stored.
    """
    before, shown = state.task, state.task.sentence
    assert before.item is not None and shown is not None
    suggestion = shown.suggestion
    kind: SentenceKind = next((kind for kind in SENTENCE_KINDS if kind == choice), "cited")
    source = suggestion.citation_id if choice == STATED and suggestion else None
    state.task = decide_sentence_task(database, before, kind, source)
    state.part = None
    word = SENTENCE_WORDS[kind][0]
    state.status = StatusMessage(text=texts.decided_text(word, before.item.position, False))


def sentence_filter_text(chosen: SentenceFilter, names: Mapping[str, str] | None = None) -> str:
    """A filter of sentences as words; `names` are the outputs' names by run id."""
    parts = [
        "Sentences without a citation",
        {True: "examples only", False: "examples left out", None: ""}[chosen.examples],
    ]
    if chosen.runs:
        parts.append(
            "in " + " or ".join(run_label((names or {}).get(run, ""), 60) for run in chosen.runs)
        )
    return ", ".join(filter(None, parts))
