"""`calibrate`: how far a judge can be trusted, on labels that people gave."""

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.example_note import say_if_examples
from workbench.interfaces.cli.judging_options import (
    DEFAULT_AUTHOR,
    add_judging_options,
    add_options,
    add_prompt,
    amount,
    ask_missing,
    contender,
)
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain, say
from workbench.records.evaluation import JudgeKey
from workbench.records.text import Json
from workbench.services.database import Database, open_database
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.records.evaluation import LabelFilter
    from workbench.records.fields import ReviewField
    from workbench.services.calibration import Calibration, RunSelection, ThresholdObjective


_JUDGE_OPTIONS = (
    "judge", "prompt", "part", "guide_version", "labels_of", "at", "open_test",
    "embedded", "run", "since", "until", "slices", "report", "band", "label_next", "random_sample",
)  # fmt: skip


def calibrate_references(
    arguments: argparse.Namespace, store: Database, aim: "ThresholdObjective"
) -> int:
    """Print the figures of reference checks; the exit code is that of a judge's calibration.

    Raises:
        UsageError: An option applies only to judges, or no reference is labelled.
    """
    for option in _JUDGE_OPTIONS:
        if getattr(arguments, option):
            name = option.replace("_", "-").replace("label-next", "suggest-labels")
            raise UsageError(f"--{name} applies only to judges; leave it out with --references.")
    from workbench.presentation.calibration.document import references_markdown
    from workbench.presentation.calibration.references import (
        NO_REFERENCE_LABELS,
        references_document,
    )
    from workbench.services.references.labels import (
        calibrate_references as measure_references,
    )
    from workbench.services.references.labels import (
        save_reference_threshold,
    )

    started = time.perf_counter()
    calibration = measure_references(store, aim)
    if calibration is None:
        raise UsageError(NO_REFERENCE_LABELS)
    report_document = references_document(calibration, time.perf_counter() - started)
    text = references_markdown(calibration)
    complete = True
    if arguments.save is not None:
        try:
            saved = save_reference_threshold(
                store, calibration, aim, by=arguments.by, note=arguments.save
            )
            report_document["threshold_id"] = saved.id
            text += f"\nthreshold id: {saved.id}\n"
        except UsageError as error:
            report_document["threshold_id"] = None
            complete = False
            say(f"workbench: {error}")
    print_document(arguments, report_document, text)
    holds = calibration.guarantee.holds or arguments.target_precision is None
    return 0 if calibration.table.n and holds and complete else 1


_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    command = commands.add_parser(
        "calibrate",
        parents=[shared],
    )
    command.add_argument("--judge", action="append", metavar="SPEC", help="repeat for a panel")
    command.add_argument(
        "--references",
        action="store_true",
        help="evaluate reference checks instead, and choose a threshold for “fabricated”",
    )
    add_prompt(command)
    add_options(command, "panel")
    command.add_argument(
        "--target-precision",
        type=_share,
        metavar="P",
        help="required precision among accepted examples (default: 0.95)",
    )
    command.add_argument(
        "--target-recall",
        type=_share,
        metavar="R",
        help="choose the threshold with this recall on supported examples",
    )
    command.add_argument(
        "--error-costs",
        "--cost",
        dest="cost",
        type=_costs,
        metavar="FP:FN",
        help="choose the cheapest threshold: cost of a false positive and of a false negative",
    )
    command.add_argument(
        "--at",
        type=_share,
        metavar="THRESHOLD",
        help="a threshold of your own; it is saved without a guarantee",
    )
    command.add_argument(
        "--confidence", type=_share, default=0.95, metavar="C", help="confidence of the guarantee"
    )
    command.add_argument(
        "--part",
        action="append",
        choices=["train", "dev"],
        help="use this split only; repeatable (default: both)",
    )
    command.add_argument(
        "--guide-version",
        action="append",
        type=_guide,
        metavar="N|unknown",
        help=(
            "only labels given with this version of the labelling guide (0: the built-in guide); "
            "repeatable"
        ),
    )
    command.add_argument(
        "--labels-of",
        default="",
        metavar="NAME",
        help=(
            "only labels of this data set, queue or run, by name or id; reviewed: only those on "
            "citations that were not imported"
        ),
    )
    command.add_argument(
        "--open-test",
        action="store_true",
        help="unlock the test set; needs --reason, and is logged",
    )
    command.add_argument(
        "--reason",
        "--why",
        dest="why",
        default="",
        metavar="REASON",
        help="why the test set is unlocked; stored in the log",
    )
    command.add_argument(
        "--by", default=DEFAULT_AUTHOR, metavar="NAME", help="who unlocks it; stored in the log"
    )
    add_judging_options(command)
    command.add_argument(
        "--with-baseline",
        "--embedded",
        dest="embedded",
        action="store_true",
        help="judge the same examples with the embedded judge, as a baseline",
    )
    command.add_argument(
        "--run",
        action="append",
        default=[],
        metavar="ID",
        help="estimate the support rate of this run; repeatable",
    )
    command.add_argument(
        "--since",
        type=_day,
        default="",
        metavar="YYYY-MM-DD",
        help="estimate the support rate of runs from this day on",
    )
    command.add_argument(
        "--until",
        type=_day,
        default="",
        metavar="YYYY-MM-DD",
        help="estimate the support rate of runs up to this day",
    )
    command.add_argument(
        "--slices", action="store_true", help="figures by domain, kind, language …"
    )
    command.add_argument(
        "--report", type=Path, metavar="FILE.md|.html", help="write a report to this file"
    )
    command.add_argument("--save", nargs="?", const="", metavar="NOTE", help="save the threshold")
    command.add_argument(
        "--band",
        action="store_true",
        help="with --save: save the two edges of the abstain band instead of one threshold",
    )
    command.add_argument(
        "--fitted",
        action="store_true",
        help="with --save: save the limits fitted to your labels, if they are admitted",
    )
    command.add_argument(
        "--rate-target",
        type=_share,
        metavar="P",
        help="what the lower bounds of sensitivity and specificity must hold for a fitted limit to "
        "be admitted (default: 0.70)",
    )
    command.add_argument("--thresholds", action="store_true", help="list the saved thresholds")
    command.add_argument(
        "--suggest-labels",
        "--label-next",
        dest="label_next",
        type=int,
        metavar="N",
        help="create a queue of the N citations whose labels would be most informative",
    )
    command.add_argument(
        "--random-sample",
        type=int,
        metavar="N",
        help="create a queue of a random sample of the runs",
    )
    command.add_argument(
        "--fields",
        type=Path,
        metavar="FILE.json",
        help="additional questions for the created queues: a JSON list of objects with "
        "name, question, kind (choice, choices, score, text), options, low, high, required",
    )
    command.set_defaults(verb=calibrate_command)


