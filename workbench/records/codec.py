"""Records as published JSON and back: each field is declared once, with what becomes of it there."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import MISSING, fields
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Final, Literal, Self, Union, cast, get_args, get_origin, get_type_hints

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
        for name, key, how in published_fields(record):
            value = getattr(self, name)
            if type(value) not in _PLAIN:
                value = to_json(value)
            if how == "inline" and isinstance(value, dict):
                out.update(value)
            elif value or how != "if given":
                out[key] = value
        return out

    @classmethod
    def from_dict(cls, raw: Json, **given: object) -> Self:
        """Return the record of its published JSON; other keys are ignored.

        What is missing or null takes the field's default, else null or an empty list where the
        field may be that. The fields in `given` are not read from the JSON.

        Raises:
            KeyError: A field is missing.
            TypeError: It is no object, or a field is of another type.
            ValueError: A field has another value than those it may have.
        """
        raw = as_object(raw)
        record: type = cls
        values = dict(given)
        for name, key, inline, read, missing in _readable(record):
            if name in given:
                continue
            if inline:
                values[name] = read(raw)
            elif (value := raw.get(key)) is not None:
                values[name] = read(value)
            elif missing == ():
                raise KeyError(key) if key not in raw else TypeError(f"{key!r} is null")
            elif missing is not None:
                values[name] = missing[0]
        return cls(**values)


def as_object(value: Json) -> Mapping[str, Json]:
    """Return a JSON object as it is.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"expected a JSON object, got {type(value).__name__}")
    return value


def as_list(value: Json) -> Sequence[Json]:
    """Return a JSON list as it is.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(value, list | tuple):
        raise TypeError(f"expected a JSON list, got {type(value).__name__}")
    return value


Reader = Callable[[Json], object]
_READERS: Final[Mapping[object, Reader]] = {
    str: str,
    int: lambda value: int(cast(int, value)),
    float: lambda value: float(cast(float, value)),
    bool: bool,
    datetime: lambda value: datetime.fromisoformat(str(value)),
}


@cache
def _readable(record: type) -> tuple[tuple[str, str, bool, Reader, tuple[object, ...] | None], ...]:
    """Name, key, whether inline, and reader of each published field, and what it is where missing.

    That is a tuple of one value, empty where it must be there, or None where the class has a default.
    """
    hints = get_type_hints(record)
    rows = []
    for field in fields(record):
        hint, how = hints[field.name], field.metadata.get(_HOW)
        if how == "hidden":
            continue
        missing: tuple[object, ...] | None = ()
        if field.default is not MISSING or field.default_factory is not MISSING:
            missing = None
        elif get_origin(hint) is tuple:
            missing = ((),)
        elif NoneType in get_args(hint):
            missing = (None,)
        rows.append(
            (
                field.name,
                field.metadata.get(_KEY, field.name),
                how == "inline",
                reader_of(hint),
                missing,
            )
        )
    return tuple(rows)


@cache
def reader_of(hint: object) -> Reader:
    """Return what turns JSON into a value of a type; types that JSON has are taken as they are."""
    origin, inside = get_origin(hint), get_args(hint)
    if (
        origin in (Union, UnionType)
        and len(rest := [part for part in inside if part is not NoneType]) == 1
    ):
        return reader_of(rest[0])
    if origin is Literal:
        return lambda value: _one_of(value, inside)
    if origin is tuple and inside[-1:] == (...,):
        read = reader_of(inside[0])
        return lambda value: tuple(map(read, as_list(value)))
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_dict
    return _READERS.get(hint, lambda value: value)


def _one_of(value: Json, choices: Sequence[object]) -> object:
    if value not in choices:
        raise ValueError(f"{value!r} is none of {', '.join(map(str, choices))}")
    return value


_PLAIN: Final = {str, int, float, bool, NoneType}
"""Types of most values, which JSON has: asking for them first halves the time."""


@cache
def published_fields(record: type) -> tuple[tuple[str, str, str], ...]:
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
    if isinstance(value, tuple | list):
        return [to_json(part) for part in value]
    to_dict = getattr(value, "to_dict", None)
    if to_dict is not None:
        converted: JsonDict = to_dict()
        return converted
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): to_json(part) for key, part in value.items()}
    if isinstance(value, Set):
        return sorted(map(str, value))
    raise TypeError(f"{type(value).__name__} has no form in JSON")
