"""`compare`: two judges, prompts or panels on the same labelled items, with intervals."""

import argparse
from typing import TYPE_CHECKING, TypeVar

from workbench.errors import UsageError
from workbench.interfaces.cli.example_note import say_if_examples
from workbench.interfaces.cli.judging_options import (
    DEFAULT_AUTHOR,
    add_judging_options,
    add_options,
    add_prompt,
    ask_missing,
    contender,
)
from workbench.interfaces.cli.output import print_document
from workbench.interfaces.cli.terminal import plain
from workbench.records.format import usd
from workbench.records.options import PANEL_RULES, interface_options
from workbench.records.reference_sets import Prediction
from workbench.services.database import open_database
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.calibration import IntervalEstimate
    from workbench.services.comparison import ComparedJudge, Comparison, JudgeComparison

SHOWN = 20
"""So many flips are printed without `--json`."""
_Sort = TypeVar("_Sort", bound=argparse.ArgumentParser)
_FIGURE_NAMES = {
    "accuracy": "accuracy", "balanced_accuracy": "balanced accuracy", "f1": "F1", "auroc": "AUROC",
}  # fmt: skip


def add_commands(commands: "argparse._SubParsersAction[_Sort]", shared: _Sort) -> None:
    """Add the command to a parser; `shared` holds the options of every command."""
    command = commands.add_parser(
        "compare",
        parents=[shared],
    )
    command.add_argument(
        "--judge", action="append", metavar="SPEC", help="the first; repeat: a panel"
    )
    add_prompt(command)
    add_options(command, "panel")
    command.add_argument(
        "--against", action="append", metavar="SPEC",
        help="the second (default: the same as the first); repeat for a panel",
    )  # fmt: skip
    add_prompt(command, "--against-prompt")
    command.add_argument(
        "--against-panel",
        choices=PANEL_RULES,
        default="majority",
        help=interface_options()["panel"].option.help,
    )
    command.add_argument(
        "--part", action="append", choices=["train", "dev"], help="only examples of this split"
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
    command.set_defaults(verb=compare_command)


def compare_command(arguments: argparse.Namespace, settings: Settings) -> int:
    """`compare`: the second against the first; 1 where no item was judged by both."""
    from workbench.services.calibration import OPEN_PARTS
    from workbench.services.calibration.measurement import ensure_split
    from workbench.services.comparison import compare_judges
    from workbench.services.labelled_judging import ExampleScope, judging_purpose
    from workbench.services.repositories import Splits
    from workbench.services.spending import attempt_budget

    if arguments.open_test and not arguments.why.strip():
        raise UsageError("The test set is locked; give a --reason to unlock it.")
    if arguments.open_test and arguments.part:
        raise UsageError("--open-test uses only the test set; leave out --part.")
    store = open_database(arguments.db or settings.database)
    say_if_examples(store)
    judges = arguments.judge or ["local"]
    first = contender(arguments, settings, judges, arguments.prompt, arguments.panel)
    second = contender(
        arguments, settings, arguments.against or judges, arguments.against_prompt,
        arguments.against_panel,
    )  # fmt: skip
    if first.name == second.name:
        raise UsageError(f"Both are {first.name.description}; name two judges, prompts or panels.")
    split = ensure_split(store, arguments.by)
    parts = ("test",) if arguments.open_test else tuple(arguments.part or OPEN_PARTS)
    opening = None
    if arguments.open_test:
        opening = Splits(store).open_test(
            split.id,
            by=arguments.by,
            reason=arguments.why,
            figures=f"{second.name.description} against {first.name.description}",
        )
    if not arguments.no_judging:
        within, cap = ExampleScope(split_id=split.id, parts=parts), arguments.max_cost_usd
        for config in (first, second):
            config.open()
        with attempt_budget(store, judging_purpose([first, second], within), cap) as budget:
            ask_missing(store, first, budget, within)
            ask_missing(store, second, budget, within)
    comparison = compare_judges(store, first.name, second.name, split.id, parts, opening=opening)
    print_document(arguments, comparison.to_dict(), report(comparison))
    return 0 if comparison.comparison.n else 1


def report(comparison: "JudgeComparison") -> str:
    """A comparison for the terminal."""
    from workbench.services.comparison import LEFT_OUT

    lines = [
        _side("first", comparison.first, comparison),
        _side("second", comparison.second, comparison),
        "",
    ]
    lines += _differences(" and ".join(comparison.parts), comparison.comparison)
    for part, paired in comparison.by_part:
        if paired.n:
            lines += _differences(part, paired)[:3]
    left_out = [f"{n:,}: {LEFT_OUT[name]}" for name, n in comparison.excluded.items() if n]
    if left_out:
        lines += ["", "Left out: " + "; ".join(left_out) + "."]
    for flip in comparison.flips[:SHOWN]:
        lines += [
            "",
            f"{flip.kind}  {plain(flip.second.item, 60)}  people: {flip.second.human}",
            f"  claim   {plain(flip.claim, 160)}",
            f"  first   {_reason(flip.first)}",
            f"  second  {_reason(flip.second)}",
        ]
    if len(comparison.flips) > SHOWN:
        lines += ["", f"… and {len(comparison.flips) - SHOWN:,} more; --json lists all."]
    return "\n".join(lines)


def _reason(prediction: Prediction) -> str:
    return f"{prediction.label}: {plain(prediction.rationale or prediction.error or '', 140)}"


def _side(which: str, side: "ComparedJudge", comparison: "JudgeComparison") -> str:
    failed = sum(side.errors.values())
    cost = "unknown" if side.cost_usd is None else usd(side.cost_usd)
    spans = (
        "unknown"
        if side.latency_ms is None or side.latency_p95_ms is None
        else f"{side.latency_ms:,.0f} ms (95 % within {side.latency_p95_ms:,.0f} ms)"
    )
    return (
        f"{which:<7} {plain(side.judge.description, 80)}: correct on {side.right:,} of "
        f"{comparison.comparison.n:,}" + (f", {failed:,} without a verdict" if failed else "")
        + f"; an example costs {cost} and takes {spans}"
    )  # fmt: skip


def _differences(title: str, comparison: "Comparison") -> list[str]:
    lines = [
        f"second minus first on {title}, {comparison.n:,} items in {comparison.groups:,} groups"
    ]
    lines += [_line(words, getattr(comparison, name)) for name, words in _FIGURE_NAMES.items()]
    lines.append(
        f"  only the first is correct: {comparison.only_first:,}, only the second: "
        f"{comparison.only_second:,}; "
        f"McNemar, by groups, p = {comparison.mcnemar_p:.3g}"
    )
    return lines


def _line(words: str, figure: "IntervalEstimate") -> str:
    if figure.value is None:
        return f"  {words:<18} not defined"
    if figure.low is None or figure.high is None:
        return f"  {words:<18} {figure.value:+.3f}  (no interval: {figure.no_interval})"
    return f"  {words:<18} {figure.value:+.3f}  [{figure.low:+.3f}, {figure.high:+.3f}]"
