"""Find marks of tags and commands: `<cite id="1">`, LaTeX `cite{smith2019}`, `@smith2019`."""

import re

from workbench.citations.brackets import plain_number
from workbench.citations.marks import Mark
from workbench.citations.patterns import YEAR

_TAG = re.compile(
    r"<(?P<name>cite|citation|ref|source)\b(?P<attributes>[^<>]{0,300}?)(?:/>|>(?P<inside>[^<]{0,400})"
    r"</(?P=name)>|>)",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"\b(?:id|index|ref|key|name|n|number|source|data-id|data-ref|doc)\s?=\s?"
    r"(?:\"([^\"]{1,120})\"|'([^']{1,120})'|([^\s\"'>/]{1,120}))",
    re.IGNORECASE,
)
_LATEX = re.compile(
    r"\\(?:[a-zA-Z]{0,8}cite[a-zA-Z]{0,8})\*?(?:\[[^\[\]\n]{0,60}\]){0,2}\{([^{}\n]{1,300})\}"
)
_TURN = re.compile(r"\ue200cite((?:\ue202[^\ue200-\ue202\s]{1,60}){1,20})\ue201")
_BARE_TURN = re.compile(r"\bcite((?:turn\d{1,3}[a-z]{3,10}\d{1,3}){1,20})")
_TURN_PART = re.compile(r"turn\d{1,3}[a-z]{3,10}\d{1,3}")
_AT = re.compile(rf"@([A-Za-z][A-Za-z_:-]{{1,40}}{YEAR}[a-z]{{0,20}})\b")
_SHORT = 60
"""The longest words inside a tag that name the source; longer ones are the claim itself."""


def find_keys(text: str) -> list[Mark]:
    """Marks of tags, of LaTeX and Pandoc commands and of a chat product's own signs."""
    marks: list[Mark] = []
    if "<" in text:
        for found in _TAG.finditer(text):
            marks.extend(_tag(found))
    if "\\" in text:
        for found in _LATEX.finditer(text):
            keys = [key.strip() for key in found[1].split(",")]
            marks.extend(Mark(*found.span(), "key", key) for key in keys if key)
    if "\ue200" in text:
        for found in _TURN.finditer(text):
            keys = found[1].split("\ue202")[1:]
            marks.extend(Mark(*found.span(), "key", key) for key in keys)
    if "citeturn" in text:
        for found in _BARE_TURN.finditer(text):
            keys = _TURN_PART.findall(found[1])
            marks.extend(Mark(*found.span(), "key", key) for key in keys)
    if "@" in text:
        for found in _AT.finditer(text):
            at = found.start()
            if not (at and (text[at - 1].isalnum() or text[at - 1] in "./_-[")):
                marks.append(Mark(*found.span(), "key", found[1]))
    return marks


def _tag(found: re.Match[str]) -> list[Mark]:
    """A tag's mark: with its short words, or the opening tag alone around a claim."""
    attribute = _ATTRIBUTE.search(found["attributes"] or "")
    inside = found["inside"]
    if attribute is None:
        return []
    value = (attribute[1] or attribute[2] or attribute[3]).strip()
    names = [name for name in re.split(r"\s{0,2}[,;]\s{0,2}|\s{1,2}", value) if name]
    start, end = found.span()
    covers = None
    if inside is not None and (len(inside) > _SHORT or inside.rstrip().endswith((".", "。"))):
        covers = found.span("inside")
        end = found.start("inside")
    return [
        Mark(start, end, "key", plain_number(name) if name.isdigit() else name, covers=covers)
        for name in names
    ]
