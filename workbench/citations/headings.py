"""Know the heading of a reference list, in the languages that agents write."""

import re
from typing import NamedTuple

from workbench.citations.lines import Line
from workbench.records import REFERENCE_HEADINGS, fold_compatible

_HEADING = re.compile(
    r"[\s#>*_~\W]{0,12}"
    r"(?:(?:\d{1,2}|[IVXivx]{1,5}|[一二三四五六七八九十]{1,3}|[A-H])[.、)．:：]?\s{0,3}(?:\d\s)?)?"
    rf"[*_]{{0,3}}(?:{REFERENCE_HEADINGS})(?:\s?[(（][^()（）\n]{{1,30}}[)）])?"
    r"\s{0,2}[*_~]{0,3}\s{0,2}(?:[:：]\s{0,2}[*_]{0,3}|[#*_]{0,3})(?P<rest>\s{0,4}\S[^\n]*)?\Z",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?h\d[^<>]{0,80}>", re.IGNORECASE)
_LONGEST = 90
_EARLY = 60
_REACH = 4000


class Heading(NamedTuple):
    """A line that heads a reference list; entries may begin in it, at `rest`."""

    rest: int | None


def read_heading(text: str, line: Line) -> Heading | None:
    """The heading that a line is, if it names a reference list."""
    if line.kind in ("code", "table", "rule"):
        return None
    if line.end - line.start > _LONGEST:
        early = text[line.start : line.start + _EARLY]
        if ":" not in early and "：" not in early:
            return None
    words = fold_compatible(text[line.start : min(line.end, line.start + _REACH)])
    if "<h" in words[:20]:
        words = _TAG.sub(lambda tag: " " * len(tag[0]), words).rstrip()
    found = _HEADING.match(words)
    if found is None:
        return None
    rest = found["rest"]
    if rest is None or not rest.strip(" *_:："):
        return Heading(None)
    return Heading(line.start + found.start("rest"))
