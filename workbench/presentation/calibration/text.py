"""A calibration in words: the three sentences at its head, figures, what was left out; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.calibration.active_learning import forecast
from workbench.calibration.agreement import Agreement
from workbench.calibration.estimates import IntervalEstimate
from workbench.calibration.results import (
    FEW,
    MAJORITY_RULE,
    RANDOM_NEEDED,
    AgainstReviewers,
    Calibration,
    CalibrationReport,
    HumanAgreement,
    Rates,
)
from workbench.calibration.risk_control import RiskGuarantee
from workbench.presentation.tables import number
from workbench.records.format import count_of, format_timestamp
from workbench.records.guide_versions import chosen_labels_text, mixed_guides

FIGURE_TEXT = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "auroc": "AUROC",
    "average_precision": "Average precision",
    "cohen_kappa": "Cohen's κ of the labels",
    "weighted_kappa": "Weighted κ over the support scale (linear)",
    "mcc": "MCC",
    "ece": "Calibration error (ECE)",
    "ece_debiased": "ECE, debiased",
    "brier": "Brier score",
}
PART_TEXT = {"train": "train", "dev": "dev", "test": "the locked test set"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSentence:
    """One of the three sentences."""

    text: str
    is_supported: bool
    """Whether the data support it; False if something is missing."""


def headline(calibration: Calibration | None, *, examples: bool = False) -> str:
    """How often the judge is right, and on how many labels."""
    if calibration is None or not calibration.table.n:
        return "Not known yet: nothing that people labelled has a verdict of this judge."
    chosen = chosen_labels_text(calibration.labels)
    if "test" in calibration.parts:
        chosen = ", ".join(filter(None, (f"of {parts_text(calibration.parts)}", chosen)))
    labels = count_of(calibration.table.n, "example label" if examples else "label")
    whose = "" if examples or chosen else "your "
    where = f" ({chosen})" if chosen else ""
    accuracy = calibration.table.figure("accuracy")
    interval = f"no interval: {accuracy.no_interval}"
    if accuracy.low is not None and accuracy.high is not None:
        low, high = (whole_percent(end) for end in (accuracy.low, accuracy.high))
        interval = f"{low[:-2]}–{high}"
    right = f"{whole_percent(accuracy.value or 0.0)} ({interval})"
    return f"On {whose}{labels}{where} this judge is right in {right}."


def good_for(calibration: Calibration) -> str:
    """What the judge is good for, and what would decide more."""
    test = calibration.guarantee
    if calibration.guaranteed is not None:
        return (
            f"Good enough to accept by itself from a score of {calibration.guaranteed:.2f} on: at "
            f"least {test.target:.0%} of those are right. A person decides on the others."
        )
    if test.holds:
        share = whole_percent(calibration.table.positives / calibration.table.n)
        return (
            f"Its score decides nothing at a target of {test.target:.0%}: {share} of these labels "
            "are supported, so that accepting everything would meet it."
        )
    low = calibration.table.figure("auroc").low
    grade = "Too few labels to say what it is good for"
    if low is not None:
        sorts = "Good enough to sort; not to accept by itself"
        grade = sorts if low > 0.5 else "Not shown to sort better than chance"
    if test.labels_needed is not None:
        return f"{grade}: about {count_of(test.labels_needed, 'more label')} would decide."
    if hopeless(test):
        return f"{grade}: at these rates no number of labels would show {test.target:.0%}."
    return f"{grade}."


def hopeless(test: RiskGuarantee) -> bool:
    """Whether at the rates seen no number of labels would make a threshold hold the target."""
    return test.labels_needed is None and test.best is not None and test.best < test.target


def whole_percent(share: float) -> str:
    """A share in whole percents; 0 and 100 only where it is nothing or all."""
    whole = round(share * 100)
    return f"{whole if share in (0, 1) else min(max(whole, 1), 99)}\N{NO-BREAK SPACE}%"


def sentences(calibration: Calibration, rates: Rates | None) -> tuple[ReportSentence, ...]:
    """The judge's agreement, its threshold and the true rate, or what is missing for each."""
    return (_agrees(calibration), _holds(calibration), _rate(rates))


def _agrees(calibration: Calibration) -> ReportSentence:
    table = calibration.table
    if not table.n:
        return ReportSentence(
            text=(
                f"How far {calibration.judge.description} agrees with people is not known: no "
                f"labelled item of these splits has its verdict."
            ),
            is_supported=False,
        )
    accuracy, kappa = table.figure("accuracy"), table.figure("cohen_kappa")
    too_few = min(table.positives, table.n - table.positives) < FEW
    return ReportSentence(
        text=f"On our documents {calibration.judge.description} agrees with people on whether the source "
        f"supports the claim in {share(accuracy)} of {basis(calibration)}; κ of the labels "
        f"{kappa.text}."
        + (
            f" The sample is small: {table.positives:,} supported and "
            f"{table.n - table.positives:,} others."
            if too_few
            else ""
        ),
        is_supported=not too_few,
    )


