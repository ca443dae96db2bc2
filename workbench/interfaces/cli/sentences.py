"""The `sentences` command: what each sentence of a run is there for, corrected by a reviewer."""

import argparse
from typing import TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain
from workbench.presentation.coverage import coverage_text
from workbench.records.citation import SENTENCE_KINDS, Coverage, Sentence
from workbench.records.text import Json
from workbench.services.database import open_database
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    sentences = commands.add_parser("sentences", parents=[shared])
    sentences.add_argument(
        "action", choices=["list", "correct", "undo"],
        help="list them; give one another kind; take your last correction back, or that of one",
    )  # fmt: skip
    sentences.add_argument("run", metavar="RUN", help="the run, by its id")
    sentences.add_argument(
        "at", nargs="?", type=int, metavar="AT", help="where the sentence begins, as listed"
    )
    sentences.add_argument(
        "kind", nargs="?", metavar="KIND", help=f"its kind: {', '.join(SENTENCE_KINDS)}"
    )
    sentences.add_argument("--by", default="", metavar="NAME", help="who corrects it")
    sentences.add_argument(
        "--stated-in", metavar="ID",
        help="a citation whose source states the sentence, which cites nothing there: KIND is cited",
    )  # fmt: skip
    sentences.set_defaults(verb=sentences_command)


def sentences_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`sentences`: those of a run; or the one that was corrected."""
    from workbench.services.runs import output_text, stored_run
    from workbench.services.sentences import correct_sentence, undo_correction

    database = open_database(arguments.db or settings.database)
    run = stored_run(database, arguments.run)
    text = output_text(database, run.output_sha256)
    if arguments.action == "list":
        document: Json = {
            "sentences": [
                {**sentence.to_dict(), "text": sentence.span.of(text)} for sentence in run.sentences
            ],
            "coverage": run.coverage.to_dict(),
        }
        lines = [_line(sentence, text) for sentence in run.sentences]
        print_document(arguments, document, _with_coverage(lines, run.coverage))
        return 0
    if not arguments.by:
        raise UsageError("Say who corrects it: --by NAME.")
    if arguments.action == "undo":
        change = undo_correction(database, run.id, arguments.by, arguments.at)
    elif arguments.at is None or arguments.kind is None:
        raise UsageError(
            "Name the sentence and its kind: workbench sentences correct RUN AT KIND --by NAME."
        )
    else:
        change = correct_sentence(
            database, run.id, arguments.at, arguments.kind, arguments.by,
            stated_in=arguments.stated_in,
        )  # fmt: skip
    lines = [_line(change.sentence, text)] if change.sentence else []
    if not change.changed:
        lines.append("nothing changed")
    print_document(arguments, change.to_dict(), _with_coverage(lines, change.coverage))
    return 0


def _line(sentence: Sentence, text: str) -> str:
    who = f" (by {plain(sentence.corrected_by, 40)})" if sentence.corrected_by else ""
    return f"{sentence.start:>7}  {sentence.kind:<10}{who}  {plain(sentence.span.of(text), 110)}"


def _with_coverage(lines: list[str], coverage: Coverage) -> str:
    return "\n".join(filter(None, [*lines, coverage_text(coverage)])) or "no sentences"
