"""`calibrate`: how far a judge can be trusted, on labels that people gave."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.judging_options import (
    DEFAULT_AUTHOR,
    add_asking,
    add_options,
    add_prompt,
    amount,
    ask_missing,
    contender,
)
from workbench.interfaces.cli.output import plain, print_document
from workbench.records import Json, JudgeKey
from workbench.services.database import Database, open_database
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.calibration import Calibration, RunSelection, ThresholdObjective

_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    one = commands.add_parser(
        "calibrate",
        parents=[shared],
        help="evaluate a judge against human labels, and choose a threshold",
    )
    one.add_argument("--judge", action="append", metavar="SPEC", help="repeat for a panel")
    add_prompt(one)
    add_options(one, "panel")
    one.add_argument(
        "--target-precision",
        type=_share,
        metavar="P",
        help="required precision among accepted examples (default: 0.95)",
    )
    one.add_argument(
        "--target-recall",
        type=_share,
        metavar="R",
        help="choose the threshold with this recall on supported examples",
    )
    one.add_argument(
        "--error-costs",
        "--cost",
        dest="cost",
        type=_costs,
        metavar="FP:FN",
        help="choose the cheapest threshold: cost of a false positive and of a false negative",
    )
    one.add_argument(
        "--confidence", type=_share, default=0.95, metavar="C", help="confidence of the guarantee"
    )
    one.add_argument(
        "--part",
        action="append",
        choices=["train", "dev"],
        help="use this split only; repeatable (default: both)",
    )
    one.add_argument(
        "--guide-version",
        action="append",
        type=_guide,
        metavar="N|unknown",
        help="only labels given with this version of the labelling guide, 0 as built in; repeatable",
    )
    one.add_argument(
        "--open-test",
        action="store_true",
        help="unlock the test set; needs --reason, and is logged",
    )
    one.add_argument(
        "--reason",
        "--why",
        dest="why",
        default="",
        metavar="REASON",
        help="why the test set is unlocked; stored in the log",
    )
    one.add_argument(
        "--by", default=DEFAULT_AUTHOR, metavar="NAME", help="who does it; stored in the log"
    )
    add_asking(one)
    one.add_argument(
        "--with-baseline",
        "--embedded",
        dest="embedded",
        action="store_true",
        help="judge the same examples with the embedded judge, as a baseline",
    )
    one.add_argument(
        "--run",
        action="append",
        default=[],
        metavar="ID",
        help="estimate the support rate of this run; repeatable",
    )
    one.add_argument(
        "--since",
        type=_day,
        default="",
        metavar="YYYY-MM-DD",
        help="estimate the support rate of runs from this day on",
    )
    one.add_argument(
        "--until",
        type=_day,
        default="",
        metavar="YYYY-MM-DD",
        help="estimate the support rate of runs up to this day",
    )
    one.add_argument("--slices", action="store_true", help="figures by domain, kind, language …")
    one.add_argument(
        "--report", type=Path, metavar="FILE.md|.html", help="write a report to this file"
    )
    one.add_argument("--save", nargs="?", const="", metavar="NOTE", help="save the threshold")
    one.add_argument(
        "--band",
        action="store_true",
        help="with --save: save the two edges of the abstain band instead of one threshold",
    )
    one.add_argument("--thresholds", action="store_true", help="list the saved thresholds")
    one.add_argument(
        "--suggest-labels",
        "--label-next",
        dest="label_next",
        type=int,
        metavar="N",
        help="create a queue of the N citations whose labels would be most informative",
    )
    one.add_argument(
        "--random-sample",
        type=int,
        metavar="N",
        help="create a queue of a random sample of the runs",
    )
    one.set_defaults(verb=calibrate_command)


def calibrate_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`calibrate`: a judge against people.

    1 where the target that was asked for does not hold, and where something that was asked for
    besides the figures could not be done: a threshold not saved, a queue not created.
    """
    store = open_database(arguments.db or settings.database)
    if arguments.thresholds:
        return _list(arguments, store)
    if arguments.open_test and not arguments.why.strip():
        raise UsageError("The test set is locked; give a --reason to unlock it.")
    if arguments.report:
        from workbench.presentation.calibration.html import check_report_path

        check_report_path(arguments.report)
    if arguments.band and arguments.save is None:
        raise UsageError("--band says what --save is to save; give --save too.")
    started = time.perf_counter()
    judge = _judge(arguments, settings, store)
    from workbench.presentation.calibration.document import document
    from workbench.presentation.calibration.html import write_report
    from workbench.presentation.calibration.markdown import markdown
    from workbench.services.calibration import OPEN_PARTS
    from workbench.services.calibration.measurement import calibrate, ensure_split
    from workbench.services.calibration.report_data import view_of
    from workbench.services.splits import unlock_test_part

    split = ensure_split(store, arguments.by)
    parts = tuple(arguments.part or OPEN_PARTS)
    opening = None
    if arguments.open_test:
        opening = unlock_test_part(
            store,
            split.id,
            by=arguments.by,
            reason=arguments.why,
            purpose=f"all figures of {judge.words}",
        )
        parts = ("test",)
    done = calibrate(
        store,
        judge,
        split,
        aim=_aim(arguments),
        parts=parts,
        opening=opening,
        guides=tuple(arguments.guide_version or ()),
    )
    of = _runs(arguments)
    view = view_of(store, done, of, slices=arguments.slices or arguments.report is not None)
    found = document(view, time.perf_counter() - started)
    text = markdown(view)
    if arguments.report:
        write_report(view, arguments.report)
        found["report"] = str(arguments.report)
    complete = True
    for name, act in _acts(arguments, store, done):
        try:
            found[name] = act()
            text += f"\n{name.replace('_', ' ')}: {found[name]}\n"
        except UsageError as error:
            found[name] = None
            complete = False
            print(f"workbench: {error}", file=sys.stderr)
    print_document(arguments, found, text)
    asked = arguments.target_precision is not None
    held = done.guarantee.holds or not asked
    return 0 if done.table.n and held and complete else 1


