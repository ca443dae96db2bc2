"""Read values out of JSON of an unknown shape without trusting it."""

from collections.abc import Iterator, Mapping, Sequence

from workbench.records import Json

Object = Mapping[str, Json]
_NOTHING: Object = {}


def as_object(value: Json) -> Object:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else _NOTHING


def as_items(value: Json) -> Sequence[Json]:
    """The value if it is a JSON list, else an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def objects(value: Json) -> Iterator[Object]:
    """The objects in a JSON list."""
    for one in as_items(value):
        if isinstance(one, Mapping):
            yield one


def as_text(value: Json) -> str | None:
    """The value if it is a string that is not blank."""
    return value if isinstance(value, str) and value.strip() else None


def as_number(value: Json) -> int | None:
    """The value if it is a whole number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def first(value: Object, *names: str) -> Json:
    """The first of several keys that is there: providers write `startIndex` and `start_index`."""
    for name in names:
        if value.get(name) is not None:
            return value[name]
    return None


def address(value: Json) -> str | None:
    """The value if it is a web address."""
    text = as_text(value)
    return text if text and text[:8].lower().startswith(("http://", "https://")) else None
