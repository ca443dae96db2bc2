"""`drift`: fixed reference sets, judges evaluated on them again, and what changed."""

import argparse
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.example_note import say_if_examples
from workbench.interfaces.cli.judging_options import DEFAULT_AUTHOR, add_prompt, amount, contender
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain, say
from workbench.records.format import usd
from workbench.records.options import CAP_USD
from workbench.records.spending import format_cost
from workbench.records.text import Json
from workbench.services import repositories
from workbench.services.database import Database, open_database
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.drift import DriftReport, Flips

SHOWN = 20
"""So many flips are shown without `--json`."""
_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    drift = commands.add_parser("drift")
    acts = drift.add_subparsers(dest="act", required=True, metavar="ACT", parser_class=type(shared))
    freeze = acts.add_parser(
        "create-set",
        aliases=["freeze"],
        parents=[shared],
        help="copy labelled examples to a fixed reference set (also: freeze)",
    )
    freeze.add_argument("name", metavar="NAME", help="name of the new set")
    freeze.add_argument(
        "--items", type=int, default=200, metavar="N", help="maximum number of examples"
    )
    freeze.add_argument(
        "--seed", type=int, default=0, metavar="N", help="random seed of the selection"
    )
    freeze.add_argument(
        "--part", action="append", choices=["train", "dev"], help="only from this split; repeatable"
    )
    freeze.add_argument("--note", default="", help="stored with the set")
    freeze.add_argument("--by", default=DEFAULT_AUTHOR, metavar="NAME", help="stored with it")
    freeze.set_defaults(verb=freeze_command)

    list_parser = acts.add_parser(
        "list", parents=[shared], help="list the reference sets and their evaluations"
    )
    list_parser.set_defaults(verb=list_command)

    run = acts.add_parser(
        "run",
        parents=[shared],
        help="evaluate a judge on a reference set, from the stored texts alone",
    )
    run.add_argument("name", metavar="SET", help="its name or id")
    run.add_argument("--judge", default="local", metavar="SPEC", help="the judge to evaluate")
    add_prompt(run)
    run.add_argument(
        "--max-cost-usd", type=amount, default=CAP_USD, metavar="X", help="cost cap for all calls"
    )
    run.add_argument(
        "--new",
        "--again",
        dest="again",
        action="store_true",
        help="start a new evaluation even if one that was interrupted today could be resumed",
    )
    run.add_argument("--by", default=DEFAULT_AUTHOR, metavar="NAME", help="stored with it")
    run.set_defaults(verb=run_command)

    report = acts.add_parser(
        "report",
        parents=[shared],
        help="agreement with the reference labels over time; exit code 1 if a judge drifted",
    )
    report.add_argument("name", metavar="SET", help="its name or id")
    report.add_argument("--judge", metavar="SPEC", help="only this judge")
    report.add_argument(
        "--baseline", default="", metavar="EVALUATION", help="default: the first one"
    )
    report.add_argument(
        "--tolerance",
        type=_points,
        default=5.0,
        metavar="POINTS",
        help="smallest change of agreement that is tested for (default: 5)",
    )
    report.add_argument(
        "--flips",
        nargs=2,
        metavar=("FIRST", "SECOND"),
        help="list the differences of two evaluations; `runs` means the verdicts of the runs",
    )
    report.set_defaults(verb=report_command)

    rejudge = acts.add_parser(
        "rejudge",
        parents=[shared],
        help="judge the labelled examples with another judge, from the stored texts, and list what changes",
    )
    rejudge.add_argument("--judge", required=True, metavar="SPEC", help="the second judge")
    rejudge.add_argument(
        "--against",
        default="runs",
        metavar="SPEC|runs",
        help="the first one; `runs` means the verdicts of the runs",
    )
    add_prompt(rejudge)
    add_prompt(rejudge, "--against-prompt")
    rejudge.add_argument(
        "--part",
        action="append",
        choices=["train", "dev"],
        help="only examples of this split; repeatable",
    )
    rejudge.add_argument(
        "--max-cost-usd", type=amount, default=CAP_USD, metavar="X", help="cost cap for all calls"
    )
    rejudge.add_argument("--by", default=DEFAULT_AUTHOR, metavar="NAME", help="stored with it")
    rejudge.set_defaults(verb=rejudge_command)


