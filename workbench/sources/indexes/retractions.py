"""What services say of retractions, and texts about a work that have its title."""

import re

from workbench.records.bibliography import RetractionKind, RetractionNotice
from workbench.records.text import Json, JsonDict
from workbench.sources.indexes.json_fields import as_object, as_objects, as_text

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
