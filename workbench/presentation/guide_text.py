"""The label guide's Markdown as HTML that cannot do anything, and the difference of two versions.

Headings, paragraphs, lists, tables, quotes, code, emphasis and web links; everything else stays the
text that it is: no HTML of the author's, no pictures, no link but to a web page. Pure.
"""

import difflib
import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from workbench.presentation.escape import escape_html, web_address
from workbench.settings import SHIPPED_DATA

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_BULLET = re.compile(r"\s{0,6}[-*+][ \t]+(.*)$")
_NUMBER = re.compile(r"\s{0,6}(\d{1,9})[.)][ \t]+(.*)$")
_RULE = re.compile(r"\s{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_ALIGN = re.compile(r"\s*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_FENCE = re.compile(r"\s{0,3}(```+|~~~+)")
_INLINE = re.compile(
    r"(?P<code>`[^`\n]+`)"
    r"|\*\*(?P<strong>[^*\n]+)\*\*"
    r"|\*(?P<em>[^*\s][^*\n]*)\*"
    r"|!?\[(?P<words>[^\[\]\n]*)\]\((?P<address>[^()\s]+)\)"
)
_LONGEST_LINE = 4_000
"""A longer line is shown as it is: no emphasis is looked for in it."""


def shipped_guide() -> str:
    """The guide that comes with the workbench: what holds while a team has written none."""
    return (SHIPPED_DATA / "label_guide.md").read_text("utf-8").strip()


def guide_html(text: str) -> str:
    """The guide as HTML; time grows with its length."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    out: list[str] = []
    at = 0
    while at < len(lines):
        for block in _BLOCKS:
            taken = block(lines, at, out)
            if taken:
                at += taken
                break
    return f'<div class="wb-guide" dir="auto">{"".join(out)}</div>'


class Change(NamedTuple):
    """A line of the difference of two versions."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str


def guide_changes(before: str, after: str, around: int = 2) -> list[Change]:
    """The lines that differ, each with `around` lines of what is the same; empty for none."""
    old, new = before.splitlines(), after.splitlines()
    changes: list[Change] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for number, group in enumerate(matcher.get_grouped_opcodes(around)):
        if number:
            changes.append(Change("gap", ""))
        for tag, first, last, start, end in group:
            if tag == "equal":
                changes += [Change("same", line) for line in old[first:last]]
                continue
            changes += [Change("removed", line) for line in old[first:last]]
            changes += [Change("added", line) for line in new[start:end]]
    return changes


def changes_html(changes: Sequence[Change]) -> str:
    """The changes as HTML, with a sign before each line and words for those who hear it."""
    signs = {"same": " ", "added": "+", "removed": "−", "gap": "⋯"}
    spoken = {"added": "Added: ", "removed": "Removed: "}
    rows = "".join(
        f'<li class="{one.kind}"><span class="sign" aria-hidden="true">{signs[one.kind]}</span>'
        f'<span dir="auto"><span class="wb-spoken">{spoken.get(one.kind, "")}</span>'
        f"{escape_html(one.text)}</span></li>"
        for one in changes
    )
    return f'<ul class="wb-changes">{rows}</ul>'


# -- blocks: each takes lines from `at` on, and says how many ------------------------------------


def _blank(lines: Sequence[str], at: int, out: list[str]) -> int:
    return 0 if lines[at].strip() else 1


def _fence(lines: Sequence[str], at: int, out: list[str]) -> int:
    opened = _FENCE.match(lines[at])
    if not opened:
        return 0
    end = at + 1
    while end < len(lines) and not lines[end].strip().startswith(opened[1]):
        end += 1
    out.append(f"<pre><code>{escape_html(chr(10).join(lines[at + 1 : end]))}</code></pre>")
    return min(end + 1, len(lines)) - at


def _heading(lines: Sequence[str], at: int, out: list[str]) -> int:
    found = _HEADING.match(lines[at])
    if not found:
        return 0
    # the page has a heading of its own
    level = min(len(found[1]) + 1, 6)
    out.append(f"<h{level}>{_inline(found[2])}</h{level}>")
    return 1


def _rule(lines: Sequence[str], at: int, out: list[str]) -> int:
    if not _RULE.match(lines[at]):
        return 0
    out.append("<hr>")
    return 1


def _table(lines: Sequence[str], at: int, out: list[str]) -> int:
    if "|" not in lines[at] or at + 1 >= len(lines) or not _ALIGN.match(lines[at + 1]):
        return 0
    head = _cells(lines[at])
    end = at + 2
    rows = []
    while end < len(lines) and "|" in lines[end] and lines[end].strip():
        cells = _cells(lines[end])[: len(head)]
        rows.append(cells + [""] * (len(head) - len(cells)))
        end += 1
    columns = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    out.append(f"<table><thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table>")
    return end - at


def _quote(lines: Sequence[str], at: int, out: list[str]) -> int:
    end = at
    while end < len(lines) and lines[end].lstrip().startswith(">"):
        end += 1
    if end > at:
        words = " ".join(line.lstrip().removeprefix(">").strip() for line in lines[at:end])
        out.append(f"<blockquote>{_inline(words)}</blockquote>")
    return end - at


def _list(lines: Sequence[str], at: int, out: list[str]) -> int:
    pattern = next((one for one in (_BULLET, _NUMBER) if one.match(lines[at])), None)
    if pattern is None:
        return 0
    items: list[str] = []
    first = 1
    end = at
    while end < len(lines):
        found = pattern.match(lines[end])
        if found:
            if pattern is _NUMBER and not items:
                first = int(found[1])
            items.append(found[found.re.groups])
        elif items and lines[end].startswith((" ", "\t")) and lines[end].strip():
            items[-1] += " " + lines[end].strip()
        else:
            break
        end += 1
    rows = "".join(f"<li>{_inline(item)}</li>" for item in items)
    out.append(f'<ol start="{first}">{rows}</ol>' if pattern is _NUMBER else f"<ul>{rows}</ul>")
    return end - at


def _paragraph(lines: Sequence[str], at: int, out: list[str]) -> int:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _starts_block(lines, end):
        end += 1
    out.append(f"<p>{_inline(' '.join(line.strip() for line in lines[at:end]))}</p>")
    return end - at


def _starts_block(lines: Sequence[str], at: int) -> bool:
    one = (_FENCE, _HEADING, _RULE, _BULLET, _NUMBER)
    if any(pattern.match(lines[at]) for pattern in one):
        return True
    return lines[at].lstrip().startswith(">") or bool(_table(lines, at, []))


_BLOCKS: tuple[Callable[[Sequence[str], int, list[str]], int], ...] = (
    _blank, _fence, _heading, _rule, _table, _quote, _list, _paragraph,
)  # fmt: skip


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _inline(text: str) -> str:
    """Words with code, emphasis and links in them."""
    if len(text) > _LONGEST_LINE:
        return escape_html(text)
    out: list[str] = []
    at = 0
    for found in _INLINE.finditer(text):
        out.append(escape_html(text[at : found.start()]))
        out.append(_marked(found))
        at = found.end()
    out.append(escape_html(text[at:]))
    return "".join(out)


def _marked(found: "re.Match[str]") -> str:
    if found["code"]:
        return f"<code>{escape_html(found['code'][1:-1])}</code>"
    if found["strong"]:
        return f"<strong>{escape_html(found['strong'])}</strong>"
    if found["em"]:
        return f"<em>{escape_html(found['em'])}</em>"
    address = None if found[0].startswith("!") else web_address(found["address"])
    if address is None:
        return escape_html(found[0])
    words = escape_html(found["words"] or address)
    return (
        f'<a href="{escape_html(address)}" target="_blank" rel="noopener noreferrer nofollow">'
        f"{words}</a>"
    )
