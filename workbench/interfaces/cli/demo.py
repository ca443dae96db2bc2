"""`demo`: the shipped outputs and the example workspace of the first start, and their removal."""

import argparse
from typing import TypeVar

from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import say
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    demo = commands.add_parser("demo", parents=[shared])
    what = demo.add_mutually_exclusive_group()
    what.add_argument(
        "--runs-only", action="store_true",
        help="add only the demo outputs, without the example workspace",
    )  # fmt: skip
    what.add_argument(
        "--none", action="store_true",
        help="add nothing, now or at later starts; existing data stays",
    )  # fmt: skip
    what.add_argument(
        "--remove", action="store_true",
        help="delete the examples permanently: demo outputs, example labels, queues and data set",
    )  # fmt: skip
    what.add_argument(
        "--again", action="store_true", help="add the examples again after --remove or --none"
    )
    demo.add_argument(
        "--yes", action="store_true",
        help="with --remove: also delete your own comments and labels that belong to the examples",
    )  # fmt: skip
    demo.set_defaults(verb=demo_command)


def demo_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`demo`: the shipped outputs, added once, and the example workspace of the first start."""
    from workbench.services.database import open_database
    from workbench.services.demo import seed_demo
    from workbench.services.examples import begin_empty, remove_examples, seed_examples

    database = open_database(arguments.db or settings.database)
    if arguments.none:
        empty = begin_empty(database)
        message = (
            "no examples" if empty else "the examples already exist; to delete them: demo --remove"
        )
        print_document(arguments, {"seeded": [], "examples": not empty}, message)
        return 0
    if arguments.remove:
        removed = remove_examples(database, settings.snapshots, own_work=arguments.yes)
        message = f"the examples were removed, including {len(removed)} runs"
        print_document(arguments, {"removed": list(removed), "examples": False}, message)
        return 0
    if not arguments.runs_only:
        seeded = seed_examples(
            database,
            settings.snapshots,
            again=arguments.again,
            tell=lambda words: say(f"workbench: {words}"),
        )
        if seeded.complete or not seeded.adds_runs:
            message = seeded.why_not or (
                f"{len(seeded.runs)} example runs added" if seeded.runs
                else "the demo already exists"
            )  # fmt: skip
            print_document(
                arguments, {"seeded": list(seeded.runs), "examples": seeded.complete}, message
            )
            return 0
        say(f"workbench: {seeded.why_not}")
    runs = seed_demo(database, settings.snapshots)
    message = f"{len(runs)} demo outputs added" if runs else "the demo already exists"
    print_document(arguments, {"seeded": [run.id for run in runs], "examples": False}, message)
    return 0
