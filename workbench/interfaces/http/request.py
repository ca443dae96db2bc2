"""From a request to what it asks, checked: its JSON, its query, the names in its path."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import Request

from workbench.interfaces.http.responses import ApiError
from workbench.records import Json, JsonDict

DEEPEST = 100
"""Levels of a JSON body."""
_WHOLE = re.compile(r"-?[0-9]{1,18}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """One request, checked."""

    request: Request
    raw: bytes = b""
    """The body as it came."""
    body: JsonDict = field(default_factory=dict)
    query: JsonDict = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)

    def word(self, name: str) -> str | None:
        """A string of the body or the query; None where it is left out or empty."""
        value = self.body.get(name, self.query.get(name))
        return value if isinstance(value, str) and value else None

    def flag(self, name: str, usual: bool = False) -> bool:
        """A switch of the body or the query."""
        value = self.body.get(name, self.query.get(name, usual))
        return value if isinstance(value, bool) else usual

    def whole(self, name: str, usual: int) -> int:
        """A whole number of the body or the query."""
        value = self.body.get(name, self.query.get(name))
        return usual if value is None or not isinstance(value, int | float) else int(value)

    def words(self, name: str) -> list[str]:
        """A list of strings of the body or the query; one string is a list of it."""
        value = self.body.get(name, self.query.get(name))
        if isinstance(value, str):
            return [value]
        return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


async def read_body(request: Request, takes: JsonDict | None) -> tuple[bytes, JsonDict]:
    """The body's bytes and its JSON object.

    Raises:
        Refusal: It is no JSON, too deep, or not of the form that is taken.
    """
    raw = await request.body()
    if takes is None:
        return raw, {}
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" or request.headers.get("content-encoding"):
        raise ApiError(
            "wrong_content_type", "Send the body as plain JSON, as Content-Type: application/json.",
            415,
        )  # fmt: skip
    body = read_json(raw)
    check(body, takes, "the body")
    assert isinstance(body, dict)
    return raw, body


def read_json(raw: bytes) -> Json:
    """The JSON value of bytes.

    Raises:
        Refusal: They are no JSON, hold numbers that JSON does not know, or are too deep.
    """
    try:
        value: Json = json.loads(raw.decode("utf-8"), parse_constant=_no_number, parse_float=_float)
    except RecursionError:
        value = None
        too_deep = True
    except ValueError as error:
        said = str(error).partition(":")[0][:200]
        raise ApiError("bad_json", f"The body is no JSON: {said}.", 400) from None
    else:
        too_deep = _deeper(value, DEEPEST)
    if too_deep:
        raise ApiError("bad_json", f"The body is nested deeper than {DEEPEST} levels.", 400)
    return value


def read_query(request: Request, known: Mapping[str, JsonDict]) -> JsonDict:
    """The query by the types of its parameters.

    Raises:
        Refusal: A parameter is unknown, given twice, or of another type.
    """
    found: JsonDict = {}
    for name, said in request.query_params.multi_items():
        if name not in known:
            listed = ", ".join(known) or "none"
            raise ApiError("invalid", f"There is no parameter {name[:60]!r}; known: {listed}.", 422)
        value = _typed(said, known[name], name)
        kept = found.get(name)
        if known[name].get("type") == "array":
            found[name] = [*(kept if isinstance(kept, list) else []), value]
        elif name in found:
            raise ApiError("invalid", f"The parameter {name} is given twice.", 422)
        else:
            found[name] = value
    whole: JsonDict = {"type": "object", "properties": dict(known)}
    check(found, whole, "the parameters")
    return found


def check(value: Json, schema: JsonDict, what: str) -> None:
    """Raise a Refusal that says where a value is not of the form that is taken."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # has none

    for error in Draft202012Validator(schema).iter_errors(value):
        where = ".".join(str(part) for part in error.absolute_path)[:200] or what
        if error.validator == "oneOf":
            said = "give either `text` or `output`"
        elif error.validator == "not":
            said = "a policy is for calls that wait for the run; leave out `background`"
        elif error.validator in ("pattern", "anyOf"):
            said = f"{str(error.instance)[:100]!r} is not of the form that is taken"
        else:
            said = error.message[-300:] if len(error.message) > 300 else error.message
        raise ApiError("invalid", f"{where}: {said}.", 422)


def _typed(said: str, schema: JsonDict, name: str) -> Json:
    kind = schema.get("type")
    if kind == "integer":
        if not _WHOLE.fullmatch(said):
            raise ApiError("invalid", f"The parameter {name} is a whole number.", 422)
        return int(said)
    if kind == "boolean":
        if said not in ("true", "false"):
            raise ApiError("invalid", f"The parameter {name} is true or false.", 422)
        return said == "true"
    return said


def _float(said: str) -> float:
    value = float(said)
    if value in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return value


def _no_number(said: str) -> float:
    raise ValueError(f"{said} is no number of JSON")


def _deeper(value: Json, most: int) -> bool:
    level: list[Json] = [value]
    for _ in range(most):
        below: list[Json] = []
        for one in level:
            if isinstance(one, dict):
                below += one.values()
            elif isinstance(one, list):
                below += one
        if not below:
            return False
        level = below
    return True
