"""The command over many outputs: `batch`."""

import argparse
import json
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from workbench.errors import UsageError
from workbench.fronts.batch import (
    AT_ONCE,
    FAILED,
    RUNS,
    Summary,
    read_runs,
    run_batch,
    write_junit,
    write_sarif,
)
from workbench.fronts.cli.verbs import print_document
from workbench.records import JsonDict
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    batch = commands.add_parser(
        "batch", parents=[shared],
        help="check folders and JSONL files of outputs; can be stopped and resumed",
    )  # fmt: skip
    batch.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    batch.add_argument("--out", required=True, type=Path, metavar="DIR",
                       help=f"results: {RUNS} with one run a line, {FAILED}")  # fmt: skip
    batch.add_argument("--resume", action="store_true", help="go on with the batch in DIR")
    batch.add_argument("--engine", choices=["local", "ray"], default="local")
    batch.add_argument("--judge", action="append", metavar="SPEC")
    batch.add_argument("--sources", metavar="DIR|FILE.json",
                       help="given sources, for outputs that bring none")  # fmt: skip
    batch.add_argument("--allow-fetch", action="store_true")
    batch.add_argument("--allow-domain", action="append", default=[], metavar="D")
    batch.add_argument("--offline", action="store_true")
    batch.add_argument("--max-cost-usd", type=float, metavar="X", help="for the whole batch")
    batch.add_argument("--at-once", type=int, default=AT_ONCE, metavar="N",
                       help=f"outputs under way at the same time (default {AT_ONCE})")  # fmt: skip
    batch.add_argument("--min-score", type=float, metavar="X",
                       help="exit code 1 where supported over resolved is below X; without it, "
                       "where any output does not pass")  # fmt: skip
    batch.add_argument("--junit", type=Path, metavar="FILE.xml")
    batch.add_argument("--sarif", type=Path, metavar="FILE.sarif")
    batch.set_defaults(verb=batch_command)


def batch_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`batch`: every output of the given paths, with a table at the end."""
    if arguments.engine == "ray":
        raise UsageError(
            "The ray engine is not part of this version; --engine local uses all of this machine."
        )
    if not 1 <= arguments.at_once <= 64:
        raise UsageError(f"--at-once is 1 to 64, not {arguments.at_once}.")
    cancel = threading.Event()
    fetch = (arguments.allow_fetch or settings.allow_fetch) and not arguments.offline
    try:
        summary = run_batch(
            arguments.paths,
            arguments.out,
            judge=arguments.judge or ["local"],
            resume=arguments.resume,
            max_cost_usd=arguments.max_cost_usd,
            at_once=arguments.at_once,
            tell=_teller(),
            cancel=cancel,
            sources=arguments.sources,
            allow_fetch=fetch,
            allowed_domains=(*settings.allowed_domains, *arguments.allow_domain),
            offline=arguments.offline,
            snapshots=settings.snapshots if fetch or arguments.offline else None,
        )
    finally:
        cancel.set()
    if arguments.junit:
        write_junit(read_runs(arguments.out), _failed(arguments.out), arguments.junit)
    if arguments.sarif:
        from importlib.metadata import version

        write_sarif(read_runs(arguments.out), arguments.sarif, version("citation-workbench"))
    print_document(arguments, summary.to_dict(), table(summary, arguments.out))
    return _code(summary, arguments.min_score)


def table(summary: Summary, out: Path) -> str:
    """The figures of a batch, a line each."""
    score = "–" if summary.score is None else f"{summary.score:.2f}"
    rows = [
        ("outputs", f"{summary.outputs:,}"),
        ("done", f"{summary.done:,} ({summary.resumed:,} of them before)"),
        ("passed", f"{summary.passed:,}"),
        ("failed", f"{summary.failed:,}" + (f", see {out / FAILED}" if summary.failed else "")),
        ("citations", f"{summary.citations:,}"),
        ("resolved", f"{summary.resolved:,}"),
        ("supported", f"{summary.supported:,}"),
        ("score", score),
        ("cost", f"${summary.cost_usd:.4f}"),
        *((f"  {kind}", f"{number:,}") for kind, number in sorted(summary.errors.items())),
        ("runs", str(out / RUNS)),
    ]
    return "\n".join(f"{name:<26}{value}" for name, value in rows)


def _code(summary: Summary, least: float | None) -> int:
    if summary.stopped or summary.failed:
        return 1
    if least is not None:
        return 0 if summary.score is None or summary.score >= least else 1
    return 0 if summary.passed == summary.done else 1


def _failed(out: Path) -> Iterator[JsonDict]:
    with (out / FAILED).open("rb") as file:
        for line in file:
            yield json.loads(line)


def _teller() -> Callable[[Summary], None]:
    """A line on standard error: rewritten on a terminal, every thousandth output elsewhere."""
    live = sys.stderr.isatty()

    def tell(summary: Summary) -> None:
        every = 10 if live else 1000
        if (summary.done + summary.failed) % every == 0:
            said = f"{summary.done:,} done, {summary.failed:,} failed, ${summary.cost_usd:.4f}"
            print(f"\r{said}" if live else said, end="" if live else "\n", file=sys.stderr)

    return tell
