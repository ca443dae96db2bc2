"""The blocks of a page in reading order, and what becomes of those that the article parser drops.

The parser finds the article and, now and then, loses what stands in it: a caption, a table, a pull
quote, the last paragraph. So the page is walked a second time: the parser says where the article
is, and the page's own blocks are its text, each once and in order.

What a reader sees within a line of a page: raised and lowered figures, what is struck out. Pure.

Text alone has no raised figures, and without care "120³ metres" with a note 3 becomes 1203 metres.
An exponent is written `10^6`, the mark of a note `120 [3]`, and everything else as one word.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol


class Node(Protocol):
    """As much of an lxml element as is used here."""

    tag: object
    text: str | None
    tail: str | None

    def get(self, key: str) -> str | None: ...  # noqa: D102
    def set(self, key: str, value: str) -> None: ...  # noqa: D102
    def getparent(self) -> "Node | None": ...  # noqa: D102
    def getprevious(self) -> "Node | None": ...  # noqa: D102
    def clear(self, keep_tail: bool = False) -> None: ...  # noqa: D102
    def iter(self, *tags: str) -> "Iterator[Node]": ...  # noqa: D102
    def itertext(self) -> "Iterator[str]": ...  # noqa: D102
    def __iter__(self) -> "Iterator[Node]": ...
    def __len__(self) -> int: ...


LONGEST_FIGURE = 16
"""A raised or lowered part that is longer is text in small print."""
_STRUCK = frozenset({"del", "s", "strike"})
_NOT_SHOWN = frozenset({"rt", "rp", "rtc", "annotation", "annotation-xml"})
_FOR_READERS = re.compile(
    r"(?:^|\s)(?:sr-only|visually-?hidden|screen-reader(?:-text|-only)?|katex-html)(?:$|\s)", re.I
)
_LINE_THROUGH = re.compile(r"text-decoration(?:-line)?\s*:[^;{}]{0,40}line-through", re.I)
_STRUCK_RULE = re.compile(
    r"([^{}@;]{1,400})\{[^{}]{0,2000}?text-decoration(?:-line)?\s*:[^;{}]{0,40}line-through", re.I
)
_CLASS = re.compile(r"(?:[a-z]{1,10})?\.([\w-]{1,60})\s*\Z", re.I)
_NOTE_NAME = re.compile(
    r"(?:^|[\s_:-])(?:(?:foot|end)?notes?|fn|noteref|ref(?:erence)?|cite|citation)(?:$|[\s_\d:-])",
    re.I,
)
_NOTE = re.compile(r"[\d,;–—\-\s]{1,12}|[a-z]", re.I)
_POWER = re.compile(r"(?<![\d.,])10\Z|[×·⋅*]\s?\d{1,3}\Z|(?<![^\W\d_])[A-Za-zα-ωΑ-Ω]\Z")
_UNIT = re.compile(
    r"(?:\d\s?|[/·⋅(]|\bper\s)(?:[kcdmµμn]?m|ft|in|yd|mi|s|sec|kg|км|м|см)\Z"
    r"|(?<![^\W\d_])(?:[kcmµμn]m|kg|км|см)\Z"
)
_UNIT_SIGN = {"2": "²", "3": "³"}
_ORDINAL = re.compile(r"st|nd|rd|th|er|ers|re|res|e|es|ème|ère|nde?|a|o|os|as|º|ª|te|ter", re.I)


def raised(before: str, figure: str, *, note: bool = False) -> str:
    """A raised part of a line as it is written in plain text behind `before`.

    Args:
        before: The text before it; the last twenty characters decide.
        figure: The raised part.
        note: Whether the page says that it marks a note.

    >>> raised("about 10", "6"), raised("is 120", "3"), raised("the 19", "th"), raised("12 km", "2")
    ('^6', ' [3]', 'th', '²')
    """
    figure, end = figure.strip(), before[-20:]
    bare = figure.strip("[]()")
    if bare != figure or not bare:
        return f" {figure}" if end[-1:].isdigit() else figure
    if note and _NOTE.fullmatch(figure):
        return _marked(end, figure)
    if not end or end[-1].isspace() or end[-1] in "([/⁄":
        return figure
    if re.fullmatch(r"[-−–+]\d{1,3}", figure):
        return f"^{figure}"
    if re.fullmatch(r"\d?[+\-−–]", figure):  # the charge of an ion
        return figure if end[-1].isalpha() else f"^{figure}"
    if re.fullmatch(r"\d{1,3}", figure) and _UNIT.search(end):
        return _UNIT_SIGN.get(figure, f"^{figure}")
    if re.fullmatch(r"\d{1,3}|[a-z]", figure) and _POWER.search(end):
        return f"^{figure}"
    if end[-1].isdigit() and _ORDINAL.fullmatch(figure):
        return figure
    if _NOTE.fullmatch(figure):
        return _marked(end, figure)
    return f" {figure}" if len(figure) > 3 and end[-1].isalnum() and figure[0].isalnum() else figure


def lowered(before: str, figure: str) -> str:
    """A lowered part of a line as it is written in plain text behind `before`.

    >>> lowered("CO", "2"), lowered("log 5", "3"), lowered("price", "incl. tax")
    ('2', '_3', ' incl. tax')
    """
    figure, last = figure.strip(), before[-1:]
    if last.isdigit() and figure[:1].isalnum():
        return f"_{figure}"
    is_index = re.search(r"(?<![^\W\d_])[^\W\d_]\Z", before) and re.fullmatch(r"[a-z]", figure)
    if is_index:
        return f"_{figure}"
    is_text = len(figure) > 5 or " " in figure
    return f" {figure}" if is_text and last.isalnum() else figure


def _marked(end: str, figure: str) -> str:
    """The mark of a note, in brackets; apart from a number, so that it is no part of it."""
    return f"{' ' if end[-1:].isdigit() else ''}[{' '.join(figure.split())}]"


def struck_classes(styles: str) -> frozenset[str]:
    """The classes that a page's style sheet strikes out."""
    return frozenset(
        name[1]
        for rule in _STRUCK_RULE.finditer(styles[:200_000])
        for selector in rule[1].split(",")
        if (name := _CLASS.match(selector.strip()))
    )


