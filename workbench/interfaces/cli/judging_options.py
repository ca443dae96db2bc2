"""What the commands share that ask judges about labelled items: options, estimate, progress."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from workbench.errors import UsageError
from workbench.interfaces.cli.terminal import ShowProgress, progress, say
from workbench.records.format import usd
from workbench.records.options import CAP_USD, NO_CAP, NoCap, interface_options
from workbench.records.spending import checked_cost_cap, format_cost
from workbench.services.database import Database
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.services.labelled_judging import ExampleScope, JudgeConfig
    from workbench.services.verification import Budget

NO_CAP_HELP = f"none for no cap (default: {CAP_USD:.2f} where the judge's price is known)"
DEFAULT_AUTHOR = "command line"
"""Who does something, where no name was given."""
REGISTRY_HELP = (
    "a .bib, .ris or CSL-JSON file in which the references are looked up offline; imported "
    "registries are searched too"
)
PROMPT_HELP = "prompt for language models (default: strict); see `workbench prompts list`"


def add_prompt(parser: argparse.ArgumentParser, option: str = "--prompt") -> None:
    """Add the option that names a prompt."""
    parser.add_argument(option, metavar="NAME[@VERSION]", help=PROMPT_HELP)


def add_all(parser: argparse.ArgumentParser, result: str) -> None:
    """Add the option that lists each result of its kind instead of groups."""
    parser.add_argument(
        "--all",
        action="store_true",
        help=(
            f"one line per {result}; by default, those with the same reason are grouped with a "
            f"count"
        ),
    )


def add_options(parser: argparse.ArgumentParser, *names: str, **helps: str) -> None:
    """Add options of a check by name; `helps` are words of this command's own for some."""
    for name in names:
        option, kind, default = interface_options()[name]
        flag = option.flag or "--" + name.replace("_", "-")
        help_text = (helps.get(name) or option.help).replace("%", "%%")
        how: dict[str, Any] = {
            "type": _KINDS.get(kind),
            "metavar": option.metavar,
            "default": default,
        }
        if name == "max_cost_usd":
            help_text += f"; {NO_CAP_HELP}"
            how |= {"type": cap, "default": None}
        if kind is bool:
            how = {"action": "store_true"}
        elif get_origin(kind) is Literal:
            how = {"choices": get_args(kind), "default": default}
        elif name == "registry" or kind == Sequence[str]:
            how = {"action": "append", "metavar": option.metavar}
        parser.add_argument(flag, dest=name, help=help_text, **how)


def add_judging_options(parser: argparse.ArgumentParser) -> None:
    """Add the cost cap and the option to make no calls."""
    parser.add_argument(
        "--max-cost-usd",
        type=amount,
        default=CAP_USD,
        metavar="X",
        help="cost cap for judging labelled examples that have no verdict yet (default: 1.00)",
    )
    parser.add_argument("--no-judging", action="store_true", help="use only existing verdicts")


def contender(
    arguments: argparse.Namespace, settings: Settings, specs: list[str], ref: str | None, rule: str
) -> "JudgeConfig":
    """Who is asked, with the prompt that was named."""
    from workbench.services.labelled_judging import JudgeConfig, panel_rule
    from workbench.services.prompts import prompt_for_judge

    prompt = prompt_for_judge(arguments.db or settings.database, ref)
    panel_rule(rule)
    return JudgeConfig(specs=tuple(spec.strip() for spec in specs), prompt=prompt, rule=rule)


def ask_missing(
    store: Database, config: "JudgeConfig", budget: "Budget", within: "ExampleScope | None" = None
) -> None:
    """Ask about the labelled items that lack a verdict of a contender, and say what it cost."""
    from workbench.services.labelled_judging import count_unjudged, judge_missing

    number = count_unjudged(store, config.name, within)
    if not number:
        return
    _announce(store, config, number, budget, within)
    with progress("judging") as show:
        judging = judge_missing(
            store, config, within=within, budget=budget, on_progress=_judged(show, number)
        )
    if judging.unjudged:
        say(
            f"workbench: {judging.unjudged:,} items were not judged: {judging.stop_reason} The option is "
            "--max-cost-usd; finished verdicts are stored.",
        )


def _announce(
    store: Database,
    config: "JudgeConfig",
    number: int,
    budget: "Budget",
    within: "ExampleScope | None",
) -> None:
    from workbench.services.labelled_judging import estimate_missing

    guess = estimate_missing(store, config, within=within)
    cap = "none" if budget.cap_usd is None else usd(budget.cap_usd)
    cost = (
        "at an unknown price, so nothing is judged under a cost cap"
        if guess.cost_usd is None or guess.usual_usd is None
        else "at no cost"
        if not guess.cost_usd
        else f"usually {usd(guess.usual_usd)}, at most {usd(guess.cost_usd)}, cap {cap}"
    )
    before = budget.spending
    if before.settled_usd or before.reserved_usd:
        cost += f"; {format_cost(before)} of it already spent, including interrupted attempts"
    say(
        f"workbench: {config.name.description} has not judged {number:,} labelled items; judging "
        f"them, "
        f"{cost}.",
    )


def _judged(show: ShowProgress | None, number: int) -> Callable[[int, float], None] | None:
    if show is None:
        return None
    return lambda done, cost: show(done, number, f"judged {done:,} of {number:,} · {usd(cost)}")


def cap(text: str) -> float | NoCap:
    """A cost cap in USD, or `none`."""
    return NO_CAP if text.strip().lower() == NO_CAP else amount(text)


def amount(text: str) -> float:
    """A finite amount of at least 0."""
    try:
        return checked_cost_cap(float(text)) or 0.0
    except (UsageError, ValueError):
        raise argparse.ArgumentTypeError(f"{text} is not an amount of at least 0") from None


def count(text: str) -> int:
    """A whole number of at least 0."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


def share(text: str) -> float:
    """A number from 0 to 1."""
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return number


_KINDS: dict[object, Callable[[str], object]] = {int: count, float: share}
"""How options are read whose values are a whole number, and those whose values are a share."""
