"""A language model's answers that are shipped with the examples, as the judge `handoff:recorded-llm`.

They were given once, to the questions that a hand-off asks. What is found here goes the way of every
answer: its quotes are looked up in the passages that are shown today.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache

from workbench.judging.handoff import HandoffJudge
from workbench.records import JsonDict, JudgeContext, Passage
from workbench.shipped import SHIPPED_DATA

RECORDED = "handoff:recorded-llm"
FILES = tuple(SHIPPED_DATA / folder / "recorded_answers.jsonl" for folder in ("demo", "example"))
"""One JSON object a line: `claim` and `source` say what was asked, the rest is the answer."""


def open_recorded() -> HandoffJudge:
    """The judge that answers what the shipped files hold; other questions stay open."""
    return HandoffJudge(RECORDED, find_recorded)


def find_recorded(
    claim: str, passages: Sequence[Passage], context: JudgeContext
) -> JsonDict | None:
    """The recorded answer on a claim and the source that the context names."""
    return recorded_answers().get(answer_key(claim, context))


def answer_key(claim: str, context: JudgeContext) -> tuple[str, str]:
    """The claim and the source's address, or its title: the same in every run, whatever is shown."""
    return " ".join(claim.split()), context.source.url or context.source.title or ""


@cache
def recorded_answers() -> Mapping[tuple[str, str], JsonDict]:
    """The answers of the shipped files by `answer_key`; empty where none are shipped."""
    answers: dict[tuple[str, str], JsonDict] = {}
    for path in FILES:
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        for answer in map(json.loads, lines):
            answers[answer.pop("claim"), answer.pop("source")] = answer
    return answers