def _judge(arguments: argparse.Namespace, settings: Settings, store: Database) -> JudgeKey:
    """The judge by name, once it has looked at every labelled item that it can."""
    from workbench.services.labelled_judging import JudgeConfig, judging_purpose
    from workbench.services.spending import attempt_budget

    specs = arguments.judge or ["local"]
    who = contender(arguments, settings, specs, arguments.prompt, arguments.panel)
    if not arguments.no_judging:
        who.open()
        asked = [who, JudgeConfig(specs=("local",))] if arguments.embedded else [who]
        purpose = judging_purpose(asked, None)
        with attempt_budget(store, purpose, arguments.max_cost_usd) as budget:
            for one in asked:
                ask_missing(store, one, budget)
    return who.name


def _aim(arguments: argparse.Namespace) -> "ThresholdObjective":
    from workbench.services.calibration import TARGET, ThresholdObjective

    confidence = arguments.confidence
    if arguments.cost:
        accept, reject = arguments.cost
        return ThresholdObjective(
            kind="cost",
            target=arguments.target_precision or TARGET,
            confidence=confidence,
            wrong_accept=accept,
            wrong_reject=reject,
        )
    if arguments.target_recall is not None:
        return ThresholdObjective(
            kind="recall", target=arguments.target_recall, confidence=confidence
        )
    return ThresholdObjective(target=arguments.target_precision or TARGET, confidence=confidence)


def _runs(arguments: argparse.Namespace) -> "RunSelection":
    from workbench.services.calibration import RunSelection

    return RunSelection(runs=tuple(arguments.run), since=arguments.since, until=arguments.until)


def _acts(
    arguments: argparse.Namespace, store: Database, done: "Calibration"
) -> Iterator[tuple[str, Callable[[], str]]]:
    """What was asked for besides the figures: its name, and the act that returns an id.

    An act raises UsageError where it cannot be done; the figures stand all the same.
    """
    from workbench.services.calibration.prevalence import (
        queue_of_random_sample,
        queue_of_suggestions,
        suggestions,
    )
    from workbench.services.calibration.thresholds import save_threshold

    of, by = _runs(arguments), arguments.by

    def save() -> str:
        kept = save_threshold(store, done, by=by, note=arguments.save, band=arguments.band)
        return kept.id

    def suggest() -> str:
        found = suggestions(
            store,
            done.judge,
            done.split.id,
            of,
            many=arguments.label_next,
            threshold=done.threshold or 0.5,
        )
        return queue_of_suggestions(store, found, by=by).id

    def draw() -> str:
        return queue_of_random_sample(
            store, done.judge, done.split.id, of, many=arguments.random_sample, by=by
        ).id

    if arguments.save is not None:
        yield "threshold_id", save
    if arguments.label_next:
        yield "label_next_queue", suggest
    if arguments.random_sample:
        yield "random_sample_queue", draw


def _list(arguments: argparse.Namespace, store: Database) -> int:
    from workbench.services.calibration.thresholds import list_thresholds

    kept = list_thresholds(store)
    lines = [
        f"{one.id:<5} accept {_edge(one.accept)}  reject {_edge(one.reject)}  "
        f"{plain(one.judge, 40)}  {plain(one.aim, 60)}  "
        f"{one.created_at:%Y-%m-%d %H:%M}  {plain(one.created_by, 30)}"
        for one in kept
    ]
    document: Json = [one.to_dict() for one in kept]
    print_document(arguments, document, "\n".join(lines) or "no threshold is saved yet")
    return 0


def _edge(value: float | None) -> str:
    return "never " if value is None else f"{value:<6.4g}"


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} does not lie between 0 and 1")
    return value


def _guide(text: str) -> int:
    from workbench.records.guide_versions import parse_guide

    try:
        return parse_guide(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _costs(text: str) -> tuple[float, float]:
    accept, _, reject = text.partition(":")
    return amount(accept), amount(reject)


def _day(text: str) -> str:
    if not text:
        return ""
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day like 2026-03-01") from None
