"""What services answer, taken apart without trusting its shape: fields, names, retractions."""

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping

from workbench.records.bibliography import RetractionKind, RetractionNotice
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


def load_json(body: bytes) -> Json:
    """What a service answered; raises `UnexpectedAnswer` for a web page, and where it breaks off."""
    if body.lstrip()[:1] == b"<":
        raise UnexpectedAnswer("answered with a web page and not with its records")
    try:
        answer: Json = json.loads(body)
    except (ValueError, RecursionError):
        raise UnexpectedAnswer("broke off its answer, or sent no JSON") from None
    return answer


def read_json(body: bytes) -> JsonDict:
    """The object that a service answered; raises `UnexpectedAnswer` where it is none."""
    answer = load_json(body)
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


def value_at(value: Json, path: str) -> Json:
    """What stands in an object at the names of a path, with dots between them; None for nothing."""
    for name in path.split(".") if path else ():
        value = as_object(value).get(name)
    return value


def texts_at(value: Json, fields: str) -> JsonDict:
    """Text fields as they are declared: `name`, or `name=path` where the service has another place.

    >>> texts_at({"biblio": {"volume": 12}, "issue": "3"}, "volume=biblio.volume issue")
    {'volume': '12', 'issue': '3'}
    """
    pairs = (field.partition("=") for field in fields.split())
    return {name: as_text(value_at(value, path or name)) for name, _, path in pairs}


def as_year(value: Json) -> int | None:
    """The year of a number or of a date as text."""
    match = _YEAR.search(as_text(value))
    return int(match[1]) if match else None


def known_years(*years: int | None) -> list[Json]:
    """The years that are known, once each and in order."""
    return [*sorted({year for year in years if year})]


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


# -- names ---------------------------------------------------------------------------------------

_BODY = re.compile(
    r"\b(?:collaborations?|consortium|team|group|network|committee|society|association|institutes?"
    r"|university|universität|université|department|ministry|agency|organi[sz]ation|council|office"
    r"|foundation|initiative|project|investigators|centers?|centre|commission|bureau|authority"
    r"|union|corporation|inc|gmbh|ltd|llc|contributors|developers|authors|members|openai|deepmind)\b",
    re.IGNORECASE,
)
_PARTICLES = frozenset({
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "du", "des", "la",
    "le", "el", "al", "bin", "ibn", "ben", "ter", "ten", "te", "zu", "zur", "af", "av", "do", "'t",
    "st", "st.",
})  # fmt: skip
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv|2nd|3rd|4th)\.?", re.IGNORECASE)
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·]+")
_INITIALS = re.compile(r"[A-ZÀ-ÞĀ-Ž]{1,4}")


def person_or_body(name: str) -> JsonDict:
    """A CSL author of a full name: `Given Family`, `Family, Given`, or a body.

    >>> person_or_body("Ludwig van der Berg")
    {'family': 'van der Berg', 'given': 'Ludwig'}
    >>> person_or_body("Survey of Tides Consortium")
    {'literal': 'Survey of Tides Consortium'}
    """
    name = " ".join(name.split())
    if _BODY.search(name) or _WIDE.fullmatch(name.replace(" ", "")):
        return {"literal": name}
    if "," in name:
        family, _, given = name.partition(",")
        return person(family, given)
    words = name.split()
    suffix = f" {words.pop()}" if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    start = len(words) - 1
    while start > 1 and words[start - 1].lower() in _PARTICLES:
        start -= 1
    return person(" ".join(words[start:]) + suffix, " ".join(words[:start]))


def people(names: Iterable[str]) -> list[Json]:
    """CSL authors of full names, empty ones left out."""
    return [person_or_body(name) for name in names if name]


def family_with_initials(name: str) -> JsonDict:
    """A CSL author of a name as PubMed writes it: `van der Berg LJ`.

    >>> family_with_initials("van der Berg LJ")
    {'family': 'van der Berg', 'given': 'LJ'}
    """
    words = name.split()
    suffix = f" {words.pop()}" if len(words) > 2 and _SUFFIX.fullmatch(words[-1]) else ""
    if len(words) > 1 and _INITIALS.fullmatch(words[-1]):
        return person(" ".join(words[:-1]), words[-1] + suffix)
    return {"literal": name} if _BODY.search(name) else person(name, "")


