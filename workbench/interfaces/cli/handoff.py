"""The commands of the hand-off: `handoff export` and `handoff import`."""

import argparse
import sys
from pathlib import Path
from typing import TypeVar

from workbench.errors import UnreadableInput, UsageError
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain
from workbench.records.format import count_of
from workbench.records.text import JsonDict
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
_MOST_BYTES = 8_000_001
"""One more than four bytes for each character that is read at once."""


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the commands to a parser; `shared` holds the options of every command."""
    handoff = commands.add_parser("handoff")
    actions = handoff.add_subparsers(dest="action", required=True, metavar="ACTION")
    exporting = actions.add_parser(
        "export",
        parents=[shared],
        help="write the questions of a run in parts that fit a chat window",
    )
    exporting.add_argument("run", metavar="RUN", help="the run, by its id")
    exporting.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="where to write the questions"
    )
    exporting.add_argument(
        "--part-chars",
        type=int,
        metavar="N",
        help="most characters of a part: what the chat takes in one message (24000)",
    )
    exporting.add_argument(
        "--as", dest="name", default="", metavar="NAME", help="leave out what this chat answered"
    )
    exporting.add_argument(
        "--matrix",
        action="store_true",
        help="ask about every other statement and source of the run instead of its citations",
    )
    exporting.set_defaults(verb=export_command)
    importing = actions.add_parser(
        "import", parents=[shared], help="take the answers back, each quote looked up in its source"
    )
    importing.add_argument("run", metavar="RUN", help="the run, by its id")
    importing.add_argument(
        "file", metavar="FILE", help="the answers, one part or several; - reads standard input"
    )
    importing.add_argument(
        "--as",
        dest="name",
        default="",
        metavar="NAME",
        help="who answered: the judge handoff:NAME (default: the chat that the run names, or chat)",
    )
    importing.set_defaults(verb=import_command)


def export_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`handoff export`: the questions of a run as a file to copy into a chat."""
    from workbench.services.database import open_database
    from workbench.services.handoff import PART_CHARS, export_handoff

    limit = PART_CHARS if arguments.part_chars is None else arguments.part_chars
    database = open_database(arguments.db or settings.database)
    exported = export_handoff(
        database, arguments.run, limit, arguments.name, matrix=arguments.matrix
    )
    try:
        arguments.out.write_text(exported.text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{arguments.out} cannot be written ({error.strerror or 'unknown reason'}): name "
            "another file."
        ) from None
    longest = max(len(part.text) for part in exported.parts)
    lines = [
        f"{count_of(exported.questions, 'question')} in {count_of(len(exported.parts), 'part')}, "
        f"the longest with {longest:,} characters: {arguments.out}",
        "Copy each part into a chat, save what it answers, and take it back:",
        f"  workbench handoff import {exported.run_id} ANSWERS",
    ]
    document: JsonDict = {
        "run_id": exported.run_id,
        "questions": exported.questions,
        "pieces": len(exported.parts),
        "longest": longest,
        "path": str(arguments.out),
    }
    print_document(arguments, document, "\n".join(lines))
    return 0


def import_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`handoff import`: the answers of a chat; what cannot be taken and what is open is told."""
    from workbench.services.database import open_database
    from workbench.services.handoff import import_handoff

    database = open_database(arguments.db or settings.database)
    taken = import_handoff(database, arguments.run, _read(arguments.file), arguments.name)
    lines = [f"{taken.judge}: {count_of(taken.taken, 'answer')} taken."]
    if taken.refused:
        lines.append("Not taken:")
        lines += [
            f"  {plain(answer.key, 60) or '(no key)'}  {plain(answer.claim, 80)}\n"
            f"    {plain(answer.reason, 300)}"
            for answer in taken.refused
        ]
    if taken.open:
        lines.append("Still open:")
        lines += [
            f"  {question.key}  {plain(question.claim, 80)}\n    {plain(question.reason, 300)}"
            for question in taken.open
        ]
    print_document(arguments, taken.to_dict(), "\n".join(lines))
    return 0


def _read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read(_MOST_BYTES)
    try:
        with Path(name).open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as error:
        raise UnreadableInput(
            f"{name} cannot be read: {error.strerror or 'unknown reason'}."
        ) from None
