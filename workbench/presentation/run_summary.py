"""A stored run as one line of a list, the same in every interface."""

from workbench.records.run_listing import RunSummary
from workbench.records.text import JsonDict


def run_summary_json(run: RunSummary) -> JsonDict:
    """A run's line of a list."""
    return {
        "id": run.id,
        "name": run.name,
        "output_sha256": run.output_sha256,
        "created_at": run.created_at.isoformat(),
        "judge": list(run.judge),
        "finished": run.finished,
        "total_citations_found": run.found,
        "total_resolved": run.resolved,
        "total_supported": run.supported,
        "labelled": run.labelled,
        "data_set": run.data_set,
        "references": run.references,
        "reference_problems": run.reference_problems,
        "total_cost_usd": None if run.unpriced_calls else run.cost_usd,
        "reserved_usd": run.reserved_usd,
        "price_unknown": run.unpriced_calls > 0,
    }
