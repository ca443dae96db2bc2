"""How far checks of references can be trusted: sentences, tables, JSON; pure."""

from collections.abc import Iterable, Mapping

from workbench.calibration.agreement import Agreement, PairAgreement
from workbench.calibration.estimates import IntervalEstimate
from workbench.calibration.references import REFERENCE_FIGURES, ReferenceCalibration
from workbench.calibration.results import FEW
from workbench.calibration.risk_control import RiskGuarantee
from workbench.presentation.calibration.sections import (
    Section,
    figures_in_rows,
    listed_cuts,
    share_values,
)
from workbench.presentation.calibration.text import FIGURE_TEXT, ReportSentence, share
from workbench.presentation.tables import Table, number
from workbench.records.bibliography import REFERENCE_STATUSES
from workbench.records.format import count_of, word_for
from workbench.records.reference_labels import REFERENCE_DECISIONS
from workbench.records.text import JsonDict

REFERENCES_TITLE = "How far can reference checks be trusted?"
RANDOM_REFERENCES = (
    "This is valid only if the labelled entries are a random sample of those the threshold will be "
    "used on; entries chosen because they looked doubtful bias it."
)
NO_REFERENCE_LABELS = (
    "No checked reference has a decision yet: decide in the References view of a run, or in a "
    "queue of references."
)


def reference_sentences(calibration: ReferenceCalibration) -> tuple[ReportSentence, ...]:
    """Who is accused wrongly, what is caught, and the threshold; or what is missing for each."""
    table = calibration.table
    real, caught = table.false_accusations, table.caught
    return (
        ReportSentence(
            text=f"Of {real.n:,} {word_for(real.n, 'work')} that people labelled as existing, the check "
            f"reports {share(real)} as “not found” or “other work”."
            if real.n
            else "Whether existing works are accused is not known: people labelled none as existing.",
            is_supported=real.n >= FEW,
        ),
        ReportSentence(
            text=f"Of {caught.n:,} that people labelled fabricated, it reports {share(caught)}."
            if caught.n
            else "Whether fabricated works are caught is not known: people labelled none as fabricated.",
            is_supported=caught.n >= FEW,
        ),
        ReportSentence(
            text=fabricated_text(calibration.guarantee), is_supported=calibration.guarantee.holds
        ),
    )


def fabricated_text(guarantee: RiskGuarantee) -> str:
    """The guarantee for "fabricated" as a sentence."""
    if not guarantee.n:
        return "No threshold can be guaranteed: no labelled reference has a score."
    aim = f"{guarantee.target:.0%} of what is called fabricated"
    if guarantee.holds and guarantee.threshold is not None:
        return (
            f"Where the probability that the work exists is {1 - guarantee.threshold:.3f} or less, "
            f"at least {aim} is so, with {guarantee.confidence:.0%} confidence "
            f"({guarantee.right:,} of {guarantee.decided:,} labelled entries; it decides "
            f"{guarantee.coverage:.0%} of all)."
        )
    sentence = (
        f"The labels do not show that any threshold is right in {aim}, with "
        f"{guarantee.confidence:.0%} confidence."
    )
    return f"{sentence} {guarantee.missing}"


def basis_text(calibration: ReferenceCalibration) -> str:
    """What the figures rest on, and what was left out."""
    table = calibration.table
    left_out = [
        f"{number:,} {words}"
        for number, words in (
            (table.no_gold_label, "on which people disagree"),
            (table.untested, "on which people could not tell"),
            (table.unscored, "that were not looked up"),
        )
        if number
    ]
    return (
        f"{count_of(table.n, 'entry', 'entries')} of {count_of(table.groups, 'output')}, "
        f"{table.positives:,} of them fabricated, labelled by "
        f"{count_of(calibration.reviewers, 'person', 'people')}."
        + (f" Left out: {', '.join(left_out)}." if left_out else "")
    )


def reference_sections(calibration: ReferenceCalibration | None) -> tuple[Section, ...]:
    """The report on checks of references; empty without one."""
    if calibration is None:
        return ()
    return (
        Section(
            title=REFERENCES_TITLE,
            before=(
                *(sentence.text for sentence in reference_sentences(calibration)),
                basis_text(calibration),
            ),
            table=reference_figures_table(calibration),
            after=(people_text(calibration.people),),
        ),
        Section(
            title="Human decisions and findings of the check",
            table=reference_confusion_table(calibration),
        ),
        Section(
            title="Threshold for “fabricated”",
            before=(f"Chosen for {calibration.aim}.",),
            table=reference_cuts_table(calibration),
            after=(RANDOM_REFERENCES,),
        ),
    )


def people_text(people: Agreement | None) -> str:
    """How far people agree, in a paragraph."""
    if people is None:
        return "Agreement between people: no two people labelled the same reference."
    pairs = "".join(
        f", Cohen's κ of {pair.first} and {pair.second} {number(pair.kappa)} (n = {pair.kappa.n:,})"
        for pair in people.pairs[:5]
    )
    return (
        f"Agreement between people on {count_of(people.items, 'entry', 'entries')}: the same "
        f"decision "
        f"in {share(people.raw)}; Krippendorff's α {number(people.alpha)}{pairs}."
    )