def _holds(calibration: Calibration) -> ReportSentence:
    guarantee = calibration.guarantee
    tested = ""
    if guarantee.holds and "test" in calibration.parts and calibration.at_threshold:
        precision = calibration.at_threshold.figure("precision")
        tested = f" On the test set it is right in {share(precision)}."
    return ReportSentence(text=guarantee_text(guarantee) + tested, is_supported=guarantee.holds)


def guarantee_text(guarantee: RiskGuarantee) -> str:
    """The guarantee as a sentence."""
    if not guarantee.n:
        return "No threshold can be guaranteed: there are no labelled items to choose it on."
    return guarantee.sentence


def alone_text(calibration: Calibration) -> str:
    """Why nothing is guaranteed though intervals lie above the target; empty where none does."""
    guarantee = calibration.guarantee
    above = any(
        cut.precision and (cut.precision.figure.low or 0.0) >= guarantee.target
        for cut in calibration.cuts
    )
    if guarantee.holds or not above:
        return ""
    return (
        "Each interval of the table is of its threshold alone. The guarantee also allows for having "
        "chosen one of many thresholds, so it asks for more than an interval above the target."
    )


def _rate(rates: Rates | None) -> ReportSentence:
    if rates is None or not rates.items:
        return ReportSentence(
            text="The true support rate is not known: there are no runs of this judge to estimate "
            "it for.",
            is_supported=False,
        )
    tuned, naive = rates.estimates.tuned, rates.estimates.naive
    if tuned.value is None or tuned.low is None:
        return ReportSentence(
            text=f"The true support rate of {rates.of.description} is not known: the judge says "
            f"{percent(naive.value)} of {rates.items:,} citations, and too few of them have "
            "labels to correct it. Label a random sample.",
            is_supported=False,
        )
    sentence = (
        f"The true support rate of {rates.of.description} is {share(tuned)}, from the verdicts on "
        f"{rates.items:,} citations and {rates.sample:,} labels; the judge alone says "
        f"{percent(naive.value)}."
    )
    if rates.sampled_at_random:
        return ReportSentence(text=sentence, is_supported=True)
    return ReportSentence(
        text=f"{sentence} The labels were not drawn at random. {RANDOM_NEEDED}", is_supported=False
    )


def basis(calibration: Calibration) -> str:
    """What the figures are based on: `412 items in 60 questions, labelled by 3 people (train + dev)`.

    A data set without an annotator counts as nobody: its labels are listed separately.
    """
    table, judged = calibration.table, calibration.judged
    people = f"labelled by {count_of(judged.humans, 'person', 'people')}"
    if judged.from_data_sets and judged.humans:
        people += f", {count_of(judged.from_data_sets, 'item')} by a data set alone"
    elif judged.from_data_sets:
        people = "labelled by a data set that names no annotator"
    chosen = chosen_labels_text(calibration.labels)
    return (
        f"{count_of(table.n, 'item')} in {count_of(table.groups, 'question')}, {people} "
        f"({parts_text(calibration.parts)}{f'; {chosen}' if chosen else ''})"
    )


def parts_text(parts: Sequence[str]) -> str:
    """The parts of a split as people name them."""
    return " + ".join(PART_TEXT.get(part, part) for part in parts)


def share(figure: IntervalEstimate) -> str:
    """A share as people read it: `81 % (76–85 %)`."""
    if figure.value is None:
        return "an unknown share"
    if figure.low is None or figure.high is None:
        return f"{percent(figure.value)} (no interval: {figure.no_interval})"
    return f"{percent(figure.value)} ({figure.low * 100:.1f}–{figure.high * 100:.1f} %)"


def percent(value: float | None) -> str:
    """A share in percent with one decimal; `–` for none."""
    return "–" if value is None else f"{value * 100:.1f} %"


def coefficients_text(labels: Agreement) -> str:
    """People's agreement beyond chance, nominal and over the support scale, in half a sentence."""
    off_scale = (
        f" ({count_of(labels.off_scale, 'rating')} off the scale left out)"
        if labels.off_scale
        else ""
    )
    return (
        f"Krippendorff's α {number(labels.alpha)}, ordinal over the support scale "
        f"{number(labels.ordinal_alpha)}{off_scale}"
    )


def report_title(calibration: Calibration) -> str:
    """The title of a written report."""
    return f"How far {calibration.judge.description} can be trusted"


def band_text(calibration: Calibration) -> str:
    """The shares that are accepted, asked about and rejected."""
    accept, reject = calibration.band
    if not accept.holds and not reject.holds:
        return "Neither edge of a band meets the target: a person is asked about every item."
    up = accept.coverage if accept.holds else 0.0
    # where the edges cross, what lies between meets either target, and is accepted
    down = min(reject.coverage, 1 - up) if reject.holds else 0.0
    between = max(0.0, 1 - up - down)
    return (
        f"Of all items {percent(up)} would be accepted without a person, {percent(down)} rejected, "
        f"and a person is asked about {percent(between)}; both hold together with "
        f"{accept.confidence:.0%} confidence."
    )


