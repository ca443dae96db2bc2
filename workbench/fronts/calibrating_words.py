"""A calibration in words: the three sentences at its head, figures, the published JSON; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.calibration import FIGURES, Figure, Guarantee, JudgeTable, forecast
from workbench.fronts.calibrating import FEW, Calibration, People
from workbench.fronts.calibrating_rates import RANDOM_NEEDED, Rates
from workbench.records import Drawn, Json, JsonDict

FIGURE_WORDS = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "auroc": "AUROC",
    "average_precision": "Average precision",
    "cohen_kappa": "Cohen's κ of the labels",
    "mcc": "MCC",
    "ece": "Calibration error (ECE)",
    "ece_debiased": "ECE, debiased",
    "brier": "Brier score",
}
PART_WORDS = {"train": "train", "dev": "dev", "test": "the locked test part"}


Slices = Mapping[str, Sequence[tuple[str, JudgeTable]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class View(Drawn):
    """A calibration with everything that stands beside it."""

    calibration: Calibration
    people: People | None = None
    """None where nobody labelled an item twice."""
    local: JudgeTable | None = None
    """The embedded judge on the same items; None where it was not asked, or is the judge."""
    rates: Rates | None = None
    slices: Slices | None = None
    """None where they were not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One of the three sentences."""

    text: str
    stands: bool
    """Whether it can be defended as it is; False where something is missing."""


def sentences(calibration: Calibration, rates: Rates | None) -> tuple[Sentence, ...]:
    """What can be said of the judge: its agreement, its threshold, the true rate; or what lacks."""
    return (_agrees(calibration), _holds(calibration), _rate(rates))


def _agrees(calibration: Calibration) -> Sentence:
    table = calibration.table
    if not table.n:
        return Sentence(
            text=f"How far {calibration.judge.words} agrees with people is not known: no labelled "
            "item of these parts has its verdict.",
            stands=False,
        )
    accuracy, kappa = table.figure("accuracy"), table.figure("cohen_kappa")
    few = min(table.positives, table.n - table.positives) < FEW
    return Sentence(
        text=f"On our documents {calibration.judge.words} agrees with people on whether the source "
        f"supports the claim in {share(accuracy)} of {basis(calibration)}; κ of the labels "
        f"{kappa.text}."
        + (
            f" That is little to go by: {table.positives:,} supported and "
            f"{table.n - table.positives:,} others."
            if few
            else ""
        ),
        stands=not few,
    )


def _holds(calibration: Calibration) -> Sentence:
    given = calibration.guarantee
    tested = ""
    if given.holds and "test" in calibration.parts and calibration.at_threshold:
        precision = calibration.at_threshold.figure("precision")
        tested = f" On the test part it is right in {share(precision)}."
    return Sentence(text=guarantee_words(given) + tested, stands=given.holds)


def guarantee_words(given: Guarantee) -> str:
    """The guarantee as a sentence."""
    if not given.n:
        return "No threshold can be guaranteed: there are no labelled items to choose it on."
    return given.sentence


def _rate(rates: Rates | None) -> Sentence:
    if rates is None or not rates.items:
        return Sentence(
            text="The true support rate is not known: there are no runs of this judge to estimate "
            "it for.",
            stands=False,
        )
    tuned, naive = rates.found.tuned, rates.found.naive
    if tuned.value is None or tuned.low is None:
        return Sentence(
            text=f"The true support rate of {rates.of.words} is not known: the judge says "
            f"{percent(naive.value)} of {rates.items:,} citations, and too few of them have "
            "labels to correct it. Draw a random sample and label it.",
            stands=False,
        )
    said = (
        f"The true support rate of {rates.of.words} is {share(tuned)}, from the verdicts on "
        f"{rates.items:,} citations and {rates.sample:,} labels; the judge alone says "
        f"{percent(naive.value)}."
    )
    if rates.drawn_at_random:
        return Sentence(text=said, stands=True)
    return Sentence(
        text=f"{said} The labels were not drawn at random. {RANDOM_NEEDED}", stands=False
    )


def basis(calibration: Calibration) -> str:
    """What the figures rest on: `412 items in 60 questions, labelled by 3 people (train + dev)`."""
    table = calibration.table
    return (
        f"{_number(table.n, 'item')} in {_number(table.groups, 'question')}, labelled by "
        f"{_number(calibration.judged.humans, 'person', 'people')} "
        f"({parts_words(calibration.parts)})"
    )


def parts_words(parts: Sequence[str]) -> str:
    """The parts of a split as people name them."""
    return " + ".join(PART_WORDS.get(part, part) for part in parts)


def share(figure: Figure) -> str:
    """A share as people read it: `81 % (76–85 %)`."""
    if figure.value is None:
        return "an unknown share"
    if figure.low is None or figure.high is None:
        return f"{percent(figure.value)} (no interval)"
    return f"{percent(figure.value)} ({figure.low * 100:.1f}–{figure.high * 100:.1f} %)"


def percent(value: float | None) -> str:
    """A share in percent with one decimal; `–` for none."""
    return "–" if value is None else f"{value * 100:.1f} %"


def number(figure: Figure) -> str:
    """A figure with its interval, without n: `0.812 (0.764–0.853)`."""
    if figure.value is None:
        return "–"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} ({figure.low:.3f}–{figure.high:.3f})"


def forecast_words(calibration: Calibration) -> str:
    """What more labels would do to the interval of the accuracy."""
    figure = calibration.table.figure("accuracy") if calibration.table.n else None
    steps = forecast(figure) if figure else []
    if not steps:
        return "With labels on two questions or more the page says how many more it takes."
    said = " · ".join(
        f"{step.more:,} more labels: ± {step.half_width * 100:.1f} points" for step in steps
    )
    halved = next((step for step in steps if abs(step.half_width * 2 - _half(figure)) < 1e-9), None)
    head = f"{halved.more:,} more labels halve the interval of the accuracy. " if halved else ""
    return f"{head}{said}."


def _half(figure: Figure | None) -> float:
    assert figure is not None and figure.low is not None and figure.high is not None
    return (figure.high - figure.low) / 2


def left_out_words(calibration: Calibration) -> tuple[str, ...]:
    """What the figures do not rest on, and why; empty where nothing was left out."""
    judged, table = calibration.judged, calibration.table
    found = []
    if judged.unjudged:
        found.append(f"{_number(judged.unjudged, 'item')} not judged by this judge yet")
    if judged.unread:
        found.append(f"{_number(judged.unread, 'item')} whose source could not be had")
    if table.left_out:
        found.append(
            f"{_number(table.left_out, 'item')} that people call unverifiable or undecided"
        )
    if judged.in_no_part:
        found.append(f"{_number(judged.in_no_part, 'item')} that tie several parts together")
    return tuple(found)


def document(view: View, seconds: float | None = None) -> JsonDict:
    """The published JSON of `workbench calibrate`, and what else there is to know."""
    calibration, rates = view.calibration, view.rates
    table = calibration.table
    figures = dict(table.figures)
    parts: dict[str, Json] = {size.part or "none": size.to_dict() for size in calibration.sizes}
    given = calibration.guarantee
    accept, reject = calibration.band
    return {
        "n": table.n,
        "splits": {
            **calibration.split.to_dict(),
            "parts": parts,
            "used": list(calibration.parts),
            "threshold_chosen_on": list(calibration.chosen_on),
            "test_openings": [one.to_dict() for one in calibration.openings],
        },
        "metrics": {name: rounded(figures[name].value) for name in FIGURES},
        "ci95": {
            name: None
            if figures[name].low is None
            else [rounded(figures[name].low), rounded(figures[name].high)]
            for name in FIGURES
        },
        "threshold": calibration.threshold,
        "guarantee": given.to_dict(),
        "human_agreement": _people(view.people),
        "judge": list(calibration.judge.specs),
        "prompt": calibration.judge.prompt or None,
        "sentences": [one.text for one in sentences(calibration, rates)],
        "humans": calibration.judged.humans,
        "groups": table.groups,
        "left_out": {
            "unjudged": calibration.judged.unjudged,
            "unread": calibration.judged.unread,
            "untested": table.left_out,
            "in_no_part": calibration.judged.in_no_part,
        },
        "table": table.to_dict(),
        "at_threshold": calibration.at_threshold.to_dict() if calibration.at_threshold else None,
        "abstain_band": {"accept": accept.to_dict(), "reject": reject.to_dict()},
        "always_supported": metrics(calibration.always),
        "embedded_judge": metrics(view.local) if view.local else None,
        "corrected_rates": rates.found.to_dict() if rates else None,
        "labels_sha256": calibration.labels_sha256,
        **({} if seconds is None else {"seconds": round(seconds, 3)}),
    }


def metrics(table: JudgeTable) -> JsonDict:
    """The figures of a yardstick."""
    return {name: figure.to_dict() for name, figure in table.figures}


def rounded(value: float | None) -> float | None:
    """A figure to four decimals."""
    return None if value is None else round(value, 4)


def _people(people: People | None) -> JsonDict | None:
    if people is None:
        return None
    return {
        "items": people.labels.items,
        "raters": len(people.labels.raters),
        "raw": people.labels.raw.to_dict(),
        "alpha": people.labels.alpha.to_dict(),
        "supported_or_not": people.supported.raw.to_dict(),
    }


def _number(count: int, word: str, words: str = "") -> str:
    return f"{count:,} {word if count == 1 else words or word + 's'}"
