"""The command over many outputs: `batch`."""

import argparse
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import workbench
from workbench.errors import UsageError
from workbench.interfaces.batch import (
    AT_ONCE,
    FAILED,
    RUNS,
    Summary,
    read_runs,
    run_batch,
    run_batch_on_ray,
    write_junit,
    write_sarif,
)
from workbench.interfaces.cli import result_views
from workbench.interfaces.cli.judging_options import REGISTRY_HELP, add_options
from workbench.interfaces.cli.next_steps import after_batch
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import (
    Block,
    ShowProgress,
    TerminalColumn,
    TerminalTable,
    plain,
    progress,
    say,
    told_when_stopped,
)
from workbench.presentation.run_totals import unmatched_in_all
from workbench.records.options import CheckOptions, chosen
from workbench.records.spending import format_cost
from workbench.records.text import JsonDict
from workbench.services.permissions import own_permissions
from workbench.services.references.requests import ReferencePlan, registry_of_files
from workbench.services.verification import VerifyOptions
from workbench.settings import Settings

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    batch = commands.add_parser(
        "batch", parents=[shared],
    )  # fmt: skip
    batch.add_argument(
        "paths",
        nargs="+",
        type=Path,
        metavar="PATH",
        help="folders, JSONL files, and files as `verify` takes them",
    )
    batch.add_argument("--out", required=True, type=Path, metavar="DIR",
                       help=f"results: {RUNS} with one run per line, {FAILED}")  # fmt: skip
    batch.add_argument("--resume", action="store_true", help="resume the batch in DIR")
    batch.add_argument("--engine", choices=["local", "ray"], default="local",
                       help="ray: the same work on a Ray cluster (pip install ray==2.60.0); writes "
                       "Parquet parts too, which `import parts` merges")  # fmt: skip
    batch.add_argument("--ray-address", metavar="ADDRESS",
                       help="join a running cluster (auto, or HOST:PORT) from one of its machines; "
                            "otherwise one is started on this machine")  # fmt: skip
    batch.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="worker processes of the cluster started here (default: one per CPU)",
    )
    add_options(
        batch, "judge", "standalone", "scope", "question", "sources", "allow_fetch", "allowed_domains",
        "offline", "max_cost_usd", "check_references", "indexes", "registry",
        registry=REGISTRY_HELP,
        sources="sources for outputs that include none",
        question="the question that all outputs answer whose line has none of its own",
        max_cost_usd="cost cap for the whole batch, including resumed passes",
    )  # fmt: skip
    batch.add_argument("--at-once", type=int, metavar="N",
                       help=f"outputs processed at once (default: {AT_ONCE}; on a cluster one per CPU)")  # fmt: skip
    batch.add_argument("--min-score", type=float, metavar="X",
                       help="exit code 1 if the ratio of supported to resolved citations is below X "
                            "(default: if any output does not pass)")  # fmt: skip
    batch.add_argument(
        "--junit", type=Path, metavar="FILE.xml", help="write a test case for each citation"
    )
    batch.add_argument(
        "--sarif",
        type=Path,
        metavar="FILE.sarif",
        help="write each finding with its location (SARIF 2.1.0)",
    )
    batch.set_defaults(verb=batch_command)


