"""The command `references`: does each reference of a list exist, and is it described right?"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UnreadableInput, UsageError
from workbench.interfaces.cli import output
from workbench.interfaces.cli.judging_options import REGISTRY_HELP, add_all, add_options
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import progress, say, told_when_stopped
from workbench.records.bibliography import ReferenceCheck, ReferenceReport
from workbench.records.citation import Extraction
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.references.checking import ListFormat, ReferenceOptions

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
_ENDINGS: "dict[str, ListFormat]" = {".bib": "bibtex", ".ris": "ris", ".json": "csl-json"}


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    references = commands.add_parser(
        "references",
        parents=[shared],
    )
    references.add_argument(
        "file",
        metavar="FILE|-",
        help="a text with a reference list, a list alone, .bib, .ris, CSL-JSON, .docx or PDF; "
        "- is stdin",
    )
    add_options(
        references, "registry", "allow_fetch", "allowed_domains", "offline", "indexes",
        registry=REGISTRY_HELP,
        allow_fetch=(
            "look references up in the indexes of works, which receive only the title, first "
            "author, year and identifiers of an entry"
        ),
        offline="use only stored answers of indexes",
        indexes=(
            "ask this index; repeatable, in this order (default: indexes in settings.toml, else "
            "those that need no key)"
        ),
    )  # fmt: skip
    references.add_argument(
        "--bib",
        type=Path,
        metavar="OUT",
        help="write the corrected list to this file: .bib, .ris or .json",
    )
    add_all(references, "entry")
    references.set_defaults(verb=references_command)


def references_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`references`: 1 where a work is not found, another one, or retracted."""
    from workbench.interfaces.cli.result_views import finished_references
    from workbench.services.database import open_database
    from workbench.services.permissions import own_permissions
    from workbench.services.references import requests

    kind = None
    if arguments.bib is not None:
        kind = _ENDINGS.get(arguments.bib.suffix.lower())
        if kind is None:
            raise UsageError(f"{arguments.bib} must end in one of {', '.join(_ENDINGS)}.")
    name = "standard input" if arguments.file == "-" else Path(arguments.file).name
    data = _bytes_of(arguments.file)
    with progress("reading"):
        extraction = requests.read_reference_list(data, name)
        registries = requests.registry_of_files(arguments.registry or ())
        problems = [
            f"{listed}, {problem.place}: {problem.reason}"
            for listed, body in ((name, data), *registries)
            for problem in requests.list_problems(body, listed)
        ]
    for problem in problems:
        say(problem)
    may = own_permissions(
        settings, allow_fetch=arguments.allow_fetch, domains=arguments.allowed_domains or ()
    )
    options = requests.references_of_list(
        settings,
        may,
        indexes=arguments.indexes or (),
        registry_files=registries,
        offline=arguments.offline,
        database=open_database(arguments.db or settings.database),
    )
    report = _checked(extraction, options)
    if kind is not None:
        _write(report, arguments.bib, kind)
    print_document(
        arguments,
        report.to_dict(),
        output.references(report, each=arguments.all),
        lambda: finished_references(report, written=kind is not None, each=arguments.all),
    )
    return 0 if report.passed else 1


def _checked(extraction: Extraction, options: "ReferenceOptions | None") -> ReferenceReport:
    """The report on every entry; how many are done is shown."""
    from workbench.services.references.checking import check_list

    done, total = 0, len(extraction.cited_works)
    kept = "answers of indexes are stored: the same command continues from there."
    with told_when_stopped(lambda: kept), progress(f"0 of {total} references") as show:

        def tell(_position: int, _check: ReferenceCheck) -> None:
            nonlocal done
            done += 1
            if show is not None:
                show(done, total, f"{done} of {total} references")

        return check_list(extraction, options, on_check=tell)


def _write(report: ReferenceReport, path: Path, kind: "ListFormat") -> None:
    from workbench.services.references.checking import corrected_list

    try:
        path.write_text(corrected_list(report.checks, kind), "utf-8")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or 'unknown reason'}."
        ) from None


def _bytes_of(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"{file} cannot be read: {error.strerror or 'unknown reason'}."
        ) from None
