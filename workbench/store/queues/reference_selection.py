"""Which checked entries of reference lists a filter lets through, and in which order."""

from collections.abc import Mapping

from workbench.records.queue import QueueOrder, ReferenceFilter
from workbench.store.runs.items import EXAMPLE_RUNS

REFERENCE_ORDERS: Mapping[QueueOrder, str] = {
    "document": "",
    "random": "md5($seed || c.run_id || '/' || c.position), ",
    "uncertain_first": "abs(c.score - 0.5) nulls last, ",
}
"""What goes before the order of the list itself."""


def reference_selection(chosen: ReferenceFilter) -> tuple[str, dict[str, list[str]]]:
    """The `from … where …` of a filter over checks `c` and runs `r`, and its values."""
    labels = "(select run_id, position from current_reference_labels"
    conditions = {
        "c.run_id in (select unnest($runs::varchar[]))": bool(chosen.runs),
        "c.status in (select unnest($statuses::varchar[]))": bool(chosen.statuses),
        "c.retraction = 'retracted'": chosen.retracted,
        f"c.run_id in {EXAMPLE_RUNS}": chosen.examples is True,
        f"c.run_id not in {EXAMPLE_RUNS}": chosen.examples is False,
        f"(c.run_id, c.position) in {labels})": chosen.labelled is True,
        f"(c.run_id, c.position) not in {labels})": chosen.labelled is False,
        f"(c.run_id, c.position) in {labels} group by all having "
        "count(distinct decision) filter (role = 'review') > 1 "
        "and not bool_or(role = 'adjudication'))": chosen.reviewers_differ,
    }
    where = [condition for condition, wanted in conditions.items() if wanted]
    values: dict[str, list[str]] = {}
    if chosen.runs:
        values["runs"] = list(chosen.runs)
    if chosen.statuses:
        values["statuses"] = list(chosen.statuses)
    body = "from current_reference_checks c join runs r on r.id = c.run_id where true"
    return " and ".join([body, *where]), values
