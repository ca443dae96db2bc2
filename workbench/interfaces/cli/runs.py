"""The `runs` command: list and rename stored runs."""

import argparse
from typing import TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain
from workbench.records.text import Json
from workbench.services.database import open_database
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    runs = commands.add_parser("runs", parents=[shared])
    runs.add_argument("action", choices=["list", "rename"], help="list them; rename one")
    runs.add_argument("run", nargs="?", metavar="RUN", help="the run to rename, by its id")
    runs.add_argument(
        "title",
        nargs="?",
        metavar="TITLE",
        help='its new title; "" to restore the original name',
    )
    runs.add_argument("--by", default="cli", metavar="NAME", help="who renames it (cli)")
    runs.set_defaults(verb=runs_command)


def runs_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`runs`: the stored runs, newest first; or one under its new title."""
    from workbench.presentation.run_totals import run_summary_json
    from workbench.services.runs import list_runs, rename_run

    database = open_database(arguments.db or settings.database)
    if arguments.action == "rename":
        if arguments.run is None or arguments.title is None:
            raise UsageError("Name the run and its title: workbench runs rename RUN TITLE.")
        run = rename_run(database, arguments.run, arguments.title, arguments.by)
        print_document(
            arguments, run_summary_json(run), f"{run.id} is called {plain(run.name, 200)}"
        )
        return 0
    runs = list_runs(database)
    document: Json = [run_summary_json(run) for run in runs]
    lines = [
        f"{run.id}  {run.created_at:%Y-%m-%d %H:%M}  {plain(run.name, 80)}"
        + ("  (imported data set)" if run.data_set else "")
        for run in runs
    ]
    print_document(arguments, document, "\n".join(lines) or "no stored runs")
    return 0
