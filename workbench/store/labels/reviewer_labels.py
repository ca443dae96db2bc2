"""Each reviewer's labels, apart from those of others: for agreement, beside a judge."""

from collections.abc import Sequence

from workbench.records.evaluation import (
    ALL_LABELS,
    UNKNOWN_GUIDE,
    JudgedByReviewer,
    JudgeKey,
    LabelFilter,
)
from workbench.records.evaluation_columns import EvaluationColumns
from workbench.records.judge_outcomes import JUDGE_ERRORS
from workbench.records.review import Rating, majority_label
from workbench.records.verdict import HumanLabel
from workbench.store.evaluation.evaluation_examples import (
    GROUP_KEY_SQL,
    JUDGED_EXAMPLES_SQL,
    SECONDARY_KINDS,
    example_values,
)
from workbench.store.labels.label_scope import CHOSEN_LABELS, VOTES, filter_values
from workbench.store.store import Repository

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
