"""The records that the public verbs give back."""

import inspect
from collections.abc import Sequence

from workbench.interfaces.docs.fields_reference import describe_fields
from workbench.records.citation import Citation, Claim, Extraction, Reference, Target
from workbench.records.source import Passage, Source
from workbench.records.verdict import CitationResult, ErrorInfo, Evidence, Judgment, Layers, Run

SHOWN = (
    Extraction, Citation, Target, Reference, Claim, Run, CitationResult, ErrorInfo, Source,
    Judgment, Evidence, Layers, Passage,
)  # fmt: skip


def describe_records(records: Sequence[type] = SHOWN) -> str:
    """A heading, the docstring and the fields of each record."""
    return "\n\n".join(
        f"### {record.__name__}\n\n{inspect.getdoc(record)}\n\n{describe_fields(record)}"
        for record in records
    )