def calibrate_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`calibrate`: a judge against people.

    1 where the target that was asked for does not hold, and where something that was asked for
    besides the figures could not be done: a threshold not saved, a queue not created.
    """
    store = open_database(arguments.db or settings.database)
    only_examples = say_if_examples(store)
    if arguments.thresholds:
        return _list(arguments, store)
    if arguments.references:
        return calibrate_references(arguments, store, _aim(arguments))
    if arguments.open_test and not arguments.why.strip():
        raise UsageError("The test set is locked; give a --reason to unlock it.")
    _fields(arguments)  # a fault in the file is told before anything is measured
    if arguments.report:
        from workbench.presentation.calibration.document import check_report_path

        check_report_path(arguments.report)
    for option in ("band", "fitted"):
        if getattr(arguments, option) and arguments.save is None:
            raise UsageError(f"--{option} requires --save.")
    if arguments.band and arguments.fitted:
        raise UsageError("--band and --fitted each save another threshold; choose one.")
    started = time.perf_counter()
    judge = _judge(arguments, settings, store)
    from workbench.presentation.calibration.document import document, markdown, write_report
    from workbench.services.calibration import OPEN_PARTS, RATE_TARGET
    from workbench.services.calibration.measurement import calibrate, ensure_split
    from workbench.services.calibration.report_data import view_of
    from workbench.services.repositories import Splits

    split = ensure_split(store, arguments.by)
    parts = tuple(arguments.part or OPEN_PARTS)
    opening = None
    if arguments.open_test:
        opening = Splits(store).open_test(
            split.id,
            by=arguments.by,
            reason=arguments.why,
            figures=f"all figures of {judge.description}",
        )
        parts = ("test",)
    calibration = calibrate(
        store,
        judge,
        split,
        aim=_aim(arguments),
        parts=parts,
        opening=opening,
        labels=_labels(arguments, store),
    )
    of = _runs(arguments)
    view = view_of(
        store,
        calibration,
        of,
        slices=arguments.slices or arguments.report is not None,
        rate_target=arguments.rate_target or RATE_TARGET,
    )
    report_document = document(view, time.perf_counter() - started)
    text = markdown(view)
    if only_examples:  # in what is printed, too: a threshold must not be taken for one of real work
        report_document["only_examples"] = True
        text = f"These figures and thresholds rest on the example workspace alone.\n\n{text}"
    if arguments.report:
        write_report(view, arguments.report)
        report_document["report"] = str(arguments.report)
    complete = True
    for name, act in _actions(arguments, store, calibration):
        try:
            report_document[name] = act()
            text += f"\n{name.replace('_', ' ')}: {report_document[name]}\n"
        except UsageError as error:
            report_document[name] = None
            complete = False
            say(f"workbench: {error}")
    print_document(arguments, report_document, text)
    wants_precision = arguments.target_precision is not None
    target_holds = calibration.guarantee.holds or not wants_precision
    return 0 if calibration.table.n and target_holds and complete else 1


def _judge(arguments: argparse.Namespace, settings: Settings, store: Database) -> JudgeKey:
    """The judge by name, once it has looked at every labelled item that it can."""
    from workbench.services.examples import usual_judge
    from workbench.services.labelled_judging import JudgeConfig, judging_purpose
    from workbench.services.spending import attempt_budget

    specs = arguments.judge or [usual_judge(store)]
    requested = contender(arguments, settings, specs, arguments.prompt, arguments.panel)
    if not arguments.no_judging:
        requested.open()
        configs = [requested, JudgeConfig(specs=("local",))] if arguments.embedded else [requested]
        purpose = judging_purpose(configs, None)
        with attempt_budget(store, purpose, arguments.max_cost_usd) as budget:
            for config in configs:
                ask_missing(store, config, budget)
    return requested.name


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
    if arguments.at is not None:
        return ThresholdObjective(kind="manual", at=arguments.at, confidence=confidence)
    return ThresholdObjective(target=arguments.target_precision or TARGET, confidence=confidence)


def _labels(arguments: argparse.Namespace, store: Database) -> "LabelFilter":
    from workbench.records.evaluation import ALL_LABELS
    from workbench.services.calibration.agreement import find_label_filter

    labels = find_label_filter(store, arguments.labels_of) if arguments.labels_of else ALL_LABELS
    return replace(labels, guides=tuple(arguments.guide_version or ()))


def _runs(arguments: argparse.Namespace) -> "RunSelection":
    from workbench.services.calibration import RunSelection

    return RunSelection(runs=tuple(arguments.run), since=arguments.since, until=arguments.until)


def _actions(
    arguments: argparse.Namespace, store: Database, calibration: "Calibration"
) -> Iterator[tuple[str, Callable[[], str]]]:
    """What was asked for besides the figures: its name, and the act that returns an id.

    An act raises UsageError where it cannot be done; the figures are printed anyway.
    """
    from workbench.services.calibration import RATE_TARGET
    from workbench.services.calibration.prevalence import (
        queue_of_random_sample,
        queue_of_suggestions,
        suggestions,
    )
    from workbench.services.calibration.thresholds import save_limits, save_threshold

    of, by = _runs(arguments), arguments.by
    fields = _fields(arguments)

    def save() -> str:
        if arguments.fitted:
            return save_limits(
                store,
                calibration.judge,
                calibration.split,
                by=by,
                target=arguments.rate_target or RATE_TARGET,
                labels=calibration.labels,
                note=arguments.save,
            ).id
        threshold = save_threshold(
            store, calibration, by=by, note=arguments.save, band=arguments.band
        )
        return threshold.id

    def suggest() -> str:
        suggested = suggestions(
            store,
            calibration.judge,
            calibration.split.id,
            of,
            many=arguments.label_next,
            threshold=calibration.threshold or 0.5,
        )
        return queue_of_suggestions(store, suggested, by=by, fields=fields).id

    def draw() -> str:
        return queue_of_random_sample(
            store,
            calibration.judge,
            calibration.split.id,
            of,
            many=arguments.random_sample,
            by=by,
            fields=fields,
        ).id

    if arguments.save is not None:
        yield "threshold_id", save
    if arguments.label_next:
        yield "label_next_queue", suggest
    if arguments.random_sample:
        yield "random_sample_queue", draw


def _fields(arguments: argparse.Namespace) -> "tuple[ReviewField, ...]":
    """What the created queues ask beside the label.

    Raises:
        UsageError: The file cannot be read, or holds no such fields.
    """
    if arguments.fields is None:
        return ()
    if not (arguments.label_next or arguments.random_sample):
        raise UsageError("--fields requires --suggest-labels or --random-sample.")
    from workbench.records.fields import parse_fields

    try:
        return parse_fields(json.loads(arguments.fields.read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise UsageError(f"{arguments.fields} contains no valid fields: {error}.") from None


def _list(arguments: argparse.Namespace, store: Database) -> int:
    from workbench.services.calibration.thresholds import list_thresholds

    thresholds = list_thresholds(store)
    lines = [
        f"{threshold.id:<5} accept {_edge(threshold.accept)}  reject {_edge(threshold.reject)}  "
        f"{plain(threshold.judge, 40)}  {plain(threshold.aim, 60)}  "
        f"{threshold.created_at:%Y-%m-%d %H:%M}  {plain(threshold.created_by, 30)}"
        for threshold in thresholds
    ]
    document: Json = [threshold.to_dict() for threshold in thresholds]
    print_document(arguments, document, "\n".join(lines) or "no saved thresholds")
    return 0


def _edge(value: float | None) -> str:
    return "never " if value is None else f"{value:<6.4g}"


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
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
        raise argparse.ArgumentTypeError(f"{text!r} is not a date like 2026-03-01") from None
