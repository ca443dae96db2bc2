"""The `matrix` command: which source of a run says what about which statement."""

import argparse
import json
from pathlib import Path
from typing import TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.judging_options import add_options, count
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import progress, say
from workbench.records.format import usd
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
_ENDINGS = (".csv", ".json", ".html")


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    command = commands.add_parser("matrix", parents=[shared])
    command.add_argument("run", metavar="RUN", help="the run, by its id")
    command.add_argument(
        "--judge",
        metavar="SPEC",
        help="ask this judge about every statement and source that nobody judged for sure, such as "
        "local; without it nobody is asked",
    )
    command.add_argument(
        "--estimate", action="store_true", help="only show what asking the judge would take"
    )
    add_options(command, "max_cost_usd")
    command.add_argument(
        "--max-calls", type=count, metavar="N", help="ask N questions at most; the rest stays open"
    )
    command.add_argument(
        "--out", type=Path, metavar="FILE", help="also write it to FILE.csv, FILE.json or FILE.html"
    )
    command.set_defaults(verb=matrix_command)


def matrix_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`matrix`: what is known; with a judge, what it says about the rest. 1 where pairs stay open."""
    from workbench.presentation.matrix import matrix_html, matrix_text
    from workbench.services.database import open_database
    from workbench.services.matrix import estimate_matrix, fill_matrix, matrix_csv, run_matrix
    from workbench.services.permissions import own_permissions

    judge, out = arguments.judge or "local", arguments.out
    if out is not None and out.suffix.lower() not in _ENDINGS:
        raise UsageError(f"{out} ends in none of {', '.join(_ENDINGS)}: the ending is the format.")
    database = open_database(arguments.db or settings.database)
    if arguments.judge or arguments.estimate:
        guess = estimate_matrix(database, arguments.run, judge)
        cost = "at an unknown price" if guess.cost_usd is None else f"at most {usd(guess.cost_usd)}"
        say(
            f"workbench: {guess.items:,} questions for {judge}, {cost}, about {guess.seconds:,.0f} s."
        )
        if arguments.estimate:
            print_document(arguments, guess.to_dict(), "")
            return 0
    if arguments.judge:
        allowed = own_permissions(settings, max_cost_usd=arguments.max_cost_usd, judges=[judge])
        with progress("judging") as show:
            result = fill_matrix(
                database,
                arguments.run,
                judge,
                max_cost_usd=allowed.max_cost_usd,
                max_calls=arguments.max_calls,
                on_progress=show
                and (lambda done, cost: show(done, guess.items, f"{done:,} · {usd(cost)}")),
            )
        if result.unjudged:
            say(f"workbench: {result.unjudged:,} questions are left: {result.stop_reason}.")
    matrix = run_matrix(database, arguments.run)
    if out is not None:
        written = {
            ".csv": lambda: "\ufeff" + "".join(matrix_csv(matrix)),
            ".json": lambda: json.dumps(matrix.to_dict()),
            ".html": lambda: matrix_html(matrix, arguments.run),
        }[out.suffix.lower()]()
        try:
            out.write_text(written, encoding="utf-8", newline="")
        except OSError as error:
            raise UsageError(f"{out} cannot be written: {error.strerror or error}.") from None
    print_document(arguments, matrix.to_dict(), matrix_text(matrix))
    return 1 if matrix.load.open else 0
