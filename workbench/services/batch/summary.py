"""The figures of a batch."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.records.bibliography import FAILED_REFERENCE_STATUSES
from workbench.records.spending import Spending
from workbench.records.text import Json, JsonDict


@dataclass(slots=True, kw_only=True)
class Summary:
    """The state of a batch."""

    outputs: int = 0
    """Read so far, those of earlier passes included."""
    done: int = 0
    resumed: int = 0
    """Of the done ones, those that an earlier pass had finished."""
    passed: int = 0
    failed: int = 0
    """Outputs that could not be read or run; `failed.jsonl` names each with its reason."""
    citations: int = 0
    resolved: int = 0
    supported: int = 0
    references: int = 0
    """Entries of the outputs' reference lists."""
    references_not_found: int = 0
    """Those whose work is not found, or whose identifier belongs to another work."""
    references_differ: int = 0
    references_retracted: int = 0
    references_not_checked: int = 0
    cost_usd: float = 0.0
    """What the runs cost, and what was paid in attempts that were cut off; known prices alone."""
    reserved_usd: float = 0.0
    """Reserved for calls that were cut off, outcome unknown."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""
    errors: dict[str, int] = field(default_factory=dict)
    stopped: bool = False

    @property
    def score(self) -> float | None:
        """Supported over resolved citations of all outputs; None when nothing was resolved."""
        return round(self.supported / self.resolved, 4) if self.resolved else None

    def add(self, run: Mapping[str, Json]) -> None:
        """Count one run's document."""
        self.done += 1
        self.passed += bool(run["passed"] and run["complete"])
        self.citations += _int(run["total_citations_found"])
        self.resolved += _int(run["total_resolved"])
        self.supported += _int(run["total_supported"])
        cost = run["total_cost_usd"]
        self.cost_usd += cost if isinstance(cost, int | float) else 0.0
        self._add_references(run.get("references"))
        errors = run["errors"]
        for kind, number in errors.items() if isinstance(errors, dict) else ():
            self.errors[kind] = self.errors.get(kind, 0) + _int(number)

    def _add_references(self, checks: Json) -> None:
        for check in checks if isinstance(checks, list) else ():
            if not isinstance(check, dict):
                continue
            status, notice = check.get("status"), check.get("retraction")
            self.references += 1
            self.references_not_found += status in FAILED_REFERENCE_STATUSES
            self.references_differ += status == "differs"
            self.references_not_checked += status == "not_checked"
            self.references_retracted += (
                isinstance(notice, dict) and notice.get("kind") == "retracted"
            )

    @property
    def spending(self) -> Spending:
        """What the batch cost so far, and what of it is unknown."""
        return Spending(
            settled_usd=self.cost_usd,
            reserved_usd=self.reserved_usd,
            unpriced_calls=self.unpriced_calls,
        )

    def count(self, spending: Spending) -> None:
        """Take over what the batch's account says; it also knows of runs that were given up."""
        self.cost_usd = max(self.cost_usd, spending.settled_usd)
        self.reserved_usd = spending.reserved_usd
        self.unpriced_calls = spending.unpriced_calls

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench batch`."""
        return {
            "outputs": self.outputs,
            "done": self.done,
            "resumed": self.resumed,
            "passed": self.passed,
            "failed": self.failed,
            "total_citations_found": self.citations,
            "total_resolved": self.resolved,
            "total_supported": self.supported,
            "overall_score": self.score,
            "references": self.references,
            "references_not_found": self.references_not_found,
            "references_differ": self.references_differ,
            "references_retracted": self.references_retracted,
            "references_not_checked": self.references_not_checked,
            "total_cost_usd": None if self.unpriced_calls else round(self.cost_usd, 6),
            "reserved_usd": round(self.reserved_usd, 6),
            "price_unknown": self.unpriced_calls > 0,
            "errors": dict(sorted(self.errors.items())),
            "stopped": self.stopped,
        }


def _int(value: Json) -> int:
    return int(value) if isinstance(value, int | float) else 0
