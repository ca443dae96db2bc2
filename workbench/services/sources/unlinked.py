"""The source of citations that name no address, as far as a reviewer can give it."""

import hashlib
from collections.abc import Sequence

from workbench.records.citation import UNCOUNTED_KINDS
from workbench.records.stored_sources import SourceCitation
from workbench.services.sources.catalog import SourceRow, claim_of, source_key, state_of


def row_without_address(uses: Sequence[SourceCitation], citation_id: str) -> SourceRow | None:
    """A row for a citation whose source has no address, with all citations of the same marker.

    None if the citation has an address, was not reached, or is called a guess by its own text,
    which no judge is asked about.

    Args:
        uses: The citations of one run.
        citation_id: The citation.
    """
    cited = next((use for use in uses if use.result.citation.id == citation_id), None)
    if cited is None or source_key(cited) or state_of(cited) != "missing":
        return None
    if cited.result.citation.target is not None:
        return None
    same = tuple(use for use in uses if use is cited or _same_marker(use, cited))
    claims = set(map(claim_of, same))
    # quotes and figures of the same claim stand on the marker, so its source is theirs
    same += tuple(
        use
        for use in uses
        if use.result.citation.kind in UNCOUNTED_KINDS
        and use not in same
        and claim_of(use) in claims
        and use.result.citation.target is None
        and state_of(use) == "missing"
    )
    name = f"unlinked:{cited.run_id}:{same[0].result.citation.id}"
    return SourceRow(
        id=hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12],
        address="",
        target=None,
        title="",
        entry="",
        state="missing",
        error=cited.result.error,
        facts=None,
        uses=same,
    )


def _same_marker(use: SourceCitation, other: SourceCitation) -> bool:
    """Whether two citations stand for one source: `[3]` and `[3]`, neither with an address."""
    citation, other_citation = use.result.citation, other.result.citation
    return (
        bool(citation.identifier)
        and (citation.kind, citation.identifier) == (other_citation.kind, other_citation.identifier)
        and citation.target is None
        and not source_key(use)
    )