def person(family: str, given: str) -> JsonDict:
    """A CSL author; a name alone is the family name."""
    family, given = " ".join(family.split()), " ".join(given.split())
    if not family:
        return {"family": given}
    return {"family": family, "given": given} if given else {"family": family}


# -- retractions ---------------------------------------------------------------------------------

KINDS: dict[str, RetractionKind] = {
    "retraction": "retracted",
    "withdrawal": "retracted",
    "removal": "retracted",
    "expression_of_concern": "concern",
    "correction": "corrected",
    "corrigendum": "corrected",
    "erratum": "corrected",
    "partial_retraction": "corrected",
}
"""Crossref's types of updates; an addendum or a new version leaves the work as it is."""
_SEVERITY = ("corrected", "concern", "retracted")
_MARKED_TITLE = re.compile(
    r"^\s*[\[(]?\s*(?:retracted|withdrawn|removed)(?:\s+(?:article|paper|chapter|manuscript))?"
    r"\s*[\])]?\s*[:.–—-]\s*|\s*[\[(]\s*(?:retracted|withdrawn)(?:\s+article)?\s*[\])]\s*\.?$",
    re.IGNORECASE,
)
_ABOUT = (
    (
        "notice",
        r"(?:(?:statement|notice) of )?(?:retraction|withdrawal|removal)(?: (?:notice|note))?"
        r"(?: (?:to|of|for)\b|\s*[:.–—-]|$)|(?:editorial )?expression of concern\b",
    ),
    (
        "correction",
        r"(?:author |publisher |authors' )?(?:corrections?|corrigend(?:um|a)|errat(?:um|a))"
        r"(?: (?:to|for)\b|\s*[:.–—-]|$)",
    ),
    ("review", r"book reviews?\b|reviews? of (?:the )?(?:book|books)\b|reviewed work"),
    ("comment", r"(?:comments?|commentary) on\b|(?:repl(?:y|ies)|responses?) to\b"),
)


def retraction(
    kind: RetractionKind, source: str, *, date: str | None = None, notice: str | None = None
) -> JsonDict:
    """A retraction as records hold it under `custom`."""
    return RetractionNotice(kind=kind, date=date, notice=notice, source=source).to_dict()


def gravest(retractions: list[JsonDict]) -> JsonDict | None:
    """A retraction before a concern before a correction; with a notice before one without."""

    def weight(fact: JsonDict) -> tuple[int, bool]:
        kind = as_text(fact.get("kind"))
        return (_SEVERITY.index(kind) if kind in _SEVERITY else -1, bool(fact.get("notice")))

    return max(retractions, key=weight, default=None)


def updates(value: Json, source: str) -> list[JsonDict]:
    """What Crossref's `updated-by` says of a work, each with the DOI of its notice."""
    facts: list[JsonDict] = []
    for update in as_objects(value):
        kind = KINDS.get(as_text(update.get("type")).lower().replace("-", "_").replace(" ", "_"))
        if kind is not None:
            date = update_date(update)
            facts.append(retraction(kind, source, date=date, notice=as_text(update.get("DOI"))))
    return facts


def update_date(update: JsonDict) -> str | None:
    """The ISO 8601 date of an update, as far as it is known."""
    updated = as_object(update.get("updated"))
    day = as_text(updated.get("date-time"))[:10]
    if re.fullmatch(r"\d{4}-\d\d-\d\d", day):
        return day
    parts = updated.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    if not isinstance(first, list) or not all(isinstance(part, int) for part in first):
        return None
    return "-".join(f"{part:02d}" for part in first if isinstance(part, int)) or None


def without_mark(title: str) -> tuple[str, bool]:
    """A title without its mark as a retracted one, and whether it had one.

    >>> without_mark("RETRACTED ARTICLE: Tides of the Moon")
    ('Tides of the Moon', True)
    """
    plain = _MARKED_TITLE.sub("", title).strip()
    return (plain, True) if plain and plain != title.strip() else (title, False)


def about_another_work(title: str) -> str | None:
    """What kind of text about another work has such a title; None for a work of its own.

    >>> about_another_work("Correction to: Tides of the Moon")
    'correction'
    >>> about_another_work("Corrections of the tides")
    """
    for kind, pattern in _ABOUT:
        if re.match(pattern, title.strip(), re.IGNORECASE):
            return kind
    return None
