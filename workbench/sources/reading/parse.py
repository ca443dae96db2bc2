"""Which parser reads these bytes? Runs in the child.

The headings, lists and tables of a web page, as spans of its extracted text.

The text is evidence and stays as it was stored; the structure is found in the page's markup and
laid over it. What is not found there is running text.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from workbench.records.text import Span
from workbench.sources.reading.blocks import Block, BlockKind, bare
from workbench.sources.reading.decode import decode, looks_binary
from workbench.sources.reading.docx import DOCX, parse_docx
from workbench.sources.reading.html import parse_html
from workbench.sources.reading.parsed import MAX_CHARS, Parsed, Unparsable
from workbench.sources.reading.pdf import MAX_PAGES, parse_pdf

_DEPTH = 200
_BLOCKS = re.compile(
    r"p|(?:article-)?title|sec(?:tion)?|abstract|t[dhr]|li|item|entry|summary|description|para|"
    r"head(?:ing)?|caption|label|name|row|list-item|def|line|l|div|h[1-6]"
)


def parse_plain(body: bytes, content_type: str) -> Parsed:
    """The characters as they are."""
    return _bounded(decode(body, content_type))


def parse_json(body: bytes, content_type: str) -> Parsed:
    """One line for each value, `name: value`, so that a quotation is not full of escapes.

    What is not JSON after all comes back as plain text.
    """
    raw = decode(body, content_type)
    try:
        value = json.loads(raw)
        lines = _lines(value)
    except (ValueError, RecursionError):
        return _bounded(raw)
    title = value.get("title") if isinstance(value, dict) else None
    parsed = _bounded("\n".join(lines))
    return Parsed(
        text=parsed.text,
        truncated=parsed.truncated,
        title=title if isinstance(title, str) else None,
    )


def parse_xml(body: bytes, content_type: str) -> Parsed:
    """The text of the elements, a line for each block; entities and external parts are not read.

    Raises:
        Unparsable: `unreadable` when not even damaged XML can be made of it.
    """
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True
    )
    markup = re.sub(r"^\s*<\?xml[^>]{0,400}\?>", "", decode(body, content_type))
    try:
        root = etree.fromstring(markup.encode("utf-8"), parser)
    except (etree.XMLSyntaxError, ValueError) as bad:
        raise Unparsable("unreadable", f"The XML is broken and cannot be read ({bad}).") from bad
    if root is None:
        raise Unparsable("unreadable", "The XML is broken and cannot be read.")
    parts: list[str] = []
    title: str | None = None
    for event, node in etree.iterwalk(root, events=("start", "end")):
        name = etree.QName(node).localname.lower() if isinstance(node.tag, str) else ""
        if event == "start":
            if _BLOCKS.fullmatch(name):
                parts.append("\n")
            if name:
                parts.append(node.text or "")
            continue
        if name in ("title", "article-title") and title is None:
            title = " ".join("".join(str(t) for t in node.itertext()).split()) or None
        if _BLOCKS.fullmatch(name):
            parts.append("\n")
        parts.append(node.tail or "")
    spaced = re.sub(r"[^\S\n]+", " ", "".join(parts))
    parsed = _bounded(re.sub(r" ?\n\s*", "\n", spaced).strip())
    return Parsed(text=parsed.text, truncated=parsed.truncated, title=title)


def _bounded(text: str) -> Parsed:
    return Parsed(text=text[:MAX_CHARS], truncated=len(text) > MAX_CHARS)


def _lines(value: object, name: str = "", depth: int = 0) -> list[str]:
    indent = "  " * min(depth, 20)
    if depth > _DEPTH:
        return [f"{indent}{name}…"]
    if isinstance(value, dict):
        inner = [
            line for key, item in value.items() for line in _lines(item, f"{key}: ", depth + 1)
        ]
        return [*([f"{indent}{name}".rstrip()] if name else []), *inner]
    if isinstance(value, list):
        inner = [line for item in value for line in _lines(item, "- ", depth + 1)]
        return [*([f"{indent}{name}".rstrip()] if name else []), *inner]
    text = value if isinstance(value, str) else json.dumps(value)
    return [f"{indent}{name}{text}"]


def prepare(body: bytes, content_type: str) -> None:
    """Imports what `parse` will need for these bytes, so that its clock does not pay for it."""
    if b"%PDF-" in body[:1024]:
        import pypdf  # noqa: F401
    elif content_type == DOCX:
        import docx2python  # noqa: F401
    elif "html" in content_type or body[:512].lstrip()[:1] == b"<":
        import trafilatura  # noqa: F401
    import charset_normalizer  # noqa: F401


_INVISIBLE = re.compile("[\u00ad\u200b\u200c\u2060\ufeff]")
_SPACES = re.compile("[\u00a0\u2000-\u200a\u202f\u205f]")
_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
)


def plain_letters(text: str) -> str:
    """The text without soft hyphens and other invisible characters, spaces as spaces, no ligatures.

    A quotation of it is typed by people and models, who use none of these.
    """
    return _SPACES.sub(" ", _INVISIBLE.sub("", text)).translate(_LIGATURES)


def parse(
    body: bytes,
    *,
    content_type: str,
    url: str,
    asked: str,
    status: int | None,
    keep_lines: bool = False,
    max_pages: int | None = None,
) -> Parsed:
    """The text of a source, by its bytes and its content type.

    Raises:
        Unparsable: `not_text` for binary content, `unreadable` for damaged or encrypted content.
    """
    kind = content_type.split(";")[0].strip().lower()
    if b"%PDF-" in body[:1024]:
        return parse_pdf(
            body, clean=plain_letters, join_words=not keep_lines, max_pages=max_pages or MAX_PAGES
        )
    if kind == "application/pdf":
        raise Unparsable(
            "unreadable", "The source claims to be a PDF but is not: upload another copy."
        )
    if kind == DOCX:
        return parse_docx(body, clean=plain_letters)
    if looks_binary(body):
        raise Unparsable(
            "not_text", f"The source is not text ({kind or 'no type'}): it cannot be read."
        )
    start = body[:512].lstrip().lower()
    if kind in ("text/html", "application/xhtml+xml") or (
        start.startswith((b"<!doctype html", b"<html")) and kind not in ("text/plain",)
    ):
        parsed = parse_html(body, content_type, url, asked=asked, fetched=status is not None)
        return replace(parsed, text=plain_letters(parsed.text))
    if kind.endswith(("/json", "+json")):
        return parse_json(body, content_type)
    if kind.endswith(("/xml", "+xml")):
        return parse_xml(body, content_type)
    return parse_plain(body, content_type)


MAX_STRUCTURED_CHARS = 2_000_000

StructureKind = Literal["heading", "item", "row", "cell", "rule"]
"""A cell lies within its row; a rule is the line of dashes that parts a table's head from its body."""

