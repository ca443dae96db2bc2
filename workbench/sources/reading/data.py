"""The text of plain, Markdown, JSON and XML sources."""

import json
import re

from workbench.sources.reading.decode import decode
from workbench.sources.reading.parsed import MAX_CHARS, Parsed, Unparsable

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
