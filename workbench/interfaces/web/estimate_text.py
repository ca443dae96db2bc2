"""What a run is estimated to ask for, in a sentence, and the ways a model can be asked; pure."""

from typing import Literal

from workbench.pipeline import Estimate
from workbench.presentation.run_totals import dollars
from workbench.records import ScopeChoice

Asking = Literal["alone", "together", "batch"]
ASKING_WORDS: dict[Asking, str] = {
    "alone": "One claim a call",
    "together": "Several claims a call",
    "batch": "Batch, half the price",
}
SCOPE_WORDS: dict[ScopeChoice, str] = {
    "guess": "What its place suggests",
    "sentence": "Its sentence",
    "list": "Its whole list",
    "paragraph": "Its whole paragraph",
}


def estimate_words(guess: Estimate, *, batch: bool = False) -> str:
    """Calls, tokens, cost and time of a run, before it starts.

    >>> guess = Estimate(citations=2, sources=1, calls=2, cost_usd=0.0, seconds=0.04)
    >>> estimate_words(guess)
    '2 citations of 1 source: at most 2 judgments, no cost, about 1 s. Kept judgments cost nothing.'
    """
    if guess.cost_usd is None or guess.usual_usd is None:
        cost = "a cost that is unknown, for a model without a price"
    elif guess.cost_usd == 0:
        cost = "no cost"
    else:
        cost = f"usually {dollars(guess.usual_usd)}, at most {dollars(guess.cost_usd)}"
    tokens = f" with {guess.tokens:,} tokens" if guess.tokens else ""
    seconds = max(1, round(guess.seconds))
    time = f"about {seconds} s" + (", and up to a day for the batch" if batch else "")
    return (
        f"{_number(guess.citations, 'citation')} of {_number(guess.sources, 'source')}: at most "
        f"{_number(guess.calls, 'judgment')}{tokens}, {cost}, {time}. Kept judgments cost nothing."
    )


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
