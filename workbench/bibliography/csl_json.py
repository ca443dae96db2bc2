"""CSL-JSON: the items of a file, one by one, so that a broken one does not cost the others."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from workbench.bibliography.csl import arxiv_of_record
from workbench.bibliography.record_list import LineNumbers, RecordList, issued
from workbench.records.registries import SkippedRecord
from workbench.records.text import Json, JsonDict, Span

_TELLING = ("title", "DOI", "author", "URL", "ISBN", "PMID")
_CSL_TYPES = frozenset(
    "article article-journal article-magazine article-newspaper bill book broadcast chapter "
    "classic collection dataset document entry entry-dictionary entry-encyclopedia event figure "
    "graphic hearing interview legal_case legislation manuscript map motion_picture musical_score "
    "pamphlet paper-conference patent performance periodical personal_communication post "
    "post-weblog regulation report review review-book software song speech standard thesis treaty "
    "webpage journal-article proceedings-article book-chapter posted-content monograph "
    "dissertation".split()
)
_NAMES = ("author", "editor", "translator", "container-author", "collection-editor")
_ITEMS = re.compile(r'"(?:items|references)"\s*:\s*\[')
_OPENING = re.compile(r"[{\[]")
_MAX_RETRIES = 2_000
"""How many braces are tried after broken ones; what comes then is told as one problem."""
_REREAD = 4
"""How often its own length, at most, a text is read in these tries."""
_ZOTERO_FIELDS = {
    "publicationTitle": "container-title",
    "proceedingsTitle": "container-title",
    "bookTitle": "container-title",
    "url": "URL",
    "pages": "page",
    "extra": "note",
    "place": "publisher-place",
}
_ZOTERO_TYPES = {
    "journalArticle": "article-journal",
    "conferencePaper": "paper-conference",
    "bookSection": "chapter",
    "preprint": "article",
    "computerProgram": "software",
    "blogPost": "post-weblog",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "case": "legal_case",
}


class _Found(NamedTuple):
    """A JSON object at its place, or a stretch that is none."""

    start: int
    end: int
    value: Mapping[str, Json] | None
    reason: str = ""


def read_csl_json(text: str) -> RecordList:
    """The items of CSL-JSON: a list, one object, `{"items": [...]}`, or one object a line.

    An item that is broken or says nothing of a work is told with its line; the others are taken.
    Zotero's own JSON (`itemType`, `creators`) is read as what it stands for.
    """
    lines = LineNumbers(text)
    records: list[JsonDict] = []
    problems: list[SkippedRecord] = []
    spans: list[Span] = []
    for item in _objects(text):
        place = lines.place(item.start)
        if item.value is None:
            problems.append(SkippedRecord(place, item.reason))
            continue
        record, reason = _item(item.value)
        if record is None or reason:
            problems.append(SkippedRecord(place, reason))
        if record is not None:
            records.append(record)
            spans.append(Span(item.start, item.end))
    return RecordList(records, problems, spans)


def is_csl_json(text: str) -> bool:
    """Whether JSON holds items of CSL or of Zotero: its first object is one by its fields.

    What a provider or a chat product returned has other fields.
    """
    first = next(_objects(text), None)
    value = first.value if first else None
    if value is None:
        return False
    data = value.get("data")
    if "itemType" in value or (isinstance(data, Mapping) and "itemType" in data):
        return True
    kind = value.get("type")
    named = any(name in value for name in ("title", "DOI", "issued", "container-title"))
    return isinstance(kind, str) and kind in _CSL_TYPES and named


def to_csl_json(records: list[JsonDict]) -> str:
    """The items as CSL-JSON that every reference manager reads, in their order."""
    return json.dumps(records, ensure_ascii=False, indent=2) + "\n"


def _objects(text: str) -> Iterator[_Found]:
    """Every item of the outermost list, or every object where there is no list."""
    opening = _OPENING.search(text)
    if opening is None:
        return
    place = opening.start()
    if text[place] == "{":
        listed = _ITEMS.search(text, place, place + 100_000)
        if listed and not _is_item_before(text, place, listed.start()):
            place = listed.end()
    else:
        place += 1
    tries = _Tries(text)
    recovered = False
    while True:
        start = text.find("{", place)
        if start < 0:
            return
        skipped = text[place:start].strip(" \t\r\n,\ufeff")
        if skipped.strip("[]}") and not recovered:
            yield _Found(place, start, None, f"This is no item: {_shortened(skipped)}")
        value, place = tries.decode(start)
        recovered = place < 0
        if not recovered:
            yield _Found(start, place, value)
            continue
        reason = f"This item is no valid JSON and left out: {tries.reason}."
        resumed = _next_item(text, start + 1, tries)
        if tries.spent:
            reason += " So is the rest of the file, in which too much is broken."
        yield _Found(start, start + 1, None, reason)
        if resumed < 0:
            return
        place = resumed


class _Tries:
    """Objects of a text decoded one by one; what broken ones cost is limited."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._failures = 0
        self._reread = 0
        self.reason = ""
        """Why the last object is none."""

    @property
    def spent(self) -> bool:
        """Whether no more objects are tried."""
        return self._failures >= _MAX_RETRIES or self._reread > _REREAD * len(self._text)

    def decode(self, place: int) -> tuple[dict[str, Json] | None, int]:
        """The object that begins at a place and where it ends; -1 where there is none."""
        try:
            return self._decoder.raw_decode(self._text, place)
        except json.JSONDecodeError as error:
            self.reason = error.msg
            self._reread += error.pos - place
        except (ValueError, RecursionError):  # nobody says how far it was read
            self.reason = "it is nested too deeply"
            self._reread += len(self._text) - place
        self._failures += 1
        return None, -1


