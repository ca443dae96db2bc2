"""The `snapshots` command: stored sources."""

import argparse
from pathlib import Path
from typing import TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli import output
from workbench.interfaces.cli.output import print_document
from workbench.records.text import JsonDict
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    snapshots = commands.add_parser("snapshots", parents=[shared])
    snapshots.add_argument(
        "action",
        choices=["list", "verify", "export", "import"],
        help="list them; verify every hash; export them to a file; import one",
    )
    snapshots.add_argument(
        "file", nargs="?", type=Path, metavar="FILE.zip", help="for export and import"
    )
    snapshots.set_defaults(verb=snapshots_command)


def snapshots_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`snapshots`: the stored sources; 1 if a hash does not match."""
    from workbench.services.sources.snapshots import (
        SnapshotFolder,
        export_snapshots,
        import_snapshots,
    )

    folder = SnapshotFolder(settings.snapshots)
    if arguments.action in ("export", "import"):
        if arguments.file is None:
            raise UsageError(f"Name the file: workbench snapshots {arguments.action} FILE.zip.")
        if arguments.action == "export":
            rows = export_snapshots(folder, arguments.file)
            document: JsonDict = {"path": str(arguments.file), "rows": rows}
            print_document(arguments, document, f"{rows} snapshots written to {arguments.file}")
            return 0
        imported = import_snapshots(folder, arguments.file)
        print_document(arguments, imported.to_dict(), output.imported(imported))
        return 0
    if arguments.action == "list":
        snapshots = folder.list()
        text = "\n".join(output.snapshot(row) for row in snapshots) or "no stored snapshots"
        print_document(arguments, [row.to_dict() for row in snapshots], text)
        return 0
    check = folder.verify()
    broken = "".join(f"\n{entry.to_dict()}" for entry in check.broken)
    print_document(
        arguments,
        check.to_dict(),
        f"{check.checked} snapshots checked, {len(check.broken)} broken{broken}",
    )
    return 1 if check.broken else 0