_RULE = re.compile(r"\|?(?:\s*:?-{3,}:?\s*\|)+\s*(?::?-{3,}:?)?\s*")
_BULLET = re.compile(r"(\s*)[-*•]\s+")


class SourceBlock(NamedTuple):
    """A block of a source's text: half-open code points of the text, without its line end."""

    span: Span
    kind: StructureKind
    level: int
    """1 to 6 for a heading; how deep a list item lies, from 1; else 0."""


def text_structure(text: str, blocks: Sequence[Block]) -> tuple[SourceBlock, ...]:
    """The headings, list items and rows of a text, in order; each row is followed by its cells.

    A line has the kind of the block of the page with the same letters and digits, in the order of
    the page. Cost is linear in the text and the blocks.

    Args:
        text: As it was extracted and stored.
        blocks: The page's, in reading order.
    """
    places: dict[str, list[int]] = {}
    for number, block in enumerate(blocks):
        places.setdefault(bare(plain_letters(block.text)), []).append(number)
    has_rows = any(block.kind == "row" for block in blocks)
    structure: list[SourceBlock] = []
    at = 0
    start = 0
    for line in text[:MAX_STRUCTURED_CHARS].split("\n"):
        span = Span(start, start + len(line))
        start = span.end + 1
        key = bare(line)
        numbers = places.get(key) if key else None
        if numbers:
            number = _next(numbers, at)
            at = max(at, number)
            # a caption is a row of the extracted text as well
            barred = has_rows and line.lstrip().startswith("|")
            kind = "row" if barred else blocks[number].kind
            structure += _blocks_of_line(line, span, kind, blocks[number].level)
        elif structure and structure[-1].kind in ("row", "cell") and _RULE.fullmatch(line):
            structure.append(SourceBlock(span, "rule", 0))
    return tuple(structure)


def _next(numbers: list[int], at: int) -> int:
    """The first of the blocks from a place on; those before it are given up."""
    while len(numbers) > 1 and numbers[0] < at:
        numbers.pop(0)
    return numbers.pop(0) if len(numbers) > 1 else numbers[0]


def _blocks_of_line(line: str, span: Span, kind: BlockKind, level: int) -> list[SourceBlock]:
    if kind == "row" and "|" in line:
        return [SourceBlock(span, "row", 0), *_cells(line, span.start)]
    if kind == "item":
        bullet = _BULLET.match(line)
        depth = len(bullet[1]) // 2 + 1 if bullet else level
        return [SourceBlock(span, "item", max(depth, 1))]
    return [SourceBlock(span, "heading", level)] if kind == "heading" else []


def _cells(line: str, start: int) -> list[SourceBlock]:
    """The cells of a row, without the bars and the white space round them; some may be empty."""
    inner = line.rstrip()
    first = len(inner) - len(inner.lstrip()) + 1 if inner.lstrip().startswith("|") else 0
    inner = inner[first:].removesuffix("|")
    cells: list[SourceBlock] = []
    at = start + first
    for part in inner.split("|"):
        left = at + len(part) - len(part.lstrip()) if part.strip() else at
        cells.append(SourceBlock(Span(left, left + len(part.strip())), "cell", 0))
        at += len(part) + 1
    return cells
