"""A judge that is the model of whoever called: asked through a function that carries the question."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from workbench.judging.judge_factory import CLIENT
from workbench.judging.llm import LlmJudge
from workbench.judging.prices import find_price
from workbench.judging.provider import Completion, CompletionRequest, ProviderFailure, to_one_line

__all__ = ["CLIENT"]

Question = CompletionRequest
ANSWER_S = 300.0
"""How long a client may take, which may ask a person first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientAnswer:
    """What the client's model answered."""

    text: str
    cut: bool = False
    """Whether the answer ended at the token limit."""


class ClientRefusal(Exception):
    """The client gave no answer; the message says why."""


class _ClientModel:
    """Carries questions to the client, at most so many."""

    def __init__(self, ask: Callable[[Question], "Future[ClientAnswer]"], max_calls: int) -> None:
        self._ask = ask
        self._left = self._max_calls = max_calls

    async def complete(self, question: Question) -> Completion:
        """The answer; raises `ProviderFailure`."""
        if self._left == 0:
            raise ProviderFailure(
                f"the limit of {self._max_calls} calls is reached: raise max_client_calls"
            )
        self._left -= 1
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await asyncio.wrap_future(self._ask(question))
        except TimeoutError:
            raise ProviderFailure(f"no answer within {ANSWER_S:g} s") from None
        except ClientRefusal as refusal:
            raise ProviderFailure(to_one_line(str(refusal))) from None
        return Completion(text=answer.text, usage=None, cut=answer.cut)

    async def aclose(self) -> None:
        """Nothing is open."""


def open_client_judge(
    ask: Callable[[Question], "Future[ClientAnswer]"], max_calls: int
) -> LlmJudge:
    """The judge `client`, whose questions go through `ask` and are checked like any judge's.

    Args:
        ask: Passes a question on and gives its answer later, or a `ClientRefusal`.
        max_calls: At most so many questions; citations beyond them are not judged.
    """
    return LlmJudge(CLIENT, _ClientModel(ask, max_calls), find_price(CLIENT))
