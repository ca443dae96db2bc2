"""The command that shows the documentation, and regenerates its generated parts: `docs`."""

import argparse
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.output import print_document
from workbench.services.documents import documents
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.interfaces.docs import Section

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(
    commands: "argparse._SubParsersAction[_Sort]",
    shared: _Sort,
    sections: "Callable[[], Mapping[str, Section]]",
) -> None:
    """Add the command to a parser; `sections` draw the generated parts."""
    docs = commands.add_parser("docs", parents=[shared])
    docs.add_argument("name", nargs="?", metavar="NAME", help="a document from its list")
    docs.add_argument(
        "--check",
        action="store_true",
        help="exit code 1 if a document is out of date",
    )
    docs.add_argument("--write", action="store_true", help="regenerate the generated parts")

    def show(arguments: argparse.Namespace, settings: Settings) -> int:
        if not (arguments.check or arguments.write):
            return _show(arguments)
        if find_spec("workbench.interfaces.docs") is None:
            raise UsageError(
                "An installed wheel holds the documents, but not the code that generates their "
                f"references: run `python -m workbench docs --{'write' if arguments.write else 'check'}` "
                "in a checkout of the source code."
            )
        return _write_or_check(arguments, sections())

    docs.set_defaults(verb=show)


def _write_or_check(arguments: argparse.Namespace, sections: "Mapping[str, Section]") -> int:
    from workbench.interfaces.docs import stale_documents, write_documents

    if not sections:
        raise UsageError(
            "This command line cannot generate documents; use `python -m workbench docs`."
        )
    changed = write_documents(sections) if arguments.write else stale_documents(sections)
    names = [document.name for document in changed]
    message = f"{'written' if arguments.write else 'stale'}: {', '.join(names) or 'none'}"
    print_document(arguments, {"written" if arguments.write else "stale": list(names)}, message)
    return 1 if names and not arguments.write else 0


def _show(arguments: argparse.Namespace) -> int:
    by_name = {document.name: document for document in documents()}
    if arguments.name is None:
        listing = "\n".join(f"{name:<12}{document.title}" for name, document in by_name.items())
        rows = [
            {"name": document.name, "title": document.title, "path": str(document.path)}
            for document in by_name.values()
        ]
        print_document(arguments, [dict(row) for row in rows], listing)
        return 0
    if arguments.name not in by_name:
        raise UsageError(f"There is no document {arguments.name!r}: {', '.join(by_name)}.")
    document = by_name[arguments.name]
    print_document(
        arguments,
        {"name": document.name, "title": document.title, "text": document.text},
        document.text,
    )
    return 0
