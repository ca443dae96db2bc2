"""The commands that take data sets in and out: `import` and `export`."""

import argparse
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import ShowProgress, plain, progress, say
from workbench.records.export_formats import ASKED, EXPORT_FORMATS
from workbench.records.verdict import HumanLabel
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
LABEL = "LABEL"
TOLD = 20
"""So many left-out lines are shown without `--json`."""


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the commands to a parser; `shared` holds the options of every command."""
    import_parser = commands.add_parser(
        "import",
        parents=[shared],
    )
    import_parser.add_argument(
        "format",
        metavar="FORMAT",
        help="pairs, expertqa, wice, label-studio, csv; or batch (also: parts)",
    )
    import_parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="also compressed with gzip; for a batch its folder",
    )
    import_parser.add_argument(
        "--map", action="append", default=[], metavar="FIELD=COLUMN",
        help="csv, label-studio: which column or key contains the claim, source, label, id, group, "
        "annotator, note, url, origin or licence, the text before the claim (context), its "
        "heading or question (title), question, table_header, table_row, written, source_title, "
        "source_site, source_author or source_published; repeatable",
    )  # fmt: skip
    import_parser.add_argument(
        "--label", action="append", default=[], metavar="WORD=LABEL",
        help="what a label of the file means, as in 1=supported; repeatable",
    )  # fmt: skip
    import_parser.add_argument(
        "--name", default="", help="name of the data set (default: the file's)"
    )
    import_parser.add_argument("--origin", default="", help="origin of examples that name none")
    import_parser.add_argument("--licence", default="", help="licence of examples that name none")
    import_parser.add_argument("--by", default="", metavar="NAME", help="who imports")
    import_parser.set_defaults(verb=import_command)

    export = commands.add_parser(
        "export",
        parents=[shared],
    )
    export.add_argument("format", metavar="FORMAT", help=", ".join(EXPORT_FORMATS))
    export.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="a file, or for huggingface a folder; the data card is written next to it",
    )
    export.add_argument("--run", metavar="ID", help="this run only")
    export.add_argument("--queue", metavar="ID", help="the examples of this queue only")
    export.add_argument(
        "--part", action="append", default=[], choices=["train", "dev", "test"],
        help="only examples of this split; repeatable (default: all, except the test set while it is "
        "locked)",
    )  # fmt: skip
    which = export.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="include unlabelled citations")
    which.add_argument("--labelled", action="store_true", help="only labelled examples (default)")
    export.add_argument(
        "--dry-run", action="store_true",
        help="show how many rows of each split would be written, and write nothing",
    )  # fmt: skip
    export.add_argument(
        "--no-source-text", action="store_true",
        help="leave out source texts and quotes from them; offsets and hashes remain",
    )  # fmt: skip
    export.add_argument(
        "--examples", action="store_true",
        help="export the example workspace, which is left out by default",
    )  # fmt: skip
    export.set_defaults(verb=export_command)


def import_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`import`: a file's items and labels; 1 when nothing in it could be used."""
    if arguments.format in ("batch", "parts"):
        return _merge(arguments, settings)
    from workbench.services.database import open_database
    from workbench.services.imports import import_file

    with progress("reading") as show:
        result = import_file(
            open_database(arguments.db or settings.database),
            arguments.format,
            arguments.file,
            name=arguments.name,
            columns=_pairs(arguments.map, "--map"),
            labels=_pairs(arguments.label, "--label"),
            origin=arguments.origin,
            licence=arguments.licence,
            reviewer=arguments.by,
            on_progress=_items_read(show),
        )
    left_out = len(result.skipped) + result.more_skipped
    lines = [
        f"{result.imported} items imported with {result.labels} labels, {result.known} were there "
        f"already, {left_out} left out"
    ]
    lines += [f"line {skip.line}: {plain(skip.reason, 200)}" for skip in result.skipped[:TOLD]]
    if left_out > TOLD:
        lines.append(f"… and {left_out - TOLD} more; --json lists them")
    lines += _label_words(result.words)
    print_document(arguments, result.to_dict(), "\n".join(lines))
    return 0 if result.imported or result.known else 1


