"""What people decided, laid out for statistics: ratings of each item, and judges beside them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from workbench.records.citation import CITATION_KINDS
from workbench.records.evaluation import (
    ALL_LABELS,
    UNKNOWN_GUIDE,
    DisagreementCounts,
    EvaluationColumns,
    JudgedByReviewer,
    JudgeKey,
    LabelFilter,
)
from workbench.records.fields import AnswerRating, parse_answers
from workbench.records.queue import ItemFilter
from workbench.records.review import (
    BlindDecision,
    Rating,
    majority_label,
)
from workbench.records.verdict import JUDGE_ERRORS, HumanLabel
from workbench.store.evaluation.evaluation_examples import (
    GROUP_KEY_SQL,
    JUDGED_EXAMPLES_SQL,
    SECONDARY_KINDS,
    example_values,
)
from workbench.store.labels.label_rules import (
    CHOSEN_LABELS,
    VOTES,
    LabelScope,
    active_view,
    current_view,
    filter_values,
)
from workbench.store.store import Repository, Store

ItemKey = tuple[str, str]
"""Ids of a run and of a citation in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSelection:
    """Which labels are compared."""

    run: str | None = None
    queue: str | None = None
    since: datetime | None = None
    """Given at or after this moment."""
    first: bool = True
    """First decisions, which are the more independent ones; else what people say now."""
    guides: tuple[int, ...] = ()
    """Versions of the label guide; all where empty, `UNKNOWN_GUIDE` where it is not known."""

    @property
    def items(self) -> ItemFilter:
        """The items that the labels are of, quotes and statistics among them."""
        return ItemFilter(
            runs=(self.run,) if self.run else (),
            kinds=CITATION_KINDS,
            queue=self.queue or "",
            labelled_from=self.since.isoformat() if self.since else "",
        )

    def labelled_by(self, *labels: tuple[str, str]) -> ItemFilter:
        """The items on which each reviewer, named first, gave the label beside the name."""
        turn = "first" if self.first else "now"
        return replace(
            self.items, said=tuple(f"{turn}|{label}|{reviewer}" for reviewer, label in labels)
        )


ALL_REVIEWS = LabelSelection()


