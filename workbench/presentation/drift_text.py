"""Drift in words: the result of an evaluation, notes on the reference set; pure."""

from workbench.calibration.drift import (
    AgreementChange,
    DriftReport,
    FlipKind,
    Flips,
    InterimAnalysis,
    JudgeHistory,
)
from workbench.presentation.calibration.text import share
from workbench.records.format import count_of

VERDICT_TEXT = {
    "baseline": "Baseline",
    "drift": "Drift beyond its interval",
    "none seen": "No drift detected",
    "too few": "Too few examples",
}
FLIP_TEXT: dict[FlipKind, str] = {
    "broken": "Broken: right before, wrong now",
    "fixed": "Fixed: wrong before, right now",
    "still_wrong": "Still wrong",
    "still_right": "Still right",
}
LOOKS_NOTE = (
    "Each evaluation is compared with the baseline on the same examples. Evaluations share one "
    "error rate of 5 %: the first gets half of it, the second a sixth, evaluation i gets "
    "1 / (i (i + 1)). So a judge that does not change is reported as drifting in at most one of "
    "twenty series, however long they run, and earlier results stay as they were."
)


def judge_text(series: JudgeHistory) -> str:
    """The judge with its prompt."""
    return series.judge.description


def series_sentence(series: JudgeHistory, tolerance: float) -> str:
    """The result of a judge's newest evaluation."""
    analysis = series.last
    if analysis.agreement is None:
        return f"{judge_text(series)} gave no usable verdict on any example."
    agrees = f"agrees with the reference labels in {share(analysis.agreement.figure)}"
    if analysis.verdict == "baseline":
        return (
            f"{judge_text(series)} {agrees}. This is the baseline: evaluate again later to see "
            "whether it changes."
        )
    since = analysis.since_baseline
    if since is None:
        return f"{judge_text(series)} {agrees}; no example was judged both now and at the baseline."
    comparison = f"{judge_text(series)} {agrees}, {change_text(since)} since the baseline"
    if analysis.verdict == "drift":
        direction = "better" if since.value > 0 else "worse"
        return f"Drift: {comparison}. It became {direction} beyond the interval of this evaluation."
    if analysis.verdict == "none seen":
        return (
            f"No drift detected: {comparison}. A change of more than {tolerance * 100:g} points "
            f"would have "
            "been detected."
        )
    return (
        f"Too few examples: {comparison}. They show neither a change nor its absence within "
        f"{tolerance * 100:g} points."
    )


def change_text(change: AgreementChange) -> str:
    """A change of agreement with its interval: `+1.5 points (−0.8 to +3.9 at 97.5 %)`."""
    return (
        f"{points(change.value)} points ({points(change.low)} to {points(change.high)} "
        f"at {change.confidence * 100:.4g} %)"
    )


def points(value: float) -> str:
    """A difference of shares in points, with its sign."""
    rounded = round(value * 100, 1)
    sign = "+" if rounded > 0 else "\u2212" if rounded < 0 else "±"
    return f"{sign}{abs(rounded):.1f}"


def unchanged_text(look: InterimAnalysis) -> str:
    """How consistent the judge was with the previous evaluation."""
    if look.since_last is None:
        return ""
    same = look.since_last.same
    return f"The same label as before on {share(same.figure)} of {same.n:,} examples."


def state_notes(report: DriftReport) -> list[str]:
    """What changed in the examples since the set was created; empty if nothing did."""
    size = report.anchors.size
    notes = []
    if report.erased:
        notes.append(
            f"{report.erased:,} of {size:,} examples were deleted with their outputs; all "
            "figures, also of earlier evaluations, are of the remaining ones."
        )
    if report.relabelled:
        notes.append(
            f"The label of {_items(len(report.relabelled))} has changed or was withdrawn since; "
            "the reference label counts. Create a new set to use the new labels."
        )
    if report.moved:
        notes.append(
            f"{_items(report.moved)} had the claim corrected or the source re-read since; the "
            "stored texts are judged."
        )
    if report.unreadable:
        notes.append(f"{_items(report.unreadable)} cannot be judged: the text is gone.")
    if report.locked:
        notes.append(
            f"{_items(report.locked)} are in the locked test set of the newest split: do not use "
            f"these figures to choose a judge or prompt."
        )
    return notes


def flips_sentence(flips: Flips) -> str:
    """Counts, the paired difference and McNemar's test in a sentence."""
    counts, compared = flips.counts, flips.comparison
    agreement = (
        f" Agreement with people {change_text(flips.change)}; McNemar, by groups, "
        f"p = {flips.change.mcnemar_p:.3g}."
        if flips.change
        else ""
    )
    return (
        f"Of {_items(compared.n)}, {len(flips.changed):,} have another label: {counts['fixed']:,} "
        f"fixed, {counts['broken']:,} broken, {counts['still_right']:,} still right and "
        f"{counts['still_wrong']:,} still wrong by people's labels.{agreement}"
    )


def _items(count: int) -> str:
    return count_of(count, "example")
