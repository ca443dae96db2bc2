"""Labels and gold labels of chosen versions of the label guide, as parts of queries."""

from collections.abc import Sequence

from workbench.records import UNKNOWN_GUIDE

_GOLD = """with votes as (
        select run_id, citation_id, label, count(*) as n from current_labels group by all
    ),
    counted as (
        select run_id, citation_id, arg_max(label, n) as label, max(n) as most, sum(n) as given
        from votes group by run_id, citation_id
    ),
    settled as (
        select run_id, citation_id, arg_max(label, created_at) as label
        from current_labels where role = 'adjudication' group by run_id, citation_id
    )
    select run_id, citation_id, coalesce(s.label, c.label) as label
    from counted c left join settled s using (run_id, citation_id)
    where s.label is not null or 2 * c.most > c.given"""
# the same query as the view in schema/m008_calibration.sql

CHOSEN_LABELS = f"""
current_labels as (
    select * from main.current_labels
    where len($guides::integer[]) = 0
        or list_contains($guides::integer[], coalesce(guide, {UNKNOWN_GUIDE}))
),
gold_labels as (
    {_GOLD}
)
"""
"""Takes the place of the views of these names in the query that it opens; needs `$guides`."""
VOTES = """
votes as (
    select run_id, citation_id, reviewer, arg_max(label, (created_at, id)) as label
    from current_labels where role = 'review' and by_person
    group by run_id, citation_id, reviewer
)
"""
"""Each reviewer's own latest label on each item, adjudications apart, out of `current_labels`."""


def guide_values(guides: Sequence[int]) -> dict[str, list[int]]:
    """What `CHOSEN_LABELS` needs: the versions to choose, all where empty."""
    return {"guides": list(guides)}
