"""The commands of registries: `registry import`, `registry list` and `registry remove`."""

import argparse
from pathlib import Path
from typing import TypeVar

from workbench.errors import UnreadableInput, UsageError
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain, say
from workbench.records.registries import REGISTRY_KINDS, Registry
from workbench.records.text import Json
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
TOLD = 20
"""So many skipped records are shown without `--json`."""


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the commands to a parser; `shared` holds the options of every command."""
    registry = commands.add_parser(
        "registry",
    )
    actions = registry.add_subparsers(dest="action", required=True, metavar="ACTION")
    importing = actions.add_parser(
        "import",
        parents=[shared],
        help="import a .bib, .ris or CSL-JSON file, or the CSV file of Retraction Watch",
    )
    importing.add_argument("files", nargs="+", type=Path, metavar="FILE", help="files to import")
    importing.add_argument(
        "--name", default="", help="the registry's name (default: the file's); for one file"
    )
    importing.add_argument(
        "--kind",
        choices=REGISTRY_KINDS,
        help="format of the file (default: detected from its content)",
    )
    importing.set_defaults(verb=import_command)
    listing = actions.add_parser("list", parents=[shared], help="list the registries")
    listing.set_defaults(verb=list_command)
    removing = actions.add_parser("remove", parents=[shared], help="delete a registry")
    removing.add_argument("name", metavar="NAME", help="the registry's name")
    removing.set_defaults(verb=remove_command)


def import_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`registry import`: each file becomes a registry; what could not be read is told."""
    from workbench.services.database import open_database
    from workbench.services.references.registries import import_registry

    if arguments.name and len(arguments.files) > 1:
        raise UsageError("--name names one registry: import the files one by one.")
    database = open_database(arguments.db or settings.database)
    registries: list[Registry] = []
    for path in arguments.files:
        say(f"Importing {plain(path.name, 80)} …")
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UnreadableInput(
                f"{path} cannot be read: {error.strerror or 'unknown reason'}."
            ) from None
        registries.append(
            import_registry(database, data, path.name, arguments.kind, arguments.name)
        )
    documents: list[Json] = [_imported(registry) for registry in registries]
    print_document(
        arguments,
        documents[0] if len(documents) == 1 else documents,
        "\n".join(map(_imported_text, registries)),
    )
    return 0


def list_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`registry list`: the registries by name."""
    from workbench.services.database import open_database
    from workbench.services.repositories import RegistryRepository

    registries = RegistryRepository(open_database(arguments.db or settings.database)).all()
    documents: Json = [registry.to_dict() for registry in registries]
    lines = [
        f"{plain(registry.name, 40):<40}  {registry.kind:<11}  {registry.records:>9,}  "
        f"{registry.imported_at:%Y-%m-%d}  {plain(registry.file_name, 60)}"
        for registry in registries
    ]
    text = "\n".join(lines) or "There are no registries; `workbench registry import` adds one."
    print_document(arguments, documents, text)
    return 0


def remove_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`registry remove`: nothing is looked up in it any longer."""
    from workbench.services.database import open_database
    from workbench.services.repositories import RegistryRepository

    RegistryRepository(open_database(arguments.db or settings.database)).remove(arguments.name)
    print_document(
        arguments,
        {"removed": arguments.name},
        f"Removed {plain(arguments.name, 80)}.",
    )
    return 0


def _imported(registry: Registry) -> Json:
    return {
        "name": registry.name,
        "kind": registry.kind,
        "imported": registry.records,
        "skipped": [problem.to_dict() for problem in registry.problems],
    }


def _imported_text(registry: Registry) -> str:
    of = "works" if registry.kind == "library" else "lines on retractions"
    lines = [f"{plain(registry.name, 80)}: {registry.records:,} {of} imported."]
    lines += [
        f"  {plain(problem.place, 40)}: {plain(problem.reason, 140)}"
        for problem in registry.problems[:TOLD]
    ]
    if len(registry.problems) > TOLD:
        lines.append(f"  and {len(registry.problems) - TOLD:,} more; --json lists all.")
    return "\n".join(lines)
