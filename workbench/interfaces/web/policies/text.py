"""The Policy page in words and tables; pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby

from workbench.presentation.escape import escape_html, run_label
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.records.format import format_timestamp
from workbench.services.policies import (
    OUTCOMES,
    NoEffect,
    Outcome,
    Policy,
    RunHistory,
    SimulatedOutcome,
    ThresholdOutcome,
)

FORM_DISABLED = "The YAML has errors: fix them first."
FIELD_WIDTH = 230
"""Of a field of the form, in pixels."""
FORM_FIELDS: Mapping[str, str] = {
    "require_sources": "Require citations",
    "require_source_match": "Require source match",
    "require_existing_reference": "Require existing references",
    "min_confidence": "Minimum confidence",
    "min_groundedness": "Minimum groundedness",
    "output_action.unverified_action": "Unverified citations",
    "output_action.hallucination_action": "Ungrounded answers",
    "extract_patterns": "Kinds of citation",
    "response.include_verification_report": "Include the report",
}
"""The fields of the form by their paths, in its order."""

OUTCOME_TEXT: Mapping[Outcome, tuple[str, str, str]] = {
    "block": ("✕", "Blocked", "#CC79A7"),
    "redact": ("◐", "Redacted", "#E69F00"),
    "flag": ("○", "Flagged", "#D55E00"),
    "pass": ("●", "Passed", "#009E73"),
}
"""Glyph, word and colour of each outcome, most severe first; never colour alone."""
THRESHOLDS = (0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
MOST_RUNS = 50
MOST_CHARS = 8_000
"""Characters shown of a text after the policy."""
_MARK = "[removed: "


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """A time range of past runs; half-open, None for no bound."""

    name: str
    word: str
    since: datetime | None
    until: datetime | None


def pattern_text(pattern: str) -> str:
    """A kind of citation in words."""
    return "URL" if pattern == "url" else pattern.replace("_", " ").capitalize()


def spans(now: datetime) -> list[TimeRange]:
    """The time ranges to choose from at a given moment; days and months begin in UTC.

    All bounds are at midnight, so that a range stays the same from one rerun to the next.
    """
    day = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    first = day.replace(day=1)
    last_month = (first - timedelta(days=1)).replace(day=1)
    ranges = [
        TimeRange(
            name="month", word=f"Last month, {last_month:%B %Y}", since=last_month, until=first
        ),
        TimeRange(name="this", word=f"This month, {first:%B %Y}", since=first, until=None),
    ]
    for days in (7, 30, 90):
        since = day - timedelta(days=days)
        ranges.append(TimeRange(name=f"{days}d", word=f"Last {days} days", since=since, until=None))
    return [*ranges, TimeRange(name="all", word="All runs", since=None, until=None)]


def in_force_text(name: str | None) -> str:
    """Which policy is in force, and how to use another one."""
    usual = f"the policy {name}" if name else "the published defaults"
    return (
        f"In force for checks over HTTP that name no policy: {usual}. On the command line: "
        "workbench verify FILE --policy NAME."
    )


def rule_text(policy: Policy) -> str:
    """What a policy does, in a sentence for each of its actions."""
    if not policy.enabled:
        return "The policy is disabled: everything passes."
    unconfirmed = policy.unverified_action if policy.require_source_match else "flag"
    least = f"citations not confirmed with a score of at least {policy.min_confidence:g}"
    rules = {unconfirmed: [least]}
    others = rules.setdefault(policy.unverified_action, [])
    if policy.require_sources:
        others.append("answers without citations")
    if policy.require_existing_reference:
        others.append("references that do not exist")
    if policy.min_groundedness is not None:
        ungrounded = f"answers with less than {policy.min_groundedness:.0%} of the claims grounded"
        rules.setdefault(policy.hallucination_action, []).append(ungrounded)
    said = {action: " and ".join(", ".join(what).rsplit(", ", 1)) for action, what in rules.items()}
    return " ".join(f"{action.capitalize()}s {what}." for action, what in said.items() if what)


def counts(outcomes: Sequence[SimulatedOutcome]) -> dict[Outcome, int]:
    """Number of runs of each outcome."""
    numbers = Counter(simulated.action for simulated in outcomes)
    return {outcome: numbers[outcome] for outcome in OUTCOMES}


def outcome_bar(numbers: Mapping[Outcome, int]) -> str:
    """The outcomes as a bar with its legend, as HTML: most severe first, with glyph and word."""
    total = sum(numbers.values())
    legend, parts = [], []
    for outcome, (glyph, word, colour) in OUTCOME_TEXT.items():
        number = numbers[outcome]
        share = f" ({number / total:.0%})" if total else ""
        legend.append(
            f'<li><span class="wb-sign" style="--verdict:{colour}">{glyph}</span>'
            f"<b>{number:,}</b> {word.lower()}{share}</li>"
        )
        if number:
            parts.append(f'<i style="flex:{number};background:{colour}"></i>')
    bar = f'<div class="wb-outcome-bar" aria-hidden="true">{"".join(parts)}</div>'
    return f'<div class="wb-outcomes"><ul>{"".join(legend)}</ul>{bar if total else ""}</div>'


def concerned(outcomes: Sequence[SimulatedOutcome]) -> list[SimulatedOutcome]:
    """The runs that would not pass, most severe first, then newest first."""
    order = list(OUTCOME_TEXT)
    return sorted(
        (outcome for outcome in outcomes if outcome.action != "pass"),
        key=lambda outcome: order.index(outcome.action),
    )


def runs_table(affected: Sequence[SimulatedOutcome], past: RunHistory) -> Table:
    """The affected runs; each links to its review."""
    rows = []
    for outcome in affected[:MOST_RUNS]:
        run = past.facts[outcome.run_id]
        glyph, word, _ = OUTCOME_TEXT[outcome.action]
        rows.append(
            (
                Cell(
                    text=run_name(past, outcome.run_id, 80),
                    link=Link(page="review", query={"run": outcome.run_id}),
                ),
                f"{glyph} {word}",
                f"{outcome.loose} of {outcome.citations}" if outcome.citations else "no citation",
                format_timestamp(run.created_at),
            )
        )
    return Table.of(
        accessible_label="Runs that the policy would flag, redact or block",
        columns=(
            "Run",
            Column(word="Outcome", width="7.5rem"),
            Column(word="Not confirmed", numeric=True, width="8rem"),
            Column(word="Date", numeric=True, width="9.5rem", spare=True),
        ),
        rows=rows,
    )


def run_name(past: RunHistory, run_id: str, most: int = 60) -> str:
    """The name of a run, else its id."""
    return run_label(past.facts[run_id].name, most)


NO_EFFECT: Mapping[NoEffect, str] = {
    "disabled": "the policy is disabled, and everything passes",
    "no_citations": "these runs have no citation of a type that the policy checks",
    "not_compared": (
        "the policy does not compare citations with their sources (verify_against_context: false), "
        "so no score is compared with the threshold"
    ),
    "no_scores": (
        "no citation of these runs is judged supported, and only those have a score to compare "
        "with the threshold"
    ),
    "none_between": "no citation that is judged supported has a score between {low:.3g} and "
    "{high:.3g}",
    "decided": "each run with a score between {low:.3g} and {high:.3g} is held at all of these "
    "thresholds: another of its citations scores lower or is not judged supported, or there is a "
    "problem with its references",
}


def no_effect_text(reason: NoEffect, thresholds: Sequence[float]) -> str:
    """Why no threshold of a table changes anything, in a sentence."""
    why = NO_EFFECT[reason].format(low=min(thresholds), high=max(thresholds))
    return f"No effect, because {why}."


def equal_outcomes(outcomes: Sequence[ThresholdOutcome]) -> list[list[ThresholdOutcome]]:
    """Neighboring thresholds in groups that have the same numbers."""
    return [list(group) for _, group in groupby(outcomes, _numbers)]


def _numbers(outcome: ThresholdOutcome) -> tuple[int, int, int, int]:
    return outcome.runs, outcome.rightly, outcome.wrongly, outcome.missed


def what_if_table(
    policy: Policy, outcomes: Sequence[ThresholdOutcome], notes: Mapping[float, str]
) -> Table:
    """The effect of each threshold, and how far people's labels confirm it.

    Neighboring thresholds of equal effect share a row.
    """
    word = "Held" if policy.require_source_match else "Flagged"
    rows = []
    for group in equal_outcomes(outcomes):
        outcome, last = group[0], group[-1]
        unknown = max(0, outcome.runs - outcome.rightly - outcome.wrongly)
        several = f" to {last.threshold:.3g}" if len(group) > 1 else ""
        more = [
            (f"{note}: {one.threshold:.3g}" if several else note)
            for one in group
            for note in _threshold_notes(policy, one.threshold, notes)
        ]
        rows.append(
            (
                Cell(text=f"{outcome.threshold:.3g}{several}", more=", ".join(more)),
                f"{outcome.runs:,}",
                f"{outcome.rightly:,}",
                f"{outcome.wrongly:,}",
                f"{unknown:,}",
                f"{outcome.missed:,}",
            )
        )
    return Table.of(
        accessible_label="Effect of other values of the minimum confidence",
        columns=(
            Column(word="Minimum confidence", width="9.5rem"),
            word,
            "Correctly held",
            "Wrongly held",
            "Unlabelled",
            "Missed",
        ),
        rows=rows,
    )


def _threshold_notes(policy: Policy, threshold: float, notes: Mapping[float, str]) -> list[str]:
    """What a threshold is: this policy's, a saved one."""
    own = ["this policy"] if abs(threshold - policy.min_confidence) < 1e-9 else []
    return [*own, *([notes[threshold]] if threshold in notes else [])]


def redacted_html(text: str) -> str:
    """A redacted text as HTML, with the removed parts marked."""
    parts = text[:MOST_CHARS].split(_MARK)
    redacted = escape_html(parts[0])
    for part in parts[1:]:
        why, bracket, rest = part.partition("]")
        if bracket and len(why) < 60 and "\n" not in why:
            redacted += (
                f'<mark class="wb-removed">{_MARK}{escape_html(why)}]</mark>{escape_html(rest)}'
            )
        else:
            redacted += escape_html(_MARK + part)
    hidden = len(text) - MOST_CHARS
    more = (
        f'<p class="wb-quiet">{hidden:,} more characters are not shown.</p>' if hidden > 0 else ""
    )
    return f'<div class="wb-redacted" dir="auto">{redacted}</div>{more}'
