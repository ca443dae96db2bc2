"""Asking the judges: passages chosen once, a place in the queue, money set aside, nothing twice."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.errors import JudgeError
from workbench.judging.batch import BatchJob
from workbench.judging.bibliography import quotes_bibliography
from workbench.judging.budget import Budget
from workbench.judging.calculation_checks import note_of
from workbench.judging.joint_verdicts import is_undecided, join_parts, joint_judgment
from workbench.judging.judge import Judge
from workbench.judging.layer_checks import check_layers
from workbench.judging.llm import LlmJudge
from workbench.judging.passages import select_passages
from workbench.pipeline.claim import ClaimPart, parts_in_text
from workbench.pipeline.judge_calls import (
    BudgetedCaller,
    JointCallBatcher,
    JudgeCall,
    PendingProducer,
    RequestCoalescer,
)
from workbench.pipeline.options import VerifyOptions
from workbench.pipeline.provider_batches import ProviderBatcher
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.source import Passage, Source
from workbench.records.text import Excerpt
from workbench.records.verdict import Judgment, Layers, Note


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPair:
    """What the judges said of one claim and one source."""

    joint: Judgment
    judgments: tuple[Judgment, ...]
    layers: Layers
    notes: tuple[Note, ...] = ()

    def placed(self, claim: ClaimPart, text: str) -> "JudgedPair":
        """Return it with the parts of its judgments where they stand in the output's text."""
        judgments = tuple(parts_in_text(judgment, claim, text) for judgment in self.judgments)
        return replace(self, joint=parts_in_text(self.joint, claim, text), judgments=judgments)


def join_answers(parts: Sequence[Excerpt], answers: Sequence[JudgedPair]) -> JudgedPair:
    """The answer on a claim over those on its parts, in their order (`join_parts`).

    A judge of the panel that was not asked about each part is joined over those it was asked about.
    A layer holds where it holds for every part. Notes keep their words and lose their place, which
    counts in a part.
    """
    by_judge: dict[str, list[tuple[Excerpt, Judgment]]] = {}
    for part, answer in zip(parts, answers, strict=True):
        for judgment in answer.judgments:
            by_judge.setdefault(judgment.judge, []).append((part, judgment))
    return JudgedPair(
        joint=join_parts(parts, [answer.joint for answer in answers]),
        judgments=tuple(
            join_parts([part for part, _ in judged], [judgment for _, judgment in judged])
            for judged in by_judge.values()
        ),
        layers=Layers(
            exists=True,
            resolves=True,
            derivable=_for_all([answer.layers.derivable for answer in answers]),
            in_scope=_for_all([answer.layers.in_scope for answer in answers]),
        ),
        notes=tuple(
            dict.fromkeys(replace(note, span=None) for answer in answers for note in answer.notes)
        ),
    )


def _for_all(layers: Sequence[bool | None]) -> bool | None:
    """Whether a layer holds for every part; None where that is not known."""
    return False if False in layers else None if None in layers else True


