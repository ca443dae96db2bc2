"""How far reviewers agree, how far a judge pulls them, and which labels count in both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath

from workbench.calibration.agreement import (
    Agreement,
    EvidenceAgreement,
    FieldAgreement,
    PairAgreement,
    agreement,
    evidence_agreement,
    field_agreement,
)
from workbench.calibration.reviewing import AutomationBias, automation_bias
from workbench.errors import UsageError
from workbench.records.evaluation import DisagreementCounts, LabelFilter
from workbench.records.queue import Queue
from workbench.records.review import Rating
from workbench.records.run_listing import RunSummary
from workbench.records.verdict import HumanLabel
from workbench.services.cached_views import cached_view, file_state
from workbench.services.database import Database
from workbench.store.bibliography.labels import LabelledReferenceQueries
from workbench.store.labels.agreement import AgreementQueries, LabelSelection, ReviewerLabels
from workbench.store.labels.imports import Imports
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

__all__ = ["LabelSelection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementReport:
    """How far reviewers agree on some labels."""

    ratings: tuple[Rating, ...]
    verdicts: Agreement
    evidence: EvidenceAgreement
    disagreements: DisagreementCounts
    """Of the current labels."""
    automation_bias: AutomationBias
    references: Agreement
    """On the entries of reference lists, apart from the citations."""
    guide_counts: dict[int, int]
    """Labels by the version of the label guide that they were given by."""
    against_gold: tuple[tuple[str, PairAgreement], ...]
    """Each reviewer beside the gold labels of others, those with most items first."""
    gold_disputed: tuple[int, int]
    """Of the items compared with gold, those on which reviewers disagreed; and all of them."""
    fields: tuple[tuple[str, FieldAgreement], ...]
    """On the fields of queues, each with its queue's name, by queue and in the queue's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSources:
    """What labels can be chosen by."""

    queues: tuple[Queue, ...]
    """Closed ones too."""
    runs: tuple[RunSummary, ...]
    """Those with labels."""
    guide_counts: dict[int, int]
    """Labels of reviewers by the version of the label guide that they were given by."""


def label_sources(database: Database) -> LabelSources:
    """The queues, runs and versions of the label guide that labels are of."""
    return LabelSources(
        queues=tuple(line.queue for line in Queues(database).list_queues(closed=True)),
        runs=tuple(run for run in database.list_runs() if run.labelled),
        guide_counts=ReviewerLabels(database).guide_counts(reviews=True),
    )


@cached_view(state=file_state)
def agreement_report(database: Database, labels: LabelSelection) -> AgreementReport:
    """How far reviewers agree on the chosen labels; figures of the same labels are kept at hand."""
    queries = AgreementQueries(database)
    ratings = tuple(queries.ratings(labels))
    gold = queries.gold(run_id=labels.run)
    return AgreementReport(
        ratings=ratings,
        verdicts=_agreement(ratings),
        evidence=_evidence_agreement(ratings),
        disagreements=queries.disputes(replace(labels, since=None)),
        automation_bias=_automation_bias(tuple(queries.blind_decisions(labels))),
        references=_agreement(_reference_ratings(database, labels)),
        guide_counts=queries.guide_counts(labels),
        against_gold=_against_gold(ratings, gold),
        gold_disputed=_gold_disputed(ratings, gold),
        fields=tuple(_fields(database, labels)),
    )


def _against_gold(
    ratings: Sequence[Rating], gold: Mapping[str, tuple[str, HumanLabel]]
) -> tuple[tuple[str, PairAgreement], ...]:
    """Each reviewer's labels beside the gold labels that somebody else gave."""
    by_reviewer: dict[str, list[Rating]] = {}
    for rating in ratings:
        author, label = gold.get(rating.item, (rating.rater, rating.label))
        if author != rating.rater:
            beside = replace(rating, rater=f"{rating.rater} (gold)", label=label, evidence=())
            by_reviewer.setdefault(rating.rater, []).extend((rating, beside))
    pairs = (
        (reviewer, pair)
        for reviewer, both in by_reviewer.items()
        for pair in _agreement(tuple(both)).pairs
    )
    return tuple(sorted(pairs, key=lambda row: (-row[1].raw.n, row[0])))


