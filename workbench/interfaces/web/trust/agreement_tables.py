"""Agreement between people in words, and in tables that link to the items; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from workbench.interfaces.web.links import items_link
from workbench.presentation.escape import truncate
from workbench.presentation.reference_styles import DECISIONS
from workbench.presentation.tables import Cell, Link, Table, Value
from workbench.presentation.verdicts import MARKS, STYLES, Mark
from workbench.records.evaluation import DisagreementCounts
from workbench.records.format import count_of
from workbench.records.review import Rating
from workbench.records.verdict import HUMAN_LABELS, SUPPORT_SCALE, HumanLabel
from workbench.services.calibration import (
    Agreement,
    AutomationBias,
    EvidenceAgreement,
    FieldAgreement,
    FieldMeasure,
    IntervalEstimate,
    PairAgreement,
)
from workbench.services.calibration.agreement import LabelSelection

FEW = 30
"""Below this many items an interval is too wide for any decision."""

DAYS = {"": "All time", "7": "7 days", "30": "30 days", "90": "90 days"}
BASIS = {"": "First labels", "now": "Current labels"}

AUTOMATION_BIAS = "Influence of the judge on reviewers"

EVIDENCE_MEASURES = (
    ("Shared characters, F1", "of those both selected"),
    ("Shared characters, Jaccard", "of those either selected"),
    ("Touching", "pairs with a character in common"),
)
BIAS_MEASURES = (
    ("Agreed with the judge before it was shown", ""),
    ("Agree with the judge now", ""),
    ("Shift", "above 0: moved towards the judge"),
    ("Switched to the judge's label", "of those who disagreed at first"),
    ("Switched away from the judge's label", "of those who agreed at first"),
)
ADJUDICATION_FIGURES = (
    "labelled by two or more people",
    "where labels differ and nobody has settled it",
    "settled by an adjudicator",
)


def disputes_text(counts: DisagreementCounts) -> str:
    """Between whom the open disagreements are; empty where all are between people."""
    with_data = counts.differ - counts.settled - counts.between_people
    if not with_data:
        return ""
    between = f"{counts.between_people:,} between people, " if counts.between_people else ""
    return (
        f"Of these, {between}{with_data:,} between a person and the label that an imported data "
        "set came with."
    )


def no_agreement(ratings: Sequence[Rating], agreement: Agreement) -> str:
    """What is needed before agreement can be computed; empty if it can."""
    if agreement.items:
        return ""
    if not ratings:
        return (
            "No citation has been labelled yet. Agreement needs citations that two reviewers have "
            "labelled: create a queue with two reviews per item."
        )
    people = {rating.rater for rating in ratings}
    items = {rating.item for rating in ratings}
    who = "one reviewer" if len(people) == 1 else f"{len(people)} reviewers"
    return (
        f"{count_of(len(items), 'citation')} labelled by {who}, none of them by two. Agreement "
        "needs citations that two reviewers have labelled: create a queue with two reviews per "
        "item."
    )


def cautions(agreement: Agreement) -> str:
    """Why the figures need caution; empty if they do not."""
    sentences = []
    if agreement.items < FEW:
        sentences.append(
            f"Only {count_of(agreement.items, 'citation')} labelled twice: the intervals are wide. "
            f"They become informative from about {FEW} citations."
        )
    if agreement.raw.no_interval:
        sentences.append(
            f"No interval: {agreement.raw.no_interval}. Citations of one answer are not "
            "independent of each other."
        )
    if len(agreement.labels) == 1:
        sentences.append(
            "Only one label is used, so chance-corrected agreement (κ, α) is undefined."
        )
    return " ".join(sentences)


def overall(agreement: Agreement) -> str:
    """The coefficients of all labels in one line."""
    return (
        f"Raw agreement {agreement.raw.text}   ·   "
        f"Krippendorff's α {agreement.alpha.text}   ·   "
        f"ordinal α {agreement.ordinal_alpha.text}   ·   "
        f"{agreement.ratings:,} labels of {len(agreement.raters)} reviewers"
    )


def scale_text(agreement: Agreement) -> str:
    """Which labels the ordinal α and the weighted κ cover, and which they do not."""
    left_out = (
        f"; {count_of(agreement.off_scale, 'label')} of unverifiable or cannot tell are not on "
        f"this scale and are left out"
        if agreement.off_scale
        else ""
    )
    scale = " < ".join(STYLES[mark].word.lower() for mark in SUPPORT_SCALE)
    return (
        f"Ordinal α and weighted κ (linear weights) are over the support scale {scale}{left_out}."
    )


def no_evidence(agreement: EvidenceAgreement) -> str:
    """Why there is no agreement on evidence; empty if there is."""
    if agreement.items:
        return ""
    reason = (
        "No citation has evidence selected by two reviewers in the same text. Select the deciding "
        "words in the source."
    )
    if agreement.one_sided:
        reason += (
            f" On {count_of(agreement.one_sided, 'citation')} reviewers agree on the label, but "
            f"only some of them selected evidence."
        )
    return reason


def no_automation_bias(bias: AutomationBias) -> str:
    """Why the influence of the judge cannot be measured; empty if it can."""
    if bias.shown:
        return ""
    waiting = (
        f" {count_of(bias.unshown, 'decision')} were made blind, but the judge's verdict was not "
        f"shown afterwards."
        if bias.unshown
        else ""
    )
    return (
        "No reviewer has seen the judge's verdict after a blind decision. A blind queue hides it "
        f"first and shows it on request.{waiting}"
    )


def field_text(field: FieldAgreement) -> str:
    """What a field rests on, in a line."""
    if field.kind == "text":
        return "text: no measure of agreement"
    if not field.items:
        return "no item answered by two"
    return f"{count_of(field.items, 'item')} answered by two or more, {field.raters} reviewers"


def field_alpha(measure: FieldMeasure) -> str:
    """The coefficients of a field or an option, named where there are two."""
    if measure.alpha is not None:
        return measure.alpha.text
    named = (("ordinal", measure.ordinal_alpha), ("interval", measure.interval_alpha))
    return "; ".join(f"{name} {figure.text}" for name, figure in named if figure)


def references_text(agreement: Agreement) -> str:
    """How far people agree on entries of reference lists, in a line."""
    return (
        f"{count_of(agreement.items, 'entry', 'entries')} with two decisions or more, "
        f"{len(agreement.raters):,} reviewers: raw agreement {agreement.raw.text}, "
        f"Krippendorff's α {agreement.alpha.text}."
    )


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
        question = Cell(text=truncate(field.question, 80), more=field_text(field))
        whole = [measure for measure in field.measures if not measure.option]
        first = whole[0] if whole else None
        rows.append(
            (
                question,
                f"{first.given:,}" if first else "",
                first.raw.text if first else "",
                field_alpha(first) if first else "",
            )
        )
        rows += [
            (f"· {measure.option}", f"{measure.given:,}", measure.raw.text, field_alpha(measure))
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
    return _measures("Agreement on evidence", ("Measure", "Value"), EVIDENCE_MEASURES, figures)


def automation_bias_table(bias: AutomationBias) -> Table:
    """Decisions before and after the judge was revealed."""
    figures = (bias.before, bias.after, bias.shift, bias.taken_over, bias.turned_away)
    return _measures(AUTOMATION_BIAS, ("Blind decisions", "Share"), BIAS_MEASURES, figures)


def _measures(
    what: str,
    columns: tuple[str, str],
    names: Sequence[tuple[str, str]],
    figures: Sequence[IntervalEstimate],
) -> Table:
    rows = zip(names, figures, strict=True)
    return Table.of(
        what, columns, ((Cell(text=name, more=more), figure.text) for (name, more), figure in rows)
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
        for (number, chosen), words in zip(figures, ADJUDICATION_FIGURES, strict=True)
    ]