def freeze_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`drift create-set`: a new reference set."""
    from workbench.services.calibration import OPEN_PARTS
    from workbench.services.drift import freeze_anchors

    reference_set = freeze_anchors(
        _store(arguments, settings),
        arguments.name,
        by=arguments.by,
        many=arguments.items,
        seed=arguments.seed,
        parts=tuple(arguments.part or OPEN_PARTS),
        note=arguments.note,
    )
    labels = ", ".join(f"{number:,} {label}" for label, number in reference_set.strata.items())
    print_document(
        arguments,
        reference_set.to_dict(),
        f"{reference_set.id}: {reference_set.size:,} examples in the reference set "
        f"{plain(reference_set.name, 60)} ({labels}).",
    )
    return 0


def list_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`drift list`: every reference set with its evaluations."""
    store = _store(arguments, settings)
    document: list[Json] = []
    lines = []
    for reference_set in repositories.ReferenceSetRepository(store).all():
        askings = repositories.ReferenceSetRepository(store).evaluations(reference_set.id)
        document.append(
            {**reference_set.to_dict(), "askings": [evaluation.to_dict() for evaluation in askings]}
        )
        lines.append(
            f"{reference_set.id:<4} {plain(reference_set.name, 40):<40} {reference_set.size:>6,} examples  "
            f"{reference_set.created_at:%Y-%m-%d}  {plain(reference_set.created_by, 30)}"
        )
        lines += [
            f"     {evaluation.id:<6} {evaluation.created_at:%Y-%m-%d %H:%M}  {evaluation.answers:>6,} "
            f"answers  {usd(evaluation.cost_usd)}  {plain(evaluation.judge, 50)} {evaluation.prompt}"
            for evaluation in askings
        ]
    print_document(arguments, document, "\n".join(lines) or "no reference set yet")
    return 0


def run_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`drift run`: one evaluation; 1 where examples are left."""
    from workbench.services.drift import evaluate_reference_set, evaluation_cost
    from workbench.services.judges import open_judge
    from workbench.services.prompts import prompt_for_judge

    store = _store(arguments, settings)
    anchors = repositories.ReferenceSetRepository(store).get(arguments.name)
    prompt = prompt_for_judge(arguments.db or settings.database, arguments.prompt)
    judge = open_judge(arguments.judge, prompt)
    guess = evaluation_cost(store, anchors, judge)
    cost = "at an unknown price" if guess.cost_usd is None else f"at most {usd(guess.cost_usd)}"
    say(f"workbench: evaluating {judge.spec} on {guess.items:,} examples, {cost}.")
    evaluation = evaluate_reference_set(
        store,
        anchors,
        judge,
        by=arguments.by,
        max_cost_usd=arguments.max_cost_usd,
        again=arguments.again,
    )
    judging = evaluation.judging
    text = (
        f"{evaluation.evaluation.id}{' continued' if evaluation.continued else ''}: {judging.judged:,} examples "
        f"judged for {format_cost(judging.spending)}, {judging.unjudged:,} left."
    )
    if judging.unjudged:
        text += (
            f" {judging.stop_reason[:1].upper()}{judging.stop_reason[1:]} Raise --max-cost-usd within a "
            "day to resume the evaluation."
        )
    print_document(
        arguments,
        {**evaluation.evaluation.to_dict(), "continued": evaluation.continued, **judging.to_dict()},
        text,
    )
    return 1 if judging.unjudged else 0


def report_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`drift report`: agreement over time; 1 where a judge drifted."""
    from workbench.services.drift import drift_document, drift_of, flips_between

    store = _store(arguments, settings)
    anchors = repositories.ReferenceSetRepository(store).get(arguments.name)
    drift = drift_of(
        store,
        anchors,
        baseline=arguments.baseline,
        tolerance=arguments.tolerance / 100,
        only=arguments.judge or "",
    )
    document = drift_document(drift)
    text = _report(drift)
    if arguments.flips:
        flips = flips_between(store, anchors, *arguments.flips)
        document["flips"] = flips.to_dict()
        text += "\n\n" + _flips(flips)
    print_document(arguments, document, text)
    return 1 if drift.drifted else 0