def _gold_disputed(
    ratings: Sequence[Rating], gold: Mapping[str, tuple[str, HumanLabel]]
) -> tuple[int, int]:
    labels: dict[str, set[str]] = {}
    for rating in ratings:
        if rating.item in gold and gold[rating.item][0] != rating.rater:
            labels.setdefault(rating.item, set()).add(rating.label)
    return sum(len(given) > 1 for given in labels.values()), len(labels)


def _fields(database: Database, labels: LabelSelection) -> Iterator[tuple[str, FieldAgreement]]:
    answers = AgreementQueries(database).answers(labels)
    if not answers:
        return
    for line in Queues(database).list_queues(closed=True):
        for field in line.queue.fields:
            given = answers.get((line.queue.id, field.name))
            if given:
                yield line.queue.name, _field_agreement(field, line.queue.id, tuple(given))


def _reference_ratings(database: Database, labels: LabelSelection) -> tuple[Rating, ...]:
    """Decisions on references; the guide's versions are those of citations' labels."""
    ratings = LabelledReferenceQueries(database).ratings(
        run_ids=(labels.run,) if labels.run else (),
        queue_id=labels.queue,
        first=labels.first,
        since=labels.since,
    )
    return tuple(ratings)


_agreement = lru_cache(maxsize=32)(agreement)
_field_agreement = lru_cache(maxsize=64)(field_agreement)
_evidence_agreement = lru_cache(maxsize=4)(evidence_agreement)
_automation_bias = lru_cache(maxsize=4)(automation_bias)


REVIEWED = "reviewed"
"""The labels on items that were not imported."""


def label_filters(store: Store) -> dict[str, LabelFilter]:
    """Every set of labels by its key: `reviewed`, `data-set:ID`, `queue:ID` or `run:ID`."""
    return {key: labels for key, (_, labels) in _named_filters(store).items()}


def _named_filters(store: Store) -> dict[str, tuple[tuple[str, ...], LabelFilter]]:
    """Every set of labels by its key, with the names it can be asked for by."""
    sources = label_sources(store)
    imported = Imports(store).runs()
    filters: dict[str, tuple[tuple[str, ...], LabelFilter]] = {}
    for record in Imports(store).list():
        if record.imported:
            name = record.name or record.id
            filters[f"data-set:{record.id}"] = (
                (record.id, name, PurePath(name).stem),
                LabelFilter(data_set=record.id, name=f"the data set {name}"),
            )
    if filters:  # without a data set all labels are of such items
        reviewed = LabelFilter(data_set="", name="items that were not imported")
        filters = {REVIEWED: ((), reviewed), **filters}
    for queue in sources.queues:
        filters[f"queue:{queue.id}"] = (
            (queue.id, queue.name),
            LabelFilter(queue=queue.id, name=f"the queue {queue.name}"),
        )
    for run in sources.runs:
        if run.id not in imported:
            name = run.name or run.id
            filters[f"run:{run.id}"] = (
                (run.id, name),
                LabelFilter(run=run.id, name=f"the run {name}"),
            )
    return filters


def find_label_filter(store: Store, name: str) -> LabelFilter:
    """The set of labels by its key, its id, or the name of its data set, queue or run.

    Raises:
        UsageError: There is none, or several have that name.
    """
    filters = _named_filters(store)
    if name in filters:
        return filters[name][1]
    matches = {key: labels for key, (names, labels) in filters.items() if name in names}
    if len(matches) == 1:
        return next(iter(matches.values()))
    if matches:
        raise UsageError(
            f"{len(matches)} sets of labels are called {name!r}; choose one by its key: "
            f"{', '.join(matches)}."
        )
    raise UsageError(
        f"There are no labels for {name!r}; there are labels for {', '.join(filters) or 'nothing'}."
    )
