"""What the commands share that ask judges about labelled items: options, estimate, progress."""

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.settings import Settings
from workbench.store import Store

if TYPE_CHECKING:
    from workbench.fronts.judging_labelled import Contender, Within

NOBODY = "command line"
"""Who does something, where no name was given."""
CAP_USD = 1.0
"""What judging labelled items may cost where nothing else is said."""
PROMPT_HELP = "what language models are asked by (default: strict); see `workbench prompts list`"
PANEL_HELP = "how several judges decide (default: majority)"


def add_prompt(parser: argparse.ArgumentParser, option: str = "--prompt") -> None:
    """Add the option that names a prompt."""
    parser.add_argument(option, metavar="NAME[@VERSION]", help=PROMPT_HELP)


def add_asking(parser: argparse.ArgumentParser) -> None:
    """Add the cost cap and the way to ask nobody."""
    parser.add_argument(
        "--max-cost-usd",
        type=amount,
        default=CAP_USD,
        metavar="X",
        help="for judging labelled items that lack a verdict (default: 1.00)",
    )
    parser.add_argument("--no-judging", action="store_true", help="take the verdicts there are")


def contender(
    arguments: argparse.Namespace, settings: Settings, specs: list[str], ref: str | None, rule: str
) -> "Contender":
    """Who is asked, with the prompt that was named."""
    from workbench.fronts.judging_labelled import Contender, panel_rule
    from workbench.fronts.prompting import prompt_for_judge

    prompt = prompt_for_judge(arguments.db or settings.database, ref)
    panel_rule(rule)
    return Contender(specs=tuple(spec.strip() for spec in specs), prompt=prompt, rule=rule)


def ask_missing(
    store: Store, who: "Contender", cap: float, within: "Within | None" = None
) -> float:
    """What it cost, in USD, to ask about the labelled items that lack a verdict of a contender."""
    from workbench.fronts.judging_labelled import judge_missing, missing

    number = missing(store, who.name, within)
    if not number:
        return 0.0
    _announce(store, who, number, cap, within)
    done = judge_missing(store, who, within=within, max_cost_usd=cap, on_progress=_progress(number))
    if done.left:
        print(
            f"workbench: {done.left:,} items were not judged: the cost cap of ${cap:.2f} is "
            "reached. Raise it with --max-cost-usd; what is judged is kept.",
            file=sys.stderr,
        )
    return done.cost_usd


def _announce(
    store: Store, who: "Contender", number: int, cap: float, within: "Within | None"
) -> None:
    from workbench.fronts.judging_labelled import estimate_missing

    guess = estimate_missing(store, who, within=within)
    cost = (
        "at an unknown price, so nothing is asked under a cost cap"
        if guess.cost_usd is None
        else "at no cost"
        if not guess.cost_usd
        else f"usually ${guess.usual_usd:.4f}, at most ${guess.cost_usd:.4f}, cap ${cap:.2f}"
    )
    print(
        f"workbench: {who.name.words} has not looked at {number:,} labelled items; asking it, "
        f"{cost}.",
        file=sys.stderr,
    )


def _progress(number: int) -> Callable[[int, float], None] | None:
    if not sys.stderr.isatty():
        return None

    def show(done: int, cost: float) -> None:
        end = "\n" if done >= number else "\r"
        sys.stderr.write(f"\x1b[2Kjudged {done:,} of {number:,} · ${cost:.4f}{end}")
        sys.stderr.flush()

    return show


def amount(text: str) -> float:
    """An amount of at least 0."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not an amount of at least 0")
    return value
