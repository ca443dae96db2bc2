"""What services answer as JSON, taken apart without trusting its shape."""

import html
import json
import re
import unicodedata
from collections.abc import Mapping

from workbench.records.text import Json, JsonDict, replace_surrogates
from workbench.sources.indexes.client import UnexpectedAnswer

_MATH_SOURCE = re.compile(
    r"<(?:mml:)?annotation\b.{0,2000}?</(?:mml:)?annotation>|<(?:jats:)?tex-math\b.{0,2000}?</(?:jats:)?tex-math>",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(
    r"</?[A-Za-z][A-Za-z0-9:-]{0,30}(?:\s[^<>]{0,300})?/?>|<!--.{0,300}?-->", re.DOTALL
)
_YEAR = re.compile(r"\b(1[4-9]\d\d|20\d\d)\b")


def read_json(body: bytes) -> JsonDict:
    """The object that a service answered.

    Raises:
        UnexpectedAnswer: It is a web page, breaks off, or is not a JSON object.
    """
    if body.lstrip()[:1] == b"<":
        raise UnexpectedAnswer("answered with a web page and not with its records")
    try:
        answer: Json = json.loads(body)
    except (ValueError, RecursionError):
        raise UnexpectedAnswer("broke off its answer, or sent no JSON") from None
    if not isinstance(answer, dict):
        raise UnexpectedAnswer("answered in an unknown form")
    if answer.get("error") or answer.get("errors"):
        raise UnexpectedAnswer("answered that it failed")
    return answer


def read_list(value: Json, count: Json, of_what: str) -> list[JsonDict]:
    """The objects of an answer's list, of which the answer gives the number.

    Raises:
        UnexpectedAnswer: There is no list, it holds something else, or the number says that there
            are some and the list is empty.
    """
    if not isinstance(value, list):
        raise UnexpectedAnswer(f"answered without a list of {of_what}")
    objects = as_objects(value)
    if len(objects) < len(value) or (not objects and as_text(count) not in ("", "0")):
        raise UnexpectedAnswer(f"broke off its list of {of_what}")
    return objects


def as_object(value: Json) -> JsonDict:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_objects(value: Json) -> list[JsonDict]:
    """The objects of a list; a single object counts as a list of one."""
    if isinstance(value, dict):
        return [value]
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """A text or number as plain text on one line; the first one of a list; else empty."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, int) and not isinstance(item, bool):
            return str(item)
        elif isinstance(item, str) and (text := plain_text(item)):
            return text
    return ""


def as_texts(value: Json) -> list[str]:
    """The texts of a list, or a single one, without empty ones."""
    values = value if isinstance(value, list) else [value]
    return [text for item in values if (text := as_text(item))]


def as_year(value: Json) -> int | None:
    """The year of a number or of a date as text."""
    match = _YEAR.search(as_text(value))
    return int(match[1]) if match else None


def plain_text(text: str) -> str:
    """A text without markup, entities, line breaks and control characters.

    >>> plain_text("Uptake of CO<sub>2</sub> &amp;amp; H<i>e</i>")
    'Uptake of CO2 & He'
    """
    text = html.unescape(replace_surrogates(text))
    text = _TAG.sub("", _MATH_SOURCE.sub("", text))
    text = html.unescape(text)
    spaced = "".join(" " if char.isspace() else char for char in text)
    kept = (char for char in spaced if unicodedata.category(char) not in ("Cc", "Cf", "Co", "Cn"))
    return " ".join("".join(kept).split())


def build_record(
    index: str, fields: Mapping[str, Json], custom: Mapping[str, Json] | None = None
) -> JsonDict:
    """A CSL-JSON item of the fields that hold something, with the index's name under `custom`."""
    record: JsonDict = {
        name: value for name, value in fields.items() if value not in (None, "", [])
    }
    extra: JsonDict = {
        name: value for name, value in (custom or {}).items() if value not in (None, "", [], {})
    }
    return {**record, "custom": {"index": index, **extra}}


def issued(*parts: int | None) -> JsonDict | None:
    """A CSL date of a year, a month and a day, as far as they are known."""
    known: list[Json] = []
    for part in parts:
        if not part:
            break
        known.append(part)
    return {"date-parts": [known]} if known else None


def issued_on(date: str) -> JsonDict | None:
    """A CSL date of an ISO 8601 date; None where it starts with no year."""
    match = re.match(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?", date)
    return issued(*(int(part) for part in match.groups() if part)) if match else None


def join_subtitle(title: str, subtitle: str) -> str:
    """The whole title; the subtitle is left out where the title already has it.

    >>> join_subtitle("Rain", "A history")
    'Rain: A history'
    """
    if not subtitle or subtitle.casefold() in title.casefold():
        return title
    if not title:
        return subtitle
    return f"{title} {subtitle}" if title[-1] in ":?!." else f"{title}: {subtitle}"
