"""`prompts optimise` and `prompts optimisations`: a prompt improved in rounds from labels."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.judging_options import (
    DEFAULT_AUTHOR,
    add_options,
    add_prompt,
    amount,
    contender,
)
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import ShowProgress, progress, say
from workbench.records.format import usd
from workbench.records.options import CAP_USD
from workbench.records.providers import MODEL_SPECS
from workbench.records.text import Json
from workbench.services import repositories
from workbench.services.database import Database, open_database
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.records.optimization import Optimisation
    from workbench.services.prompt_optimization import RoundProgress

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_actions(actions: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add both actions to `prompts`; `shared` holds the options of every command."""
    action = actions.add_parser(
        "optimise",
        parents=[shared],
        help="propose edits from disagreements on train; keep those that significantly improve dev",
    )
    action.add_argument("--judge", action="append", metavar="SPEC", help="repeat for a panel")
    add_prompt(action)
    add_options(action, "panel")
    action.add_argument(
        "--proposer", metavar="SPEC",
        help=f"who proposes edits: scripted:FILE, {MODEL_SPECS} (default: the judge)",
    )  # fmt: skip
    action.add_argument(
        "--name", metavar="NAME", help="name of the improved versions (default: the prompt's own)"
    )
    action.add_argument("--rounds", type=int, default=5, metavar="N", help="proposals (default: 5)")
    action.add_argument(
        "--max-examples", "--shown", dest="shown", type=int, default=12, metavar="N",
        help="maximum number of disagreements shown to the proposer (default: 12)",
    )  # fmt: skip
    action.add_argument(
        "--skip-train-check",
        "--no-screen",
        dest="no_screen",
        action="store_true",
        help="evaluate on dev even if the candidate is worse on train",
    )
    action.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the shown disagreements"
    )
    action.add_argument(
        "--max-cost-usd", type=amount, metavar="X",
        help=f"cost cap of the whole optimisation run (default: {CAP_USD:.2f}, or as it was started)",
    )  # fmt: skip
    action.add_argument("--resume", metavar="ID", help="resume an interrupted optimisation run")
    action.add_argument("--estimate", action="store_true", help="show the estimated cost and stop")
    action.add_argument("--by", default=DEFAULT_AUTHOR, metavar="NAME", help="who starts it")
    action.set_defaults(verb=optimise_command)

    list_parser = actions.add_parser(
        "optimisations",
        aliases=["runs"],
        parents=[shared],
        help="list the optimisation runs, or report one (also: runs)",
    )
    list_parser.add_argument("id", nargs="?", metavar="ID", help="the report of this one")
    list_parser.set_defaults(verb=optimisations_command)


def optimise_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts optimise`: the series' report; 1 where it could not run to its end."""
    from workbench.presentation.prompt_optimization_text import document, text
    from workbench.services.prompt_optimization import estimate_series, run_series

    store = open_database(arguments.db or settings.database)
    series = _series(arguments, settings, store)
    guess = estimate_series(store, series)
    cap = series.max_cost_usd if arguments.max_cost_usd is None else arguments.max_cost_usd
    cost = (
        "at an unknown price"
        if guess.cost_usd is None or guess.usual_usd is None
        else f"usually {usd(guess.usual_usd)}, at most {usd(guess.cost_usd)}"
    )
    about = (
        f"{guess.rounds} rounds over {guess.items:,} items of train and dev, {cost} with the "
        f"current prompt; cap {'none' if cap is None else usd(cap)}."
    )
    if arguments.estimate:
        say(f"workbench: {about} Nothing was started.")
        print_document(arguments, {"id": series.id or None, **guess.to_dict()}, cost)
        return 0
    if not series.id:
        series = repositories.OptimizationRepository(store).add(series)
    say(
        f"workbench: {series.id}: {about} Interrupt it any time and resume with "
        f"`workbench prompts optimise --resume {series.id}`.",
    )
    with progress("optimising") as show:
        result = run_series(
            store, series, max_cost_usd=arguments.max_cost_usd, on_progress=_rounds(show)
        )
    print_document(arguments, document(result), text(result))
    return 0 if result.ending and result.ending.outcome == "done" else 1


def optimisations_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`prompts optimisations`: every series, or the report of one."""
    from workbench.presentation.prompt_optimization_text import document, summary, text
    from workbench.services.prompt_optimization import series_report

    store = open_database(arguments.db or settings.database)
    if arguments.id:
        report = series_report(store, repositories.OptimizationRepository(store).get(arguments.id))
        print_document(arguments, document(report), text(report))
        return 0
    every = repositories.OptimizationRepository(store).all()
    reports = [series_report(store, history) for history in every]
    report_documents: Json = [document(report) for report in reports]
    lines = [
        f"{report.series.id:<5} {report.series.created_at:%Y-%m-%d %H:%M}  {report.series.prompt} → "
        f"{report.best.title}  {summary(report)}"
        for report in reports
    ]
    print_document(arguments, report_documents, "\n".join(lines) or "no optimisation runs yet")
    return 0


def _series(arguments: argparse.Namespace, settings: Settings, store: Database) -> "Optimisation":
    """The series to go on with, or a new one that is not kept yet."""
    from workbench.services.prompt_optimization import plan_series

    if arguments.resume:
        return repositories.OptimizationRepository(store).get(arguments.resume)
    specs = arguments.judge or []
    if not specs:
        raise UsageError("Name the judge with --judge, for example anthropic:MODEL.")
    cap = CAP_USD if arguments.max_cost_usd is None else arguments.max_cost_usd
    return plan_series(
        store,
        contender(arguments, settings, specs, arguments.prompt, arguments.panel),
        arguments.proposer or specs[0],
        by=arguments.by,
        name=arguments.name,
        rounds=arguments.rounds,
        shown=arguments.shown,
        screen=not arguments.no_screen,
        seed=arguments.seed,
        max_cost_usd=cap,
    )


def _rounds(show: ShowProgress | None) -> "Callable[[RoundProgress], None] | None":
    if show is None:
        return None
    return lambda at: show(
        at.round - 1,
        at.rounds,
        f"round {at.round} of {at.rounds} · {at.stage} · judged {at.done:,} · {usd(at.cost_usd)}",
    )
