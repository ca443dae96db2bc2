"""Ask a judge about labelled items that it has not looked at, as a run would have asked it.

Each answer goes to a callback as it comes, so a stop loses nothing and the next call continues with
what is left. The room knows no store: the items come from an iterator.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from workbench.errors import JudgeError
from workbench.judging.budget import Budget
from workbench.judging.judge import Judge, run_sync
from workbench.judging.judge_factory import open_judges, prompt_of
from workbench.judging.passages import select_passages
from workbench.pipeline.claim import StoredClaims
from workbench.pipeline.estimate import Question, estimate_questions
from workbench.pipeline.judge_scheduler import JudgedPair, JudgeScheduler
from workbench.pipeline.options import JUDGMENTS_AT_ONCE, VerifyOptions
from workbench.records.codec import Record
from workbench.records.context import JudgeContext
from workbench.records.evaluation import JudgingRequest, OfflineJudgment
from workbench.records.options import PanelRule
from workbench.records.spending import Spending
from workbench.records.text import JsonDict
from workbench.records.verdict import NOT_ASKED, CitationResult, ErrorInfo, Judgment

CHUNK = 100
SAMPLE = 200
"""So many items at most are read for an estimate, some 5 ms each; the rest is taken to be like
them."""

Keep = Callable[[Sequence[OfflineJudgment], Sequence[tuple[str, CitationResult]]], None]
"""Takes opinions, and for items that had no verdict yet the run's id and their first result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingCost(Record):
    """What asking about items can cost at most, and about how long it takes."""

    items: int
    cost_usd: float | None
    """None when the model's price is unknown."""
    usual_usd: float | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingResult:
    """The result of judging the items."""

    judged: int
    """Items that have an answer now, errors of the judge included."""
    unjudged: int
    """Items that were not asked about: the cost cap was reached, or it was stopped."""
    unread: int
    """Items without a readable source."""
    cost_usd: float
    """What was paid this time, as far as prices are known."""
    errors: dict[str, int] = field(default_factory=dict)
    stop_reason: str = ""
    """Why items are left, in a sentence; empty where none are, or it was stopped."""
    earlier_usd: float = 0.0
    """What an attempt that was cut off had spent; it counts against the cap."""
    reserved_usd: float = 0.0
    """Reserved for calls that were cut off, outcome unknown; it counts against the cap."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""

    @property
    def spending(self) -> Spending:
        """What was paid this time, and what is unknown."""
        return Spending(
            settled_usd=self.cost_usd,
            reserved_usd=self.reserved_usd,
            unpriced_calls=self.unpriced_calls,
        )

    def to_dict(self) -> JsonDict:
        """The result as reports have it."""
        return {
            "asked": self.judged,
            "left": self.unjudged,
            "unread": self.unread,
            "cost_usd": None if self.unpriced_calls else round(self.cost_usd, 6),
            "earlier_usd": round(self.earlier_usd, 6),
            "reserved_usd": round(self.reserved_usd, 6),
            "price_unknown": self.unpriced_calls > 0,
            "errors": dict(self.errors),
        }


def judging_cost(
    items: Iterable[JudgingRequest], many: int, judge: str | Judge | Sequence[Judge]
) -> JudgingCost:
    """What asking about `many` items can cost at most, by the passages that would be shown.

    The first `SAMPLE` items are estimated one by one; each of the rest costs at most what
    the dearest of them does, and usually what they do on average. Items without a readable source
    are not asked about and cost nothing. A panel is estimated as if all its judges were asked, and
    answers that are kept already as if they were not.

    Raises:
        UsageError: The judge cannot be opened.
    """
    judges = _opened(judge)
    sample, claims = list(islice(items, SAMPLE)), StoredClaims()
    guesses = [
        estimate_questions([_question(item, claims)], judges)
        for item in sample
        if item.source and item.source.text
    ]
    rest = max(0, many - len(sample)) if guesses else 0
    scale = rest / len(sample) if sample else 0.0
    worst = [guess.cost_usd for guess in guesses if guess.cost_usd is not None]
    usual = [guess.usual_usd for guess in guesses if guess.usual_usd is not None]
    all_priced = len(worst) == len(guesses) == len(usual)
    return JudgingCost(
        items=many,
        cost_usd=sum(worst) + rest * max(worst, default=0.0) if all_priced else None,
        usual_usd=sum(usual) * (1 + scale) if all_priced else None,
        seconds=sum(guess.seconds for guess in guesses) * (1 + scale),
    )


def asked_of(item: JudgingRequest, claims: StoredClaims | None = None) -> tuple[str, JudgeContext]:
    """The claim of an item and its context, as a judge is asked about it.

    With `claims` kept over items, an output is read once for all of its items.
    """
    stored_claims = claims or StoredClaims()
    claim, context = stored_claims.claim_of(
        item.run_id, item.text, item.citations, item.result.citation.id
    )
    if item.source:
        context = replace(context, source=item.source.self_description())
    return claim, context


def _question(item: JudgingRequest, claims: StoredClaims) -> Question:
    """The claim of an item and the passages that a judge would be shown."""
    assert item.source is not None
    claim, context = asked_of(item, claims)
    passages = select_passages(claim, item.source.text, title=item.source.title, context=context)
    return claim, passages, context


def judge_items(
    items: Iterable[JudgingRequest],
    judge: str | Judge | Sequence[Judge],
    keep: Keep,
    *,
    name: str | None = None,
    rule: PanelRule = "majority",
    max_cost_usd: float | None = None,
    recall: Callable[[str], Judgment | None] | None = None,
    remember: Callable[[str, Judgment], None] | None = None,
    cancel: threading.Event | None = None,
    on_progress: Callable[[int, float], None] | None = None,
    budget: Budget | None = None,
) -> JudgingResult:
    """The result of judging the items; answers go to `keep`, a hundred at a time at most.

    Args:
        items: What to ask about.
        judge: A judge or its SPEC, or the judges of a panel.
        keep: Takes the answers; what it has taken need not be asked again.
        name: Under which its opinions are kept; its SPEC, or its SPECs joined by ` + `, without.
        rule: How a panel decides.
        max_cost_usd: A cap that holds under concurrency.
        recall: Finds a paid judgment by key.
        remember: Keeps one.
        cancel: Ends it early.
        on_progress: Called with how many items are done and what they cost so far, in USD.
        budget: Used in place of a cap of its own.

    Raises:
        UsageError: The judge cannot be opened, or the cap is no amount of at least 0.
    """
    judges = _opened(judge)
    money = budget or Budget(max_cost_usd)
    options = VerifyOptions(recall=recall, remember=remember, panel=rule, keep_costs=True)
    judge_name = name or " + ".join(member.spec for member in judges)
    work = _Judging(
        judges, judge_name, options, keep, cancel or threading.Event(), on_progress, money
    )
    return run_sync(work.all(iter(items)))


def _opened(judge: str | Judge | Sequence[Judge]) -> list[Judge]:
    if isinstance(judge, str):
        return open_judges([judge])
    return [judge] if isinstance(judge, Judge) else list(judge)


class _Judging:
    """Items under way."""

    def __init__(
        self,
        judges: Sequence[Judge],
        name: str,
        options: VerifyOptions,
        keep: Keep,
        cancel: threading.Event,
        on_progress: Callable[[int, float], None] | None,
        budget: Budget,
    ) -> None:
        self.judges, self.name, self.options, self.keep = judges, name, options, keep
        self.cancel, self.on_progress = cancel, on_progress
        self.prompt = prompt_of(judges)
        self.budget, self.before = budget, budget.spending
        self.why_left = ""
        self.asked = self.left = self.unread = self.answered = 0
        self.errors: Counter[str] = Counter()

    async def all(self, items: Iterator[JudgingRequest]) -> JudgingResult:
        try:
            while chunk := await asyncio.to_thread(lambda: list(islice(items, CHUNK))):
                if self.cancel.is_set():
                    self.left += len(chunk)
                    continue
                await self._chunk(chunk)
        finally:
            for judge in self.judges:
                await judge.aclose()
            await self.budget.aclose()
        return JudgingResult(
            judged=self.asked,
            unjudged=self.left,
            unread=self.unread,
            cost_usd=self.spent,
            errors=dict(self.errors),
            stop_reason=self.why_left,
            earlier_usd=self.before.settled_usd,
            reserved_usd=self.budget.reserved_usd,
            unpriced_calls=self.budget.unpriced_calls - self.before.unpriced_calls,
        )

    @property
    def spent(self) -> float:
        """What was paid this time, in USD."""
        return self.budget.spent_usd - self.before.settled_usd

    async def _chunk(self, chunk: Sequence[JudgingRequest]) -> None:
        scheduler = JudgeScheduler(
            self.judges, self.options, lambda since: None, budget=self.budget
        )
        slots, claims = asyncio.Semaphore(JUDGMENTS_AT_ONCE), StoredClaims()
        readable = [item for item in chunk if item.source and item.source.text]
        self.unread += len(chunk) - len(readable)

        async def answer_item(
            item: JudgingRequest,
        ) -> tuple[JudgingRequest, JudgedPair | JudgeError | None]:
            async with slots:
                answer = None if self.cancel.is_set() else await _answer(scheduler, item, claims)
            self.answered += answer is not None
            if self.on_progress:
                self.on_progress(self.answered, self.spent)
            return item, answer

        answers = await asyncio.gather(*(answer_item(item) for item in readable))
        scheduler.close()
        opinions: list[OfflineJudgment] = []
        first: list[tuple[str, CitationResult]] = []
        for item, answer in answers:
            if answer is None or (isinstance(answer, JudgeError) and answer.kind in NOT_ASKED):
                self.left += 1
                if answer is not None and answer.kind == "cost_cap_reached":
                    self.why_left = answer.message.removeprefix("Not judged: ")
                continue
            if isinstance(answer, JudgeError):
                self.errors[answer.kind] += 1
            opinions.append(self._opinion(item, answer))
            if not item.has_verdict:
                first.append((item.run_id, _result(item, answer)))
        self.asked += len(opinions)
        await asyncio.to_thread(self.keep, opinions, first)
        self.answered = self.asked
        if self.on_progress:
            self.on_progress(self.asked, self.spent)

    def _opinion(self, item: JudgingRequest, answer: JudgedPair | JudgeError) -> OfflineJudgment:
        failed = answer if isinstance(answer, JudgeError) else None
        judgment = answer.joint if isinstance(answer, JudgedPair) else None
        return OfflineJudgment(
            run_id=item.run_id,
            citation_id=item.result.citation.id,
            judge=self.name,
            prompt=self.prompt,
            judgment=judgment,
            error=failed.kind if failed else None,
            cost_usd=failed.cost_usd if failed else judgment.cost_usd if judgment else 0.0,
        )


async def _answer(
    scheduler: JudgeScheduler, item: JudgingRequest, claims: StoredClaims
) -> JudgedPair | JudgeError:
    assert item.source is not None
    try:
        claim, context = asked_of(item, claims)
        return await scheduler.answer(claim, item.source, scheduler.coming(), context)
    except JudgeError as error:
        return error


def _result(item: JudgingRequest, answer: JudgedPair | JudgeError) -> CitationResult:
    """The item's first verdict, as a run would have kept it."""
    if isinstance(answer, JudgeError):
        return replace(
            item.result,
            status="error",
            verdict="unverifiable",
            error=ErrorInfo(kind=answer.kind, message=answer.message),
            source=item.source,
        )
    return CitationResult(
        citation=item.result.citation,
        status="ok",
        verdict=answer.joint.label,
        source=item.source,
        judgment=answer.joint,
        judgments=answer.judgments,
        layers=replace(answer.layers, exists=item.result.citation.target is not None),
        notes=answer.notes,
    )
