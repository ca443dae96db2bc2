"""`prompts`: what language models are asked by, and how it gets better."""

import argparse
import sys
from pathlib import Path
from typing import TypeVar

from workbench.errors import UnreadableInput, UsageError
from workbench.interfaces.cli import prompts_optimise
from workbench.interfaces.cli.judging_options import DEFAULT_AUTHOR, contender
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain
from workbench.records.prompts import PromptVersion, missing_context
from workbench.records.text import Json
from workbench.services.database import Database, open_database
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    command = commands.add_parser("prompts")
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")

    list_parser = actions.add_parser(
        "list", parents=[shared], help="list every version of every prompt"
    )
    list_parser.set_defaults(verb=list_command)

    show = actions.add_parser("show", parents=[shared], help="show a version with its template")
    show.add_argument("prompt", metavar="NAME[@VERSION]", help="default: the newest version")
    show.set_defaults(verb=show_command)

    add = actions.add_parser(
        "add", parents=[shared], help="add a version; an identical template adds none"
    )
    add.add_argument("name", metavar="NAME", help="name of the prompt; a new one or one of yours")
    add.add_argument(
        "file", metavar="FILE|-", help="instructions, a line =====, then {{passages}} and {{claim}}"
    )
    add.add_argument(
        "--from", dest="parent", metavar="NAME[@VERSION]", help="the version it is based on"
    )
    add.add_argument("--note", default="", help="change note")
    add.add_argument("--by", default=DEFAULT_AUTHOR, metavar="NAME", help="who wrote it")
    add.add_argument(
        "--var", "--set", dest="values", action="append", default=[], metavar="VARIABLE=FILE",
        help="value of another variable of the template; repeatable",
    )  # fmt: skip
    add.set_defaults(verb=add_prompt_command)

    _add_examples(actions, shared)

    diff = actions.add_parser(
        "diff", parents=[shared], help="show what changed between two versions"
    )
    diff.add_argument("first", metavar="NAME[@VERSION]", help="the earlier one")
    diff.add_argument("second", metavar="NAME[@VERSION]", help="the later one")
    diff.set_defaults(verb=diff_command)

    prompts_optimise.add_actions(actions, shared)


def _add_examples(actions: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    command = actions.add_parser(
        "examples",
        parents=[shared],
        help="add few-shot examples from corrected verdicts of the train split",
    )
    command.add_argument(
        "prompt", metavar="NAME[@VERSION]", help="the prompt that gets the examples"
    )
    command.add_argument(
        "--name", metavar="NAME", help="name of the new version; without it nothing is saved"
    )
    command.add_argument(
        "--judge", metavar="SPEC",
        help="use the errors of this judge with the prompt (default: the verdicts of the runs)",
    )  # fmt: skip
    command.add_argument(
        "--limit",
        "--many",
        dest="many",
        type=int,
        default=6,
        metavar="N",
        help="maximum number of examples",
    )
    command.add_argument(
        "--max-chars",
        type=int,
        default=6_000,
        metavar="N",
        help="maximum size of all examples together",
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the selection"
    )
    command.add_argument(
        "--only-corrections", action="store_true", help="leave out what the judge got right"
    )
    command.add_argument("--note", default="", help="stored with the version")
    command.add_argument("--by", default=DEFAULT_AUTHOR, metavar="NAME", help="who selects them")
    command.set_defaults(verb=examples_command)


def examples_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts examples`: drawn and, with a name, kept as a version; 1 where none fits."""
    from workbench.services.calibration.measurement import ensure_split
    from workbench.services.prompts import add_examples, sample_examples

    store = store_of(arguments, settings)
    judge = None
    if arguments.judge:
        judge = contender(arguments, settings, [arguments.judge], arguments.prompt, "majority").name
    drawn = sample_examples(
        store,
        ensure_split(store, arguments.by).id,
        judge=judge,
        many=arguments.many,
        max_chars=arguments.max_chars,
        seed=arguments.seed,
        only_corrections=arguments.only_corrections,
    )
    document = {"prompt": None, **drawn.to_dict()}
    lines = [
        f"{shot.label:<20} {'correction' if shot.corrected else 'confirmed':<10} "
        f"{plain(shot.item, 80)}"
        for shot in drawn.shots
    ]
    lines.append(f"{len(drawn.shots)} examples, {drawn.chars:,} characters.")
    if arguments.name and drawn.shots:
        version = add_examples(
            store, arguments.prompt, drawn.shots, name=arguments.name, author=arguments.by,
            note=arguments.note,
        )  # fmt: skip
        document["prompt"] = version.to_dict()
        lines.append(f"{version.title} ({version.id})")
    print_document(arguments, document, "\n".join(lines))
    return 0 if drawn.shots else 1


def list_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts list`: every version, shipped ones first."""
    from workbench.services.prompts import list_prompts

    versions = list_prompts(store_of(arguments, settings))
    lines = [
        f"{version.title:<24} {version.origin:<10} "
        f"{f'{version.created_at:%Y-%m-%d %H:%M}' if version.created_at else '':<17}"
        f"{plain(version.author, 20):<21}{plain(version.note, 60)}".rstrip()
        for version in versions
    ]
    document: Json = [version.to_dict() for version in versions]
    print_document(arguments, document, "\n".join(lines))
    return 0


def show_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts show`: one version."""
    from workbench.services.prompts import get_prompt

    version = get_prompt(store_of(arguments, settings), arguments.prompt)
    print_document(arguments, version.to_dict(), format_version(version))
    return 0


def add_prompt_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts add`: the new version, or the one that says the same already."""
    from workbench.services.prompts import write_prompt

    values = {}
    for value in arguments.values:
        variable, equals, file = value.partition("=")
        if not equals:
            raise UsageError(f"--var takes VARIABLE=FILE, not {value[:80]!r}.")
        values[variable.strip("{} ")] = _read(file)
    version = write_prompt(
        store_of(arguments, settings),
        arguments.name,
        _read(arguments.file),
        author=arguments.by,
        note=arguments.note,
        parent=arguments.parent,
        values=values,
    )
    print_document(arguments, version.to_dict(), f"{version.title} ({version.id})")
    return 0


def diff_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts diff`: what changed; 0 also where nothing did."""
    from workbench.services.prompts import changes

    diff = changes(store_of(arguments, settings), arguments.first, arguments.second)
    print_document(arguments, diff.to_dict(), diff.text or "Nothing changed.")
    return 0


def format_version(version: PromptVersion) -> str:
    """A version for the terminal."""
    facts = [version.id, version.origin]
    if version.author:
        facts.append(f"by {plain(version.author, 60)}")
    if version.parent:
        facts.append(f"from {version.parent}")
    lines = [" · ".join(facts)]
    if version.note:
        lines.append(plain(version.note, 500))
    if version.erased:
        lines.append("Its examples were erased with the output they came from.")
    missing = missing_context(version.prompt.template)
    lines += [missing] if missing else []
    lines += ["", version.prompt.template]
    for name, value in version.prompt.values:
        lines += ["", f"{{{{{name}}}}}:", value]
    return "\n".join(lines)


def store_of(arguments: argparse.Namespace, settings: Settings) -> Database:
    """The database that was named, or that of the settings."""
    return open_database(arguments.db or settings.database)


def _read(file: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise UnreadableInput(
            f"The file {file} cannot be read ({error.strerror or 'no such file'}); name another."
        ) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableInput(f"The file {file} is not UTF-8 text; provide plain text.") from None
