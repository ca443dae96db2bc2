"""Several judges on one claim: one verdict, with the disagreement kept."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from workbench.errors import JudgeError, UnknownJudge
from workbench.judging.judge import Judge, ask_judge, run_sync, worst_cost_of
from workbench.records import (
    NO_CONTEXT,
    PANEL_RULES,
    JudgeContext,
    Judgment,
    PanelRule,
    Passage,
    VerdictLabel,
)

ABSTAIN_BAND = (0.3, 0.7)
"""Scores between these two leave a cascade undecided: the next judge is asked."""

_CAUTION: tuple[VerdictLabel, ...] = (
    "contradicted",
    "not_supported",
    "partially_supported",
    "supported",
    "unverifiable",
)
"""Who wins a tie: the more cautious label."""


def joint_judgment(judgments: Sequence[Judgment], rule: PanelRule = "majority") -> Judgment:
    """One judgment out of several judges' on the same claim and source; a single one is itself.

    - `majority`: the label most give; the more cautious one on a tie.
    - `unanimous`: the label all give; where they differ, `not_supported` with the disagreement in
      the rationale (`supported` needs every judge).
    - `cascade`: the last one asked.

    The score is the mean (the last one's in a cascade), cost and tokens are sums, the evidence is
    that of the judges who gave the label. Raises `ValueError` for no judgment at all.
    """
    if not judgments:
        raise ValueError("A joint judgment needs at least one judgment.")
    if len(judgments) == 1:
        return judgments[0]
    if rule == "cascade":
        chosen, agreeing = judgments[-1].label, [judgments[-1]]
    else:
        votes = {label: sum(j.label == label for j in judgments) for label in _CAUTION}
        chosen = max(_CAUTION, key=lambda name: votes[name])
        agreeing = [j for j in judgments if j.label == chosen]
        if rule == "unanimous" and len(agreeing) < len(judgments):
            cautious = [j for j in judgments if j.label in ("not_supported", "contradicted")]
            chosen, agreeing = "not_supported", cautious or agreeing
    scores = [j.score for j in (agreeing if rule == "cascade" else judgments)]
    confidence = sum(j.confidence for j in agreeing if j.label == chosen)
    said = "; ".join(f"{j.judge}: {_in_words(j.label)}" for j in judgments)
    same = sum(j.label == chosen for j in judgments)
    return replace(
        agreeing[0],
        label=chosen,
        confidence=round(confidence / (1 if rule == "cascade" else len(judgments)), 4),
        score=round(sum(scores) / len(scores), 4),
        rationale=f"{same} of {len(judgments)} judges say {_in_words(chosen)} ({said}). "
        + agreeing[0].rationale,
        evidence=tuple(dict.fromkeys(e for j in agreeing for e in j.evidence)),
        judge=" + ".join(j.judge for j in judgments),
        prompt=None,
        input_tokens=sum(j.input_tokens for j in judgments),
        output_tokens=sum(j.output_tokens for j in judgments),
        cost_usd=sum(j.cost_usd for j in judgments),
        price_unknown=any(j.price_unknown for j in judgments),
        standalone=next((j.standalone for j in (*agreeing, *judgments) if j.standalone), None),
        latency_ms=sum(j.latency_ms for j in judgments)
        if rule == "cascade"
        else max(j.latency_ms for j in judgments),
    )


def _in_words(label: VerdictLabel) -> str:
    return label.replace("_", " ")


def disagreement(judgments: Sequence[Judgment]) -> float:
    """The share of pairs of judges with different labels: 0 when all agree or only one speaks."""
    pairs = [(a, b) for i, a in enumerate(judgments) for b in judgments[i + 1 :]]
    return sum(a.label != b.label for a, b in pairs) / len(pairs) if pairs else 0.0


def is_undecided(judgment: Judgment, band: tuple[float, float] = ABSTAIN_BAND) -> bool:
    """Whether a cascade should ask the next judge: the score lies inside the abstain band."""
    return band[0] <= judgment.score < band[1]


class Panel:
    """Several judges as one; their own judgments are kept by `aask`.

    A judge that gives no verdict is left out as long as another gives one; a panel all of whose
    judges fail raises the last one's `JudgeError`. Under `unanimous` every judge must answer.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        rule: PanelRule = "majority",
        band: tuple[float, float] = ABSTAIN_BAND,
    ) -> None:
        if not judges:
            raise UnknownJudge("A panel needs at least one judge: name one, such as local.")
        if rule not in PANEL_RULES:
            raise UnknownJudge(f"There is no panel rule {rule!r}: use {', '.join(PANEL_RULES)}.")
        self._judges = tuple(judges)
        self._rule = rule
        self._band = band

    @property
    def spec(self) -> str:
        """The judges' SPECs, joined by ` + `."""
        return " + ".join(judge.spec for judge in self._judges)

    async def aask(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> tuple[Judgment, ...]:
        """What each judge said, in their order; a cascade stops at the first decided one.

        Raises:
            JudgeError: no judge, or under `unanimous` not every judge, gave a verdict. It carries
                what all of them cost.
        """
        if self._rule == "cascade":
            return await self._cascade(claim, passages, context)
        asked = (ask_judge(judge, claim, passages, context) for judge in self._judges)
        answers = await asyncio.gather(*asked, return_exceptions=True)
        given = [answer for answer in answers if isinstance(answer, Judgment)]
        failed = [answer for answer in answers if isinstance(answer, BaseException)]
        for failure in failed:
            if not isinstance(failure, JudgeError):
                raise failure
        errors = [failure for failure in failed if isinstance(failure, JudgeError)]
        if errors and (not given or self._rule == "unanimous"):
            raise _with_cost(errors[-1], given, errors)
        return (*given[:-1], _paying_for(given[-1], errors)) if errors else tuple(given)

    async def _cascade(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> tuple[Judgment, ...]:
        given: list[Judgment] = []
        errors: list[JudgeError] = []
        for judge in self._judges:
            try:
                given.append(await ask_judge(judge, claim, passages, context))
            except JudgeError as error:
                errors.append(error)
                continue
            if not is_undecided(given[-1], self._band):
                break
        if not given:
            raise _with_cost(errors[-1], given, errors)
        return (*given[:-1], _paying_for(given[-1], errors)) if errors else tuple(given)

    async def ajudge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """The joint judgment; raises `JudgeError` as `aask`."""
        return joint_judgment(await self.aask(claim, passages, context), self._rule)

    def judge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """What `ajudge` gives; connections are closed afterwards."""

        async def once() -> Judgment:
            try:
                return await self.ajudge(claim, passages, context)
            finally:
                await self.aclose()

        return run_sync(once())

    def worst_cost_usd(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> float | None:
        """What asking every judge can cost at most; None when one of the prices is unknown."""
        costs = [worst_cost_of(judge, claim, passages, context) for judge in self._judges]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    async def aclose(self) -> None:
        """Close every judge."""
        for judge in self._judges:
            await judge.aclose()


def _paying_for(judgment: Judgment, errors: Sequence[JudgeError]) -> Judgment:
    """The judgment with what the failed judges beside it cost."""
    return replace(
        judgment,
        input_tokens=judgment.input_tokens + sum(e.input_tokens for e in errors),
        output_tokens=judgment.output_tokens + sum(e.output_tokens for e in errors),
        cost_usd=judgment.cost_usd + sum(e.cost_usd for e in errors),
    )


def _with_cost(
    error: JudgeError, given: Sequence[Judgment], errors: Sequence[JudgeError]
) -> JudgeError:
    """The error, carrying what the whole panel cost."""
    return JudgeError(
        error.kind,
        error.message,
        input_tokens=sum(j.input_tokens for j in given) + sum(e.input_tokens for e in errors),
        output_tokens=sum(j.output_tokens for j in given) + sum(e.output_tokens for e in errors),
        cost_usd=sum(j.cost_usd for j in given) + sum(e.cost_usd for e in errors),
        latency_ms=error.latency_ms,
        reply=error.reply,
    )
