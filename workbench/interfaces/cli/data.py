"""The commands that search and manage data: `search`, `backup`, `restore`, `erase`."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from workbench.errors import ERROR_KINDS, UsageError
from workbench.interfaces.cli.judging_options import DEFAULT_AUTHOR
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import ask, plain
from workbench.records.queue import ItemFilter
from workbench.records.review import ERASURE_REASONS
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.run_listing import HIT_KINDS, SearchResults
from workbench.records.text import Json
from workbench.records.transfer import LARGEST_RESTORE, ErasurePlan
from workbench.records.verdict import HUMAN_LABELS
from workbench.services.database import Database, open_database
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
_VERDICTS = [label for label in HUMAN_LABELS if label != "cannot_tell"]


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the commands to a parser; `shared` holds the options of every command."""
    search = commands.add_parser("search", parents=[shared])
    search.add_argument(
        "words", nargs="+", metavar="WORD", help='words or a "phrase"; all must occur'
    )
    search.add_argument("--in", dest="kinds", action="append", choices=HIT_KINDS, metavar="KIND",
                        help=f"only in these texts, repeatable: {', '.join(HIT_KINDS)}")  # fmt: skip
    search.add_argument(
        "--limit", type=_number, default=50, metavar="N", help="maximum number of results"
    )
    search.add_argument(
        "--offset", type=_number, default=0, metavar="N", help="skip the first N results"
    )
    for name, choices in (
        ("run", None), ("verdict", _VERDICTS), ("label", HUMAN_LABELS), ("reviewer", None),
        ("host", None), ("error", ERROR_KINDS),
    ):  # fmt: skip
        search.add_argument(
            f"--{name}", action="append", default=[], choices=choices, metavar=name.upper(),
            help=f"only results with this {name}; repeatable",
        )  # fmt: skip
    search.set_defaults(verb=search_command)

    backup = commands.add_parser("backup", parents=[shared])
    backup.add_argument("file", type=Path, metavar="FILE.zip", help="file to write")
    backup.set_defaults(verb=backup_command)

    restore = commands.add_parser("restore", parents=[shared])
    restore.add_argument("file", type=Path, metavar="FILE.zip", help="file written by `backup`")
    restore.add_argument(
        "--replace",
        action="store_true",
        help="also replace a database that is not empty; it is moved aside",
    )
    restore.add_argument(
        "--max-gib", type=_size, default=LARGEST_RESTORE / 2**30, metavar="N",
        help="maximum unpacked size (default 20), checked by the manifest before unpacking",
    )  # fmt: skip
    restore.set_defaults(verb=restore_command)

    erase = commands.add_parser("erase", parents=[shared])
    erase.add_argument(
        "output", nargs="?", metavar="RUN|OUTPUT", help="a run's id, or an output's hash"
    )
    erase.add_argument(
        "--dry-run", action="store_true", help="show what would be deleted, change nothing"
    )
    erase.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    erase.add_argument(
        "--reason",
        choices=ERASURE_REASONS,
        default="personal_data",
        help="stored in the deletion log",
    )
    erase.add_argument(
        "--by",
        default=DEFAULT_AUTHOR,
        metavar="NAME",
        help="who deletes; stored in the deletion log",
    )
    erase.add_argument(
        "--copies", action="store_true", help="also delete copies that restores moved aside"
    )
    erase.add_argument(
        "--rewrite", action="store_true",
        help="only rewrite the database file, after a deletion that had no space for it",
    )  # fmt: skip
    erase.add_argument("--list", action="store_true", help="show the deletion log")
    erase.set_defaults(verb=erase_command)


def search_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`search`: where all the words occur; 1 when nowhere."""
    query = " ".join(f'"{word}"' if " " in word else word for word in arguments.words)
    from workbench.services.runs import search_texts

    results = search_texts(
        _store(arguments, settings),
        query,
        arguments.kinds or HIT_KINDS,
        within=ItemFilter(
            runs=tuple(arguments.run),
            verdicts=tuple(arguments.verdict),
            labels=tuple(arguments.label),
            reviewers=tuple(arguments.reviewer),
            hosts=tuple(arguments.host),
            error_kinds=tuple(arguments.error),
        ),
        limit=arguments.limit,
        offset=arguments.offset,
    )
    hits: Json = [hit.to_dict() for hit in results.hits]
    counts: Json = dict(results.counts.items())
    print_document(arguments, {"query": query, "counts": counts, "hits": hits}, _hits(results))
    return 0 if results.total else 1


def backup_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`backup`: the database, the snapshots and waiting uploads in one file."""
    from workbench.services.data_management import back_up_all

    store = _existing(arguments, settings)
    archive = back_up_all(store, settings, arguments.file)
    print_document(
        arguments,
        archive.to_dict(),
        f"{arguments.file}: {archive.backup.rows.get('runs', 0)} runs, "
        f"{archive.backup.rows.get('labels', 0)} labels, {len(archive.backup.members)} files, "
        f"{archive.bytes:,} bytes, sha256 {archive.sha256}",
    )
    return 0


