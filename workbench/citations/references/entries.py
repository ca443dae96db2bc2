"""Read the entries of a reference list: how one begins, and what it says of its source.

An entry begins with `[1]`, `1.`, `[^1]:`, `[Smith2019]` or stands in a table row; it says an
address, a title, authors, a year and a DOI.
"""

import re
from typing import Literal, NamedTuple

from workbench.citations.layout import Line
from workbench.citations.lexicon import YEAR
from workbench.citations.marks.addresses import PROVENANCE, TextLink, provenance_target
from workbench.citations.marks.legal import find_legal
from workbench.citations.marks.numbered import plain_number
from workbench.citations.references.entry.parse import ParsedEntry, read_words, written_name
from workbench.citations.references.entry.plain import (
    LABEL,
    LINK_ORDINAL,
    ORDINAL,
    REPEATED,
    WORD_LABEL,
)
from workbench.records.citation import Target

EntryStyle = Literal["square", "footnote", "key", "ordinal", "plain"]

_ANY_YEAR = re.compile(YEAR)
_FIRST_SIGNS = frozenset("[【［〔⁰¹²³⁴⁵⁶⁷⁸⁹<*\\_")
_PIECE = re.compile(r"(?:(?<=[\s;；,，。.])|\A)\[\d{1,3}\]\s?[:：]?\s?(?=[^\s\[\]])")
SOURCE_LIKE = re.compile(
    r"https?://|www\.|\]\(http|10\.\d{4}|arxiv|PMID|PMC\d"
    rf"|{YEAR}|《|\[[A-Z](?:/OL)?\]|doi|et al|\bn\. ?d\.|\(no date|\b(?:file|git|memory):|\d U\.S\.|ISBN",
    re.IGNORECASE,
)
"""What shows that a line names a source: an address, an identifier or at least a year."""
ADDRESS = re.compile(
    r"https?://|www\.|\]\(http|10\.\d{4,9}/|arxiv\s?:|PMID|PMC\d|\b(?:file|git|memory):",
    re.IGNORECASE,
)


class EntryStart(NamedTuple):
    """An entry by its label: it spans `start:end`, its words begin at `body`."""

    start: int
    body: int
    end: int
    label: str | None
    style: EntryStyle


def begin_entry(text: str, line: Line, headed: bool) -> EntryStart | None:
    """The entry that begins with a line; None when none does.

    Args:
        text: The text.
        line: One of its lines.
        headed: Whether the line stands under the heading of a reference list, where list numbers
            and lines without any label are entries too.
    """
    if line.kind == "heading" and line.level < 7:
        return None
    start = line.start
    while text[start].isspace():
        start += 1
    label = LABEL.match(text, line.start, line.end)
    if label and label.end() < line.end:
        return _labelled(text, label, start, line.end)
    if not headed:
        return None
    for pattern in (ORDINAL, LINK_ORDINAL, WORD_LABEL):
        ordinal = pattern.match(text, line.start, line.end)
        if ordinal is None or ordinal.end() >= line.end:
            continue
        body = start if pattern is LINK_ORDINAL else ordinal.end()
        inner = LABEL.match(text, body, line.end)
        if inner and inner.end() < line.end and inner["square"]:
            return _labelled(text, inner, start, line.end)
        return EntryStart(start, body, line.end, plain_number(ordinal["ordinal"]), "ordinal")
    if line.kind == "table":
        return _row(text, line)
    return EntryStart(start, max(line.body, start), line.end, None, "plain")


def heads_entry(text: str, start: EntryStart) -> bool:
    """Whether a line without a label begins an entry: authors, a title and a year stand in it."""
    if (
        not text[start.body : start.body + 1].isalpha()
        or _ANY_YEAR.search(text, start.body, start.end) is None
    ):
        return False
    parsed = read_words(text, start.body, start.end, [], brief=True)
    return bool(parsed.entry.title and parsed.entry.authors and parsed.entry.year) and parsed.sure


def is_complete(text: str, entry: EntryStart) -> bool:
    """Whether an entry says when and where its work appeared, or its address."""
    parsed = read_words(text, entry.body, entry.end, []).entry
    return bool(parsed.doi or parsed.url or parsed.arxiv or (parsed.year and parsed.venue))


def may_begin(text: str, line: Line) -> bool:
    """Whether a line's first sign can be that of a label; a quick look."""
    return line.body < line.end and text[line.body] in _FIRST_SIGNS


