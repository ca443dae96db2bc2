"""Read values out of JSON of an unknown shape: the question, and the time of the answer."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime

from workbench.records.text import Json

Object = Mapping[str, Json]
_EMPTY_OBJECT: Object = {}
LONGEST_QUESTION = 2_000
"""Code points of a question that are kept."""
_QUESTION_KEYS = ("question", "prompt", "query", "user_query", "input", "instruction")
_MESSAGE_KEYS = ("messages", "conversation", "input", "prompt", "contents", "history")
_DATE_KEYS = (
    *("created_at", "createdAt", "created", "create_time", "createTime", "timestamp", "date"),
)
_ASKERS = ("user", "human")
_TEXT_PARTS = ("text", "input_text", None)
_MILLISECONDS = 100_000_000_000
"""A larger number of seconds is one of milliseconds."""
_FIRST_YEAR, _LAST_YEAR = 1970, 2200


def as_object(value: Json) -> Object:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else _EMPTY_OBJECT


def as_items(value: Json) -> Sequence[Json]:
    """The value if it is a JSON list, else an empty one."""
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def objects(value: Json) -> Iterator[Object]:
    """The objects in a JSON list."""
    for item in as_items(value):
        if isinstance(item, Mapping):
            yield item


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


def role_of(message: Object) -> str:
    """Who wrote a message, in lower case; empty where it does not say."""
    role = message.get("role") or as_object(message.get("author")).get("role")
    return role.lower() if isinstance(role, str) else ""


def asks(message: Object) -> bool:
    """Whether a message is one of the person who asks."""
    return role_of(message) in _ASKERS


def question_in(message: Object) -> str | None:
    """The words of a person's message, what tools returned in it left out; None without any."""
    content = first(message, "content", "parts")
    if isinstance(content, Mapping):
        content = content.get("parts")
    if isinstance(content, str):
        return _trim_question(content)
    words = [item for item in content if isinstance(item, str)] if isinstance(content, list) else []
    for part in objects(content):
        if part.get("type") in _TEXT_PARTS:
            words.append(as_text(part.get("text")) or "")
    return _trim_question("\n".join(word for word in words if word))


def adjacent_question(value: Object) -> str | None:
    """The question that JSON holds beside an answer: by its name, or its last message that asks."""
    for name in _QUESTION_KEYS:
        words = as_text(value.get(name))
        if words:
            return _trim_question(words)
    for name in _MESSAGE_KEYS:
        questions = [item for item in objects(value.get(name)) if asks(item)]
        for message in reversed(questions):
            words = question_in(message)
            if words:
                return words
    inner = as_object(value.get("request"))
    return adjacent_question(inner) if inner and inner is not value else None


def date_in(value: Object) -> str | None:
    """When an answer was written, in ISO 8601; None where it does not say, or in another form."""
    for name in _DATE_KEYS:
        date = _iso(value.get(name))
        if date is not None:
            return date
    return None


def _trim_question(words: str) -> str | None:
    return words.strip()[:LONGEST_QUESTION].rstrip() or None


def _iso(value: Json) -> str | None:
    """A moment in seconds or milliseconds, or an ISO 8601 date, as ISO 8601; None for others."""
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, int | float):
            seconds = value / 1000 if abs(value) > _MILLISECONDS else value
            moment = datetime.fromtimestamp(seconds, UTC)
            return moment.isoformat(timespec="seconds") if _likely(moment.year) else None
        if not isinstance(value, str):
            return None
        words = value.strip()
        if len(words) <= len("2024-05-01"):
            day = date.fromisoformat(words)
            return day.isoformat() if _likely(day.year) else None
        moment = datetime.fromisoformat(words)
        return moment.isoformat() if _likely(moment.year) else None
    except (ValueError, OverflowError, OSError):
        return None


def _likely(year: int) -> bool:
    return _FIRST_YEAR < year < _LAST_YEAR