def restore_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`restore`: a backup put in its place; what was there is moved aside."""
    from workbench.services.data_management import restore_all

    store = _store(arguments, settings)
    restored = restore_all(
        store,
        settings,
        arguments.file,
        replace=arguments.replace,
        max_bytes=int(arguments.max_gib * 2**30),
    )
    aside: Json = [str(path) for path in restored.moved_aside]
    text = [
        f"{store.path}: {restored.backup.rows.get('runs', 0)} runs, "
        f"{restored.backup.rows.get('labels', 0)} labels, "
        f"as of {restored.backup.created_at:%Y-%m-%d %H:%M}"
    ]
    text += [f"moved aside: {path}" for path in restored.moved_aside]
    print_document(
        arguments,
        {"path": str(store.path), "rows": dict(restored.backup.rows), "moved_aside": aside},
        "\n".join(text),
    )
    return 0


def erase_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`erase`: an output with its runs, labels, sources and uploads; a trace without content stays.

    Asks for the word "erase" unless told otherwise.
    """
    from workbench.services.data_management import erase_all, plan_erasure, restore_leftovers

    store = _existing(arguments, settings)
    if arguments.list or arguments.rewrite:
        return _list_or_rewrite(arguments, store)
    if not arguments.output:
        raise UsageError("Name what to erase: workbench erase RUN|OUTPUT.")
    plan = plan_erasure(store, arguments.output)
    reviewer = normalize_reviewer_name(arguments.by)
    if arguments.dry_run:
        print_document(arguments, plan.to_dict(), _erasure_preview(plan))
        return 0
    if not arguments.yes:
        _ask(plan, sys.stdin.isatty(), input)
    cleared = erase_all(store, settings, plan, reviewer, arguments.reason, copies=arguments.copies)
    text = [f"erased: {len(plan.run_ids)} runs, {plan.verdicts} verdicts, {plan.labels} labels, "
            f"{plan.sources} source texts, {cleared.snapshots} snapshots"]  # fmt: skip
    if not arguments.copies:
        text += [f"may still contain it: {path}" for path in restore_leftovers(store, settings)]
    print_document(arguments, cleared.to_dict(), "\n".join(text))
    return 0


def _list_or_rewrite(arguments: argparse.Namespace, store: Database) -> int:
    from workbench.services.repositories import Erasures

    if arguments.rewrite:
        Erasures(store).rewrite()
        print_document(arguments, {"path": str(store.path)}, f"{store.path} was rewritten")
        return 0
    traces = Erasures(store).traces()
    lines = [
        f"{trace.created_at:%Y-%m-%d %H:%M}  {plain(trace.reviewer, 30):<30}  "
        f"{trace.reason:<13}  {trace.verdicts} verdicts, {trace.labels} labels"
        for trace in traces
    ]
    document: Json = [trace.to_dict() for trace in traces]
    print_document(arguments, document, "\n".join(lines) or "nothing has been erased")
    return 0


def _ask(plan: ErasurePlan, terminal: bool, read: Callable[[], str]) -> None:
    if not terminal:
        raise UsageError("Erasing cannot be undone; add --yes to skip this question.")
    question = f"{_erasure_preview(plan)}\nThis cannot be undone. Type erase to go on: "
    answer = ask(question, read)
    if answer.strip().lower() != "erase":
        raise UsageError("Nothing was erased.")


def _erasure_preview(plan: ErasurePlan) -> str:
    words = (
        f"{plain(plan.name, 60) or plan.output_sha256[:12]}: {len(plan.run_ids)} runs, "
        f"{plan.verdicts} verdicts, {plan.labels} labels ({plan.notes} with a note), {plan.places} "
        f"queue items, {plan.sources} source texts, {len(plan.bodies)} snapshots"
    )
    return words if plan.ended else f"{words}\nOne of its runs has not ended; stop it first."


def _hits(results: SearchResults) -> str:
    lines = [
        f"{hit.kind:<9}  {hit.run_id or '-'}  {hit.citation_id or '-':<6}  "
        f"{plain(hit.excerpt.text, 100)}"
        for hit in results.hits
    ]
    counts = ", ".join(f"{number} {kind}" for kind, number in results.counts.items() if number)
    return "\n".join([*lines, counts or "found nowhere"])


def _store(arguments: argparse.Namespace, settings: Settings) -> Database:
    return open_database(arguments.db or settings.database)


def _existing(arguments: argparse.Namespace, settings: Settings) -> Database:
    store = _store(arguments, settings)
    if not store.path.exists():
        raise UsageError(f"There is no database at {store.path}; name one with --db.")
    return store


def _size(text: str) -> float:
    number = float(text)
    if not 0 < number < 2**30:
        raise argparse.ArgumentTypeError(f"{text} is not a size above 0")
    return number


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number