def split_text(calibration: Calibration) -> tuple[str, ...]:
    """How the items were split, and what may still occur in several parts."""
    split = calibration.split
    return (
        f"Split {split.name} (seed {split.seed}), made by {split.created_by} on "
        f"{format_timestamp(split.created_at)}.",
        ties_text(calibration),
    )


def ties_text(calibration: Calibration) -> str:
    """What keeps items in one part of the split, and what does not."""
    together = " or a ".join(calibration.split.ties)
    shared = " or a ".join(calibration.shared_across_splits)
    return f"Items that share a {together} are in the same split." + (
        f" They may share a {shared} across parts: tying by it would have left one group."
        if shared
        else ""
    )


def forecast_text(calibration: Calibration) -> str:
    """How more labels would narrow the interval of the accuracy."""
    figure = calibration.table.figure("accuracy") if calibration.table.n else None
    steps = forecast(figure) if figure else []
    if not steps:
        return "With labels on two or more questions, the page says how many more are needed."
    gains = " · ".join(
        f"{step.more:,} more labels: ± {step.half_width * 100:.1f} points" for step in steps
    )
    halving_step = next(
        (step for step in steps if abs(step.half_width * 2 - _half(figure)) < 1e-9), None
    )
    head = (
        f"About {halving_step.more:,} more labels halve the interval of the accuracy. "
        if halving_step
        else ""
    )
    return f"{head}{gains}."


def _half(figure: IntervalEstimate | None) -> float:
    assert figure is not None and figure.low is not None and figure.high is not None
    return (figure.high - figure.low) / 2


def excluded_text(calibration: Calibration) -> tuple[str, ...]:
    """What is excluded from the figures, and why; empty if nothing is."""
    judged, table = calibration.judged, calibration.table
    reasons = []
    if judged.no_gold_label:
        reasons.append(
            f"{count_of(judged.no_gold_label, 'item')} without a gold label: the labels disagree "
            "and nobody has adjudicated"
        )
    if judged.unjudged:
        reasons.append(f"{count_of(judged.unjudged, 'item')} not judged by this judge yet")
    if judged.unread:
        reasons.append(f"{count_of(judged.unread, 'item')} whose source was not available")
    if table.excluded:
        reasons.append(
            f"{count_of(table.excluded, 'item')} that people labelled unverifiable or could not "
            f"tell"
        )
    if judged.in_no_part:
        reasons.append(f"{count_of(judged.in_no_part, 'item')} that tie several parts together")
    return tuple(reasons)


def cautions(view: CalibrationReport) -> tuple[str, ...]:
    """Warnings about the figures; empty if there are none."""
    counts = view.calibration.guide_counts
    warnings = [mixed_guides(counts)]
    if view.reviewer_agreement and dict(view.reviewer_agreement.guides) != dict(counts):
        mixed = mixed_guides(view.reviewer_agreement.guides)
        warnings.append(f"Agreement between people: {mixed}" if mixed else "")
    return tuple(warning for warning in warnings if warning)


def reviewers_text(people: HumanAgreement | None) -> str:
    """How far people agree, in a paragraph."""
    if people is None:
        return "Agreement between people is not known: no two people labelled the same item."
    kappas = "".join(
        f", Cohen's κ of {pair.first} and {pair.second} {number(pair.kappa)} "
        f"(n = {pair.kappa.n:,}), weighted over the support scale {number(pair.weighted_kappa)} "
        f"(linear, n = {pair.weighted_kappa.n:,})"
        for pair in people.labels.pairs[:PAIRS_TOLD]
    )
    return (
        f"Agreement between people on all {people.labels.items:,} items with two labels or more, "
        "those they disagree on included: the same on supported or not in "
        f"{number(people.supported.raw)}, the same label in {number(people.labels.raw)}, "
        f"{coefficients_text(people.labels)}{kappas}."
    )


PAIRS_TOLD = 3
"""Pairs of people named in the sentence; the JSON has all."""
AGAINST_FIGURES = ("accuracy", "balanced_accuracy", "cohen_kappa")


def against_reviewers_text(against: AgainstReviewers) -> str:
    """What the rows are based on."""
    sentence = (
        "Each reviewer's own latest labels count in their row, on disputed items too. The majority "
        f"is {MAJORITY_RULE}: {count_of(against.ties, 'tied item')} left out, "
        f"{count_of(against.single, 'item')} labelled by only one reviewer."
    )
    if against.more_reviewers:
        sentence += (
            f" {count_of(against.more_reviewers, 'more reviewer')} with fewer labels not shown."
        )
    return sentence
