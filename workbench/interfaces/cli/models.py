"""The command that lists models that can judge on this machine: `models`."""

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain
from workbench.records.text import Json
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.models import ModelListing

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    models = commands.add_parser(
        "models",
        parents=[shared],
    )
    models.add_argument(
        "--try",
        dest="spec",
        metavar="SPEC",
        help="ask a model of a server on this machine one question whose answer is known",
    )
    models.set_defaults(verb=models_command)


def models_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`models`: the embedded judge, the user's own models, those of servers, and known ones."""
    from workbench.services.models import list_models, try_judge

    if arguments.spec:
        trial = try_judge(arguments.spec)
        print_document(arguments, trial.to_dict(), plain(trial.sentence, 1000))
        return 0 if trial.right else 1
    listing = list_models(settings)
    print_document(arguments, listing.to_dict(), "\n".join(_lines(listing)))
    return 0


def _lines(listing: "ModelListing") -> Iterator[str]:
    size = sum(listing.embedded.values())
    yield f"local  the embedded judge, {len(listing.embedded)} files, {_megabytes(size)}"
    yield f"  {listing.embedded_limits}"
    yield f"onnxruntime: {listing.runtime_problem or 'installed'}"
    yield f"\nYour models in {listing.folder}:"
    for model in listing.own:
        yield f"  {plain(model.judge, 60)}  {_megabytes(model.size_bytes)}, {model.runs_with}"
        if model.problem:
            yield f"      {plain(model.problem, 400)}"
    if not listing.own:
        yield "  none; a model in another folder is named by its path: --judge nli:PATH"
    yield "\nServers on this machine:"
    for found in listing.servers:
        for judge in found.judges:
            yield f"  {plain(judge, 220)}  {found.server.title} at {found.place}, costs nothing"
        if found.problem:
            yield f"  {found.server.name}: {plain(found.problem, 400)}"
    if not listing.servers:
        yield "  not looked for: local_servers is false in settings.toml"
    yield "\nKnown models (the commands download; nothing else does):"
    for known in listing.known:
        yield from _known(known)


def _known(model: Mapping[str, Json]) -> Iterator[str]:
    size = model.get("size_mb")
    facts = [
        str(model["licence"]),
        *([f"{size:,} MB"] if isinstance(size, int) else []),
        *([str(model["languages"])] if "languages" in model else []),
        *([f"runs with {model['runs_with']}"] if "runs_with" in model else []),
    ]
    yield f"\n  {model['title']} ({', '.join(facts)})"
    yield f"      {model['notes']}"
    if "fetch" in model:
        yield f"      {model['fetch']}"
        yield f"      --judge '{model['judge']}'"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
