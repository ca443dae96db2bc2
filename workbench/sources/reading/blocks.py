"""The blocks of a page in reading order, and what becomes of those that the article parser drops.

The parser finds the article and, now and then, loses what stands in it: a caption, a table, a list
of figures. Numbers live there. So the page is walked a second time, and blocks that lie within the
article and are missing from its text are put back at their place.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

_BLOCK_TAGS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "html", "legend", "li", "main", "nav", "ol", "option", "p", "pre",
    "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
})  # fmt: skip
BlockKind = Literal["text", "heading", "item", "row"]
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "dl"})
_CELLS = frozenset({"td", "th"})
_SILENT = frozenset({"script", "style", "svg", "noscript", "template", "iframe", "head", "title",
                     "button", "select", "textarea", "object", "canvas"})  # fmt: skip
_NOISE_TAGS = frozenset({"nav", "footer", "aside", "button", "menu"})
_NOISE_ROLES = frozenset({"navigation", "banner", "search", "dialog", "contentinfo", "menu"})
_NOISE_NAME = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|breadcrumbs?|share|social|related|recommend\w*|comments?|"
    r"promo|advert\w*|ads?|newsletter|subscribe|sidebar|pagination|toolbar|cookies?|consent|gdpr)"
    r"(?:$|[\s_-])",
    re.I,
)
_BANNER = re.compile(r"cookie|consent|gdpr", re.I)
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
MOST_BLOCKS = 20_000
_MOST_RESTORED = 2_000
_SENTENCE_CHARS = 60


class Node(Protocol):
    """As much of an lxml element as is used here."""

    tag: object
    text: str | None
    tail: str | None

    def get(self, key: str) -> str | None: ...  # noqa: D102
    def getparent(self) -> "Node | None": ...  # noqa: D102
    def clear(self, keep_tail: bool = False) -> None: ...  # noqa: D102
    def iter(self) -> "Iterator[Node]": ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list item, a row of a table: what stands on its own on the page."""

    text: str
    noise: bool
    """Navigation, related stories, forms: around the article rather than of it."""
    linked: int
    """Characters of it that are links."""
    kind: BlockKind = "text"
    level: int = 0
    """1 to 6 for a heading; how deep a list item lies, from 1; else 0."""

    @property
    def key(self) -> str:
        """Its letters and digits, for finding it again."""
        return bare(self.text)


def bare(text: str) -> str:
    """The letters and digits of a text."""
    return re.sub(r"[\W_]+", "", text)


def prune(root: Node) -> None:
    """Takes out what a reader does not see, or sees around every page of the site."""
    removed: list[Node] = []
    for node in root.iter():
        if not isinstance(node.tag, str):
            continue
        names = f"{node.get('class') or ''} {node.get('id') or ''}"
        hidden = node.get("hidden") is not None or _HIDDEN.search(node.get("style") or "")
        banner = _BANNER.search(names) and node.tag in ("div", "section", "aside", "dialog", "form")
        if hidden or node.tag in ("nav", "dialog") or (banner and not _within(node, "article")):
            removed.append(node)
    for node in removed:
        # A page that wraps all of itself in what looks like a banner is shown as it is.
        if node.getparent() is not None and node.tag not in ("body", "html", "main", "article"):
            node.clear(keep_tail=True)


def _within(node: Node, *tags: str) -> bool:
    parent = node.getparent()
    while parent is not None:
        if parent.tag in tags:
            return True
        parent = parent.getparent()
    return False


def blocks_of(root: Node) -> list[Block]:
    """Every block with words, in reading order; the cells of a row stand in one block."""
    from lxml import etree  # type: ignore[import-untyped]

    writer = _Writer()
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(node.tag, str):  # a comment: only what follows it is text
            if event == "end":
                writer.write(node.tail)
            continue
        if event == "start":
            writer.open(node)
        else:
            writer.close(node)
        if len(writer.blocks) > MOST_BLOCKS:
            break
    writer.flush()
    return writer.blocks


