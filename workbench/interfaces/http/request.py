"""A request's JSON, read strictly."""

import json

from fastapi import Request

from workbench.interfaces.http.responses import ApiError
from workbench.records.text import Json

DEEPEST = 100
"""Levels of a JSON body."""


class JsonRequest(Request):
    """A request whose body is plain JSON of a reasonable depth."""

    async def json(self) -> Json:
        """The body.

        Raises:
            ApiError: It is not sent as plain JSON, is no JSON, or is too deep.
        """
        if not hasattr(self, "_read"):
            kind = self.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json" or self.headers.get("content-encoding"):
                raise ApiError(
                    "wrong_content_type",
                    "Send the body as plain JSON, as Content-Type: application/json.",
                    415,
                )
            self._read = read_json(await self.body())
        return self._read


def read_json(raw: bytes) -> Json:
    """The JSON value of bytes.

    Raises:
        Refusal: They are no JSON, hold numbers that JSON does not know, or are too deep.
    """
    try:
        value: Json = json.loads(
            raw.decode("utf-8"), parse_constant=_reject_constant, parse_float=_finite_float
        )
    except RecursionError:
        value = None
        too_deep = True
    except ValueError as error:
        problem = str(error).partition(":")[0][:200]
        raise ApiError("bad_json", f"The body is not JSON: {problem}.", 400) from None
    else:
        too_deep = _is_deeper(value, DEEPEST)
    if too_deep:
        raise ApiError("bad_json", f"The body is nested deeper than {DEEPEST} levels.", 400)
    return value


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


def _reject_constant(constant: str) -> float:
    raise ValueError(f"{constant} is not a JSON number")


def _is_deeper(value: Json, most: int) -> bool:
    level: list[Json] = [value]
    for _ in range(most):
        below: list[Json] = []
        for inner in level:
            if isinstance(inner, dict):
                below += inner.values()
            elif isinstance(inner, list):
                below += inner
        if not below:
            return False
        level = below
    return True