def split_inline(text: str, start: int, end: int) -> list[EntryStart]:
    """Entries that stand in one line: `[1] https://… [2] https://…`; none when it holds no list."""
    starts = [start + match.start() for match in _PIECE.finditer(text[start:end])]
    if not starts or text[start : starts[0]].strip():
        return []
    entries = []
    for first, stop in zip(starts, [*starts[1:], end], strict=True):
        label = LABEL.match(text, first, stop)
        if label is None:
            return []
        entries.append(_labelled(text, label, first, stop))
    return (
        entries if any(SOURCE_LIKE.search(text, entry.body, entry.end) for entry in entries) else []
    )


def _labelled(text: str, label: re.Match[str], start: int, stop: int) -> EntryStart:
    """The entry that a label begins, its end without white space and closing punctuation."""
    end = start + len(text[start:stop].rstrip(" \t;；,，"))
    body = min(label.end(), end)
    if label["foot"] is not None:
        name = label["foot"]
        identifier = plain_number(name) if name.isdigit() else name
        return EntryStart(start, body, end, identifier, "footnote")
    for group in ("square", "raised", "sup"):
        if label[group] is not None:
            return EntryStart(start, body, end, plain_number(label[group]), "square")
    if label["linked"] is not None:
        number = plain_number(label["linked"])
        return EntryStart(start, label.start("linked") - 1, end, number, "square")
    return EntryStart(start, body, end, (label["key"] or label["code"]).removeprefix("@"), "key")


def _row(text: str, line: Line) -> EntryStart | None:
    """A table row that names a source; its first cell is the label when it holds one alone."""
    if not SOURCE_LIKE.search(text, line.body, line.end):
        return None
    start = line.body
    while start < line.end and text[start] in "| \t":
        start += 1
    end = line.end
    while end > start and text[end - 1] in "| \t":
        end -= 1
    stop = text.find("|", start, end)
    label = text[start:stop].strip(" []【】*\\^") if stop > 0 else ""
    if not (label.isdigit() and len(label) <= 3):
        return EntryStart(start, start, end, None, "plain")
    body = stop
    while body < end and text[body] in "| \t":
        body += 1
    return EntryStart(start, body, end, plain_number(label), "square")


class EntryDetails(NamedTuple):
    """What an entry says, before it becomes a `Reference`."""

    target: Target | None
    title: str | None
    authors: tuple[str, ...]
    year: int | None
    letter: str
    doi: str | None
    lead: str
    """The words before title and year: where an author's name is looked for."""
    head: str = ""
    """Its authors as written; those of the entry before where a dash stands for them."""
    repeats: str = ""
    """The authors that a dash at its head stands for; empty without one."""


def read_entry(
    text: str, start: int, end: int, links: list[TextLink], authors: str = ""
) -> EntryDetails:
    """What the entry whose words are `text[start:end]` (label aside) says of its source.

    Args:
        text: The text.
        start: Where the entry's words begin.
        end: Where they end.
        links: The Markdown links and HTML anchors in it.
        authors: The authors of the entry before, as written, for which a dash may stand.
    """
    parsed = read_words(text, start, end, links, brief=True, before=authors)
    entry = parsed.entry
    return EntryDetails(
        target=_target(text[start:end], parsed),
        title=entry.title,
        authors=tuple(written_name(author, parsed.head) for author in entry.authors),
        year=entry.year,
        letter=parsed.letter,
        doi=entry.doi,
        lead=parsed.lead,
        head=parsed.head,
        repeats=authors if REPEATED.match(text, start, end) else "",
    )


def _target(words: str, parsed: ParsedEntry) -> Target | None:
    """The web address as written; else DOI, arXiv, PubMed, provenance."""
    entry = parsed.entry
    if parsed.address:
        return Target(form="url", value=parsed.address)
    if entry.doi:
        return Target(form="doi", value=entry.doi)
    if entry.arxiv:
        return Target(form="arxiv", value=entry.arxiv)
    if entry.pmid:
        return Target(form="pmid", value=entry.pmid)
    match = PROVENANCE.search(words)
    if match:
        return provenance_target(match)
    if parsed.case:
        return Target(form="case", value=parsed.case)
    cases = find_legal(words) if " v. " in words else []
    return cases[0].target if cases else None