def write_inline(root: Node, struck: frozenset[str] = frozenset()) -> None:
    """Change the page so that its text says what a reader sees within the lines.

    What is struck out, or made for screen readers beside the text, goes; raised and lowered
    figures are written out; quotation marks that the browser would draw are set.
    """
    for node in list(root.iter()):
        tag = node.tag
        if not isinstance(tag, str) or node.getparent() is None:
            continue
        names = node.get("class") or ""
        if (
            tag in _STRUCK
            or tag in _NOT_SHOWN
            or (names and (_FOR_READERS.search(names) or not struck.isdisjoint(names.split())))
            or _LINE_THROUGH.search(node.get("style") or "")
        ):
            node.clear(keep_tail=True)
        elif tag in ("sup", "sub"):
            _write_figure(node)
        elif tag == "q":
            node.text = f"“{node.text or ''}"
            node.tail = f"”{node.tail or ''}"
        elif tag in ("msup", "msub", "mfrac") and len(node) == 2:
            sign = {"msup": "^", "msub": "_", "mfrac": "/"}[tag]
            list(node)[1].text = sign + (list(node)[1].text or "")


def _write_figure(node: Node) -> None:
    figure = "".join(node.itertext())
    if not figure.strip() or len(figure.strip()) > LONGEST_FIGURE:
        return
    before = _text_before(node)
    tag, tail = node.tag, node.tail
    written = (
        raised(before, figure, note=_marks_note(node)) if tag == "sup" else lowered(before, figure)
    )
    # of a fraction, as in 3 ½ set in small figures
    if tag == "sup" and (tail or "")[:1] in ("/", "⁄") and figure.strip().isdigit():
        written = f" {figure.strip()}" if before[-1:].isdigit() else figure.strip()
    node.clear(keep_tail=True)
    node.text = written


def _marks_note(node: Node) -> bool:
    """Whether a raised part leads to a note, by its links and names or those around it."""
    around: list[Node] = list(node.iter())
    parent = node.getparent()
    if parent is not None and parent.tag in ("a", "span"):
        around.append(parent)
    return any(
        isinstance(one.tag, str)
        and (
            (one.tag == "a" and "#" in (one.get("href") or ""))
            or any(
                _NOTE_NAME.search(one.get(name) or "")
                for name in ("class", "id", "role", "rel", "data-type", "epub:type")
            )
        )
        for one in around
    )


def _text_before(node: Node) -> str:
    """The end of the line before an element; empty where the line begins with it."""
    for _ in range(4):
        before = ""
        previous = node.getprevious()
        while previous is not None and len(before) < 20:
            before = (previous.tail or "") + before
            if len(before) < 20 and isinstance(previous.tag, str):
                before = "".join(previous.itertext()) + before
            previous = previous.getprevious()
        parent = node.getparent()
        if previous is None and parent is not None:
            before = (parent.text or "") + before
        if before or parent is None or parent.tag not in ("a", "span", "b", "i", "em", "strong"):
            return before
        node = parent
    return ""


