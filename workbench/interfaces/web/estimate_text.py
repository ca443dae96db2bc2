"""The estimate of a run in a sentence, and the ways of calling a model; pure."""

from typing import Literal

from workbench.records import ScopeChoice
from workbench.records.format import count_of, usd
from workbench.services.verification import Estimate

Asking = Literal["alone", "together", "batch"]
ASKING_TEXT: dict[Asking, str] = {
    "alone": "One claim per call",
    "together": "Several claims per call",
    "batch": "Batch, half the price",
}
SCOPE_TEXT: dict[ScopeChoice, str] = {
    "guess": "Suggested by its position",
    "sentence": "Its sentence",
    "list": "Its whole list",
    "paragraph": "Its whole paragraph",
}


def describe_estimate(guess: Estimate, *, batch: bool = False) -> str:
    """Calls, tokens, cost and time of a run, before it starts.

    >>> guess = Estimate(citations=2, sources=1, calls=2, cost_usd=0.0, seconds=0.04)
    >>> describe_estimate(guess)
    '2 citations of 1 source: at most 2 judgments, no cost, about 1 s. Cached judgments cost nothing.'
    """
    if guess.cost_usd is None or guess.usual_usd is None:
        cost = "an unknown cost (the model has no known price)"
    elif guess.cost_usd == 0:
        cost = "no cost"
    else:
        cost = f"usually {usd(guess.usual_usd)}, at most {usd(guess.cost_usd)}"
    tokens = f" with {guess.tokens:,} tokens" if guess.tokens else ""
    seconds = max(1, round(guess.seconds))
    time = f"about {seconds} s" + (", and up to a day for the batch" if batch else "")
    return (
        f"{count_of(guess.citations, 'citation')} of {count_of(guess.sources, 'source')}: at most "
        f"{count_of(guess.calls, 'judgment')}{tokens}, {cost}, {time}. Cached judgments cost nothing."
    )
