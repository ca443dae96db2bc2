"""The records that the public verbs give back."""

from workbench.fronts.docs.describe_fields import describe_fields
from workbench.records import (
    Citation,
    CitationResult,
    Claim,
    ErrorInfo,
    Evidence,
    Extraction,
    Judgment,
    Layers,
    Passage,
    Reference,
    Run,
    Source,
    Target,
)

_SHOWN = (
    Extraction, Citation, Target, Reference, Claim, Run, CitationResult, ErrorInfo, Source,
    Judgment, Evidence, Layers, Passage,
)  # fmt: skip


def describe_records() -> str:
    """A heading, a sentence and the fields of each record."""
    return "\n\n".join(
        f"### {record.__name__}\n\n{(record.__doc__ or '').strip()}\n\n{describe_fields(record)}"
        for record in _SHOWN
    )
