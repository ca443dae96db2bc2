"""Asking the judges: passages chosen once, a place in the queue, money set aside, nothing twice."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.errors import JudgeError
from workbench.judging import (
    Judge,
    check_layers,
    is_undecided,
    joint_judgment,
    judgment_key,
    recalled,
    select_passages,
)
from workbench.judging.budget import Budget
from workbench.pipeline.options import Options
from workbench.records import Judgment, Layers, Note, Passage, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the judges said of one claim and one source."""

    joint: Judgment
    judgments: tuple[Judgment, ...]
    layers: Layers
    notes: tuple[Note, ...] = ()


class Asking:
    """The judges of one run; a claim and a source are judged once, however often they are cited."""

    def __init__(
        self, judges: Sequence[Judge], options: Options, spend: Callable[[float], None]
    ) -> None:
        self.judges = tuple(judges)
        self.options = options
        self.budget = Budget(options.max_cost_usd)
        self._spend = spend
        self._turns = asyncio.Semaphore(max(1, options.judgments_at_once))
        self._answers: dict[tuple[str, str], asyncio.Task[Answer]] = {}

    @property
    def tasks(self) -> list[asyncio.Task[Answer]]:
        """Everything under way or done."""
        return list(self._answers.values())

    async def answer(self, claim: str, source: Source) -> Answer:
        """The panel's answer.

        Raises:
            JudgeError: No judge gave a verdict (with the rule `unanimous`: one of them did not).
        """
        key = (claim, source.sha256)
        if key not in self._answers:
            self._answers[key] = asyncio.create_task(self._answer(claim, source))
        # shielded: the citation that asked first may be cancelled, the others still want it
        return await asyncio.shield(self._answers[key])

    async def _answer(self, claim: str, source: Source) -> Answer:
        async with self._turns:
            passages = await asyncio.to_thread(
                select_passages, claim, source.text, title=source.title
            )
        given, failed = await self._panel(claim, passages)
        if failed and (not given or self.options.panel == "unanimous"):
            raise failed[-1][1]
        judgments = tuple(
            replace(
                one,
                evidence=tuple(
                    replace(quote, page=source.page_at(quote.start)) for quote in one.evidence
                ),
            )
            for one in given
        )
        joint = joint_judgment(judgments, self.options.panel)
        report = check_layers(
            exists=True, resolves=True, claim=claim, judgment=joint, passages=passages
        )
        notes = [
            Note(kind="overreach", message=found.message, span=found.span)
            for found in report.overreach
        ]
        notes += [
            Note(kind="judge_error", message=f"{spec} gave no verdict: {error.message}")
            for spec, error in failed
        ]
        return Answer(joint=joint, judgments=judgments, layers=report.layers, notes=tuple(notes))

    async def _panel(
        self, claim: str, passages: Sequence[Passage]
    ) -> tuple[list[Judgment], list[tuple[str, JudgeError]]]:
        given: list[Judgment] = []
        failed: list[tuple[str, JudgeError]] = []
        if self.options.panel == "cascade":
            for judge in self.judges:
                try:
                    given.append(await self._ask(judge, claim, passages))
                except JudgeError as error:
                    failed.append((judge.spec, error))
                    continue
                if not is_undecided(given[-1]):
                    break
            return given, failed
        asked = [self._ask(judge, claim, passages) for judge in self.judges]
        for judge, said in zip(
            self.judges, await asyncio.gather(*asked, return_exceptions=True), strict=True
        ):
            if isinstance(said, JudgeError):
                failed.append((judge.spec, said))
            elif isinstance(said, BaseException):
                raise said
            else:
                given.append(said)
        return given, failed

    async def _ask(self, judge: Judge, claim: str, passages: Sequence[Passage]) -> Judgment:
        async with self._turns:
            since = time.perf_counter()
            try:
                return await self._recalled_or_asked(judge, claim, passages)
            finally:
                self._spend(since)

    async def _recalled_or_asked(
        self, judge: Judge, claim: str, passages: Sequence[Passage]
    ) -> Judgment:
        worst = judge.worst_cost_usd(claim, passages)
        priced = worst != 0  # a free judge answers faster than a database
        key = judgment_key(judge, claim, passages) if priced else ""
        if priced and self.options.recall:
            known = await asyncio.to_thread(self.options.recall, key)
            if known is not None:
                return recalled(known)
        reserved = await self.budget.reserve_in_turn(worst)
        spent = 0.0
        try:
            judgment = await judge.ajudge(claim, passages)
            spent = judgment.cost_usd
        except JudgeError as error:
            spent = error.cost_usd
            raise
        except asyncio.CancelledError:
            # cut off under way: nobody knows what was billed, so the worst is counted
            spent = reserved
            raise
        finally:
            self.budget.settle(reserved, spent)
        if priced and self.options.remember:
            await asyncio.to_thread(self.options.remember, key, judgment)
        return judgment
