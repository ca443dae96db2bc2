"""How far people agree, in tables that lead to the items behind them; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from workbench.calibration import (
    Agreement,
    AutomationBias,
    EvidenceAgreement,
    IntervalEstimate,
    PairAgreement,
)
from workbench.interfaces.web.links import Column, Link, LinkCell, Table, cells, items_link
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import MARKS, STYLES, Mark
from workbench.records import (
    CITATION_KINDS,
    HUMAN_LABELS,
    SUPPORT_SCALE,
    DisagreementCounts,
    HumanLabel,
    ItemFilter,
    Rating,
)
from workbench.records.format import count_of

FEW = 30
"""Below so many items an interval is too wide to decide on anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which labels are compared."""

    run: str | None = None
    queue: str | None = None
    since: datetime | None = None
    first: bool = True
    """First decisions; else what people say now."""
    guides: tuple[int, ...] = ()
    """Versions of the label guide; all where empty."""

    @property
    def items(self) -> ItemFilter:
        """The items that the labels are of, quotes and statistics among them."""
        return ItemFilter(
            runs=(self.run,) if self.run else (),
            kinds=CITATION_KINDS,
            queue=self.queue or "",
            labelled_from=self.since.isoformat() if self.since else "",
        )

    def said(self, *sayings: tuple[str, str]) -> ItemFilter:
        """The items on which each named reviewer gave the label beside the name."""
        turn = "first" if self.first else "now"
        return replace(
            self.items, said=tuple(f"{turn}|{label}|{reviewer}" for reviewer, label in sayings)
        )


def kappa_words(name: str, figure: IntervalEstimate) -> str:
    """A figure after its sign: `κ 0.71 (0.64–0.77, n = 412)`."""
    return f"{name} {figure.text}"


def missing(ratings: Sequence[Rating], found: Agreement) -> str:
    """What is needed before agreement can be told; empty where it can."""
    if found.items:
        return ""
    if not ratings:
        return (
            "Nobody has labelled a citation here yet. Agreement needs citations that two reviewers "
            "have labelled: build a queue with two reviews an item."
        )
    people = {rating.rater for rating in ratings}
    items = {rating.item for rating in ratings}
    who = "one reviewer" if len(people) == 1 else f"{len(people)} reviewers"
    return (
        f"{count_of(len(items), 'citation')} labelled by {who}, none of them by two. Agreement needs "
        "citations that two reviewers have labelled: build a queue with two reviews an item."
    )


def cautions(found: Agreement) -> str:
    """Why the figures are to be read with care; empty where they can stand."""
    told = []
    if found.items < FEW:
        told.append(
            f"Only {count_of(found.items, 'citation')} labelled twice: the intervals are wide. "
            f"From about {FEW} on they begin to say something."
        )
    if found.raw.no_interval:
        told.append(
            f"No interval: {found.raw.no_interval}. Citations of one answer are not independent of "
            "each other."
        )
    if len(found.labels) == 1:
        told.append(
            "Only one label is in use, so nothing can be said beyond chance: κ and α are undefined."
        )
    return " ".join(told)


def scale_words(found: Agreement) -> str:
    """What the ordinal α and the weighted κ are over, and what has no place there."""
    left_out = (
        f"; {count_of(found.off_scale, 'label')} of unverifiable or cannot tell have no place on it "
        "and are left out"
        if found.off_scale
        else ""
    )
    scale = " < ".join(STYLES[mark].word.lower() for mark in SUPPORT_SCALE)
    return (
        f"Ordinal α and weighted κ (linear weights) are over the support scale {scale}{left_out}."
    )


def labels_table(found: Agreement) -> Table:
    """Each label against all others."""
    by_name = {one.label: one for one in found.labels}
    rows = [
        cells(
            [
                LinkCell(marks=(mark,)),
                f"{by_name[mark].ratings:,}",
                by_name[mark].specific.text,
                by_name[mark].chance_corrected.text,
            ]
        )
        for mark in MARKS
        if mark in by_name
    ]
    return Table(
        said="Agreement on each label against all others",
        columns=(
            Column(word="Label"),
            Column(word="Given", numeric=True),
            Column(word="Second gives it too", numeric=True),
            Column(word="α of this label", numeric=True),
        ),
        rows=tuple(rows),
    )


def pairs_table(found: Agreement, ways: Sequence[Link]) -> Table:
    """Each two people with items in common; `ways` lead to their tables."""
    rows = [
        cells(
            [
                LinkCell(
                    text=f"{truncate(pair.first, 40)} and {truncate(pair.second, 40)}", link=way
                ),
                f"{pair.raw.n:,}",
                pair.raw.text,
                kappa_words("κ", pair.kappa),
                kappa_words("κ", pair.weighted_kappa),
            ]
        )
        for pair, way in zip(found.pairs, ways, strict=True)
    ]
    return Table(
        said="Agreement of each two reviewers",
        columns=(
            Column(word="Reviewers"),
            Column(word="Both labelled", numeric=True),
            Column(word="Raw agreement", numeric=True),
            Column(word="Cohen's κ", numeric=True),
            Column(word="Weighted κ (linear)", numeric=True),
        ),
        rows=tuple(rows),
    )


def pair_labels_table(pair: PairAgreement) -> Table:
    """Each label of two people against all others."""
    by_name = {one.label: one for one in pair.labels}
    rows = [
        cells(
            [
                LinkCell(marks=(mark,)),
                by_name[mark].specific.text,
                kappa_words("κ", by_name[mark].chance_corrected),
            ]
        )
        for mark in MARKS
        if mark in by_name
    ]
    return Table(
        said=f"Agreement of {pair.first} and {pair.second} on each label",
        columns=(
            Column(word="Label"),
            Column(word="The other gives it too", numeric=True),
            Column(word="κ of this label", numeric=True),
        ),
        rows=tuple(rows),
    )


def confusion_table(ratings: Sequence[Rating], first: str, second: str, scope: Scope) -> Table:
    """How often one said this and the other that; each number leads to its items."""
    said: dict[str, dict[str, str]] = {}
    for rating in ratings:
        if rating.rater in (first, second):
            said.setdefault(rating.item, {})[rating.rater] = rating.label
    answers = [(one[first], one[second]) for one in said.values() if len(one) == 2]
    used = [mark for mark in HUMAN_LABELS if any(mark in answer for answer in answers)]
    most = max((answers.count((a, b)) for a in used for b in used), default=1) or 1

    def place(mine: HumanLabel, theirs: HumanLabel) -> LinkCell:
        number = answers.count((mine, theirs))
        if not number:
            return LinkCell(text="0")
        words = f"{STYLES[mine].word.lower()}, {second} {STYLES[theirs].word.lower()}"
        return LinkCell(
            text=f"{number:,}",
            # a filter of items does not know of versions of the guide
            link=None if scope.guides else items_link(scope.said((first, mine), (second, theirs))),
            said=f"{count_of(number, 'citation')}: {first} says {words}",
            tone=number / most,
        )

    return Table(
        said=f"What {first} said, down, and what {second} said, across",
        columns=(
            Column(word=f"{truncate(first, 30)} ↓  {truncate(second, 30)} →"),
            *(
                Column(word=f"{STYLES[mark].glyph} {STYLES[mark].short}", numeric=True)
                for mark in used
            ),
        ),
        rows=tuple(
            (LinkCell(marks=(cast(Mark, mine),)), *(place(mine, theirs) for theirs in used))
            for mine in used
        ),
        framed=True,
    )


def evidence_words(found: EvidenceAgreement) -> str:
    """Why there is no agreement on evidence; empty where there is."""
    if found.items:
        return ""
    told = (
        "No citation has evidence that two reviewers selected by hand in the same text. Select the "
        "words in the source that decide; the first word and the last one are enough."
    )
    if found.one_sided:
        told += (
            f" On {count_of(found.one_sided, 'citation')} reviewers agree on the label, and only some "
            "of them selected evidence."
        )
    return told


def evidence_table(found: EvidenceAgreement) -> Table:
    """How far the selected words are the same."""
    return Table(
        said="Agreement on evidence",
        columns=(Column(word="Measure"), Column(word="Value", numeric=True)),
        rows=(
            cells(
                [
                    LinkCell(text="Shared characters, F1", more="of those both selected"),
                    found.f1.text,
                ]
            ),
            cells(
                [
                    LinkCell(text="Shared characters, Jaccard", more="of those either selected"),
                    found.jaccard.text,
                ]
            ),
            cells(
                [
                    LinkCell(text="Touching", more="pairs with a character in common"),
                    found.touching.text,
                ]
            ),
        ),
    )


def pull_words(found: AutomationBias) -> str:
    """Why the pull of the judge cannot be told; empty where it can."""
    if found.shown:
        return ""
    waiting = (
        f" {count_of(found.unshown, 'decision')} were made blind, and the judge was not shown after."
        if found.unshown
        else ""
    )
    return (
        "No reviewer has seen the judge's verdict after a blind decision. A blind queue hides it "
        f"first and shows it on request.{waiting}"
    )


def pull_table(found: AutomationBias) -> Table:
    """Decisions before and after the judge was shown."""
    rows = (
        ("Agreed with the judge before it was shown", "", found.before),
        ("Agree with the judge now", "", found.after),
        ("Shift", "above 0: drawn to the judge", found.shift),
        ("Took over the judge's label", "of those who disagreed at first", found.taken_over),
        ("Left the judge's label", "of those who agreed at first", found.turned_away),
    )
    return Table(
        said="The pull of the judge",
        columns=(Column(word="Blind decisions"), Column(word="Share", numeric=True)),
        rows=tuple(cells([LinkCell(text=name, more=more), one.text]) for name, more, one in rows),
    )


def adjudication_figures(found: DisagreementCounts, scope: Scope) -> list[tuple[LinkCell, str]]:
    """How many items have labels that differ, and how far settling them is."""
    # who differs now is one thing, what was said first another: these are of now
    everything = replace(scope.items, labelled_from="")
    left = found.differ - found.settled
    return [
        (
            LinkCell(text=f"{found.doubly:,}", link=items_link(everything)),
            "labelled by two people or more",
        ),
        (
            LinkCell(
                text=f"{left:,}",
                link=items_link(replace(everything, reviewers_differ=True)),
            ),
            "where labels differ",
        ),
        (
            LinkCell(
                text=f"{found.settled:,}", link=items_link(replace(everything, adjudicated=True))
            ),
            "settled by an adjudicator",
        ),
    ]