def reference_figures_table(calibration: ReferenceCalibration) -> Table:
    """The figures of the score and of the states."""
    table = calibration.table
    return figures_in_rows(
        "Figures of the reference checks, with 95 % intervals",
        [
            ("False accusations: existing works reported missing", table.false_accusations),
            ("Fabricated works caught", table.caught),
            ("People agree with the check", table.agreement),
            *((FIGURE_TEXT[name], table.figure(name)) for name in REFERENCE_FIGURES),
        ],
        head=("Figure", "Value"),
    )


def reference_confusion_table(calibration: ReferenceCalibration) -> Table:
    """What people decided against the state of the check."""
    counts = {
        (decision, status): number for decision, status, number in calibration.table.confusion
    }
    return Table.of(
        "Human decisions, by finding of the check",
        ("People", *(status.replace("_", " ") for status in REFERENCE_STATUSES)),
        (
            (
                decision.replace("_", " "),
                *(f"{counts.get((decision, status), 0):,}" for status in REFERENCE_STATUSES),
            )
            for decision in REFERENCE_DECISIONS
            if any(row == decision for row, _ in counts)
        ),
    )


def reference_cuts_table(calibration: ReferenceCalibration) -> Table | None:
    """Some thresholds on 1 - P(exists), the chosen one among them; None without a score."""
    chosen = calibration.chosen
    cuts = listed_cuts(calibration.table.cuts, chosen)
    if not cuts:
        return None
    return Table.of(
        "Decisions at each threshold on the probability that a work is fabricated",
        ("P(fabricated) from", "Called fabricated", "Precision", "Recall"),
        (
            (
                f"{cut.threshold:.3f}{' (chosen)' if cut is chosen else ''}",
                f"{cut.accepted:,}",
                *share_values(cut.precision, cut.recall),
            )
            for cut in cuts
        ),
    )


def references_document(
    calibration: ReferenceCalibration, seconds: float | None = None
) -> JsonDict:
    """The published JSON of `workbench calibrate --references`: the keys of `calibrate`."""
    table, figures = calibration.table, dict(calibration.table.figures)
    return {
        "n": table.n,
        "positives": table.positives,
        "groups": table.groups,
        "splits": {
            "parts": {"none": {"items": table.n}},
            "used": ["none"],
            "threshold_chosen_on": ["none"],
        },
        **figures_document(REFERENCE_FIGURES, figures),
        "threshold": calibration.threshold,
        "guarantee": calibration.guarantee.to_dict(),
        "human_agreement": agreement_document(calibration.people) if calibration.people else None,
        "false_accusations": table.false_accusations.to_dict(),
        "caught": table.caught.to_dict(),
        "status_agreement": table.agreement.to_dict(),
        "statuses": [list(row) for row in table.confusion],
        "reliability": [
            {
                "low": curve_bin.low,
                "high": curve_bin.high,
                "mean_score": curve_bin.mean_score,
                "share": curve_bin.share.figure.to_dict(),
            }
            for curve_bin in table.reliability
        ],
        "sentences": [sentence.text for sentence in reference_sentences(calibration)],
        "humans": calibration.reviewers,
        "warnings": [RANDOM_REFERENCES],
        "left_out": {
            "no_gold_label": table.no_gold_label,
            "untested": table.untested,
            "unscored": table.unscored,
        },
        "labels_sha256": table.labels_sha256,
        **({} if seconds is None else {"seconds": round(seconds, 3)}),
    }


def figures_document(names: Iterable[str], figures: Mapping[str, IntervalEstimate]) -> JsonDict:
    """The published JSON of figures, with their intervals or why they have none."""

    def rounded(*values: float | None) -> list[float | None]:
        return [None if value is None else round(value, 4) for value in values]

    chosen = {name: figures[name] for name in names}
    return {
        "metrics": {name: rounded(figure.value)[0] for name, figure in chosen.items()},
        "ci95": {
            name: None if figure.low is None else [*rounded(figure.low, figure.high)]
            for name, figure in chosen.items()
        },
        "ci95_missing": {
            name: figure.no_interval for name, figure in chosen.items() if figure.no_interval
        },
    }


def agreement_document(people: Agreement) -> JsonDict:
    """The published JSON of how far people agree."""
    return {
        "items": people.items,
        "raters": len(people.raters),
        "raw": people.raw.to_dict(),
        "alpha": people.alpha.to_dict(),
        "pairs": [pair_document(pair) for pair in people.pairs],
    }


def pair_document(pair: PairAgreement) -> JsonDict:
    """The published JSON of how far two people agree."""
    return {
        "raters": [pair.first, pair.second],
        "raw": pair.raw.to_dict(),
        "cohen_kappa": pair.kappa.to_dict(),
    }
