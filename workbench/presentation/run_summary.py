"""A stored run as one line of a list, the same at every door."""

from workbench.records import JsonDict, RunSummary


def run_summary_json(one: RunSummary) -> JsonDict:
    """A run's line of a list."""
    return {
        "id": one.id,
        "name": one.name,
        "output_sha256": one.output_sha256,
        "created_at": one.created_at.isoformat(),
        "judge": list(one.judge),
        "finished": one.finished,
        "total_citations_found": one.found,
        "total_resolved": one.resolved,
        "total_supported": one.supported,
        "labelled": one.labelled,
        "total_cost_usd": None if one.unpriced_calls else one.cost_usd,
        "reserved_usd": one.reserved_usd,
        "price_unknown": one.unpriced_calls > 0,
    }
