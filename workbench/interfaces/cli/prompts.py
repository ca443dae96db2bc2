"""`prompts`: what language models are asked by, and how it gets better."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UnreadableInput, UsageError
from workbench.interfaces.cli.judging_options import (
    DEFAULT_AUTHOR,
    add_options,
    add_prompt,
    amount,
    contender,
)
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import ShowProgress, plain, progress, say
from workbench.records.format import usd
from workbench.records.options import CAP_USD
from workbench.records.prompts import PromptVersion, missing_context
from workbench.records.providers import MODEL_SPECS
from workbench.records.text import Json
from workbench.services import repositories
from workbench.services.database import Database, open_database
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.records.optimization import Optimisation
    from workbench.services.prompt_optimization import RoundProgress


_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_actions(actions: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add both actions to `prompts`; `shared` holds the options of every command."""
    action = actions.add_parser(
        "optimise",
        parents=[shared],
        help="propose edits from disagreements on train; keep those that significantly improve dev",
    )
    action.add_argument("--judge", action="append", metavar="SPEC", help="repeat for a panel")
    add_prompt(action)
    add_options(action, "panel")
    action.add_argument(
        "--proposer", metavar="SPEC",
        help=f"who proposes edits: scripted:FILE, {MODEL_SPECS} (default: the judge)",
    )  # fmt: skip
    action.add_argument(
        "--name", metavar="NAME", help="name of the improved versions (default: the prompt's own)"
    )
    action.add_argument("--rounds", type=int, default=5, metavar="N", help="proposals (default: 5)")
    action.add_argument(
        "--max-examples", "--shown", dest="shown", type=int, default=12, metavar="N",
        help="maximum number of disagreements shown to the proposer (default: 12)",
    )  # fmt: skip
    action.add_argument(
        "--skip-train-check",
        "--no-screen",
        dest="no_screen",
        action="store_true",
        help="evaluate on dev even if the candidate is worse on train",
    )
    action.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the shown disagreements"
    )
    action.add_argument(
        "--max-cost-usd", type=amount, metavar="X",
        help=f"cost cap of the whole optimisation run (default: {CAP_USD:.2f}, or as it was started)",
    )  # fmt: skip
    action.add_argument("--resume", metavar="ID", help="resume an interrupted optimisation run")
    action.add_argument("--estimate", action="store_true", help="show the estimated cost and stop")
    action.add_argument("--by", default=DEFAULT_AUTHOR, metavar="NAME", help="who starts it")
    action.set_defaults(verb=optimise_command)

    list_parser = actions.add_parser(
        "optimisations",
        aliases=["runs"],
        parents=[shared],
        help="list the optimisation runs, or report one (also: runs)",
    )
    list_parser.add_argument("id", nargs="?", metavar="ID", help="the report of this one")
    list_parser.set_defaults(verb=optimisations_command)


def optimise_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts optimise`: the series' report; 1 where it could not run to its end."""
    from workbench.presentation.prompt_optimization_text import document, text
    from workbench.services.prompt_optimization import estimate_series, run_series

    store = open_database(arguments.db or settings.database)
    series = _series(arguments, settings, store)
    guess = estimate_series(store, series)
    cap = series.max_cost_usd if arguments.max_cost_usd is None else arguments.max_cost_usd
    cost = (
        "at an unknown price"
        if guess.cost_usd is None or guess.usual_usd is None
        else f"usually {usd(guess.usual_usd)}, at most {usd(guess.cost_usd)}"
    )
    about = (
        f"{guess.rounds} rounds over {guess.items:,} items of train and dev, {cost} with the "
        f"current prompt; cap {'none' if cap is None else usd(cap)}."
    )
    if arguments.estimate:
        say(f"workbench: {about} Nothing was started.")
        print_document(arguments, {"id": series.id or None, **guess.to_dict()}, cost)
        return 0
    if not series.id:
        series = repositories.OptimizationRepository(store).add(series)
    say(
        f"workbench: {series.id}: {about} Interrupt it any time and resume with "
        f"`workbench prompts optimise --resume {series.id}`.",
    )
    with progress("optimising") as show:
        result = run_series(
            store, series, max_cost_usd=arguments.max_cost_usd, on_progress=_rounds(show)
        )
    print_document(arguments, document(result), text(result))
    return 0 if result.ending and result.ending.outcome == "done" else 1


def optimisations_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts optimisations`: every series, or the report of one."""
    from workbench.presentation.prompt_optimization_text import document, summary, text
    from workbench.services.prompt_optimization import series_report

    store = open_database(arguments.db or settings.database)
    if arguments.id:
        report = series_report(store, repositories.OptimizationRepository(store).get(arguments.id))
        print_document(arguments, document(report), text(report))
        return 0
    every = repositories.OptimizationRepository(store).all()
    reports = [series_report(store, history) for history in every]
    report_documents: Json = [document(report) for report in reports]
    lines = [
        f"{report.series.id:<5} {report.series.created_at:%Y-%m-%d %H:%M}  {report.series.prompt} → "
        f"{report.best.title}  {summary(report)}"
        for report in reports
    ]
    print_document(arguments, report_documents, "\n".join(lines) or "no optimisation runs yet")
    return 0


def _series(arguments: argparse.Namespace, settings: Settings, store: Database) -> "Optimisation":
    """The series to go on with, or a new one that is not kept yet."""
    from workbench.services.prompt_optimization import plan_series

    if arguments.resume:
        return repositories.OptimizationRepository(store).get(arguments.resume)
    specs = arguments.judge or []
    if not specs:
        raise UsageError("Name the judge with --judge, for example anthropic:MODEL.")
    cap = CAP_USD if arguments.max_cost_usd is None else arguments.max_cost_usd
    return plan_series(
        store,
        contender(arguments, settings, specs, arguments.prompt, arguments.panel),
        arguments.proposer or specs[0],
        by=arguments.by,
        name=arguments.name,
        rounds=arguments.rounds,
        shown=arguments.shown,
        screen=not arguments.no_screen,
        seed=arguments.seed,
        max_cost_usd=cap,
    )


def _rounds(show: ShowProgress | None) -> "Callable[[RoundProgress], None] | None":
    if show is None:
        return None
    return lambda at: show(
        at.round - 1,
        at.rounds,
        f"round {at.round} of {at.rounds} · {at.stage} · judged {at.done:,} · {usd(at.cost_usd)}",
    )


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

    add_actions(actions, shared)


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
