"""Which labels a query uses: those that count, those of real work, or the examples.

The rule stands in `schema/m030_examples.sql`: example labels count in figures only as long as
there is no other label. Exports take real work alone, or the examples where they are asked for.
"""

from typing import Literal

from workbench.records.evaluation import UNKNOWN_GUIDE, LabelFilter

LabelScope = Literal["counted", "real", "examples"]


def current_view(scope: LabelScope, kind: Literal["labels", "reference_labels"] = "labels") -> str:
    """The view of the labels that no later one replaces."""
    return f"example_current_{kind}" if scope == "examples" else f"{scope}_current_{kind}"


def active_view(scope: LabelScope, kind: Literal["labels", "reference_labels"] = "labels") -> str:
    """The view of the labels that were not withdrawn, replaced ones among them."""
    return f"example_active_{kind}" if scope == "examples" else f"{scope}_active_{kind}"


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
# the same query as the view in schema/m030_examples.sql, of the labels of a scope

CHOSEN_LABELS = f"""
current_labels as (
    select * from counted_current_labels
    where (len($guides::integer[]) = 0
            or list_contains($guides::integer[], coalesce(guide, {UNKNOWN_GUIDE})))
        and ($labels_run is null or run_id = $labels_run)
        and ($labels_queue is null or queue_id = $labels_queue)
        and case when $data_set is null then true
            when $data_set = '' then (run_id, citation_id) not in (
                select (run_id, citation_id) from imported_items)
            else (run_id, citation_id) in (
                select (run_id, citation_id) from imported_items where import_id = $data_set) end
),
gold_labels as (
    {_GOLD}
)
"""
"""Takes the place of the views of these names in the query that it opens; `filter_values` holds what it needs."""
VOTES = """
votes as (
    select run_id, citation_id, reviewer, arg_max(label, (created_at, id)) as label
    from current_labels where role = 'review' and by_person
    group by run_id, citation_id, reviewer
)
"""
"""Each reviewer's own latest label on each item, adjudications apart, out of `current_labels`."""


def filter_values(labels: LabelFilter) -> dict[str, str | list[int] | None]:
    """What `CHOSEN_LABELS` needs to choose the labels of a scope."""
    return {
        "guides": list(labels.guides),
        "labels_run": labels.run,
        "labels_queue": labels.queue,
        "data_set": labels.data_set,
    }
