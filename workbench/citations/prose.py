"""What of a text makes no claim: reference lists, headings, contents, lists of links, rules, code.

One rule for every way in which claims are taken out of a text: `extract` leaves these out of its
claims, and `claim_text` blanks them for those who split a text in another way.
"""

import re
from collections.abc import Iterable, Iterator

from workbench.citations.lines import Line, read_lines
from workbench.citations.patterns import URL
from workbench.citations.references import find_references
from workbench.citations.segment import cut_sentences
from workbench.citations.url_finder import Link, find_links

_CONTENTS = re.compile(
    r"[\s#>*_\W]{0,12}(?:table of contents|contents|on this page|in this (?:article|report)"
    r"|inhalts?(?:verzeichnis|übersicht)|inhalt|table des matières|sommaire|índice(?: general)?"
    r"|tabla de contenidos?|contenidos?|目录|目錄|目次|内容目录)[\s*_:：#]{0,8}\Z",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|·{4,}|_{4,}")
_PAGE = re.compile(r"[\s.…·_]{1,400}\d{1,4}[\s|]{0,4}\Z")
_JUMP = re.compile(r"\[[^\[\]\n]{1,200}\]\(#[^()\s]{0,200}\)")
_ENDS = ".!?。！？;；"
_LONGEST_ENTRY = 160
_WORD = re.compile(r"[^\W\d_]{2,}")
_SAYS = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|did|does|do|ist|sind|war|wurde|hat|est|sont|a été"
    r"|était|es|son|fue|era|tiene)\b|[是为有了在]",
    re.IGNORECASE,
)
_BLANK = re.compile(r"[^\n\r\x0b\x0c\x85\u2028\u2029]")


def claim_text(text: str) -> str:
    """The text with what makes no claim as blanks: same length and lines, so that offsets hold.

    Blanked are reference entries with their headings, footnote definitions, other headings and
    titles, tables of contents, lists of links, heads of tables, drawn rules and code. Linear in the
    text.
    """
    lines = read_lines(text)
    links = find_links(text)
    quiet = [*find_references(text, lines, links).spans, *contents(text, lines)]
    quiet += link_lists(text, lines, links)
    quiet += [(line.start, line.end) for line in lines if line.kind in ("code", "rule", "heading")]
    kept = list(outside(lines, quiet))
    sentences = cut_sentences(text, kept, [])
    quiet += [(one.start, one.end) for one in sentences if one.kind == "heading"]
    if any(one.kind == "sentence" for one in sentences):
        quiet += [
            (one.start, one.end)
            for one in sentences[:-1]
            if one.kind == "title" and not any(map(str.isdigit, text[one.start : one.end]))
        ]
    return _blanked(text, quiet)


def contents(text: str, lines: list[Line]) -> list[tuple[int, int]]:
    """Where tables of contents stand: under their heading, or as lines that lead to a page."""
    spans: list[tuple[int, int]] = []
    listed = begun = False
    for line in lines:
        words = text[line.body : line.end]
        if line.kind != "code" and line.end - line.start <= 60 and _CONTENTS.match(words):
            listed, begun = True, False
            spans.append((line.start, line.end))
            continue
        if line.kind == "heading" and line.level < 7:
            listed = False
        leads = _LEADERS.search(words) is not None and _PAGE.search(words) is not None
        jumps = _JUMP.search(words) is not None and not _WORD.search(_JUMP.sub(" ", words))
        if begun and line.gap and line.kind != "item":
            listed = False
        listed = listed and (line.kind in ("table", "rule") or _is_entry(words))
        begun = listed
        if leads or jumps or listed:
            spans.append((line.start, line.end))
    return spans


def link_lists(text: str, lines: list[Line], links: list[Link]) -> list[tuple[int, int]]:
    """The lines that are a link alone, and runs of items that name a page with its address."""
    spans: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    first = 0
    for line in lines:
        while first < len(links) and links[first].start < line.start:
            first += 1
        own = []
        at = first
        while at < len(links) and links[at].end <= line.end:
            own.append(links[at])
            at += 1
        left, label = _left(text, line, own)
        named = left is not None and not _says(left) and not _says(label)
        if named and left is not None and not _WORD.search(left):
            spans.append((line.start, line.end))
        if named and line.kind == "item":
            run.append((line.start, line.end))
            continue
        spans += run if len(run) > 1 else []
        run = []
    return spans + (run if len(run) > 1 else [])


def outside(lines: Iterable[Line], spans: Iterable[tuple[int, int]]) -> Iterator[Line]:
    """The lines that are in none of the spans; one behind a gap so made has a gap before it."""
    at, cut = 0, False
    ordered = sorted(spans)
    for line in lines:
        while at < len(ordered) and ordered[at][1] <= line.start:
            at += 1
        if at == len(ordered) or line.end <= ordered[at][0]:
            yield line if not cut else line._replace(gap=True)
            cut = False
        else:
            cut = True


def _is_entry(words: str) -> bool:
    """Whether a line below the heading of the contents is one of their entries."""
    return len(words) <= _LONGEST_ENTRY and words[-1:] not in _ENDS and not _says(words)


def _says(words: str) -> bool:
    """Whether words state something, as far as their verbs tell."""
    return words.rstrip()[-1:] in tuple("!?。！？") or _SAYS.search(words) is not None


def _left(text: str, line: Line, links: list[Link]) -> tuple[str | None, str]:
    """The words of a line beside its links and addresses, None without any; and their labels."""
    if line.kind not in ("plain", "item"):
        return None, ""
    kept: list[str] = []
    at = line.body
    for link in links:
        kept.append(text[at : max(at, link.start)])
        at = max(at, link.end)
    kept.append(text[at : line.end])
    words = " ".join(kept)
    bare = URL.sub(" ", words)
    if not links and bare == words:
        return None, ""
    return bare, " ".join(text[one.label_start : one.label_end] for one in links)


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with blanks in the spans; line ends stay."""
    kept: list[str] = []
    at = 0
    for start, end in sorted(spans):
        start = max(start, at)
        if start < end:
            kept += [text[at:start], _BLANK.sub(" ", text[start:end])]
            at = end
    return "".join(kept) + text[at:]
