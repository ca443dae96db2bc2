"""An entry as it should read: in its own style, with what the record says in place of what differs."""

import re
from collections.abc import Sequence

from workbench.bibliography.csl import entry_of_record, record_of_entry
from workbench.records.bibliography import Author, EntryField, ReferenceCheck
from workbench.records.text import JsonDict, Span

_INITIALS = re.compile(r"\b(?:[A-Z]\.?[\s-]?){1,4}(?=\W|\Z)")
_ET_AL = re.compile(r"[,;]?\s*(?:et al\.?|and others|等人?|u\.\s?a\.)\s*\.?\Z", re.IGNORECASE)
_LAST_JOINT = re.compile(r"\s*,?\s+(?:and|&|und|et|y)\s+", re.IGNORECASE)
_CORRECTED: tuple[EntryField, ...] = (
    "title", "authors", "year", "venue", "volume", "issue", "pages", "doi", "arxiv", "pmid",
)  # fmt: skip


def corrected_text(check: ReferenceCheck) -> str | None:
    """The entry with each differing field as the record has it, in the entry's own style.

    None where nothing can be corrected: no record of the work, or nothing that differs stands in
    the entry's text. A DOI that the work does not have is taken out.
    """
    if check.record is None or check.status not in ("differs", "other_work"):
        return None
    registered = entry_of_record(check.record)
    spans = dict(check.entry.spans)
    differing = {comparison.field for comparison in check.fields if comparison.agrees is False}
    replacements: list[tuple[Span, str]] = []
    for field in _CORRECTED:
        span = spans.get(field)
        if field not in differing or span is None:
            continue
        if field == "authors":
            words = _authors_like(
                span.of(check.text), check.entry.authors, registered.authors,
                complete=check.entry.authors_complete,
            )  # fmt: skip
        else:
            value = getattr(registered, field)
            words = "" if value is None else str(value)
        if words or field in ("doi", "arxiv", "pmid"):
            replacements.append((span, words))
    if not replacements:
        return None
    text = check.text
    for span, words in sorted(replacements, key=lambda pair: -pair[0].start):
        before, after = text[: span.start], text[span.end :]
        if not words:
            # nothing takes an identifier's place: its address and its name go with it
            before = re.sub(
                r"(?:https?://(?:dx\.)?doi\.org/|doi\s*[:：]?\s*|arxiv\s*:?\s*|pmid\s*:?\s*)\Z",
                "", before, flags=re.IGNORECASE,
            ).rstrip(" ,;")  # fmt: skip
        text = before + words + after
    return text if text != check.text else None


def corrected_record(check: ReferenceCheck) -> JsonDict:
    """The work as a CSL-JSON item: the record where it was found, else what the entry says.

    The item's `note` says where the record comes from, or that nobody confirmed the entry.
    """
    key = check.label or ""
    if check.record is not None and check.status in ("matches", "differs", "other_work"):
        record = {name: value for name, value in check.record.items() if name != "custom"}
        return {**record, "id": key or record.get("id", "")}
    record = dict(record_of_entry(check.entry, key))
    return {**record, "note": f"Not confirmed: {check.why}".strip()}


def _authors_like(
    written: str, listed: Sequence[Author], registered: Sequence[Author], *, complete: bool
) -> str:
    """The record's authors as the entry writes names."""
    if not registered:
        return ""
    shown = list(registered) if complete else list(registered[: max(1, len(listed))])
    ending = _ET_AL.search(written)
    body = written[: ending.start()] if ending else written
    first = listed[0] if listed else Author(family=body)
    inverted = not first.given or body.lstrip().startswith(first.family)
    comma = inverted and f"{first.family}," in body
    initials = (
        bool(first.given) and _INITIALS.fullmatch(first.given.strip() + " ".strip()) is not None
    )
    dotted = "." in first.given
    names = [_name(author, inverted, comma, initials, dotted) for author in shown]
    separator = "; " if ";" in body else "、" if "、" in body else ", "
    if re.search("[\u4e00-\u9fff]", body) and "，" in body:
        separator = "，"
    joint = _LAST_JOINT.search(body)
    if len(names) > 1 and joint and complete:
        joined = separator.join(names[:-1]) + joint[0] + names[-1]
    else:
        joined = separator.join(names)
    tail = written[ending.start() :] if ending and len(shown) < len(registered) else ""
    return joined + tail


def _name(author: Author, inverted: bool, comma: bool, initials: bool, dotted: bool) -> str:
    given = author.given
    if not given:
        return author.family
    if initials:
        letters = [part[0] for part in re.split(r"[\s.\-]+", given) if part]
        given = " ".join(f"{letter}." for letter in letters) if dotted else "".join(letters)
    if not inverted:
        return f"{given} {author.family}"
    return f"{author.family}, {given}" if comma else f"{author.family} {given}"
