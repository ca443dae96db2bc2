"""The command that shows the documentation, and draws its generated parts anew: `docs`."""

import argparse
from collections.abc import Callable, Mapping
from typing import TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.docs import Section, documents, stale_documents, write_documents
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(
    commands: "argparse._SubParsersAction[_Sort]",
    shared: _Sort,
    sections: Callable[[], Mapping[str, Section]],
) -> None:
    """Add the command to a parser; `sections` draw the generated parts."""
    docs = commands.add_parser(
        "docs", parents=[shared], help="show the documentation of each interface"
    )
    docs.add_argument("name", nargs="?", metavar="NAME", help="a document from its list")
    docs.add_argument(
        "--check",
        action="store_true",
        help="exit code 1 if a document is out of date",
    )
    docs.add_argument("--write", action="store_true", help="regenerate the generated parts")

    def show(arguments: argparse.Namespace, settings: Settings) -> int:
        if arguments.check or arguments.write:
            return _renew(arguments, sections())
        return _show(arguments)

    docs.set_defaults(verb=show)


def _renew(arguments: argparse.Namespace, sections: Mapping[str, Section]) -> int:
    if not sections:
        raise UsageError("This command line draws no documents; use `python -m workbench docs`.")
    found = write_documents(sections) if arguments.write else stale_documents(sections)
    names = [one.name for one in found]
    said = f"{'written' if arguments.write else 'stale'}: {', '.join(names) or 'none'}"
    print_document(arguments, {"written" if arguments.write else "stale": list(names)}, said)
    return 1 if names and not arguments.write else 0


def _show(arguments: argparse.Namespace) -> int:
    known = {document.name: document for document in documents()}
    if arguments.name is None:
        listed = "\n".join(f"{name:<12}{one.title}" for name, one in known.items())
        rows = [
            {"name": one.name, "title": one.title, "path": str(one.path)} for one in known.values()
        ]
        print_document(arguments, [dict(row) for row in rows], listed)
        return 0
    if arguments.name not in known:
        raise UsageError(f"There is no document {arguments.name!r}: {', '.join(known)}.")
    one = known[arguments.name]
    print_document(arguments, {"name": one.name, "title": one.title, "text": one.text}, one.text)
    return 0
