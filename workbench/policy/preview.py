"""What a policy would make of many runs at once, out of the few facts that decide it; pure.

Groundedness and a resolver's answers are not among the facts of a stored run: its context documents
were not kept, and nobody asks a service about last month. So a preview holds for the checks of
presence, source match and references, leaves coverage out, and counts what only the resolver could
confirm as not confirmed, which is what happens when it gives no answer.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.policy.apply import Outcome, confirmed_score, match_step, most_severe, presence_step
from workbench.policy.fields import Pattern, Policy
from workbench.policy.references import ReferenceFact, reference_steps
from workbench.records.verdict import VerdictLabel

NoEffect = Literal[
    "disabled", "no_citations", "not_compared", "no_scores", "none_between", "decided"
]
"""Why the threshold changes no outcome. `decided`: scores lie between the thresholds, but each such
run is held back, or counted, for another of its citations or for its references anyway."""

OUTCOMES: tuple[Outcome, ...] = ("pass", "flag", "redact", "block")


class CitationFact(NamedTuple):
    """How one citation of a stored run stands. A tuple, since there are a hundred thousand."""

    pattern: Pattern
    verdict: VerdictLabel
    score: float | None
    supported: bool | None
    """What people say: None where they did not, or cannot tell."""
    unsure: bool = False
    """Whether the judge is not sure of its verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run as far as a preview needs it."""

    id: str
    stands: tuple[CitationFact, ...]
    references: tuple[ReferenceFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedOutcome:
    """What a policy would make of one run."""

    run_id: str
    action: Outcome
    citations: int
    """Of the kinds that the policy looks at."""
    loose: int
    """Of these, those that are not confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdOutcome:
    """What one threshold would hold back, and how far people say that it would be right.

    `rightly`: at least one citation that is not confirmed is one that people do not call supported.
    `wrongly`: people call every such citation supported. The rest nobody has labelled.
    """

    threshold: float
    runs: int
    rightly: int
    wrongly: int
    missed: int
    """Runs let through with a citation that people do not call supported."""


def simulate_policy(policy: Policy, runs: Sequence[StoredRun]) -> list[SimulatedOutcome]:
    """What the policy would make of each run, in their order."""
    patterns = set(policy.extract_patterns)
    outcomes = []
    for run in runs:
        scores = [_score(policy, fact) for fact in run.stands if fact.pattern in patterns]
        unconfirmed = sum(score < policy.min_confidence for score in scores)
        outcomes.append(
            SimulatedOutcome(
                run_id=run.id,
                action=_action(policy, len(scores), unconfirmed, run.references),
                citations=len(scores),
                loose=unconfirmed,
            )
        )
    return outcomes


def simulate_thresholds(
    policy: Policy, runs: Sequence[StoredRun], thresholds: Sequence[float]
) -> tuple[ThresholdOutcome, ...]:
    """What each value of `min_confidence` would hold back: every run that would not simply pass.

    A run without any citation is held back at every value where the policy asks for sources; people
    have no say in that. Cost: linear in the citations, then logarithmic in the runs for each value.
    """
    always_stopped = 0
    weakest: list[float] = []
    with_faults: list[tuple[float, float]] = []
    with_support: list[tuple[float, float]] = []
    patterns = set(policy.extract_patterns)
    for run in runs:
        facts = [fact for fact in run.stands if fact.pattern in patterns]
        if not facts:
            always_stopped += _action(policy, 0, 0, run.references) != "pass"
            continue
        scores = [_score(policy, fact) for fact in facts]
        # no threshold lets a run through that its references stop
        stopped = bool(reference_steps(policy, run.references))
        weakest.append(float("-inf") if stopped else min(scores))
        pairs = list(zip(facts, scores, strict=True))
        faults = [score for fact, score in pairs if fact.supported is False]
        if faults:
            with_faults.append((min(faults), min(scores)))
        supported = [score for fact, score in pairs if fact.supported is True]
        if supported:
            # held back wrongly from the first supported one until the first that is not known to be
            others = [score for fact, score in pairs if fact.supported is not True]
            with_support.append((min(supported), min(others, default=float("inf"))))
    weakest.sort()
    enabled = policy.enabled
    return tuple(
        ThresholdOutcome(
            threshold=at,
            runs=(always_stopped + bisect_left(weakest, at)) if enabled else 0,
            rightly=sum(first < at for first, _ in with_faults) if enabled else 0,
            wrongly=sum(first < at <= rest for first, rest in with_support) if enabled else 0,
            missed=sum(lowest >= at for _, lowest in with_faults) if enabled else len(with_faults),
        )
        for at in thresholds
    )


def why_no_effect(
    policy: Policy, runs: Sequence[StoredRun], thresholds: Sequence[float]
) -> NoEffect:
    """Why some thresholds, at least one, have equal outcomes on these runs."""
    if not policy.enabled:
        return "disabled"
    patterns = set(policy.extract_patterns)
    facts = [fact for run in runs for fact in run.stands if fact.pattern in patterns]
    if not facts:
        return "no_citations"
    if not policy.verify_against_context:
        return "not_compared"
    scores = [confirmed_score(policy, fact.verdict, fact.score, fact.unsure) for fact in facts]
    known_scores = [score for score in scores if score is not None]
    if not known_scores:
        return "no_scores"
    if not any(min(thresholds) <= score < max(thresholds) for score in known_scores):
        return "none_between"
    return "decided"


def _score(policy: Policy, fact: CitationFact) -> float:
    """What is compared with the threshold; below every threshold where nothing confirms it."""
    confirmed = confirmed_score(policy, fact.verdict, fact.score, fact.unsure)
    return -1.0 if confirmed is None else confirmed


def _action(
    policy: Policy, citations: int, unconfirmed: int, references: Sequence[ReferenceFact]
) -> Outcome:
    if not policy.enabled:
        return "pass"
    return most_severe(
        [
            *presence_step(policy, citations),
            *match_step(policy, citations, unconfirmed),
            *reference_steps(policy, references),
        ]
    )