class AgreementQueries(Repository):
    """Reading the labels of many items at once."""

    def __init__(self, store: Store, labels: LabelScope = "counted") -> None:
        super().__init__(store)
        self._active = active_view(labels)
        self._current = current_view(labels)

    def ratings(self, of: LabelSelection = ALL_REVIEWS) -> list[Rating]:
        """One rating of each item by each reviewer; adjudication is left out.

        So is what a data set says that names no annotator: it is no person's word.
        """
        where, values = _scope(of)
        return self._records(
            Rating,
            "select l.run_id || '/' || l.citation_id as item, l.reviewer as rater, l.label, "
            "coalesce(nullif(i.group_key, ''), i.key, r.output_sha256) as \"group\", l.evidence, "
            "v.text_sha256 as text from ("
            f"select * from {self._active} where role = 'review' and by_person{where} "
            "qualify row_number() over (partition by run_id, citation_id, reviewer "
            f"order by created_at {'' if of.first else 'desc'}, id) = 1"
            ") l join runs r on r.id = l.run_id left join imported_items i "
            "on i.run_id = l.run_id and i.citation_id = l.citation_id "
            "left join verdicts v on v.run_id = l.run_id and v.citation_id = l.citation_id "
            "and v.version = coalesce(l.verdict_version, 1) "
            "order by l.run_id, l.citation_id, l.reviewer",
            values,
        )

    def gold(self, *, run_id: str | None = None) -> dict[str, tuple[str, HumanLabel]]:
        """Whose word an item's gold label is, and the label, by `run/citation`.

        That is the newest adjudication; without one, what a data set says that names no annotator,
        whose author is empty.
        """
        where, values = _scope(LabelSelection(run=run_id))
        rows = self._rows(
            "select run_id, citation_id, role, reviewer, label "
            f"from {self._current} where (role = 'adjudication' or not by_person){where} "
            "order by role = 'adjudication', created_at, id",
            values,
        )
        # the last one counts
        return {
            f"{run}/{citation}": (reviewer if role == "adjudication" else "", label)
            for run, citation, role, reviewer, label in rows
        }

    def answers(self, of: LabelSelection) -> dict[tuple[str, str], list[AnswerRating]]:
        """One answer of each reviewer to each field on each item, by queue and field.

        The labels are those of `ratings`, of which the first one with an answer to the field
        counts, or the newest one; the queue is the one that asked.
        """
        where, values = _scope(replace(of, queue=None))
        rows = self._rows(
            "select l.run_id, l.citation_id, l.reviewer, l.answers, "
            "coalesce(nullif(i.group_key, ''), i.key, r.output_sha256) from ("
            "select * from active_labels where role = 'review' and by_person "
            f"and answers <> '[]'{where}"
            ") l join runs r on r.id = l.run_id left join imported_items i "
            "on i.run_id = l.run_id and i.citation_id = l.citation_id "
            f"order by l.created_at {'desc' if of.first else ''}, l.id",
            values,
        )
        # the one that counts comes last and takes the place of the others
        kept: dict[tuple[str, str], dict[tuple[str, str], AnswerRating]] = {}
        for run, citation, reviewer, raw, output in rows:
            item = f"{run}/{citation}"
            for answer in parse_answers(json.loads(raw)):
                if of.queue in (None, answer.queue_id):
                    kept.setdefault((answer.queue_id, answer.name), {})[item, reviewer] = (
                        AnswerRating(item=item, rater=reviewer, value=answer.value, group=output)
                    )
        return {
            field: [ratings[place] for place in sorted(ratings)] for field, ratings in kept.items()
        }

    def guide_counts(self, of: LabelSelection) -> dict[int, int]:
        """How many labels of reviewers that were not withdrawn each version of the guide has.

        Adjudications and labels of data sets that name no annotator are left out. `UNKNOWN_GUIDE`
        is the key of those of which the version is not known.
        """
        where, values = _scope(of)
        rows = self._rows(
            f"select coalesce(guide, {UNKNOWN_GUIDE}), count(*) from {self._active} "
            f"where role = 'review' and by_person{where} group by all order by 1",
            values,
        )
        return dict(rows)

    def disputes(self, of: LabelSelection = ALL_REVIEWS) -> DisagreementCounts:
        """How many items have labels that differ, and how many of these were settled."""
        where, values = _scope(replace(of, guides=()))
        return self._records(
            DisagreementCounts,
            "select count(*) filter (people > 1) as doubly, "
            "count(*) filter (voices > 1 and opinions > 1) as differ, "
            "count(*) filter (voices > 1 and opinions > 1 and settled) as settled, "
            "count(*) filter (people > 1 and peoples > 1 and not settled) as between_people from ("
            "select count(distinct reviewer) filter (by_person) as people, "
            "count(distinct label) filter (by_person) as peoples, "
            "count(distinct reviewer) as voices, count(distinct label) as opinions, "
            "coalesce(bool_or((run_id, citation_id) in (select (run_id, citation_id) "
            f"from {self._current} where role = 'adjudication')), false) as settled "
            f"from {self._current} where role = 'review'{where} group by run_id, citation_id)",
            values,
        )[0]

    def blind_decisions(self, of: LabelSelection = ALL_REVIEWS) -> list[BlindDecision]:
        """What reviewers had decided when the judge was shown to them, and their current labels.

        A decision that was taken back before the judge was shown is not one; taken back after
        that, it is.
        """
        values = {"queue": of.queue, "run": of.run, "since": of.since}
        return self._records(BlindDecision, _BLIND, values)


def _scope(of: LabelSelection) -> tuple[str, list[str | datetime | list[int]]]:
    """Further conditions on labels, and their values."""
    where, values = "", list[str | datetime | list[int]]()
    if of.guides:
        where = f" and list_contains(?::integer[], coalesce(guide, {UNKNOWN_GUIDE}))"
        values.append(list(of.guides))
    for condition, value in (
        ("run_id = ?", of.run),
        ("queue_id = ?", of.queue),
        ("created_at >= ?", of.since),
    ):
        if value is not None:
            where += f" and {condition}"
            values.append(value)
    return where, values


_BLIND = """
with shown as (
    select run_id, citation_id, reviewer, min(created_at) as shown_at from (
        select run_id, citation_id, reviewer, created_at from judgment_reveals
        union all
        select run_id, citation_id, reviewer, created_at from labels where saw_judge
    ) group by all
),
first as (
    select l.*, s.shown_at from labels l anti join uncounted_labels u on u.id = l.id
        left join label_withdrawals w on w.label_id = l.id
        left join shown s on s.run_id = l.run_id and s.citation_id = l.citation_id
            and s.reviewer = l.reviewer
    where l.saw_judge = false and l.role = 'review'
        and ($queue is null or l.queue_id = $queue)
        and ($run is null or l.run_id = $run)
        and ($since::timestamptz is null or l.created_at >= $since::timestamptz)
        and (s.shown_at is null or l.created_at <= s.shown_at)
        and (w.created_at is null or w.created_at > s.shown_at)
    qualify row_number() over (
        partition by l.run_id, l.citation_id, l.reviewer order by l.created_at desc, l.id
    ) = 1
),
after as (
    select run_id, citation_id, reviewer, arg_max(label, created_at) as label
    from counted_active_labels where role = 'review' group by run_id, citation_id, reviewer
)
select f.run_id || '/' || f.citation_id as item, f.reviewer as rater, r.output_sha256 as "group",
    v.verdict as judge, f.label as "first", if(f.shown_at is null, null, a.label) as "after"
from first f join runs r on r.id = f.run_id
    join verdicts v on v.run_id = f.run_id and v.citation_id = f.citation_id
        and v.version = coalesce(f.verdict_version, 1)
    left join after a on a.run_id = f.run_id and a.citation_id = f.citation_id
        and a.reviewer = f.reviewer
order by f.created_at, f.id
"""


