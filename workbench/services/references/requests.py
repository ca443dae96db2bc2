"""What a caller says of a reference list, in every interface's forms and files, as one request."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.bibliography.formats import read_record_list
from workbench.errors import UnreadableInput, UsageError
from workbench.pipeline.reading import MAX_INPUT_BYTES, is_record_list, read_bytes
from workbench.pipeline.reference_checks import ReferenceOptions
from workbench.records.bibliography import IndexAnswer, IndexReply, ReferenceEntry
from workbench.records.citation import Extraction, Reference
from workbench.records.format import file_size
from workbench.records.registries import SkippedRecord
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import Run
from workbench.services.database import Database, open_database
from workbench.services.inputs import extract
from workbench.services.permissions import Permissions
from workbench.services.references.checking import ReferenceRequest, reference_options
from workbench.settings import Settings
from workbench.sources.indexes.open_indexes import FACTORIES
from workbench.sources.upload import read_uploaded_text

MOST_ENTRIES = 20_000
"""Entries of one list, and records of a registry that comes with a call."""
GIVEN = "registry"
"""What a registry is called that comes with a call and has no name of its own."""

RegistryForms = str | Path | Sequence[str | Path | JsonDict] | None
"""Files, the text of one (`.bib`, `.ris`, CSL-JSON), or CSL-JSON items."""


def registry_of_call(registry: str | Sequence[JsonDict] | None) -> tuple[tuple[str, bytes], ...]:
    """The registry that came with a call from elsewhere; a path in it is no file to be read.

    Raises:
        UsageError: It has too many records, or is neither a text nor a list of CSL-JSON items.
    """
    if not registry:
        return ()
    if isinstance(registry, str):
        return ((GIVEN, registry.encode("utf-8", "replace")),)
    if not all(isinstance(item, Mapping) for item in registry):
        raise UsageError("registry is a list of CSL-JSON items, or the text of a list of records.")
    return ((GIVEN, _as_json(registry, "registry")),)


def registry_of_files(paths: Sequence[str | Path]) -> tuple[tuple[str, bytes], ...]:
    """Names and contents of files.

    Raises:
        UnreadableInput: A file is missing or too large.
    """
    return tuple((Path(path).name, _file(Path(path))) for path in paths)


def registry_of_library(registry: RegistryForms) -> tuple[tuple[str, bytes], ...]:
    """The registries that a caller of the library names: files, a text, or CSL-JSON items.

    Raises:
        UsageError: It is none of these, or has too many records.
        UnreadableInput: A file is missing or too large.
    """
    if registry is None:
        return ()
    if isinstance(registry, str | Path):
        is_text = isinstance(registry, str) and not _is_path(registry)
        return registry_of_call(str(registry)) if is_text else registry_of_files([registry])
    items = [item for item in registry if isinstance(item, Mapping)]
    paths = [item for item in registry if isinstance(item, str | Path)]
    if len(items) + len(paths) != len(registry):
        raise UsageError("registry is a file, several, a text of records, or CSL-JSON items.")
    return (*registry_of_files(paths), *registry_of_call(items))


def read_references(
    source: str | Path | Sequence[str] | Sequence[JsonDict], name: str = "list"
) -> Extraction:
    """The entries of a list: an answer with a reference list, a bare list, or records.

    A text may be that of a `.bib`, `.ris` or CSL-JSON file too. Of several entries, offsets count
    code points of them joined by line ends.

    Raises:
        UsageError: There are too many entries, or they are neither texts nor CSL-JSON items.
        UnreadableInput: A file is missing, or the text cannot be read.
    """
    if isinstance(source, Path):
        return _read(_file(source), source.name)
    if isinstance(source, str):
        return _read(source.encode("utf-8", "replace"), name)
    if source and all(isinstance(item, Mapping) for item in source):
        return _read(_as_json([*source], "entries"), "entries.json")
    entries = [item for item in source if isinstance(item, str)]
    if len(entries) != len(source):
        raise UsageError("entries is a list of texts, or of CSL-JSON items.")
    return _checked_number(_joined(entries))


def references_of_verify(
    settings: Settings,
    permissions: Permissions,
    *,
    check_references: bool = False,
    indexes: Sequence[str] = (),
    registry_files: tuple[tuple[str, bytes], ...] = (),
    offline: bool = False,
    database: Database | None = None,
) -> ReferenceOptions | None:
    """Who is asked about the reference list of a run; None where nobody would be.

    The registries of the call and of the database are asked in any case, since nothing leaves the
    machine; the indexes where the call wants references checked, or names indexes.

    Raises:
        UsageError, UnreadableInput, StoreError: As `reference_options`.
    """
    wanted = check_references or bool(indexes)
    request = ReferenceRequest(
        registry_files=registry_files,
        look_up=wanted,
        indexes=tuple(indexes),
        offline=offline and wanted,
    )
    return reference_options(settings, permissions, request, database)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePlan:
    """Who is asked about the reference lists of many runs, as plain data that can be sent."""

    settings: Settings
    permissions: Permissions
    check_references: bool = False
    indexes: tuple[str, ...] = ()
    registry_files: tuple[tuple[str, bytes], ...] = ()
    offline: bool = False
    database: Path | None = None
    """Whose registries are asked, and where answers are kept; None for none."""

    def open(self) -> ReferenceOptions | None:
        """Who is asked; None where nobody would be.

        Raises:
            UsageError, UnreadableInput, StoreError: As `reference_options`.
        """
        return references_of_verify(
            self.settings,
            self.permissions,
            check_references=self.check_references,
            indexes=self.indexes,
            registry_files=self.registry_files,
            offline=self.offline,
            database=open_database(self.database) if self.database else None,
        )


def references_of_list(
    settings: Settings,
    permissions: Permissions,
    *,
    indexes: Sequence[str] = (),
    registry_files: tuple[tuple[str, bytes], ...] = (),
    offline: bool = False,
    database: Database | None = None,
) -> ReferenceOptions | None:
    """Who is asked about a list that is checked by itself; None where nobody would be.

    The indexes where fetching is allowed, or was refused, so that each entry says why.

    Raises:
        UsageError, UnreadableInput, StoreError: As `reference_options`.
    """
    request = ReferenceRequest(
        registry_files=registry_files,
        look_up=permissions.allow_fetch or bool(permissions.fetch_refused),
        indexes=tuple(indexes),
        offline=offline,
    )
    return reference_options(settings, permissions, request, database)


def references_of_run(
    settings: Settings,
    database: Database,
    run: Run,
    registry_files: tuple[tuple[str, bytes], ...] = (),
) -> ReferenceOptions | None:
    """Who is asked about the rest of a list whose run goes on: those that its config names.

    A registry that came with the call was not kept: unless it is given again, it counts as one
    that failed, so that nothing is called missing for want of it.

    Raises:
        UsageError, UnreadableInput, StoreError: As `reference_options`.
    """
    stored = run.config.get("references")
    if not isinstance(stored, list):
        return None
    names = [str(name) for name in stored]
    domains = run.config.get("allowed_domains")
    permissions = Permissions(
        allow_fetch=run.config.get("allow_fetch") is True,
        allowed_domains=tuple(map(str, domains)) if isinstance(domains, list) else (),
    )
    indexes = tuple(name for name in names if name in FACTORIES)
    request = ReferenceRequest(
        registry_files=registry_files,
        look_up=bool(indexes),
        indexes=indexes,
        offline=bool(indexes) and run.config.get("offline") is True,
    )
    options = reference_options(settings, permissions, request, database) or ReferenceOptions()
    present = set(options.names())
    lost = [MissingRegistry(name) for name in names if name not in present]
    return replace(options, registries=(*options.registries, *lost))


class MissingRegistry:
    """A registry that a run was started with and that is no longer there: it answers nothing."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.description = f"The list {name}, provided when the run was started."

    def covers(self, entry: ReferenceEntry) -> bool:
        """True: nobody can tell any more what it held."""
        return True

    async def look_up(self, entry: ReferenceEntry) -> IndexReply:
        """An error with its reason."""
        why = f"{self.name} was provided when the run started and is not stored: provide it again."
        return IndexReply(answer=IndexAnswer(name=self.name, answer="error", why=why))


