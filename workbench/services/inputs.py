"""What a caller hands in, read and matched: answers, their citations, and files that are the sources."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.citations import Scopes, adjacent_question, extract, with_question
    from workbench.pipeline.claim import read_documents
    from workbench.pipeline.envelope import check_envelope
    from workbench.pipeline.options import Sources
    from workbench.pipeline.reading import (
        MAX_INPUT_BYTES,
        given_sources,
        read_bytes,
        read_output,
        sources_within,
    )
    from workbench.pipeline.source_matching import CitedWork, SourceMatching, match_sources

__all__ = [
    "CitedWork", "MAX_INPUT_BYTES", "Scopes", "SourceMatching", "Sources", "adjacent_question", "check_envelope",
    "extract", "given_sources", "match_sources", "read_bytes", "read_documents", "read_output",
    "sources_within", "with_question",
]  # fmt: skip

__getattr__ = lazy_exports(__name__, __file__)
