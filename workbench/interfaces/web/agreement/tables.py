"""Agreement between people, in tables that link to the items; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from workbench.interfaces.web.agreement import text
from workbench.interfaces.web.links import items_link
from workbench.presentation.escape import truncate
from workbench.presentation.reference_styles import DECISIONS
from workbench.presentation.tables import Cell, Link, Table, Value
from workbench.presentation.verdicts import MARKS, STYLES, Mark
from workbench.records.evaluation import DisagreementCounts
from workbench.records.format import count_of
from workbench.records.review import Rating
from workbench.records.verdict import HUMAN_LABELS, HumanLabel
from workbench.services.calibration import (
    Agreement,
    AutomationBias,
    EvidenceAgreement,
    FieldAgreement,
    PairAgreement,
)
from workbench.services.calibration.agreement import LabelSelection


def labels_table(agreement: Agreement) -> Table:
    """Each label against all others."""
    return _categories_table(
        agreement, "label", {mark: Cell(marks=(mark,)) for mark in MARKS}, "each label"
    )


def decisions_table(agreement: Agreement) -> Table:
    """Each decision on references against all others."""
    names: dict[str, Value] = {
        decision: f"{style.glyph} {style.word}" for decision, style in DECISIONS.items()
    }
    return _categories_table(agreement, "decision", names, "each decision about references")


def _categories_table(
    agreement: Agreement, word: str, names: Mapping[str, Value], what: str
) -> Table:
    by_name = {label.label: label for label in agreement.labels}
    return Table.of(
        f"Agreement on {what} against all others",
        (word.capitalize(), "Count", "Specific agreement", f"α of this {word}"),
        (
            (
                name,
                f"{by_name[category].ratings:,}",
                by_name[category].specific.text,
                by_name[category].chance_corrected.text,
            )
            for category, name in names.items()
            if category in by_name
        ),
    )


def fields_table(fields: Sequence[FieldAgreement]) -> Table:
    """Each field of a queue, with a line for each option where several can be chosen."""
    rows: list[tuple[Value, ...]] = []
    for field in fields:
        question = Cell(text=truncate(field.question, 80), more=text.field_text(field))
        whole = [measure for measure in field.measures if not measure.option]
        first = whole[0] if whole else None
        rows.append(
            (
                question,
                f"{first.given:,}" if first else "",
                first.raw.text if first else "",
                text.field_alpha(first) if first else "",
            )
        )
        rows += [
            (
                f"· {measure.option}",
                f"{measure.given:,}",
                measure.raw.text,
                text.field_alpha(measure),
            )
            for measure in field.measures
            if measure.option
        ]
    return Table.of(
        accessible_label="Agreement on the questions of a queue",
        columns=("Question", "Answers", "Raw agreement", "Krippendorff's α"),
        rows=rows,
    )


def reference_pairs_table(agreement: Agreement) -> Table:
    """Each pair of people who decided on the same references."""
    return Table.of(
        "Agreement of each pair of reviewers on references",
        ("Reviewers", "Both decided", "Raw agreement", "Cohen's κ"),
        (_pair_row(_pair_names(pair), pair)[:-1] for pair in agreement.pairs),
    )


def pairs_table(agreement: Agreement, links: Sequence[Link]) -> Table:
    """Each pair of people with items in common; `links` lead to their tables."""
    return Table.of(
        "Agreement of each pair of reviewers",
        ("Reviewers", "Both labelled", "Raw agreement", "Cohen's κ", "Weighted κ (linear)"),
        (
            _pair_row(Cell(text=_pair_names(pair), link=link), pair)
            for pair, link in zip(agreement.pairs, links, strict=True)
        ),
    )


def gold_table(against_gold: Sequence[tuple[str, PairAgreement]]) -> Table:
    """Each reviewer beside the gold labels of others."""
    return Table.of(
        "Agreement of each reviewer with gold labels",
        ("Reviewer", "Items with gold", "Raw agreement", "Cohen's κ", "Weighted κ"),
        (_pair_row(truncate(reviewer, 40), pair) for reviewer, pair in against_gold),
    )


def _pair_names(pair: PairAgreement) -> str:
    """Both people of a pair."""
    return f"{truncate(pair.first, 40)} and {truncate(pair.second, 40)}"


def _pair_row(name: Value, pair: PairAgreement) -> tuple[Value, ...]:
    kappas = (f"κ {pair.kappa.text}", f"κ {pair.weighted_kappa.text}")
    return (name, f"{pair.raw.n:,}", pair.raw.text, *kappas)


def pair_labels_table(pair: PairAgreement) -> Table:
    """Each label of two people against all others."""
    by_name = {label.label: label for label in pair.labels}
    return Table.of(
        accessible_label=f"Agreement of {pair.first} and {pair.second} on each label",
        columns=("Label", "Specific agreement", "κ of this label"),
        rows=(
            (
                Cell(marks=(mark,)),
                by_name[mark].specific.text,
                f"κ {by_name[mark].chance_corrected.text}",
            )
            for mark in MARKS
            if mark in by_name
        ),
    )


def confusion_table(
    ratings: Sequence[Rating], first: str, second: str, labels: LabelSelection
) -> Table:
    """The confusion table of two people's labels; each number links to its items."""
    by_item: dict[str, dict[str, str]] = {}
    for rating in ratings:
        if rating.rater in (first, second):
            by_item.setdefault(rating.item, {})[rating.rater] = rating.label
    pairs = [
        (by_rater[first], by_rater[second]) for by_rater in by_item.values() if len(by_rater) == 2
    ]
    used = [mark for mark in HUMAN_LABELS if any(mark in pair for pair in pairs)]
    most = max((pairs.count((a, b)) for a in used for b in used), default=1) or 1

    def cell(first_label: HumanLabel, second_label: HumanLabel) -> Cell:
        number = pairs.count((first_label, second_label))
        if not number:
            return Cell(text="0")
        words = f"{STYLES[first_label].word.lower()}, {second} {STYLES[second_label].word.lower()}"
        items = labels.labelled_by((first, first_label), (second, second_label))
        return Cell(
            text=f"{number:,}",
            # an item filter cannot express guide versions
            link=None if labels.guides else items_link(items),
            accessible_label=f"{count_of(number, 'citation')}: {first} says {words}",
            tone=number / most,
        )

    return Table.of(
        accessible_label=f"Labels by {first} (rows) and {second} (columns)",
        columns=(
            f"{truncate(first, 30)} ↓  {truncate(second, 30)} →",
            *(f"{STYLES[mark].glyph} {STYLES[mark].short}" for mark in used),
        ),
        rows=(
            (
                Cell(marks=(cast(Mark, first_label),)),
                *(cell(first_label, second_label) for second_label in used),
            )
            for first_label in used
        ),
        framed=True,
    )


