"""What an error says of the judge: one partition of the error kinds, for every evaluation; pure."""

from typing import Literal, get_args

from workbench.errors import ErrorKind

JudgeOutcome = Literal["verdict", "no_verdict", "not_asked", "no_source"]
JUDGE_OUTCOMES: tuple[JudgeOutcome, ...] = get_args(JudgeOutcome)

NOT_ASKED: tuple[ErrorKind, ...] = ("cost_cap_reached", "cancelled")
"""The judge was not asked: the item is still to be judged, and counts in no figure."""
JUDGE_ERRORS: tuple[ErrorKind, ...] = (
    "malformed_judge_response",
    "llm_judge_error",
    "unverified_quote",
)
"""The judge was asked and gave no verdict: the item counts, and not in the judge's favor."""
SOURCE_READ: tuple[ErrorKind, ...] = (*JUDGE_ERRORS, "cost_cap_reached")
"""The source was there to be judged: a cap stops the question, a cancellation may come earlier."""
NO_REPLY: tuple[ErrorKind, ...] = (*NOT_ASKED, "llm_judge_error")
"""No reply came, so nothing new is known of the claim: an earlier verdict outlives these."""


def judge_outcome(error: str | None) -> JudgeOutcome:
    """What became of asking a judge about an item, by the kind of error that the item has.

    A failed call (`llm_judge_error`) is `no_verdict` like a malformed reply or an invented quote:
    who deploys a judge meets all three alike, as a citation without a verdict, and calls fail by
    the prompt's doing too (a question too long, a refusal). Were failed calls left out, a judge or
    prompt would gain by failing on hard items. That an outage of the provider does not decide
    between two prompts is held elsewhere: where more than a few calls fail nothing is kept.
    Kinds that are neither the judge's nor a refusal to ask are the source's: `no_source`.
    """
    if not error:
        return "verdict"
    if error in NOT_ASKED:
        return "not_asked"
    return "no_verdict" if error in JUDGE_ERRORS else "no_source"