def _next_item(text: str, place: int, tries: _Tries) -> int:
    """Where the next object stands that can be an item; -1 without one."""
    while not tries.spent and (place := text.find("{", place)) >= 0:
        value, end = tries.decode(place)
        if value is None:
            place += 1
        elif "title" in value or "DOI" in value or "type" in value:
            return place
        else:
            place = end
    return -1


def _is_item_before(text: str, start: int, end: int) -> bool:
    """Whether the object that opens at `start` is an item itself and its `items` a field of it."""
    return '"title"' in text[start:end] or '"itemType"' in text[start:end]


def _item(value: Mapping[str, Json]) -> tuple[JsonDict | None, str]:
    """The item in the forms that CSL names, and what of it was left out."""
    data = value.get("data")
    if isinstance(data, Mapping) and "itemType" in data:
        value = data
    item = _of_zotero(value) if "itemType" in value else dict(value)
    reason = ""
    for name in _NAMES:
        people = item.get(name)
        if people is None:
            continue
        if not isinstance(people, Sequence) or isinstance(people, str):
            item.pop(name)
            reason = f"Its {name} is no list of names and is left out."
    if not any(item.get(name) for name in _TELLING):
        return None, "This item has no title, author, identifier or address."
    for name in ("title", "container-title"):
        texts = item.get(name)
        if isinstance(texts, Sequence) and not isinstance(texts, str):
            item[name] = next((text for text in texts if isinstance(text, str)), "")
    key = item.get("id", item.get("citation-key", ""))
    item["id"] = key if isinstance(key, str) else str(key)
    if "custom" not in item and (arxiv := arxiv_of_record(item)):
        item["custom"] = {"arxiv": arxiv}
    return item, reason


def _of_zotero(value: Mapping[str, Json]) -> JsonDict:
    """An item of CSL out of one of Zotero's own."""
    kind = str(value.get("itemType", ""))
    item: JsonDict = {
        "id": value.get("citationKey") or value.get("citekey") or value.get("key") or "",
        "type": _ZOTERO_TYPES.get(kind, kind),
    }
    creators = value.get("creators")
    people = creators if isinstance(creators, Sequence) and not isinstance(creators, str) else ()
    names: list[Json] = []
    for person in people:
        if not isinstance(person, Mapping) or person.get("creatorType", "author") != "author":
            continue
        if person.get("name"):
            names.append({"literal": person["name"]})
        else:
            names.append({"family": person.get("lastName"), "given": person.get("firstName")})
    if names:
        item["author"] = names
    date = issued(str(value.get("date") or ""))
    if date:
        item["issued"] = date
    for name in ("title", "volume", "issue", "publisher", "DOI", "ISBN", "ISSN", "language"):
        if value.get(name):
            item[name] = value[name]
    for name, csl_name in _ZOTERO_FIELDS.items():
        if value.get(name):
            item[csl_name] = value[name]
    return item


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:59] + "…"