def rejudge_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`drift rejudge`: another judge on the labelled examples, and what changes."""
    from workbench.services.calibration import OPEN_PARTS
    from workbench.services.drift import IN_RUNS, rejudged_flips
    from workbench.services.labelled_judging import judge_missing, judging_purpose
    from workbench.services.spending import attempt_budget

    store = _store(arguments, settings)
    second = contender(arguments, settings, [arguments.judge], arguments.prompt, "majority")
    second.open()
    judge, against, askers = second.name, None, [second]
    if arguments.against != IN_RUNS:
        first = contender(
            arguments, settings, [arguments.against], arguments.against_prompt, "majority"
        )
        first.open()
        against, askers = first.name, [second, first]
    if judge == against:
        raise UsageError("--judge and --against name the same judge; there is nothing to compare.")
    unjudged = 0
    purpose = judging_purpose(askers, None)
    with attempt_budget(store, purpose, arguments.max_cost_usd) as budget:
        for asker in askers:
            judging = judge_missing(store, asker, budget=budget)
            unjudged += judging.unjudged
            say(
                f"workbench: {asker.name.description} judged {judging.judged:,} examples for "
                f"{format_cost(judging.spending)}; {judging.unjudged:,} are left."
                + (
                    f" {judging.stop_reason[:1].upper()}{judging.stop_reason[1:]}"
                    if judging.unjudged
                    else ""
                ),
            )
    flips = rejudged_flips(
        store, judge, against, by=arguments.by, parts=tuple(arguments.part or OPEN_PARTS)
    )
    print_document(
        arguments,
        {
            "judge": judge.description,
            "against": arguments.against,
            "left": unjudged,
            **flips.to_dict(),
        },
        _flips(flips),
    )
    return 1 if unjudged else 0


def _report(report: "DriftReport") -> str:
    from workbench.presentation.calibration.text import share
    from workbench.presentation.drift_text import (
        LOOKS_NOTE,
        VERDICT_TEXT,
        change_text,
        series_sentence,
        state_notes,
        unchanged_text,
    )

    lines = [
        f"{report.anchors.id} {plain(report.anchors.name, 60)}: {len(report.states):,} examples, created "
        f"{report.anchors.created_at:%Y-%m-%d}"
    ]
    lines += state_notes(report)
    for history in report.series:
        lines += ["", series_sentence(history, report.tolerance)]
        for look, evaluation in zip(history.interim_analyses, history.evaluations, strict=True):
            since = change_text(look.since_baseline) if look.since_baseline else ""
            agreement = share(look.agreement.figure) if look.agreement else "no verdict"
            lines.append(
                f"  {evaluation.id:<7} {evaluation.created_at:%Y-%m-%d %H:%M}  {agreement:<26} {since:<44} "
                f"{VERDICT_TEXT[look.verdict]}"
            )
        if unchanged_text(history.last):
            lines.append(f"  {unchanged_text(history.last)}")
    if not report.series:
        lines.append(f"No evaluation yet: `workbench drift run {report.anchors.id}`.")
    if any(len(history.interim_analyses) > 1 for history in report.series):
        lines += ["", LOOKS_NOTE]
    return "\n".join(lines)


def _flips(flips: "Flips") -> str:
    from workbench.presentation.drift_text import flips_sentence

    lines = [flips_sentence(flips)]
    for flip in flips.changed[:SHOWN]:
        lines += [
            f"{flip.kind:<11} {plain(flip.item, 60)}  people: {flip.second.human}",
            f"    {flip.first.label}: {plain(flip.first.rationale, 90)}",
            f"    {flip.second.label}: {plain(flip.second.rationale, 90)}",
        ]
    if len(flips.changed) > SHOWN:
        lines.append(f"… and {len(flips.changed) - SHOWN:,} more; --json lists them all.")
    return "\n".join(lines)


def _store(arguments: argparse.Namespace, settings: Settings) -> Database:
    store = open_database(arguments.db or settings.database)
    say_if_examples(store)
    return store


def _points(text: str) -> float:
    value = float(text)
    if not 0 < value < 100:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 100 points")
    return value
