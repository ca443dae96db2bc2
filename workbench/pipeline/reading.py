"""Agent output out of a file or out of what a provider returned."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.bibliography.csl import entry_of_record
from workbench.bibliography.formats import is_csl_json, list_format, read_record_list
from workbench.citations import from_native
from workbench.errors import UnreadableInput
from workbench.records.bibliography import csl_text
from workbench.records.citation import Extraction, Reference, Target, TargetForm
from workbench.records.format import file_size
from workbench.records.text import Json, JsonDict, Span
from workbench.sources.upload import read_document_json, read_uploaded_text

MAX_INPUT_BYTES = 50 * 1024 * 1024
"""A larger file is not an agent's answer; reading it would only exhaust memory."""
_HEAD = 4_000


def read_output(path_or_dict: str | Path | Mapping[str, Json]) -> str | Extraction:
    """The text of an agent output, or its extraction where a provider gave the citations.

    Raises:
        UnreadableInput: The file is missing, empty, binary, too large or of an unknown shape.
    """
    if isinstance(path_or_dict, Mapping):
        return from_native(path_or_dict)
    path = Path(path_or_dict)
    try:
        size = path.stat().st_size
        if size > MAX_INPUT_BYTES:
            raise UnreadableInput(
                f"{path.name} has {file_size(size)}; outputs of up to "
                f"{file_size(MAX_INPUT_BYTES)} can be read. Split it into several files."
            )
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"{path} cannot be read: {error.strerror or 'unknown reason'}."
        ) from None
    return read_bytes(data, path.name)


def read_bytes(data: bytes, name: str) -> str | Extraction:
    """What `read_output` gives, for bytes that were uploaded or piped in under a file name.

    JSON is read by its shape: what a provider or a chat product returned, a JSON string, or
    CSL-JSON. The records of a `.bib`, `.ris` or CSL-JSON file are the references of its text.

    Raises:
        UnreadableInput: The bytes are empty, binary or of an unknown shape.
    """
    if is_record_list(data, name):
        return _records_as_output(data, name)
    if not _is_json(data, name):
        return read_uploaded_text(data, name)
    loaded = read_document_json(data, name)
    if not isinstance(loaded, str):
        return from_native(loaded)
    if not loaded.strip():
        raise UnreadableInput(f"{name} is empty: there is no text to check.")
    return loaded


def is_record_list(data: bytes, name: str) -> bool:
    """Whether a file is a list of a reference manager: BibTeX, RIS or CSL-JSON."""
    ending = name.lower().rpartition(".")[2]
    if ending in ("bib", "bibtex", "ris", "csljson"):
        return True
    if ending != "json" and "." in name:
        return False
    head = data[:_HEAD].lstrip(b"\xef\xbb\xbf \t\r\n")
    if ending != "json" and list_format(head.decode("utf-8", "replace"), "") in ("bibtex", "ris"):
        return True
    return head[:1] in (b"[", b"{") and is_csl_json(data.decode("utf-8", "replace"))


def _records_as_output(data: bytes, name: str) -> Extraction:
    """The file's text with a reference for each of its records; it cites nothing."""
    text = read_uploaded_text(data, name)
    records = read_record_list(text, name.rsplit("/", 1)[-1] or "The file")
    references = tuple(
        reference_of_record(record, span, text)
        for record, span in zip(records.records, records.spans, strict=True)
    )
    return Extraction(text=text, citations=(), references=references, claims=())


def reference_of_record(record: JsonDict, span: Span, text: str) -> Reference:
    """A record as the reference that stands at its place in a text."""
    entry = entry_of_record(record)
    forms: tuple[tuple[TargetForm, str | None], ...] = (
        ("doi", entry.doi),
        ("arxiv", entry.arxiv),
        ("url", entry.url),
        ("pmid", entry.pmid),
    )
    targets = [Target(form=form, value=value) for form, value in forms if value]
    return Reference(
        label=csl_text(record, "id"),
        span=span,
        text=span.of(text),
        title=entry.title,
        authors=tuple(author.name for author in entry.authors),
        year=entry.year,
        doi=entry.doi,
        target=targets[0] if targets else None,
        entry=entry,
    )


def sources_within(data: bytes, name: str) -> list[JsonDict] | None:
    """The sources with their texts that came in one JSON file with the answer; None without.

    Read are the lists `sources`, `documents` and `context` of the outermost object.
    """
    if not _is_json(data, name):
        return None
    loaded = read_document_json(data, name)
    sources: list[JsonDict] = []
    for key in ("sources", "documents", "context"):
        items = loaded.get(key) if isinstance(loaded, Mapping) else None
        sources += given_sources(items) if isinstance(items, list) else []
    return sources or None


def _is_json(data: bytes, name: str) -> bool:
    """By its ending, or where there is none (a pipe) by an object that opens as JSON does."""
    if name.lower().endswith(".json"):
        return True
    if "." in name or data.lstrip()[:1] != b"{":
        return False
    try:
        return isinstance(read_document_json(data, name), Mapping)
    except UnreadableInput:
        return False


def given_sources(sources: Sequence[Json]) -> list[JsonDict]:
    """Those of the listed sources that have a text, each with what it is called and is for."""
    given: list[JsonDict] = []
    for source in sources:
        if isinstance(source, Mapping) and isinstance(source.get("content"), str):
            fields: JsonDict = {
                name: str(value)
                for name in ("content", "title", "url", "label")
                if isinstance(value := source.get(name), str | int) and not isinstance(value, bool)
            }
            if source.get("for") is not None:
                fields["for"] = source["for"]
            given.append(fields)
    return given