class _Writer:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._parts: list[str] = []
        self._linked = 0
        self._silent = self._noisy = self._links = self._rows = self._preformatted = 0
        self._heading = self._lists = 0

    def open(self, node: Node) -> None:
        tag = str(node.tag).lower()
        self._silent += tag in _SILENT
        self._break(tag)
        self._noisy += _is_noise(node, tag)
        self._links += tag == "a"
        self._rows += tag == "tr"
        self._lists += tag in _LISTS
        self._heading = _HEADINGS.get(tag, self._heading)
        self._preformatted += tag == "pre"
        if tag in _CELLS and self._rows and "".join(self._parts).strip():
            self._parts.append(" | ")
        self.write(node.text)

    def close(self, node: Node) -> None:
        tag = str(node.tag).lower()
        self._break(tag)
        self._silent -= tag in _SILENT
        self._noisy -= _is_noise(node, tag)
        self._links -= tag == "a"
        self._rows -= tag == "tr"
        self._lists -= tag in _LISTS
        self._heading = 0 if tag in _HEADINGS else self._heading
        self._preformatted -= tag == "pre"
        self.write(node.tail)

    def write(self, text: str | None) -> None:
        if text and not self._silent:
            self._parts.append(text if self._preformatted else re.sub(r"\s+", " ", text))
            if self._links:
                self._linked += len(text.strip())

    def flush(self) -> None:
        text = "".join(self._parts)
        for line in text.split("\n") if "\n" in text else [text]:
            line = re.sub(r"[ \t]{2,}", "  " if "\n" in text else " ", line).strip(" |\t")
            if line:
                kind, level = self._kind()
                self.blocks.append(Block(line, self._noisy > 0, self._linked, kind, level))
        self._parts, self._linked = [], 0

    def _kind(self) -> tuple[BlockKind, int]:
        if self._rows:
            return "row", 0
        if self._heading:
            return "heading", self._heading
        return ("item", self._lists) if self._lists else ("text", 0)

    def _break(self, tag: str) -> None:
        # Paragraphs inside a cell do not break the row.
        if tag in _BLOCK_TAGS and (not self._rows or tag in ("tr", "table")):
            self.flush()
        elif tag in _BLOCK_TAGS:
            self._parts.append(" ")


def _is_noise(node: Node, tag: str) -> bool:
    if tag in _NOISE_TAGS or (node.get("role") or "") in _NOISE_ROLES:
        return True
    if tag == "header" and not _within(node, "article", "main"):
        return True
    names = f"{node.get('class') or ''} {node.get('id') or ''}"
    return tag not in ("body", "html", "main", "article") and bool(_NOISE_NAME.search(names))


def restore_dropped_blocks(text: str, blocks: list[Block]) -> str:
    """The article's text with the blocks put back that lie within it and are missing from it.

    Restored are blocks outside navigation that are not link lists and hold a number or a sentence.
    Without an article the page's own blocks are the text.
    """
    candidates = [b for b in blocks if not b.noise and b.linked * 2 < len(b.text)]
    if len(bare(text)) < min(200, sum(len(b.key) for b in candidates) // 4):
        # A page of links has nothing else to say.
        shown_blocks = candidates or [b for b in blocks if not b.noise] or blocks
        return "\n".join(block.text for block in shown_blocks)
    lines = text.split("\n")
    places: dict[str, int] = {}
    for number, line in enumerate(lines):
        places.setdefault(bare(line), number)
    article_key = bare(text)
    restored: dict[int, list[str]] = {}
    pending: list[str] = []
    at = -1
    for block in candidates[:_MOST_RESTORED]:
        key = block.key
        if not key:
            continue
        if key in places or key in article_key:
            if at >= 0 and pending:
                restored.setdefault(at, []).extend(pending)
            pending = []
            at = max(at, places.get(key, at), 0)
        elif at >= 0 and (re.search(r"\d", block.text) or len(block.text) >= _SENTENCE_CHARS):
            pending.append(block.text)
    # Behind the article's last line come its own tables and notes, and the page's small print.
    if at >= 0:
        restored.setdefault(at, []).extend(line for line in pending if " | " in line)
    return "\n".join(
        part for number, line in enumerate(lines) for part in (line, *restored.get(number, []))
    )
