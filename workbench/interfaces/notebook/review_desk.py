"""Reviewing a run in a notebook: what the widget shows, and what each of its messages does.

The rules are those of the run's page: a key press names the citation on the screen, a label moves
on to the next one, and undo reverts the reviewer's last label in the run. Independent of the
widget.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from workbench.errors import UsageError, WorkbenchError
from workbench.presentation.citation_card import card_data, position_label
from workbench.presentation.run_desk import (
    COMMENTED,
    FIRST_CITATION,
    LAST_CITATION,
    NOTE_SAVED,
    NOTHING_TO_UNDO,
    KeyAction,
    StatusMessage,
    human_label,
    labelled_text,
    parse_action,
    run_keys_data,
    undone_text,
)
from workbench.presentation.run_view import ReviewState, document_data, headline, step
from workbench.presentation.verdicts import STYLES
from workbench.records.review import active_labels
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.source import Source
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import HumanLabel, Run
from workbench.services.claim_corrections import (
    correction_decisions,
    own_correction_decisions,
)
from workbench.services.database import Database, keep_open
from workbench.services.labels import details_of_label, newest_label, split_by_reviewer
from workbench.services.repositories import CommentRepository, LabelRepository
from workbench.services.runs import (
    citation_source,
    is_stored,
    output_text,
    run_labels,
    run_summary,
    store_run,
    stored_run,
    unjudged_citations,
)

NO_NAME = "Not saved: a label needs its reviewer's name."
_OF_TEXT = ("doc", "blocks", "pieces", "styles", "part", "parts", "where")
"""What changes with the part of the text that is shown; the rest with each press."""


@dataclass(slots=True, kw_only=True)
class ReviewDesk:
    """One run under review in one cell."""

    database: Database
    run: Run
    reviewer: str = ""
    """Normalized; empty until it is requested."""
    stored: bool = True
    """Whether the run is in the database; one that is not is stored with its first label."""
    review: ReviewState = field(init=False)
    selected: str = field(init=False)
    part: int = field(init=False)
    quote_at: int = 0
    stays: bool = False
    status: StatusMessage = field(default_factory=StatusMessage)
    handled: int = 0
    last: str = ""
    """Id of the last press that was handled, so that one sent twice is handled once."""
    asks: bool = False
    """Whether the reviewer's name is being requested."""
    problem: str = ""
    """Why the entered name cannot be used."""
    waiting: list[KeyAction] = field(default_factory=list)
    """Presses that wait for the reviewer's name."""

    def __post_init__(self) -> None:
        self.review = self._load()
        self._select(self.review.first_choice() or next(iter(self.review.results)))

    def data(self) -> dict[str, JsonDict]:
        """What the widget shows, by part; a part that has not changed is equal to what it was."""
        review = self.review
        document = document_data(review, self.part, self.selected)
        source = self._source(self.selected)
        return {
            "bar": self._bar(),
            "text": {name: document[name] for name in _OF_TEXT},
            "marks": {name: value for name, value in document.items() if name not in _OF_TEXT},
            "card": card_data(review, self.selected, source, self.quote_at),
            "buttons": run_keys_data(
                review,
                self.selected,
                self.reviewer,
                last=self.last,
                handled=self.handled,
                status=self.status,
                stays=self.stays,
                source=None,
            ),
        }

    def receive(self, message: object) -> None:
        """Handle one message of the widget; a refusal becomes the status."""
        if not isinstance(message, Mapping):
            return
        sent = cast(Mapping[str, Json], message)
        try:
            with keep_open():
                self._receive(sent)
        except WorkbenchError as error:
            # the note stays in the browser and the citation stays open: nothing is lost
            self.status = StatusMessage(text=str(error), bad=True)

    def _receive(self, sent: Mapping[str, Json]) -> None:
        if "act" in sent:
            action = parse_action(sent["act"])
            if action is not None:
                self._press(action)
        elif isinstance(picked := sent.get("picked"), str) and picked in self.review.results:
            self._select(picked)
        elif isinstance(part := sent.get("part"), int):
            self.part = min(max(part, 0), len(self.review.windows) - 1)
        elif "name" in sent:
            self._take_name(sent["name"])
        elif "ask" in sent:
            self.asks, self.problem = True, ""

    def _press(self, action: KeyAction) -> None:
        if action.id and action.id in (self.last, *(waiting.id for waiting in self.waiting)):
            return
        if action.verb in ("label", "comment") and not self.reviewer:
            self.waiting.append(action)
            self.asks = True
            return
        self.last, self.status = action.id, StatusMessage()
        self.handled += 1
        self.review = self._load()
        names = list(self.review.results)
        if 0 <= action.at < len(names):
            self._perform(names[action.at], action)

    def _take_name(self, name: Json) -> None:
        """Use the entered name, and label what was waiting for it; None cancels."""
        waiting = self.waiting
        if name is None:
            self.asks, self.problem, self.waiting = False, "", []
            if waiting:
                self.last, self.status = waiting[-1].id, StatusMessage(text=NO_NAME, bad=True)
            return
        try:
            self.reviewer = normalize_reviewer_name(str(name))
        except UsageError as error:
            self.problem = str(error)
            return
        self.asks, self.problem, self.waiting = False, "", []
        self.review = self._load()
        for action in waiting:
            self._press(action)

    def _perform(self, name: str, action: KeyAction) -> None:
        label, own_label = human_label(action.label), self.review.own_labels.get(name)
        match action.verb:
            case "label" if label and name not in self.review.pending:
                self._label(name, label, action.note)
            case "note" if own_label:
                self._give(name, own_label.label, action.note)
                self.status = StatusMessage(text=NOTE_SAVED)
            case "comment":
                self._comment(name, action.comment)
            case "next":
                self._move(name, 1, LAST_CITATION)
            case "previous":
                self._move(name, -1, FIRST_CITATION)
            case "undo":
                self._undo()
            case "stay":
                self.stays = not self.stays
            case "quote":
                self.quote_at += 1
            case _:
                pass

    def _label(self, name: str, label: HumanLabel, note: str) -> None:
        self._give(name, label, note)
        following = name if self.stays else self._neighbor(name, 1)
        left = self.review.left_after(name) if following == name and not self.stays else None
        self.status = StatusMessage(
            text=labelled_text(label, position_label(self.review, name), left)
        )
        self._select(following)

    def _give(self, name: str, label: HumanLabel, note: str) -> None:
        """Store a label; evidence, tags and error source of the reviewer's earlier one stay."""
        self._store_run()
        result = self.review.results[name]
        details = details_of_label(self.review.own_labels.get(name), result, self._source(name))
        decision = details.decision(label, note)
        LabelRepository(self.database).give(self.run.id, name, self.reviewer, decision)
        self.review = self._load()

    def _comment(self, name: str, body: str) -> None:
        self._store_run()
        CommentRepository(self.database).add(self.run.id, name, self.reviewer, body)
        self.review = self._load()
        self.status = StatusMessage(text=COMMENTED)

    def _store_run(self) -> None:
        if not self.stored:
            store_run(self.database, self.run)
            self.stored = True

    def _undo(self) -> None:
        newest = newest_label(self.review.own_labels)
        if newest is None:
            self.status = StatusMessage(text=NOTHING_TO_UNDO)
            return
        name = newest.citation_id
        withdrawn = LabelRepository(self.database).withdraw(self.run.id, name, self.reviewer)
        self.review = self._load()
        if withdrawn:
            current, place = self.review.own_labels.get(name), position_label(self.review, name)
            self.status = StatusMessage(text=undone_text(withdrawn, current, place))
        self._select(name)

    def _move(self, name: str, by: int, at_end: str) -> None:
        neighbor = self._neighbor(name, by)
        if neighbor == name:
            self.status = StatusMessage(text=at_end)
        self._select(neighbor)

    def _neighbor(self, name: str, by: int) -> str:
        return step(self.review.order(), self.review.marks, name, by) or name

    def _select(self, name: str) -> None:
        self.selected, self.quote_at = name, 0
        self.part = self.review.window_of(name)

    def _load(self) -> ReviewState:
        """The run as it is now, with everybody's labels."""
        database, run_id = self.database, self.run.id
        if not self.stored:
            pending = frozenset() if self.run.finished else unjudged_citations(self.run)
            return ReviewState(run=self.run, text=self.run.text, pending=pending, labels={})
        run, labels = stored_run(database, run_id), run_labels(database, run_id)
        own_labels, others = split_by_reviewer(labels, self.reviewer) if self.reviewer else ({}, {})
        decided = correction_decisions(database, run_id)
        own_decided = (
            own_correction_decisions(database, run_id, self.reviewer)
            if decided and self.reviewer
            else {}
        )
        return ReviewState(
            run=run,
            text=output_text(database, run.output_sha256),
            name=run_summary(database, run_id).name,
            pending=frozenset() if run.finished else unjudged_citations(run),
            labels=active_labels(labels) | own_labels,
            own_labels=own_labels,
            others=others,
            corrections=decided | own_decided,
            own_corrections=own_decided,
        )

    def _source(self, name: str) -> Source | None:
        """The source of a citation with its text; None if the run has none for it."""
        source = self.review.results[name].source
        if source is None or source.text or not self.stored:
            return source
        if name in self.review.pending:
            return None
        return citation_source(self.database, self.run.id, name)

    def _bar(self) -> JsonDict:
        order = self.review.order()
        counts = self.review.counts()
        reviewed = sum(name in self.review.own_labels for name in order)
        return {
            "title": headline(self.review),
            "counts": "  ".join(
                f"{STYLES[mark].glyph} {number} {STYLES[mark].short.lower()}"
                for mark, number in counts.items()
            ),
            "progress": f"{reviewed} of {len(order)} labelled by you" if self.reviewer else "",
            "who": self.reviewer,
            "asks": self.asks,
            "problem": self.problem,
        }


def open_desk(database: Database, run: Run | str, reviewer: str | None) -> ReviewDesk | None:
    """The desk of a run; None if it has no citation to review.

    Raises:
        UsageError: The reviewer's name cannot be used, or the run is neither stored nor has a text.
        StoreError: There is no such run, or the database cannot be used.
    """
    name = normalize_reviewer_name(reviewer) if reviewer is not None else ""
    run_id = run if isinstance(run, str) else run.id
    stored = isinstance(run, str) or is_stored(database, run_id)
    if stored:
        run = stored_run(database, run_id)
    assert isinstance(run, Run)
    if not run.citations:
        return None
    if not stored and not run.text:
        raise UsageError(f"The run {run_id[:8]} has no text, so its labels could not be stored.")
    return ReviewDesk(database=database, run=run, reviewer=name, stored=stored)