def _label_words(words: Mapping[str, tuple[HumanLabel | None, int]]) -> list[str]:
    """How each of the file's own words was read, and what to do about unknown ones."""
    from workbench.services.imports import guess_label

    lines = [
        f"label {plain(word, 60)!r} read as {label}: {number}"
        for word, (label, number) in list(words.items())[:TOLD]
        if label and label != word
    ]
    unknown = [word for word, (label, _) in words.items() if label is None][:TOLD]
    if unknown:
        options = " ".join(
            f"--label {shlex.quote(f'{plain(word, 60)}={guess_label(word) or LABEL}')}"
            for word in unknown
        )
        lines.append(f"map these labels to: {options}")
    return lines


def _merge(arguments: argparse.Namespace, settings: Settings) -> int:
    """The parts of a batch; 1 when one is damaged, or there was nothing in them."""
    from workbench.services.batch.parts import merge_parts
    from workbench.services.database import open_database
    from workbench.services.sources.snapshots import SnapshotFolder

    with progress("reading") as show:
        merged = merge_parts(
            open_database(arguments.db or settings.database),
            SnapshotFolder(settings.snapshots),
            arguments.file,
            on_progress=_items_read(show),
        )
    lines = [
        f"{merged.imported} runs imported with {merged.snapshots} snapshots, {merged.known} "
        f"already present"
    ]
    lines += [plain(reason, 200) for _, reason in merged.skipped[:TOLD]]
    print_document(arguments, merged.to_dict(), "\n".join(lines))
    return 0 if (merged.imported or merged.known) and not merged.damaged else 1


def export_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`export`: a data set to a file or, for Hugging Face, a folder; first what it will hold."""
    from workbench.services.database import open_database
    from workbench.services.export import ExportSelection, export_dataset, known_parts, plan_export

    store = open_database(arguments.db or settings.database)
    choice = ExportSelection(
        run_id=arguments.run,
        queue_id=arguments.queue,
        parts=known_parts(arguments.part),
        labelled=not arguments.all,
        source_text=not arguments.no_source_text,
        examples=arguments.examples,
    )
    plan = plan_export(store, arguments.format, choice)
    if arguments.dry_run:
        lines = [plan.description, *(f"left out: {n} {why}" for why, n in plan.excluded.items())]
        print_document(arguments, plan.to_dict(), "\n".join(lines))
        return 0
    if arguments.out is None:
        raise UsageError("Give --out PATH, or try --dry-run first.")
    say(f"workbench: {plan.description}")
    written = export_dataset(store, arguments.format, arguments.out, choice)
    lines = [f"{written.rows} rows written to {written.path}, the data card to {written.card}"]
    lines += [f"left out: {number} {why}" for why, number in written.excluded.items()]
    lines += [f"licence: {plain(name, 100)} ({n} items)" for name, n in written.licences.items()]
    document = {**written.to_dict(), "locked_test_items": plan.locked}
    print_document(arguments, document, "\n".join(lines))
    if written.test_rows and arguments.format in ASKED:
        say(
            f"workbench: {written.test_rows} rows are of the test set; a model trained on them "
            "cannot be evaluated on it. Leave them out with --part train --part dev.",
        )
    return 0


def _pairs(arguments: list[str], option: str) -> dict[str, str]:
    pairs = {}
    for argument in arguments:
        name, sign, value = (
            argument.rpartition("=") if option == "--label" else argument.partition("=")
        )
        if not sign or not name or not value:
            raise UsageError(f"{option} {argument!r} is not of the form NAME=VALUE.")
        pairs[name] = value
    return pairs


def _items_read(show: ShowProgress | None) -> Callable[[int], None] | None:
    return None if show is None else lambda read: show(read, None, f"{read:,} items read")