def batch_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`batch`: every output of the given paths, with a table at the end."""
    _check(arguments)
    cancel = threading.Event()
    kept = f"results so far are in {arguments.out}; the same command with --resume continues from there."
    try:
        with told_when_stopped(lambda: kept), progress("reading") as show:
            summary = _run(arguments, settings, cancel, _summary_shown(show))
    finally:
        cancel.set()
    if arguments.junit:
        write_junit(read_runs(arguments.out), _failed(arguments.out), arguments.junit)
    if arguments.sarif:
        write_sarif(read_runs(arguments.out), arguments.sarif, workbench.__version__)
    for sentence in unmatched_in_all(read_runs(arguments.out)):
        say(sentence)
    print_document(
        arguments,
        summary.to_dict(),
        table(summary, arguments.out),
        lambda: _view(summary, arguments.out),
    )
    return _code(summary, arguments.min_score)


def _check(arguments: argparse.Namespace) -> None:
    most = 64 if arguments.engine == "local" else 4096
    if arguments.at_once is not None and not 1 <= arguments.at_once <= most:
        raise UsageError(f"--at-once must be 1 to {most}, not {arguments.at_once}.")
    ray_options = [
        name for name in ("ray_address", "workers") if getattr(arguments, name) is not None
    ]
    if ray_options and arguments.engine == "local":
        raise UsageError(f"--{ray_options[0].replace('_', '-')} requires --engine ray.")
    if len(ray_options) == 2:
        raise UsageError(
            "--workers applies to a cluster that is started here, not to --ray-address."
        )
    if arguments.workers is not None and not 1 <= arguments.workers <= 256:
        raise UsageError(f"--workers must be 1 to 256, not {arguments.workers}.")


def _run(
    arguments: argparse.Namespace,
    settings: Settings,
    cancel: threading.Event,
    tell: Callable[[Summary], None],
) -> Summary:
    judge = arguments.judge or ["local"]
    may = own_permissions(
        settings,
        allow_fetch=arguments.allow_fetch,
        domains=arguments.allowed_domains or (),
        max_cost_usd=arguments.max_cost_usd,
        judges=judge,
    )
    # workers have a working directory of their own
    sources = str(Path(arguments.sources).resolve()) if arguments.sources else None
    database = arguments.db or settings.database
    plan = ReferencePlan(
        settings=settings,
        permissions=may,
        check_references=arguments.check_references,
        indexes=tuple(arguments.indexes or ()),
        registry_files=registry_of_files(arguments.registry or ()),
        offline=arguments.offline,
        # a batch that needs no database makes none
        database=database if Path(database).exists() else None,
    )
    options = may.applied_to(
        VerifyOptions(
            judge=judge,
            references=plan.open(),
            sources=sources,
            snapshots=settings.snapshots if may.allow_fetch or arguments.offline else None,
            **chosen(CheckOptions, arguments),
        )
    )
    if arguments.engine == "ray":
        return run_batch_on_ray(
            arguments.paths,
            arguments.out,
            options,
            resume=arguments.resume,
            at_once=arguments.at_once,
            workers=arguments.workers,
            address=arguments.ray_address,
            tell=tell,
            cancel=cancel,
            references=plan,
        )
    return run_batch(
        arguments.paths,
        arguments.out,
        options,
        resume=arguments.resume,
        at_once=arguments.at_once or AT_ONCE,
        tell=tell,
        cancel=cancel,
    )


def table(summary: Summary, out: Path) -> str:
    """The figures of a batch, a line each."""
    return "\n".join(f"{name:<26}{value}" for name, value in figures(summary, out))


def figures(summary: Summary, out: Path) -> list[tuple[str, str]]:
    """The figures of a batch by name."""
    score = "–" if summary.score is None else f"{summary.score:.2f}"
    return [
        ("outputs", f"{summary.outputs:,}"),
        ("done", f"{summary.done:,} ({summary.resumed:,} of them earlier)"),
        ("passed", f"{summary.passed:,}"),
        ("failed", f"{summary.failed:,}" + (f", see {out / FAILED}" if summary.failed else "")),
        ("citations", f"{summary.citations:,}"),
        ("resolved", f"{summary.resolved:,}"),
        ("supported", f"{summary.supported:,}"),
        *reference_rows(summary),
        ("score", score),
        ("cost", format_cost(summary.spending)),
        *((f"  {kind}", f"{number:,}") for kind, number in sorted(summary.errors.items())),
        ("runs", str(out / RUNS)),
    ]


def reference_rows(summary: Summary) -> list[tuple[str, str]]:
    """The figures of the reference lists; none where there are no entries."""
    if not summary.references:
        return []
    return [
        ("references", f"{summary.references:,}"),
        ("  not found", f"{summary.references_not_found:,}"),
        ("  differ", f"{summary.references_differ:,}"),
        ("  retracted", f"{summary.references_retracted:,}"),
        ("  not checked", f"{summary.references_not_checked:,}"),
    ]


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


def _summary_shown(show: ShowProgress | None) -> Callable[[Summary], None]:
    """What tells how far a batch is: on a terminal always, elsewhere every thousandth output."""

    def tell(summary: Summary) -> None:
        line = f"{summary.done:,} done, {summary.failed:,} failed, {format_cost(summary.spending)}"
        if show is not None:
            show(summary.done + summary.failed, None, line)
        elif (summary.done + summary.failed) % 1000 == 0:
            say(line)

    return tell


def _view(summary: Summary, out: Path) -> Iterator[Block]:
    """The figures of a batch as a table, and what to do next."""
    rows = [(name, plain(value, 400)) for name, value in figures(summary, out)]
    yield TerminalTable((TerminalColumn("Batch"), TerminalColumn("Number")), rows)
    yield from result_views.steps(after_batch(summary, out))
