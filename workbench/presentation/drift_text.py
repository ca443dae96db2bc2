"""Drift in words: what a look says, how often was looked, what became of the anchors; pure."""

from workbench.calibration import FlipKind, Flips, InterimAnalysis
from workbench.calibration.drift import AgreementChange
from workbench.calibration.drift_report import DriftReport, JudgeHistory
from workbench.presentation.calibration.text import share
from workbench.records.format import count_of

VERDICT_WORDS = {
    "baseline": "Baseline",
    "drift": "Drift beyond its interval",
    "none seen": "No drift seen",
    "too few": "Too few to say",
}
FLIP_WORDS: dict[FlipKind, str] = {
    "broken": "Broken: right before, wrong now",
    "fixed": "Fixed: wrong before, right now",
    "still_wrong": "Still wrong",
    "still_right": "Still right",
}
LOOKS_NOTE = (
    "Each look is compared with the baseline on the same items. Looks share one error rate of 5 %: "
    "the first takes half of it, the second a sixth, look i takes 1 / (i (i + 1)); so a judge that "
    "does not change is said to drift in at most one of twenty series, however long they go on, "
    "and what was said at a look stays as it was."
)
FROZEN_NOTE = (
    "Items are asked about with the texts and labels as they were frozen, from what is kept here; "
    "nothing is fetched."
)


def judge_words(series: JudgeHistory) -> str:
    """The judge with its prompt."""
    return series.judge.words


def series_sentence(series: JudgeHistory, tolerance: float) -> str:
    """What can be said of a judge after its newest look."""
    look = series.last
    if look.agreement is None:
        return f"{judge_words(series)} gave no usable verdict on any item."
    agrees = f"agrees with the frozen labels in {share(look.agreement.figure)}"
    if look.verdict == "baseline":
        return (
            f"{judge_words(series)} {agrees}. That is the baseline: ask again later to see whether "
            "it changes."
        )
    since = look.since_baseline
    if since is None:
        return f"{judge_words(series)} {agrees}; no item was answered both now and at the baseline."
    said = f"{judge_words(series)} {agrees}, {change_words(since)} since the baseline"
    if look.verdict == "drift":
        way = "better" if since.value > 0 else "worse"
        return f"Drift: {said}. It became {way} beyond the interval of this look."
    if look.verdict == "none seen":
        return (
            f"No drift seen: {said}. A change by more than {tolerance * 100:g} points would have "
            "been seen."
        )
    return (
        f"Too few to say: {said}. Neither a change nor its absence within {tolerance * 100:g} "
        "points can be told on so many items."
    )


def change_words(one: AgreementChange) -> str:
    """A change of agreement with its interval: `+1.5 points (−0.8 to +3.9 at 97.5 %)`."""
    return (
        f"{points(one.value)} points ({points(one.low)} to {points(one.high)} "
        f"at {one.confidence * 100:.4g} %)"
    )


def points(value: float) -> str:
    """A difference of shares in points, with its sign."""
    rounded = round(value * 100, 1)
    sign = "+" if rounded > 0 else "\u2212" if rounded < 0 else "±"
    return f"{sign}{abs(rounded):.1f}"


def same_words(look: InterimAnalysis) -> str:
    """How consistent the judge was with the look before."""
    if look.since_last is None:
        return ""
    same = look.since_last.same
    return f"The same label as the time before on {share(same.figure)} of {same.n:,} items."


def state_notes(found: DriftReport) -> list[str]:
    """What became of the anchors since they were frozen; empty where nothing did."""
    size = found.anchors.size
    notes = []
    if found.erased:
        notes.append(
            f"{found.erased:,} of {size:,} items were erased with their outputs; every figure, "
            "also of earlier askings, is of those that are left."
        )
    if found.relabelled:
        notes.append(
            f"The label of {_items(len(found.relabelled))} is another one by now, or was taken "
            "back; the frozen label counts. Freeze a new set to go by the new ones."
        )
    if found.moved:
        notes.append(
            f"{_items(found.moved)} had the claim corrected or the source read anew since; asked "
            "is about the texts as frozen."
        )
    if found.unreadable:
        notes.append(f"{_items(found.unreadable)} cannot be asked about: the text is gone.")
    if found.locked:
        notes.append(
            f"{_items(found.locked)} stand in the locked test part of the newest split: choose no "
            "judge or prompt by these figures."
        )
    return notes


def flips_sentence(found: Flips) -> str:
    """Counts, the paired difference and McNemar's test in a sentence."""
    counts, compared = found.counts, found.comparison
    agreement = (
        f" Agreement with people {change_words(found.change)}; McNemar, by groups, "
        f"p = {found.change.mcnemar_p:.3g}."
        if found.change
        else ""
    )
    return (
        f"Of {_items(compared.n)}, {len(found.changed):,} have another label: {counts['fixed']:,} "
        f"fixed, {counts['broken']:,} broken, {counts['still_right']:,} still right and "
        f"{counts['still_wrong']:,} still wrong by people's labels.{agreement}"
    )


def _items(count: int) -> str:
    return count_of(count, "item")