def _read(data: bytes, name: str) -> Extraction:
    return _checked_number(read_reference_list(data, name))


def _joined(entries: Sequence[str]) -> Extraction:
    references: list[Reference] = []
    start = 0
    for entry in entries:
        span = Span(start, start + len(entry))
        references.append(Reference(label=None, span=span, text=entry))
        start = span.end + 1
    return Extraction(
        text="\n".join(entries), citations=(), references=tuple(references), claims=()
    )


def _checked_number(output: Extraction) -> Extraction:
    if len(output.cited_works) > MOST_ENTRIES:
        raise UsageError(
            f"The list has {len(output.cited_works):,} entries; at most {MOST_ENTRIES:,} are "
            f"checked at once: split it."
        )
    return output


def _as_json(items: Sequence[object], what: str) -> bytes:
    if len(items) > MOST_ENTRIES:
        raise UsageError(f"{what} holds {len(items):,} records; up to {MOST_ENTRIES:,} are taken.")
    return json.dumps([*items]).encode()


def _is_path(registry: str) -> bool:
    return "\n" not in registry and not registry.lstrip().startswith(("{", "[", "@", "TY "))


def _file(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_INPUT_BYTES:
            raise UnreadableInput(
                f"{path.name} has {file_size(path.stat().st_size)}; files of up to "
                f"{file_size(MAX_INPUT_BYTES)} are read. Import it as a registry instead."
            )
        return path.read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"{path} cannot be read: {error.strerror or 'unknown reason'}."
        ) from None


LIST_SHARE = 0.6
"""Share of the lines that give a year, an address or an identifier from which they are a list."""
_LIST_HEADING = "References\n\n"


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
    shift = len(_LIST_HEADING)
    headed = extract(_LIST_HEADING + text)
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
