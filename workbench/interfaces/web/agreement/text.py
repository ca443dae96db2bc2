"""The texts of the Agreement page; pure."""

from collections.abc import Sequence

from workbench.presentation.verdicts import STYLES
from workbench.records.evaluation import DisagreementCounts
from workbench.records.format import count_of
from workbench.records.review import Rating
from workbench.records.verdict import SUPPORT_SCALE
from workbench.services.calibration import (
    Agreement,
    AutomationBias,
    EvidenceAgreement,
    FieldAgreement,
    FieldMeasure,
)

FEW = 30
"""Below this many items an interval is too wide for any decision."""

DAYS = {"": "All time", "7": "7 days", "30": "30 days", "90": "90 days"}
BASIS = {"": "First labels", "now": "Current labels"}

AUTOMATION_BIAS = "Influence of the judge on reviewers"
CHART_ROWS = ("All labels, α", "Support scale, ordinal α")

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
