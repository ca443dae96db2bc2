"""A reference list out of a file: records of a reference manager, or the entries of a text."""

from dataclasses import replace

from workbench.bibliography.formats import read_record_list
from workbench.pipeline.reading import is_record_list, read_bytes
from workbench.records.citation import Extraction
from workbench.records.registries import SkippedRecord
from workbench.records.text import Span
from workbench.services.inputs import extract
from workbench.sources.upload import read_uploaded_text

LIST_SHARE = 0.6
"""Share of the lines that give a year, an address or an identifier from which they are a list."""
_HEADING = "References\n\n"


def read_reference_list(data: bytes, name: str) -> Extraction:
    """A file with the entries of its list as references; spans count code points of its text.

    Of a `.bib`, `.ris` or CSL-JSON file an entry is what the record says; of any other file what
    is read out of its words.

    Raises:
        UnreadableInput: The file is empty, binary, too large, or holds no record.
    """
    output = read_bytes(data, name)
    return output if isinstance(output, Extraction) else extract_list(output)


def list_problems(data: bytes, name: str) -> tuple[SkippedRecord, ...]:
    """What could not be read of a `.bib`, `.ris` or CSL-JSON file, with its place; empty for others.

    Raises:
        UnreadableInput: The file is empty, binary, too large, or holds no record.
    """
    if not is_record_list(data, name):
        return ()
    return tuple(read_record_list(read_uploaded_text(data, name), name).problems)


def extract_list(text: str) -> Extraction:
    """A text with its references; one that cites nothing and looks like a list is one itself.

    Then each line is an entry. Spans count code points of the text.
    """
    extraction = extract(text)
    if extraction.cited_works or not text.strip():
        return extraction
    shift = len(_HEADING)
    headed = extract(_HEADING + text)
    references = tuple(
        replace(reference, span=Span(reference.start - shift, reference.end - shift))
        for reference in headed.references
        if reference.start >= shift
    )
    lines = sum(bool(line.strip()) for line in text.splitlines())
    described = sum(
        reference.year is not None or reference.target is not None for reference in references
    )
    if described < LIST_SHARE * lines:
        return extraction
    return replace(extraction, references=references)