_BLOCK_TAGS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "html", "legend", "li", "main", "nav", "ol", "option", "p", "pre",
    "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
})  # fmt: skip
_CONTAINERS = frozenset({"article", "aside", "body", "div", "footer", "form", "header", "main",
                         "section", "td", "th"})  # fmt: skip
BlockKind = Literal["text", "heading", "item", "row", "image"]
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "dl"})
_CELLS = frozenset({"td", "th"})
_SILENT = frozenset({"script", "style", "svg", "noscript", "template", "iframe", "head", "title",
                     "button", "select", "textarea", "object", "canvas"})  # fmt: skip
_NOISE_TAGS = frozenset({"nav", "button", "menu"})
_NOISE_ROLES = frozenset({"navigation", "banner", "search", "dialog", "contentinfo", "menu"})
_NOISE_NAME = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|breadcrumbs?|share|sharing|social|related|"
    r"recommend\w*|comments?(?:list|box|area|section|thread)?|disqus\w*|respond|promo|advert\w*|ads?|"
    r"newsletter|subscribe|sidebar|pagination|toolbar|cookies?|consent|gdpr)(?:$|[\s_-])",
    re.I,
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BANNER = re.compile(r"cookie|consent|gdpr", re.I)
_HIDDEN = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
MOST_BLOCKS = 20_000
_SURE_LETTERS = 24
"""A block with fewer letters may be found in an article's text by chance."""
_LOOK_AHEAD = 4_000
_REPEATED_LETTERS = 60
"""A paragraph of so many letters that stands on a page twice is one that is drawn for two widths."""
_ALT_WORDS = 3


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
    container: int = 0
    """The part of the page that it stands in: the same number for the paragraphs of an article."""
    begins: bool = True
    """Of an item: whether it is the first block of it."""

    @property
    def key(self) -> str:
        """Its letters and digits, for finding it again."""
        return bare(self.text)

    @property
    def line(self) -> str:
        """As it is written in the text of the page."""
        if self.kind == "heading":
            return f"{'#' * self.level} {self.text}"
        if self.kind == "item":
            return f"{'  ' * (self.level - 1)}{'- ' if self.begins else '  '}{self.text}"
        if self.kind == "row" and "|" in self.text:
            return f"| {self.text} |"
        return f"[Image: {self.text}]" if self.kind == "image" else self.text


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
        self._silent = self._noisy = self._links = self._preformatted = 0
        self._cells: list[int] = []
        """Of each row that is open, the cells begun: a table may stand in a cell."""
        self._heading = self._lists = 0
        self._begins = False
        self._containers = [0]
        self._made = 0

    def open(self, node: Node) -> None:
        tag = str(node.tag).lower()
        self._silent += tag in _SILENT
        self._break(tag)
        if tag in _CONTAINERS:
            self._made += 1
            self._containers.append(self._made)
        self._noisy += _is_noise(node, tag)
        self._links += tag == "a"
        self._lists += tag in _LISTS
        self._begins = self._begins or tag in ("li", "dt", "dd")
        self._heading = _HEADINGS.get(tag, self._heading)
        self._preformatted += tag == "pre"
        if tag == "tr":
            self._cells.append(0)
        elif tag in _CELLS and self._cells:
            self._parts.append(" | " if self._cells[-1] else "")
            self._cells[-1] += 1
        if tag == "img" and not self._silent:
            self._image(node)
        self.write(node.text)

    def close(self, node: Node) -> None:
        tag = str(node.tag).lower()
        if tag == "dt" and self._parts and not self._cells:
            self._name()
        else:
            self._break(tag)
        if tag in _CONTAINERS:
            self._containers.pop()
        self._silent -= tag in _SILENT
        self._noisy -= _is_noise(node, tag)
        self._links -= tag == "a"
        if tag == "tr" and self._cells:
            self._cells.pop()
        self._lists -= tag in _LISTS
        self._heading = 0 if tag in _HEADINGS else self._heading
        self._preformatted -= tag == "pre"
        self.write(node.tail)

    def write(self, text: str | None) -> None:
        if text and not self._silent:
            if self._preformatted:
                self._parts.append(text)
            elif text.strip() or not self._named():
                self._parts.append(re.sub(r"\s+", " ", text))
            if self._links:
                self._linked += len(text.strip())

    def flush(self) -> None:
        text = "".join(self._parts)
        for line in text.split("\n") if "\n" in text else [text]:
            line = re.sub(r"[ \t]{2,}", "  " if "\n" in text else " ", line).strip(" \t")
            if line.strip(" |"):
                self._add(line, *self._kind())
                self._begins = False
        self._parts, self._linked = [], 0

    def _add(self, line: str, kind: BlockKind, level: int) -> None:
        self.blocks.append(
            Block(
                line, self._noisy > 0, self._linked, kind, level, self._containers[-1], self._begins
            )
        )

    def _kind(self) -> tuple[BlockKind, int]:
        if self._cells:
            return "row", 0
        if self._heading:
            return "heading", self._heading
        return ("item", self._lists) if self._lists else ("text", 0)

    def _image(self, node: Node) -> None:
        """What a page writes in place of a picture, where it stands by itself."""
        words = " ".join((node.get("alt") or "").split())
        alone = not self._cells and not "".join(self._parts).strip()
        if alone and not self._links and len(words.split()) >= _ALT_WORDS and "\\" not in words:
            self._add(words, "image", 0)

    def _name(self) -> None:
        """A term of a list of definitions, to which the next text belongs."""
        term = "".join(self._parts).strip()
        self._parts = [term if term.endswith((":", "?", "：", "？", ".")) else f"{term}:", " "]

    def _named(self) -> bool:
        """Whether the line so far is a term without its definition."""
        return bool(self._parts) and self._parts[-1:] == [" "] and len(self._parts) == 2

    def _break(self, tag: str) -> None:
        # Paragraphs inside a cell do not break the row.
        if tag in _BLOCK_TAGS and (not self._cells or tag in ("tr", "table")):
            if not (tag in ("dd", "p") and self._named()):
                self.flush()
        elif tag in _BLOCK_TAGS:
            self._parts.append(" ")


