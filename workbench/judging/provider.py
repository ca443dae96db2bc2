"""How the judge calls a model behind an API: one question, one completion, or a failure."""

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Protocol, TypeVar

from workbench.judging.prices import Usage
from workbench.masking import mask, mask_known
from workbench.records import JsonDict, format_iso8601

Result = TypeVar("Result")
Sleep = Callable[[float], Awaitable[None]]

TRIES = 4
"""How often a call is made at most, the first time included."""
LONGEST_WAIT_S = 60.0
"""A server that asks for a longer pause than this is not waited for."""
MOST_LOST = 2
"""How many attempts whose answer got lost are repeated; each may still have been billed."""
_RETRY_STATUSES = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_LONGEST_DETAIL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """A request to a model."""

    system: str
    message: str
    schema: JsonDict
    max_tokens: int
    shared_chars: int = 0
    """This many characters at the message's start, and the system text before them, are sent with
    other questions too: a provider's prompt cache may keep them. 0 where that does not pay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What a model answered."""

    text: str
    usage: Usage | None
    """None when the server does not say what it billed."""
    refused: bool = False
    cut: bool = False
    """True when the answer ended at the token limit."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", mask_known(self.text))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchState:
    """How far a batch is."""

    done: bool
    counts: Mapping[str, int]
    """Requests by the provider's own states."""


CLOCKS_APART = timedelta(minutes=10)
"""By how much a provider's clock may differ from ours, and how long handing in may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchIntent:
    """A batch that is about to be submitted: how to find it if its ticket gets lost.

    Kept before the batch goes out, so that a kill in between loses nothing.
    """

    mark: str
    """Given to the provider with the batch, where it takes one."""
    items: int
    at: datetime

    def to_dict(self) -> JsonDict:
        """`{"mark", "items", "at"}`."""
        return {"mark": self.mark, "items": self.items, "at": format_iso8601(self.at)}


class Provider(Protocol):
    """An API that completes questions."""

    async def complete(self, question: CompletionRequest) -> Completion:
        """The completion; raises `ProviderFailure`."""
        ...

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        ...


class ProviderFailure(Exception):
    """The API gave no completion; the message is for the reviewer and contains no key."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        retry: bool = False,
        maybe_billed: bool = False,
    ) -> None:
        super().__init__(mask(message))
        self.status = status
        self.headers = headers or {}
        self.retry = retry
        """Whether asking again may help."""
        self.maybe_billed = maybe_billed
        """Whether the provider may have done the work without us seeing the answer."""
        self.lost = int(maybe_billed)
        """How many attempts of the call were lost, set by `with_retries`."""


def failed_status(status: int, message: str, headers: Mapping[str, str]) -> ProviderFailure:
    """The failure an HTTP status stands for."""
    advice = {
        400: "the request was refused",
        401: "the API key was not accepted: check it",
        403: "the API key may not use this model",
        404: "the server knows no such model or path: check the model's name and the base URL",
        413: "the request was too large",
        429: "too many requests: wait, or ask fewer at once",
        529: "the provider is overloaded: try again later",
    }.get(status, "the provider failed" if status >= 500 else "the request failed")
    detail = f" ({to_one_line(message)})" if message else ""
    return ProviderFailure(
        f"HTTP {status}, {advice}{detail}",
        status=status,
        headers=headers,
        retry=status in _RETRY_STATUSES,
    )


def to_one_line(text: str) -> str:
    """The text in one line, at most 200 characters, its keys masked before it is cut."""
    return mask(" ".join(text.split()))[:_LONGEST_DETAIL]


async def with_retries(
    call: Callable[[], Awaitable[Result]], sleep: Sleep = asyncio.sleep, tries: int = TRIES
) -> tuple[Result, int]:
    """The call's result and how many attempts before it were lost and may have been billed.

    Tries again with growing pauses while the server is busy or unreachable; a `Retry-After` is
    obeyed up to `LONGEST_WAIT_S`, and at most `MOST_LOST` lost attempts are repeated. Raises the
    last `ProviderFailure` with its `lost` set.
    """
    lost = 0
    for attempt in range(1, tries + 1):
        try:
            return await call(), lost
        except ProviderFailure as failure:
            lost += failure.maybe_billed
            failure.lost = lost
            pause = _pause(failure, attempt)
            if not failure.retry or attempt == tries or pause > LONGEST_WAIT_S or lost > MOST_LOST:
                raise
            await sleep(pause)
    raise AssertionError("unreachable: the last try returns or raises")


def _pause(failure: ProviderFailure, attempt: int) -> float:
    """Seconds to wait: what the server asks for, else half a second doubled, with some jitter."""
    headers = {name.lower(): value for name, value in failure.headers.items()}
    seconds = _requested_pause(headers.get("retry-after-ms"), headers.get("retry-after"))
    if seconds is not None:
        return max(0.0, seconds)
    return float(0.5 * 2 ** (attempt - 1) * random.uniform(0.8, 1.2))


def _requested_pause(milliseconds: str | None, retry_after: str | None) -> float | None:
    try:
        if milliseconds is not None:
            return float(milliseconds) / 1000
        if retry_after is None:
            return None
        if re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", retry_after):
            return float(retry_after)
        moment = parsedate_to_datetime(retry_after)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (moment - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
