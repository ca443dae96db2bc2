"""Read the entries of a reference list: how one begins, and what it says of its source.

An entry begins with `[1]`, `1.`, `[^1]:`, `[Smith2019]` or stands in a table row; it says an
address, a title, authors, a year and a DOI.
"""

import re
from typing import Literal, NamedTuple

from workbench.citations.layout.lines import Line
from workbench.citations.lexicon import CJK, YEAR
from workbench.citations.marks.addresses import (
    ARXIV,
    DOI,
    PMID,
    PROVENANCE,
    URL,
    WWW,
    TextLink,
    is_web,
    provenance_target,
    pubmed_id,
    trimmed_length,
    url_end,
)
from workbench.citations.marks.author_names import (
    MARKUP,
    QUOTED,
    TYPE_CODE,
    YEAR_PAREN,
    read_authors,
)
from workbench.citations.marks.legal import find_legal
from workbench.citations.marks.numbered import plain_number
from workbench.records import Target

EntryStyle = Literal["square", "footnote", "key", "ordinal", "plain"]

_BULLET = r"(?:[-*+•·▪◦‣–—●○■▶►➤][ \t]{1,4})"
_INDENT = r"[ \t\u3000>]{0,12}"
_START = re.compile(
    rf"{_INDENT}{_BULLET}?(?:\*\*|__)?"
    r"(?:\\?\[\^(?P<foot>[^\]\s]{1,40})\]:?"
    r"|\\?[\[【［〔](?P<square>\d{1,3}|[０-９]{1,3})(?:†[^\]】\n]{0,40})?\\?[\]】］〕](?!\(\s?(?:<|https?:|www\.|[#/.]))"
    r"|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})|<sup>\s?\[?(?P<sup>\d{1,3})\]?\s?</sup>"
    r"|\[(?:\[|\\\[)?(?P<linked>\d{1,3})(?:\]|\\\])?\](?=\()"
    r"|\[(?P<key>@?[A-Za-z][\w:+./-]{0,40})\](?![(\[]))"
    r"(?:\*\*|__)?\s{0,3}[:：.]?\s{0,4}"
)
_ORDINAL = re.compile(
    rf"{_INDENT}{_BULLET}?(?:\*\*)?[(（]?(?P<ordinal>\d{{1,3}})"
    r"(?:[.)、．）:：](?!\d)|(?=\s{1,3}\S))(?:\*\*)?[ \t]{0,4}"
)
_LINK_ORDINAL = re.compile(rf"{_INDENT}{_BULLET}?\[(?P<ordinal>\d{{1,3}})[.)、:]\s")
_WORD_LABEL = re.compile(
    rf"{_INDENT}{_BULLET}?(?:\*\*)?(?:source|ref(?:erence)?|citation|来源|文献|资料)\.?\s?#?"
    r"(?P<ordinal>\d{1,3})(?:\*\*)?\s?[:：.)](?:\*\*)?\s{0,3}",
    re.IGNORECASE,
)
_FIRST_SIGNS = frozenset("[【［〔⁰¹²³⁴⁵⁶⁷⁸⁹<*\\_")
_PIECE = re.compile(r"(?:(?<=[\s;；,，。.])|\A)\[\d{1,3}\]\s?[:：]?\s?(?=[^\s\[\]])")
SOURCE_LIKE = re.compile(
    r"https?://|www\.|\]\(http|10\.\d{4}|arxiv|PMID|PMC\d"
    rf"|{YEAR}|《|\[[A-Z](?:/OL)?\]|doi|et al|\b(?:file|git|memory):|\d U\.S\.|ISBN",
    re.IGNORECASE,
)
"""What shows that a line names a source: an address, an identifier or at least a year."""
ADDRESS = re.compile(
    r"https?://|www\.|\]\(http|10\.\d{4,9}/|arxiv\s?:|PMID|PMC\d|\b(?:file|git|memory):",
    re.IGNORECASE,
)
_YEAR = re.compile(rf"(?<![\d/.\-–])({YEAR})([a-z])?(?![\d/])(?!-\d)")
_LEADING = re.compile(r"\A\s{0,3}(?:[-–—|:：,，.。·•]\s{0,3}){1,3}|\A\s+")
_TRAILING = re.compile(
    r"(?:[\s\-–—|:：,，;；(（\[<]|URL[:：]?|https?|doi[:：]?|(?:Available|Retrieved|Accessed)"
    r"(?: at| from| online| on)?[:：]?|Link[:：]|链接[:：]?|网址[:：]?|来自)+\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_WIDE = re.compile(f"[{CJK}]")
_SENTENCE_END = re.compile(r"(?<=[^.\sA-Z][.?!])\s+|[。？！]")
_IDENTIFIER = re.compile(
    rf"(?:(?:{ARXIV.pattern})|(?:{PMID.pattern})|(?:{PROVENANCE.pattern})"
    r"|(?:doi)?[:：]?\s?10\.\S+)[.\s]*",
    re.IGNORECASE,
)
"""An entry that is an identifier alone has no title."""
_EMPTY_LABELS = frozenset(
    ["", "link", "source", "url", "pdf", "here", "web", "doi", "html", "链接", "原文", "来源"]
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
    label = _START.match(text, line.start, line.end)
    if label and label.end() < line.end:
        return _labelled(text, label, start, line.end)
    if not headed:
        return None
    for pattern in (_ORDINAL, _LINK_ORDINAL, _WORD_LABEL):
        ordinal = pattern.match(text, line.start, line.end)
        if ordinal is None or ordinal.end() >= line.end:
            continue
        body = start if pattern is _LINK_ORDINAL else ordinal.end()
        inner = _START.match(text, body, line.end)
        if inner and inner.end() < line.end and inner["square"]:
            return _labelled(text, inner, start, line.end)
        return EntryStart(start, body, line.end, plain_number(ordinal["ordinal"]), "ordinal")
    if line.kind == "table":
        return _row(text, line)
    return EntryStart(start, max(line.body, start), line.end, None, "plain")


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
        label = _START.match(text, first, stop)
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
    return EntryStart(start, body, end, label["key"].removeprefix("@"), "key")


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


def read_entry(text: str, start: int, end: int, links: list[TextLink]) -> EntryDetails:
    """What the entry whose words are `text[start:end]` (label aside) says of its source."""
    words = text[start:end]
    link = next(
        (candidate for candidate in links if is_web(candidate.address) and not candidate.image),
        None,
    )
    address, first, last = _address(text, start, end, link)
    doi = _doi(words)
    titled = link is not None and not _says_nothing(text[link.label_start : link.label_end])
    if link is not None and titled:
        rest = words[: link.start - start] + " " + words[link.end - start :]
        lead = words[: link.start - start]
    elif first >= 0:
        before, after = text[start:first], text[last:end]
        rest = before if _has_words(before) else after
        lead = rest
    else:
        rest = lead = words
    head = read_authors(rest)
    year, letter = _year(rest) or _year(words.replace(address or "\n", " ")) or (None, "")
    if link is not None and titled:
        title: str | None = _clean(text[link.label_start : link.label_end])
        lead = lead if _has_words(lead) else title or ""
    else:
        title = _title(rest, head.end, after_address=first >= 0 and rest == text[last:end])
    return EntryDetails(
        target=_target(words, address, doi),
        title=title or None,
        authors=head.authors,
        year=year,
        letter=letter,
        doi=doi,
        lead=lead[: head.end or 120],
    )


def _address(text: str, start: int, end: int, link: TextLink | None) -> tuple[str, int, int]:
    """The entry's first web address with its place; `("", -1, -1)` without one."""
    bare = URL.search(text, start, end)
    if link and (bare is None or link.start <= bare.start()):
        return link.address, link.start, link.end
    if bare:
        stop = min(url_end(text, bare.start(), bare.end(), whole=True), end)
        stop = _spaced(text, bare.start(), stop, end)
        if stop > bare.start() + 8:
            return text[bare.start() : stop], bare.start(), stop
    www = WWW.search(text, start, end)
    if www:
        stop = www.start() + trimmed_length(www[0])
        return "https://" + text[www.start() : stop], www.start(), stop
    return "", -1, -1


def _spaced(text: str, start: int, stop: int, end: int) -> int:
    """The end of a URL whose page name in CJK letters has blanks: `…/갓 클로스 - title`."""
    if stop >= end or text[stop] != " " or text[stop - 1].isascii():
        return stop
    dash = text.find(" - ", stop, min(end, stop + 60))
    is_page_name = dash > 0 and re.fullmatch(f"[{CJK} ]+", text[stop:dash])
    return dash if is_page_name else stop


def _doi(words: str) -> str | None:
    match = DOI.search(words) if "10." in words else None
    return match[0][: trimmed_length(match[0])] if match else None


def _target(words: str, address: str, doi: str | None) -> Target | None:
    """The web address as written; else DOI, arXiv, PubMed, provenance."""
    if address:
        return Target(form="url", value=address)
    if doi:
        return Target(form="doi", value=doi)
    match = ARXIV.search(words)
    if match:
        return Target(form="arxiv", value=match[1])
    match = PMID.search(words)
    if match:
        return Target(form="pmid", value=pubmed_id(match))
    match = PROVENANCE.search(words)
    if match:
        return provenance_target(match)
    cases = find_legal(words) if " v. " in words else []
    return cases[0].target if cases else None


def _says_nothing(label: str) -> bool:
    """Whether a link's label does not name the source: `link`, `1`, the address itself."""
    bare = label.strip(" \\[]*_`").lower()
    return bare in _EMPTY_LABELS or bare.isdigit() or is_web(bare) or bare.startswith("10.")


def _has_words(words: str) -> bool:
    return len(_WORD.findall(words)) >= 2 or len(_WIDE.findall(words)) >= 2


def _year(words: str) -> tuple[int, str] | None:
    """The year in brackets, else the last one that stands alone."""
    paren = YEAR_PAREN.search(words)
    if paren:
        return int(paren["year"]), paren["letter"] or ""
    years = _YEAR.findall(words)
    return (int(years[-1][0]), years[-1][1]) if years else None


def _title(words: str, cut: int, after_address: bool) -> str:
    """The title in what is left of an entry beside its address."""
    if after_address:
        return _clean(_LEADING.sub("", words, count=1))
    quoted = QUOTED.search(words)
    if quoted:
        return _clean(quoted["title"] or quoted["cjk"])
    rest = _LEADING.sub("", words[cut : cut + 500], count=1)
    code = TYPE_CODE.search(rest)
    if code:
        rest = rest[: code.start()]
    rest = _TRAILING.sub("", rest)
    if cut and not code:
        rest = _SENTENCE_END.split(rest, maxsplit=1)[0]
    return _clean(rest)


def _clean(title: str) -> str:
    """A title without markup, surrounding punctuation and doubled blanks."""
    plain = " ".join(MARKUP.sub("", title).split())
    if _IDENTIFIER.fullmatch(plain):
        return ""
    plain = plain.strip(' \t.,;:：，。-–—|"“”<>《》')
    if plain.startswith(("(", "（")) and plain.endswith((")", "）")):
        plain = plain[1:-1]
    return plain[:400].strip()
