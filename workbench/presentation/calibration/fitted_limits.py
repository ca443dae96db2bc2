"""Limits fitted to labels in words and as a table: the page, reports and JSON share them; pure."""

from collections.abc import Sequence

from workbench.calibration.estimates import IntervalEstimate
from workbench.calibration.fitted_limits import FITTED_FROM, FittedLimit, HeldOutRate, JudgeLimits
from workbench.presentation.calibration.sections import Section
from workbench.presentation.tables import Column, Table, Value, figure_cell
from workbench.records.format import count_of
from workbench.records.text import JsonDict

MANY = 1_000
"""Past so many further labels the sentence names no number: the rates seen are too rough for it."""


TITLE = "Fitted to your labels"
METHOD = (
    "A limit is fitted on train for the best balanced accuracy of “supported”, and tested on dev: labels "
    "are those fitted on / kept apart. It is admitted where the lower bounds, in brackets or small print, "
    "of both sensitivity and specificity (one-sided 90 %, Clopper–Pearson, on the effective number of "
    "labels) hold the target; only an admitted limit can be saved. As it came, with limit and gain are "
    "balanced accuracy on the labels kept apart, the gain with its 95 % interval (paired bootstrap over "
    "questions)."
)


def limits_sections(limits: Sequence[JudgeLimits]) -> tuple[Section, ...]:
    """The section of reports: the judge's sentences, then the table of all judges."""
    if not limits:
        return ()
    table = limits_table(limits)
    return (
        Section(
            title=TITLE,
            before=limits_text(limits[0]),
            table=table,
            after=(METHOD,) if table else (),
        ),
    )


def limits_document(limits: Sequence[JudgeLimits]) -> list[JsonDict]:
    """The published JSON of each judge's limits."""
    return [
        {
            "judge": list(one.judge.specs),
            "prompt": one.judge.prompt or None,
            "labels": one.labels,
            "labels_needed_to_fit": one.labels_needed,
            "limits": [
                {**limit.to_dict(), "sentence": limit_text(one, limit)} for limit in one.limits
            ],
            "sentences": list(limits_text(one)),
        }
        for one in limits
    ]


def limits_text(limits: JudgeLimits) -> tuple[str, ...]:
    """What the labels make of a judge's limit: a sentence for all kinds and one for each other."""
    if not limits.limits:
        return (
            f"From {FITTED_FROM} labels on a limit is fitted to them. {limits.judge.description} "
            f"has {limits.labels:,} (train + dev); about "
            f"{count_of(limits.labels_needed, 'more label')} would do, as some go to the test set.",
        )
    return tuple(limit_text(limits, limit) for limit in limits.limits)


def limit_text(limits: JudgeLimits, limit: FittedLimit) -> str:
    """Whether a limit is admitted and what it gains, or what is missing."""
    name = limits.judge.description + (f" on {limit.kind} sources" if limit.kind else "")
    if limit.limit is None:
        return f"No limit can be fitted for {name}: {_no_limit(limit)}"
    at = f"{name}: the limit of {limit.limit:.3g}, fitted to {count_of(limit.fitted_on, 'label')},"
    if not limit.tested_on:
        return (
            f"{at} is not used: no label is kept apart to test it. Label citations of other "
            "questions."
        )
    tested = f"on the {count_of(limit.tested_on, 'label')} kept apart"
    if limit.admitted:
        return (
            f"{at} is admitted: {tested} it accepts at least {limit.sensitivity.low:.0%} of what is "
            f"supported and rejects at least {limit.specificity.low:.0%} of what is not "
            f"({limit.confidence:.0%} lower bounds; target {limit.target:.0%}). {_gain(limit)}"
        )
    bounds = (
        f"{tested} the {limit.confidence:.0%} lower bound of sensitivity is {_low(limit.sensitivity)}"
        f" and of specificity {_low(limit.specificity)}; the target is {limit.target:.0%}"
    )
    return f"{at} is not used: {bounds}. {shortfall_text(limit)} {_gain(limit)}".rstrip()