class JudgeScheduler:
    """The judges of one run; a claim and a source are judged once, however often they are cited."""

    def __init__(
        self,
        judges: Sequence[Judge],
        options: VerifyOptions,
        spend: Callable[[float], None],
        *,
        handed_in: Sequence[BatchJob] = (),
        keep: Callable[[Sequence[BatchJob]], None] = lambda tickets: None,
        tell: Callable[[str], None] = lambda message: None,
        budget: Budget | None = None,
    ) -> None:
        """`spend` gets the start of a judgment; `budget` is used in place of the options' cap.

        The rest is for batches (`ProviderBatcher`).
        """
        self.judges = tuple(judges)
        self.options = options
        self._paying = BudgetedCaller(options, spend, budget)
        self.budget = self._paying.budget
        serve = (
            ProviderBatcher(self._paying, handed_in, keep, tell).serve
            if options.batch
            else JointCallBatcher(self._paying).serve
        )
        self._room: RequestCoalescer[JudgeCall, Judgment] = RequestCoalescer(serve)
        self._answers: dict[tuple[str, str, JudgeContext], asyncio.Task[JudgedPair]] = {}

    @property
    def tasks(self) -> list[asyncio.Task[JudgedPair] | asyncio.Task[None]]:
        """Everything under way or done."""
        return [*self._answers.values(), *self._room.tasks]

    def close(self) -> None:
        """Ask nothing more: the run is stopped."""
        self._room.close()

    def coming(self) -> PendingProducer:
        """A citation that may still bring a question; a batch waits for it."""
        return self._room.guest("")

    async def answer(
        self,
        claim: str,
        source: Source,
        coming: PendingProducer,
        context: JudgeContext = NO_CONTEXT,
    ) -> JudgedPair:
        """The panel's answer to a citation that was announced by `coming`.

        `context` is the claim's; what the source says of itself is added here.

        Raises:
            JudgeError: No judge gave a verdict (with the rule `unanimous`: one of them did not).
        """
        context = replace(context, source=source.self_description())
        key = (claim, source.sha256, context)
        if key not in self._answers:
            # a batch holds the whole run's questions, a joint call those of one source
            guest = self._room.guest("" if self.options.batch else source.sha256)
            self._answers[key] = asyncio.create_task(self._answer(claim, source, guest, context))
        coming.leave()
        # shielded: the citation that asked first may be cancelled, the others still want it
        return await asyncio.shield(self._answers[key])

    async def _answer(
        self, claim: str, source: Source, guest: PendingProducer, context: JudgeContext
    ) -> JudgedPair:
        try:
            async with self._paying.turns:
                passages = await asyncio.to_thread(
                    select_passages, claim, source.text, title=source.title, context=context
                )
            replies, failed = await self._panel(claim, passages, guest, context)
        finally:
            guest.leave()
        failed = [(spec, _explained(spec, error, source.text)) for spec, error in failed]
        if failed and (not replies or self.options.panel == "unanimous"):
            raise failed[-1][1]
        judgments = tuple(judgment.in_source(source) for judgment in replies)
        joint = joint_judgment(judgments, self.options.panel)
        report = check_layers(
            exists=True, resolves=True, claim=claim, judgment=joint, passages=passages
        )
        notes = [
            Note(kind="overreach", message=finding.message, span=finding.span)
            for finding in report.overreach
        ]
        notes += filter(None, (note_of(joint),))
        notes += [
            Note(kind="judge_error", message=f"{spec} gave no verdict: {error.message}")
            for spec, error in failed
        ]
        return JudgedPair(
            joint=joint, judgments=judgments, layers=report.layers, notes=tuple(notes)
        )

    async def _panel(
        self, claim: str, passages: Sequence[Passage], guest: PendingProducer, context: JudgeContext
    ) -> tuple[list[Judgment], list[tuple[str, JudgeError]]]:
        judgments: list[Judgment] = []
        failed: list[tuple[str, JudgeError]] = []
        if self.options.panel == "cascade":
            for judge in self.judges:
                try:
                    judgments.append(await self._ask(judge, claim, passages, guest, context))
                except JudgeError as error:
                    failed.append((judge.spec, error))
                    continue
                if not is_undecided(judgments[-1]):
                    break
            return judgments, failed
        # everyone is asked at once: each question has a guest of its own
        guests = [
            self._room.guest(guest.key) if isinstance(judge, LlmJudge) else None
            for judge in self.judges
        ]
        guest.leave()
        calls = [
            self._ask(judge, claim, passages, own_guest, context)
            for judge, own_guest in zip(self.judges, guests, strict=True)
        ]
        for judge, answer in zip(
            self.judges, await asyncio.gather(*calls, return_exceptions=True), strict=True
        ):
            if isinstance(answer, JudgeError):
                failed.append((judge.spec, answer))
            elif isinstance(answer, BaseException):
                raise answer
            else:
                judgments.append(answer)
        return judgments, failed

    async def _ask(
        self,
        judge: Judge,
        claim: str,
        passages: Sequence[Passage],
        guest: PendingProducer | None,
        context: JudgeContext,
    ) -> Judgment:
        cascade = self.options.panel == "cascade"
        try:
            question = self._paying.question(judge, claim, passages, context)
            stored = await self._paying.recall(question)
            if stored is not None:
                return stored
            if guest is not None and isinstance(judge, LlmJudge):
                return await self._room.wait(guest, question)
            async with self._paying.turn():
                return await self._paying.ask(question)
        finally:
            # in a cascade the guest belongs to the judges that may follow
            if guest is not None and not cascade:
                guest.leave()


def _explained(spec: str, error: JudgeError, text: str) -> JudgeError:
    """The error with what is wrong with its quotes, where they are in the reference list."""
    if error.kind == "unverified_quote" and quotes_bibliography(error.quotes, text):
        error.message = (
            f"{spec} quotes the source's own reference list, which is not evidence: read the "
            f"source yourself."
        )
        error.args = (error.message,)
    return error
