"""Hand a run's questions to any chat window, and take its answers back; nothing is sent anywhere.

The answers are verdicts of the judge `handoff:NAME`. They stand beside those of the run's own
judge, or are the run's verdicts where it was started with that judge.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workbench.errors import JudgeError, UsageError
from workbench.experiments.judge_items import asked_of, judge_items
from workbench.judging.handoff import (
    HANDOFF,
    LEAST_PART_CHARS,
    MOST_CHARS,
    PART_CHARS,
    RECORDED,
    HandoffJudge,
    HandoffPart,
    HandoffQuestion,
    RefusedAnswer,
    handoff_question,
    handoff_spec,
    key_prefix,
    read_answers,
    write_parts,
)
from workbench.judging.judge import run_sync
from workbench.judging.passages import select_passages
from workbench.pipeline.claim import StoredClaims
from workbench.records.codec import Record
from workbench.records.context import JudgeContext
from workbench.records.evaluation import JudgingRequest, OfflineJudgment
from workbench.records.matrix import CellJudgment
from workbench.records.source import Passage
from workbench.records.text import JsonDict
from workbench.records.verdict import CitationResult, Run
from workbench.services.cached_views import clear_cached_views
from workbench.services.matrix import MatrixColumn, keep_cells, matrix_columns, run_matrix
from workbench.store.evaluation.offline_judgments import MatrixCells, OfflineJudgmentRepository
from workbench.store.store import Store

__all__ = ["LEAST_PART_CHARS", "MOST_CHARS", "PART_CHARS"]

USUAL_NAME = "chat"
USUAL_CHAT = handoff_spec(USUAL_NAME)
"""The judge that a form offers, and answers are kept under where nobody says whose they are."""
_SEPARATOR = "=" * 20
_UNANSWERED = "It has not been answered yet."


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffExport:
    """A run's questions in parts."""

    run_id: str
    parts: tuple[HandoffPart, ...]

    @property
    def questions(self) -> int:
        """How many there are."""
        return sum(part.questions for part in self.parts)

    @property
    def text(self) -> str:
        """All parts in one text, each below a line that says where it begins."""
        if len(self.parts) == 1:
            return self.parts[0].text
        return "\n".join(
            f"{_SEPARATOR} part {number} of {len(self.parts)}: copy what follows into a chat "
            f"{_SEPARATOR}\n\n{part.text}"
            for number, part in enumerate(self.parts, 1)
        )

    def to_dict(self) -> JsonDict:
        """The questions as JSON."""
        return {
            "run_id": self.run_id,
            "questions": self.questions,
            "pieces": len(self.parts),
            "parts": [part.text for part in self.parts],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion(Record):
    """A question without an answer that counts, and why."""

    key: str
    claim: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffImport:
    """What became of answers."""

    judge: str
    taken: int
    """Questions whose answer is a verdict now."""
    refused: tuple[OpenQuestion, ...]
    """Answers that cannot be taken; those whose question is not known have no claim."""
    open: tuple[OpenQuestion, ...]
    """Questions of the run that the judge has not answered."""

    def to_dict(self) -> JsonDict:
        """The outcome as JSON."""
        return {
            "judge": self.judge,
            "taken": self.taken,
            "refused": [answer.to_dict() for answer in self.refused],
            "unanswered": len(self.open),
            "open": [question.to_dict() for question in self.open],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """An item of a run with its question."""

    item: JudgingRequest
    question: HandoffQuestion
    claim: str
    passages: tuple[Passage, ...]
    context: JudgeContext
    column: str = ""
    """Hash of the source, for a question about a statement that the run did not ask about."""


def handoff_name(run: Run) -> str:
    """The chat that a run waits for or was judged by; the usual name where it names none."""
    specs = [spec for spec in run.judge if spec.startswith(f"{HANDOFF}:") and spec != RECORDED]
    return specs[0].partition(":")[2] if specs else USUAL_NAME


def export_handoff(
    store: Store,
    run_id: str,
    part_chars: int = PART_CHARS,
    name: str = "",
    *,
    matrix: bool = False,
) -> HandoffExport:
    """The questions of a run in parts that fit a chat window.

    Args:
        store: Where the run is.
        run_id: The run.
        part_chars: The most characters of a part.
        name: Leave out what this chat has answered; empty for all questions.
        matrix: Ask about every other statement and source of the run instead of its citations.

    Raises:
        NotFoundError: There is no such run.
        UsageError: The run has nothing to ask, or the limit is too small.
    """
    run = store.get_run(run_id)
    answered = _answered(store, run, handoff_spec(name)) if name and not matrix else frozenset()
    asked_about = (
        matrix_questions(store, run, handoff_spec(name or handoff_name(run)))
        if matrix
        else run_questions(store, run)
    )
    questions = {
        asked.question.key: asked.question
        for asked in asked_about
        if asked.item.result.citation.id not in answered
    }
    if not questions:
        raise UsageError(
            f"Nothing is open in the matrix of the run {run_id}: there is no further statement and "
            "source to ask about."
            if matrix
            else f"The run {run_id} has no open question for {handoff_spec(name)}."
            if answered
            else f"The run {run_id} has no citation whose source could be read, so there is nothing "
            "to ask."
        )
    parts = write_parts(list(questions.values()), part_chars)
    return HandoffExport(run_id=run_id, parts=tuple(parts))


def import_handoff(
    store: Store, run_id: str, answers: str | bytes, name: str = ""
) -> HandoffImport:
    """What became of a chat's answers to the questions of a run.

    Args:
        store: Where the run is.
        run_id: The run.
        answers: What the chat answered, with whatever stands around its JSON.
        name: Who answered; without, the chat that the run names, else `chat`.

    Raises:
        NotFoundError: There is no such run.
        UsageError: The answers are empty, too long or hold no verdict, or the name is none.
    """
    run = store.get_run(run_id)
    spec = handoff_spec(name or handoff_name(run))
    text = answers if isinstance(answers, str) else answers.decode("utf-8-sig", "replace")
    asked: dict[str, list[AskedQuestion]] = {}
    for one in run_questions(store, run):
        asked.setdefault(one.question.key, []).append(one)
    read = read_answers(text, asked, key_prefix(run_id))
    unlike: list[CellJudgment] = []
    if read.refused:  # what is no question about a citation may be one of the matrix
        columns = list(matrix_columns(store, run_matrix(store, run_id), spec))
        wider = {key: list(same) for key, same in asked.items()}
        for one in _matrix_questions(columns):
            wider.setdefault(one.question.key, []).append(one)
        again = read_answers(text, wider, key_prefix(run_id))
        if again.by_key.keys() - asked.keys():
            asked, read = wider, again
            unlike = [said for column in columns for said in column.unlike]
    judge = HandoffJudge(
        spec, lambda *question: read.by_key.get(handoff_question(run_id, *question).key)
    )
    refused = list(read.refused)
    taken: list[str] = []
    for key in read.by_key:
        first = asked[key][0]
        try:
            run_sync(judge.ajudge(first.claim, first.passages, first.context))
            taken.append(key)
        except JudgeError as error:
            refused.append(RefusedAnswer(key=key, reason=error.message))
    MatrixCells(store).add(unlike)
    _keep(store, run, judge, [one for key in taken for one in asked[key]])
    done = _answered(store, run, spec)
    reasons = {answer.key: answer.reason for answer in refused}
    claims = {key: of_key[0].claim for key, of_key in asked.items()}
    return HandoffImport(
        judge=spec,
        taken=len(taken),
        refused=tuple(
            OpenQuestion(key=answer.key, claim=claims.get(answer.key, ""), reason=answer.reason)
            for answer in refused
        ),
        open=tuple(
            OpenQuestion(key=key, claim=claims[key], reason=reasons.get(key, _UNANSWERED))
            for key, of_key in asked.items()
            if any(one.item.result.citation.id not in done for one in of_key if not one.column)
            or (key not in taken and all(one.column for one in of_key))
        ),
    )


def run_questions(store: Store, run: Run) -> Iterator[AskedQuestion]:
    """The citations of a run whose source was read, each as a judge is asked about it."""
    keys = [(run.id, result.citation.id) for result in run.counted if result.source is not None]
    yield from _questions(OfflineJudgmentRepository(store).questions(keys))


def matrix_questions(store: Store, run: Run, spec: str) -> Iterator[AskedQuestion]:
    """The statements and sources of a run that nobody judged, as a chat is asked about them."""
    yield from _matrix_questions(matrix_columns(store, run_matrix(store, run.id), spec))


def _matrix_questions(columns: Iterable[MatrixColumn]) -> Iterator[AskedQuestion]:
    for column in columns:
        yield from _questions(column.requests(), column.sha256)


def _questions(items: Iterable[JudgingRequest], column: str = "") -> Iterator[AskedQuestion]:
    claims = StoredClaims()
    for item in items:
        if item.source is None or not item.source.text:
            continue
        claim, context = asked_of(item, claims)
        passages = tuple(
            select_passages(claim, item.source.text, title=item.source.title, context=context)
        )
        if any(passage.text.strip() for passage in passages):
            yield AskedQuestion(
                item=item,
                question=handoff_question(item.run_id, claim, passages, context),
                claim=claim,
                passages=passages,
                context=context,
                column=column,
            )


def _keep(store: Store, run: Run, judge: HandoffJudge, asked: Sequence[AskedQuestion]) -> None:
    """Store the verdicts: beside those of the run's judge, as the run's, or in its matrix."""
    own = tuple(run.judge) == (judge.spec,)
    opinions, cells = OfflineJudgmentRepository(store), MatrixCells(store)

    def keep(
        beside: Sequence[OfflineJudgment], first: Sequence[tuple[str, CitationResult]]
    ) -> None:
        opinions.add(() if own else beside, first if own else ())

    # in the judge's own run each answer is the item's newest verdict; the earlier ones are kept
    for column in dict.fromkeys(one.column for one in asked):
        judge_items(
            [
                replace(one.item, has_verdict=bool(column) or not own)
                for one in asked
                if one.column == column
            ],
            judge,
            partial(keep_cells, cells, column) if column else keep,
            name=judge.spec,
        )
    # an ended run is cached as it was
    clear_cached_views()


def _answered(store: Store, run: Run, spec: str) -> frozenset[str]:
    """Ids of the citations that a chat has given a verdict on."""
    if tuple(run.judge) == (spec,):
        current = store.get_run(run.id).citations
        return frozenset(result.citation.id for result in current if result.judgment is not None)
    return frozenset(
        citation_id
        for citation_id, judgments in OfflineJudgmentRepository(store).of_chats(run.id).items()
        if any(judgment.judge == spec for judgment in judgments)
    )