def shortfall_text(limit: FittedLimit) -> str:
    """What a limit lacks to be admitted; empty where it is."""
    if limit.shortfall == "groups":
        return "Those of one class come from a single question: labels of other questions would say more."
    if limit.shortfall == "rate":
        low = [
            f"{name} seen, {rate.value:.0%},"
            for name, rate in (
                ("sensitivity", limit.sensitivity),
                ("specificity", limit.specificity),
            )
            if rate.value is not None and rate.value <= limit.target
        ]
        if not low:
            return (
                "The rates seen are so close to the target that no number of labels would decide."
            )
        return f"More labels would not help: the {' and the '.join(low)} is not above the target."
    if limit.labels_needed is None:
        return ""
    if limit.labels_needed > MANY:
        return (
            f"More than {MANY:,} more labels would be needed: a rate seen is close to the target."
        )
    supported, others = limit.missing
    classes = " and ".join(
        f"{more:,} {name}" for more, name in ((supported, "supported"), (others, "not supported"))
        if more
    )  # fmt: skip
    return (
        f"{count_of(limit.labels_needed, 'more label')} would decide if the rates stay as seen: "
        f"{classes} among those kept apart."
    )


def _no_limit(limit: FittedLimit) -> str:
    labels = f"the {count_of(limit.fitted_on, 'label')} to fit it on"
    if limit.no_limit == "one_class" and not limit.fitted_on:
        return "all labels are among those kept apart. Label citations of other questions."
    if limit.no_limit == "one_class":
        of = "supported" if limit.fitted_supported else "not supported"
        other = "that are not" if limit.fitted_supported else "that are supported"
        return f"all of {labels} say {of}. Label citations {other}."
    if limit.no_limit == "equal_scores":
        return f"the judge gives all of {labels} the same score."
    return f"none does better than chance on {labels}."


def _low(rate: HeldOutRate) -> str:
    return f"{rate.low:.0%}" if rate.n else "unknown (no such label)"


def _gain(limit: FittedLimit) -> str:
    """The gain in balanced accuracy as a sentence; empty where it is not defined."""
    before, after, gain = limit.as_judged.value, limit.with_limit.value, limit.gain
    if before is None or after is None or gain.value is None:
        return ""
    return (
        f"Balanced accuracy there: {before:.3f} as the judge came, {after:.3f} with the limit, "
        f"{_difference(gain)}."
    )


def _difference(gain: IntervalEstimate) -> str:
    if gain.value is None:
        return "–"
    if gain.low is None or gain.high is None:
        return f"{_signed(gain.value)} (no interval: {gain.no_interval})"
    return f"{_signed(gain.value)} (95 % interval {_signed(gain.low)} to {_signed(gain.high)})"


def _signed(value: float) -> str:
    return f"{value:+z.3f}".replace("-", "\u2212")


def status_text(limit: FittedLimit) -> str:
    """In a few words whether a limit may decide."""
    if limit.limit is None:
        return "no limit"
    if limit.admitted:
        return "admitted"
    if limit.shortfall == "labels" and limit.labels_needed is not None:
        many = limit.labels_needed > MANY
        return f"> {MANY:,} more labels" if many else count_of(limit.labels_needed, "more label")
    return "more questions needed" if limit.shortfall == "groups" else "rate below target"


def limits_table(limits: Sequence[JudgeLimits]) -> Table | None:
    """Every judge's limits with the gain of each; None where no judge has enough labels."""
    rows = [(one, limit) for one in limits for limit in one.limits]
    if not rows:
        return None
    return Table.of(
        "Limits fitted to your labels, tested on labels kept apart",
        ("Judge", "Limit", Column(word="Status"), Column(word="Labels", numeric=True, spare=True),
         "Sensitivity", "Specificity", "As it came", "With limit", "Gain"),
        (_row(one, limit) for one, limit in rows),
    )  # fmt: skip


def _row(one: JudgeLimits, limit: FittedLimit) -> tuple[Value, ...]:
    fitted = limit.limit is not None
    return (
        one.judge.description + (f" · {limit.kind}" if limit.kind else ""),
        f"{limit.limit:.3g}" if fitted else "–",
        status_text(limit),
        f"{limit.fitted_on:,} / {limit.tested_on:,}",
        _rate(limit.sensitivity) if fitted else "–",
        _rate(limit.specificity) if fitted else "–",
        _value(limit.as_judged),
        _value(limit.with_limit) if fitted else "–",
        _gain_cell(limit.gain) if fitted else "–",
    )


def _rate(rate: HeldOutRate) -> Value:
    return "–" if rate.value is None else figure_cell(f"{rate.value:.2f} ({rate.low:.2f})")


def _value(figure: IntervalEstimate) -> str:
    return "–" if figure.value is None else f"{figure.value:.3f}"


def _gain_cell(gain: IntervalEstimate) -> Value:
    if gain.value is None or gain.low is None or gain.high is None:
        return (
            "–" if gain.value is None else figure_cell(f"{_signed(gain.value)} (no interval)", gain)
        )
    return figure_cell(f"{_signed(gain.value)} ({_signed(gain.low)} to {_signed(gain.high)})", gain)
