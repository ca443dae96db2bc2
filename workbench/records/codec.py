"""Records as published JSON: each field is declared once, with what becomes of it there."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import Final

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
JsonDict = dict[str, Json]

_KEY, _HOW = "json name", "json"
HIDDEN: Final = {_HOW: "hidden"}
"""Metadata of a field that is not published."""
INLINE: Final = {_HOW: "inline"}
"""Metadata of a field whose own fields stand in its place: `start` and `end` for a span."""
IF_GIVEN: Final = {_HOW: "if given"}
"""Metadata of a field that is published only where it is not empty."""


def published_as(name: str) -> dict[str, str]:
    """Return the metadata of a field that is published under another name."""
    return {_KEY: name}


class Record:
    """A dataclass whose fields are its published JSON, in their order."""

    __slots__ = ()

    def to_dict(self) -> JsonDict:
        """Return the published JSON: numbers, texts, lists and objects; times in ISO 8601."""
        record: type = type(self)
        out: JsonDict = {}
        for name, key, how in _published(record):
            value = to_json(getattr(self, name))
            if how == "inline" and isinstance(value, dict):
                out.update(value)
            elif value or how != "if given":
                out[key] = value
        return out


@cache
def _published(record: type) -> tuple[tuple[str, str, str], ...]:
    """Name, key in JSON and treatment of each published field."""
    return tuple(
        (field.name, field.metadata.get(_KEY, field.name), field.metadata.get(_HOW, ""))
        for field in fields(record)
        if field.metadata.get(_HOW) != "hidden"
    )


def to_json(value: object) -> Json:
    """Return a value as JSON: records by their `to_dict`, tuples and sorted sets as lists.

    Raises:
        TypeError: JSON has nothing of the kind.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_json(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(part) for part in value]
    if isinstance(value, Set):
        return sorted(map(str, value))
    to_dict = getattr(value, "to_dict", None)
    if to_dict is None:
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    converted: JsonDict = to_dict()
    return converted
