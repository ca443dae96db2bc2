"""What a run will ask for at most, before it starts."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging import Judge, open_judge
from workbench.pipeline.claim import claim_for_judge
from workbench.pipeline.options import JUDGMENTS_AT_ONCE
from workbench.records import UNCOUNTED_KINDS, Extraction, JsonDict, Passage, Span

PASSAGE_CHARS = 3000
"""What a judge is shown of a source at most."""
FREE_CALL_S, PAID_CALL_S, FETCH_S = 0.02, 3.0, 1.0
"""Usual times of one judgment and one fetch; a guess that the page calls "about"."""
FETCHES_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An upper bound on calls and cost, and a guess at the time."""

    citations: int
    sources: int
    """Different addresses and entries that they point at."""
    calls: int
    """Judgments, one for each different claim, source and judge; kept ones cost nothing."""
    cost_usd: float | None
    """The most it can cost; None when a model's price is unknown."""
    seconds: float

    def to_dict(self) -> JsonDict:
        """The estimate as shown."""
        return {
            "citations": self.citations,
            "sources": self.sources,
            "calls": self.calls,
            "cost_usd": self.cost_usd,
            "seconds": self.seconds,
        }


def estimate_run(
    extraction: Extraction, judges: Sequence[str] | Sequence[Judge], *, fetch: bool = False
) -> Estimate:
    """What checking an extraction can ask for at most, with passages at their full length.

    Raises:
        UsageError: A judge cannot be opened.
    """
    opened = [open_judge(one) if isinstance(one, str) else one for one in judges]
    pairs: set[tuple[str, str]] = set()
    sources: set[str] = set()
    for citation in extraction.citations:
        if citation.target is None and citation.reference is None:
            continue
        name = citation.target.value if citation.target else f"entry {citation.reference}"
        sources.add(name)
        pairs.add((claim_for_judge(extraction, citation), name))
    full = [Passage(span=Span(0, PASSAGE_CHARS), text="x" * PASSAGE_CHARS)]
    cost: float | None = 0.0
    seconds = len(sources) * FETCH_S / FETCHES_AT_ONCE if fetch else 0.0
    for judge in opened:
        worst = [judge.worst_cost_usd(claim, full) for claim, _ in pairs]
        known = [one for one in worst if one is not None]
        cost = None if cost is None or len(known) < len(worst) else cost + sum(known)
        paid = any(one != 0 for one in worst)
        seconds += len(pairs) * (PAID_CALL_S / JUDGMENTS_AT_ONCE if paid else FREE_CALL_S)
    return Estimate(
        citations=sum(c.kind not in UNCOUNTED_KINDS for c in extraction.citations),
        sources=len(sources),
        calls=len(pairs) * len(opened),
        cost_usd=cost,
        seconds=seconds,
    )