def evidence_table(agreement: EvidenceAgreement) -> Table:
    """How far the selected evidence overlaps."""
    figures = (agreement.f1, agreement.jaccard, agreement.touching)
    return Table.of(
        accessible_label="Agreement on evidence",
        columns=("Measure", "Value"),
        rows=(
            (Cell(text=name, more=more), figure.text)
            for (name, more), figure in zip(text.EVIDENCE_MEASURES, figures, strict=True)
        ),
    )


def automation_bias_table(bias: AutomationBias) -> Table:
    """Decisions before and after the judge was revealed."""
    figures = (bias.before, bias.after, bias.shift, bias.taken_over, bias.turned_away)
    return Table.of(
        accessible_label=text.AUTOMATION_BIAS,
        columns=("Blind decisions", "Share"),
        rows=(
            (Cell(text=name, more=more), figure.text)
            for (name, more), figure in zip(text.BIAS_MEASURES, figures, strict=True)
        ),
    )


def adjudication_figures(
    counts: DisagreementCounts, labels: LabelSelection
) -> list[tuple[Cell, str]]:
    """How many items have conflicting labels, and how many of them are settled."""
    # counts current labels, not first ones
    items = replace(labels.items, labelled_from="")
    figures = (
        (counts.doubly, items),
        (counts.differ - counts.settled, replace(items, reviewers_differ=True)),
        (counts.settled, replace(items, adjudicated=True)),
    )
    return [
        (Cell(text=f"{number:,}", link=items_link(chosen)), words)
        for (number, chosen), words in zip(figures, text.ADJUDICATION_FIGURES, strict=True)
    ]