def _is_noise(node: Node, tag: str) -> bool:
    names = _CAMEL.sub("-", f"{node.get('class') or ''} {node.get('id') or ''}")
    named = tag not in ("body", "html", "main", "article") and bool(_NOISE_NAME.search(names))
    if named or (node.get("role") or "") in _NOISE_ROLES:
        return True
    if tag == "aside":  # a box in the text of an article is part of it
        return not _within(node, "article", "main")
    if tag == "footer":  # of a quotation: who said it
        return not _within(node, "blockquote", "figure")
    if tag == "header":
        return not _within(node, "article", "main")
    return tag in _NOISE_TAGS


def article_text(text: str, blocks: list[Block]) -> str:
    """The text of a page: the blocks of its article, each once and in the page's order.

    The article reaches from the first to the last block that the parser's text holds, and over the
    other blocks of the same part of the page: captions, quotations and last paragraphs, but no
    navigation and no lists of links that the parser left out. Without an article the page's own
    blocks are the text.

    Args:
        text: The article as the parser found it.
        blocks: The page's, in reading order.
    """
    own = [b for b in blocks if not b.noise and b.linked * 2 < len(b.text)]
    if len(bare(text)) < min(200, sum(len(b.key) for b in own) // 4):
        # A page of links has nothing else to say.
        return "\n".join(b.line for b in own or [b for b in blocks if not b.noise] or blocks)
    found = _found_blocks(text, blocks)
    if not found:
        return text
    first, last = min(found), max(found)
    parts = {blocks[number].container for number in found if not blocks[number].noise}
    chosen = [
        block
        for number, block in enumerate(blocks)
        if number in found
        or (
            not block.noise
            and block.linked * 2 < len(block.text)
            and (first <= number <= last or block.container in parts)
        )
    ]
    return "\n".join(block.line for block in _once(chosen))


def _found_blocks(text: str, blocks: list[Block]) -> set[int]:
    """The numbers of the blocks that the parser's text plainly holds."""
    lines = {bare(line) for line in text.split("\n")}
    whole = bare(text)
    at = 0
    found: set[int] = set()
    for number, block in enumerate(blocks):
        key = block.key
        if len(key) < _SURE_LETTERS:
            if key in lines and not block.noise:
                found.add(number)
            continue
        place = whole.find(key, at, at + len(key) + _LOOK_AHEAD)
        if place >= 0:
            at = place + len(key)
        if place >= 0 or key in lines:
            found.add(number)
    return found


def _once(blocks: list[Block]) -> Iterator[Block]:
    """The blocks without long paragraphs that were there before, and captions that say a picture's alt."""
    seen: set[str] = set()
    for number, block in enumerate(blocks):
        key = block.key
        beside = [
            other.key for other in blocks[max(0, number - 1) : number + 2] if other is not block
        ]
        if (key in seen and len(key) >= _REPEATED_LETTERS) or (
            block.kind == "image" and any(key in other for other in beside)
        ):
            continue
        seen.add(key)
        yield block
