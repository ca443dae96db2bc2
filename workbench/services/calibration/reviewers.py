"""A judge against each single reviewer and against their majority, beside the gold labels."""

from collections.abc import Sequence

from workbench.calibration.classification_report import judge_table
from workbench.calibration.results import AgainstReviewers
from workbench.records.evaluation import ALL_LABELS, JudgeKey, LabelFilter
from workbench.store.labels.reviewer_labels import ReviewerLabels
from workbench.store.store import Store

MOST_REVIEWERS = 30
"""So many reviewers, those with most labels, get figures of their own."""
ROUNDS = 200


def against_reviewers(
    store: Store,
    judge: JudgeKey,
    split_id: str,
    parts: Sequence[str],
    labels: LabelFilter = ALL_LABELS,
) -> AgainstReviewers | None:
    """A judge against each reviewer and their majority on some parts; None without reviewers."""
    judged = ReviewerLabels(store).judged(judge, split_id, parts, labels)
    if not judged.reviewers:
        return None
    return AgainstReviewers(
        reviewers=tuple(
            (name, judge_table(items, rounds=ROUNDS))
            for name, items in judged.reviewers[:MOST_REVIEWERS]
        ),
        more_reviewers=max(0, len(judged.reviewers) - MOST_REVIEWERS),
        majority=judge_table(judged.majority, rounds=ROUNDS),
        ties=judged.ties,
        single=judged.single,
    )
