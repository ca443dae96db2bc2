"""What of a text makes no claim: reference lists, headings, contents, lists of links, rules, code.

One rule for every way in which claims are taken out of a text: `extract` leaves these out of its
claims, and `claim_text` blanks them for those who split a text in another way.
"""

import re

from workbench.citations.claims.sentences import cut_sentences
from workbench.citations.document import Document
from workbench.citations.layout import Line, outside, states_something
from workbench.citations.marks.addresses import URL, TextLink

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_BLANK = re.compile(r"[^\n\r\x0b\x0c\x85\u2028\u2029]")


def claim_text(text: str) -> str:
    """The text with what makes no claim as blanks: same length and lines, so that offsets hold.

    Blanked are reference entries with their headings, footnote definitions, other headings and
    titles, tables of contents, lists of links, heads of tables, rules and code. Linear in the
    text.
    """
    document = Document(text)
    lines = document.lines
    quiet = [*document.quiet_spans, *_link_lists(document)]
    quiet += [(line.start, line.end) for line in lines if line.kind in ("code", "rule", "heading")]
    sentences = cut_sentences(text, list(outside(lines, quiet)), [])
    quiet += [(part.start, part.end) for part in sentences if part.kind == "heading"]
    if any(part.kind == "sentence" for part in sentences):
        quiet += [
            (part.start, part.end)
            for part in sentences[:-1]
            if part.kind == "title" and not any(map(str.isdigit, text[part.start : part.end]))
        ]
    return _blanked(text, quiet)


def _link_lists(document: Document) -> list[tuple[int, int]]:
    """The lines that are a link alone, and runs of items that name a page with its address."""
    text, links = document.text, document.links
    spans: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    first = 0
    for line in document.lines:
        while first < len(links) and links[first].start < line.start:
            first += 1
        within = []
        at = first
        while at < len(links) and links[at].end <= line.end:
            within.append(links[at])
            at += 1
        words, labels = _split_at_links(text, line, within)
        names_page = (
            words is not None and not states_something(words) and not states_something(labels)
        )
        if names_page and words is not None and not _LETTERS.search(words):
            spans.append((line.start, line.end))
        if names_page and line.kind == "item":
            run.append((line.start, line.end))
            continue
        spans += run if len(run) > 1 else []
        run = []
    return spans + (run if len(run) > 1 else [])


def _split_at_links(text: str, line: Line, links: list[TextLink]) -> tuple[str | None, str]:
    """The words of a line beside its links and addresses, None without any; and their labels."""
    if line.kind not in ("plain", "item"):
        return None, ""
    pieces: list[str] = []
    at = line.body
    for link in links:
        pieces.append(text[at : max(at, link.start)])
        at = max(at, link.end)
    pieces.append(text[at : line.end])
    words = " ".join(pieces)
    bare = URL.sub(" ", words)
    if not links and bare == words:
        return None, ""
    return bare, " ".join(text[link.label_start : link.label_end] for link in links)


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with blanks in the spans; line ends stay."""
    pieces: list[str] = []
    at = 0
    for start, end in sorted(spans):
        start = max(start, at)
        if start < end:
            pieces += [text[at:start], _BLANK.sub(" ", text[start:end])]
            at = end
    return "".join(pieces) + text[at:]