_RATINGS = f"""
with {CHOSEN_LABELS},
{VOTES}
select f.run_id || '/' || f.citation_id, f.reviewer, f.label, {GROUP_KEY_SQL}
from votes f join runs r on r.id = f.run_id
    left join imported_items i on i.run_id = f.run_id and i.citation_id = f.citation_id
    semi join (
        select run_id, citation_id from votes group by all having count(*) > 1
    ) several on several.run_id = f.run_id and several.citation_id = f.citation_id
    left join current_verdicts v on v.run_id = f.run_id and v.citation_id = f.citation_id
where coalesce(v.kind, '') not in {SECONDARY_KINDS}
order by 1, 2
"""
_JUDGED = f"""
with {JUDGED_EXAMPLES_SQL},
{VOTES}
select v.run_id || '/' || v.citation_id, v.verdict, coalesce(v.score, 0), v.question,
    v.error_kind, f.reviewer, f.label
from judged_examples v join votes f on f.run_id = v.run_id and f.citation_id = v.citation_id
where v.judged and v.part in (select unnest($parts::varchar[]))
    and (v.error_kind is null or v.error_kind in {JUDGE_ERRORS})
order by v.created_at, v.run_id, v.position, v.citation_id, f.reviewer
"""
_GUIDES = f"""
with {CHOSEN_LABELS}
select coalesce(guide, {UNKNOWN_GUIDE}), count(*) from current_labels l
    left join (select * from split_items where split_id = $split) s
        on s.run_id = l.run_id and s.citation_id = l.citation_id
where ($split is null or s.part in (select unnest($parts::varchar[])))
    and (not $reviews or (role = 'review' and by_person))
group by all order by 1
"""


class ReviewerLabels(Repository):
    """Reading each reviewer's own latest label on each item; adjudications are left out.

    What a data set says that names no annotator is no reviewer's. Only the `labels` of a call
    count.
    """

    def ratings(self, labels: LabelFilter = ALL_LABELS) -> list[Rating]:
        """Every label on the items that two reviewers or more labelled, of all parts and none."""
        rows = self._rows(_RATINGS, filter_values(labels))
        return [
            Rating(item=item, rater=reviewer, label=label, group=question)
            for item, reviewer, label, question in rows
        ]

    def judged(
        self,
        judge: JudgeKey,
        split_id: str,
        parts: Sequence[str],
        labels: LabelFilter = ALL_LABELS,
    ) -> JudgedByReviewer:
        """What a judge says of the items of some parts, beside each reviewer and the majority."""
        rows = self._rows(_JUDGED, example_values(judge, split_id, parts, labels))
        by_reviewer: dict[str, list[tuple[_JudgedRow, HumanLabel]]] = {}
        by_item: dict[_JudgedRow, list[HumanLabel]] = {}
        for *example, reviewer, label in rows:
            by_reviewer.setdefault(reviewer, []).append((tuple(example), label))
            by_item.setdefault(tuple(example), []).append(label)
        majority = [
            (example, label)
            for example, given in by_item.items()
            if (label := majority_label(given))
        ]
        most_first = sorted(by_reviewer.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        return JudgedByReviewer(
            reviewers=tuple((name, _rows(pairs)) for name, pairs in most_first),
            majority=_rows(majority),
            ties=len(by_item) - len(majority),
            single=sum(len(labels) == 1 for labels in by_item.values()),
        )

    def guide_counts(
        self,
        split_id: str | None = None,
        parts: Sequence[str] = (),
        *,
        labels: LabelFilter = ALL_LABELS,
        reviews: bool = False,
    ) -> dict[int, int]:
        """How many current labels there are of each version of the guide, `UNKNOWN_GUIDE` first.

        Args:
            split_id: Only of items in parts of this split …
            parts: … and in these of them.
            labels: Only these.
            reviews: Only labels of reviewers, adjudications and data sets left out.
        """
        rows = self._rows(
            _GUIDES,
            {
                "split": split_id,
                "parts": list(parts),
                "reviews": reviews,
                **filter_values(labels),
            },
        )
        return dict(rows)


_JudgedRow = tuple[str, str, float, str, str | None]
"""Item, verdict, score, question, error."""


def _rows(pairs: Sequence[tuple[_JudgedRow, HumanLabel]]) -> EvaluationColumns:
    items, judges, scores, groups, errors = (
        zip(*(example for example, _ in pairs), strict=True) if pairs else [()] * 5
    )
    return EvaluationColumns(
        items=items,
        judges=judges,
        scores=scores,
        humans=[label for _, label in pairs],
        groups=groups,
        errors=errors,
    )
