"""Judge at half the price by the providers' batch APIs, for runs that can wait up to a day.

Hand in a judge's questions, keep the ticket (it is plain data), ask for it later, and get a
judgment or an error for each item. Results are checked exactly as those of single calls.
"""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol, runtime_checkable

from workbench.errors import JudgeError, UsageError
from workbench.judging.llm import LlmJudge
from workbench.judging.provider import (
    BatchIntent,
    BatchState,
    Completion,
    CompletionRequest,
    ProviderFailure,
)
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage
from workbench.records.text import JsonDict
from workbench.records.verdict import Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchItem:
    """One claim with its passages under a name of the caller's."""

    id: str
    """Letters, digits, `_` and `-`, at most 64: what both providers take."""
    claim: str
    passages: tuple[Passage, ...]
    context: JudgeContext = NO_CONTEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchJob:
    """A batch that was submitted, or was about to be."""

    id: str
    """The provider's name for it; empty for an intent."""
    spec: str
    """The judge that submitted it."""
    prompt: str
    """The prompt's id: results are read only with the same prompt."""
    intent: BatchIntent | None = None
    """Only while it is not known whether the provider has it."""

    def to_dict(self) -> JsonDict:
        """`{"id", "spec", "prompt", "intent"?}`, to be stored until the results are there."""
        record: JsonDict = {"id": self.id, "spec": self.spec, "prompt": self.prompt}
        return {**record, "intent": self.intent.to_dict()} if self.intent else record


@runtime_checkable
class BatchProvider(Protocol):
    """A provider with a batch API."""

    async def submit(self, questions: Mapping[str, CompletionRequest], mark: str) -> str:
        """Hand in questions by name; the batch's id."""

    async def find(self, intent: BatchIntent) -> Sequence[str]:
        """The batches that may be the one that was intended, by id; none where it never arrived."""

    async def state(self, batch_id: str) -> BatchState:
        """How far the batch is."""

    async def results(self, batch_id: str) -> Mapping[str, Completion | ProviderFailure]:
        """The result of each question; only for a batch that is done."""


def intend_batch(judge: LlmJudge, items: Sequence[BatchItem]) -> BatchJob:
    """What to store before these items are submitted.

    Raises:
        UsageError: there are no items, two have the same id, or the provider has no batches.
    """
    _provider(judge)
    if not items or len({item.id for item in items}) < len(items):
        raise UsageError("A batch needs at least one item, and every item an id of its own.")
    intent = BatchIntent(mark=uuid.uuid4().hex, items=len(items), at=datetime.now(UTC))
    return BatchJob(id="", spec=judge.spec, prompt=judge.prompt.id, intent=intent)


async def submit_batch(
    judge: LlmJudge, items: Sequence[BatchItem], intended: BatchJob | None = None
) -> BatchJob:
    """The ticket of a batch submitted for these items.

    Args:
        judge: Whose provider takes batches.
        items: What is asked.
        intended: What was kept before, by `intend_batch`; made now where it is None.

    Raises:
        UsageError: as `intend_batch`.
        JudgeError: `llm_judge_error` when the provider refused the batch.
    """
    intended = intended or intend_batch(judge, items)
    questions = {item.id: judge.question(item.claim, item.passages, item.context) for item in items}
    mark = intended.intent.mark if intended.intent else ""
    try:
        batch_id = await _provider(judge).submit(questions, mark)
    except ProviderFailure as failure:
        message = f"{judge.spec} did not take the batch: {failure}."
        raise JudgeError("llm_judge_error", message) from failure
    return replace(intended, id=batch_id, intent=None)


async def find_batch(judge: LlmJudge, intended: BatchJob) -> list[BatchJob]:
    """The tickets of what the provider has of an intended batch; none where it never came.

    OpenAI's batches carry a mark and are found by it. Anthropic's carry none: taken are those of
    the same size from the same minutes, and what is not of this run is left out when their results
    are read, since items are named by all that they depend on.

    Raises:
        JudgeError: the provider cannot be reached; `passing` says whether that may pass.
        UsageError: the API key is not accepted.
    """
    if intended.intent is None:
        return [intended]
    with _batch_errors(f"{judge.spec} does not say which batches it has"):
        batch_ids = await _provider(judge).find(intended.intent)
    return [replace(intended, id=batch_id, intent=None) for batch_id in batch_ids]


async def batch_state(judge: LlmJudge, ticket: BatchJob) -> BatchState:
    """How far a batch is.

    Raises:
        JudgeError: the provider cannot be reached; `passing` says whether that may pass.
        UsageError: the API key is not accepted: the batch stays where it is until it is corrected.
    """
    with _batch_errors(f"{judge.spec} does not say how far the batch is"):
        return await _provider(judge).state(ticket.id)


async def collect_batch(
    judge: LlmJudge, ticket: BatchJob, items: Sequence[BatchItem]
) -> dict[str, Judgment | JudgeError]:
    """For each item its judgment, or the error that a single call would have raised.

    Costs are those of the batch price. An item that the provider gives no result for is an
    `llm_judge_error`. Raises `UsageError` for another judge's or prompt's ticket, and what
    `batch_state` raises when the results cannot be fetched.
    """
    if (ticket.spec, ticket.prompt) != (judge.spec, judge.prompt.id):
        raise UsageError(
            f"The batch {ticket.id!r} was handed in by {ticket.spec} with {ticket.prompt}: "
            "collect it with the same judge and prompt."
        )
    with _batch_errors(f"{judge.spec} does not return the batch's results"):
        answers = await _provider(judge).results(ticket.id)
    results: dict[str, Judgment | JudgeError] = {}
    for item in items:
        answer = answers.get(item.id, ProviderFailure("the batch has no result for it"))
        if isinstance(answer, ProviderFailure):
            message = f"{judge.spec} gave no verdict in the batch: {answer}."
            results[item.id] = JudgeError("llm_judge_error", message)
            continue
        try:
            results[item.id] = judge.accept(
                item.claim, item.passages, answer, item.context, batch=True
            )
        except JudgeError as error:
            results[item.id] = error
    return results


@contextmanager
def _batch_errors(problem: str) -> Iterator[None]:
    """The errors of a paid batch that cannot be reached now."""
    try:
        yield
    except ProviderFailure as failure:
        if failure.status in (401, 403):
            raise UsageError(
                f"{problem}: {failure}. The batch is still there: correct the key and resume the run."
            ) from failure
        passing = failure.retry or failure.status is None
        raise JudgeError("llm_judge_error", f"{problem}: {failure}.", passing=passing) from failure


def _provider(judge: LlmJudge) -> BatchProvider:
    if not isinstance(judge.provider, BatchProvider):
        raise UsageError(
            f"The provider of {judge.spec} does not support batches: judge one by one."
        )
    return judge.provider
