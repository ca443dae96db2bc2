"""Cut a source into sentences that keep their places. Pure and linear in the text."""

import re
from collections.abc import Iterator

from workbench.judging.tokenization import STOPWORDS, is_unspaced
from workbench.records import Span

LONGEST = 700
"""A stretch without a sentence end is cut after this many characters."""

LONGEST_REASON = 240
WRAPPED = 45
"""A line of this many characters (half as many in Chinese) may continue in the next one."""

_LINE = re.compile(r"[^\n\r\x0b\x0c\u2028\u2029]+")
_END = re.compile(
    r"[.!?…]+(?:[\"'”’)\]»“«]|[ \u00a0\u202f]»)*(?:\s?\[\d{1,3}\])*(?=\s)|[。！？；]+[”’」』）]*"
)
_BLANK = ("\n\n", "\r\r")
_NO_END_LIST = """
dr mr mrs ms prof st jr sr vs etc fig figs eq no nos vol pp ed eds al approx dept est inc ltd co
corp gen gov hon lt col capt sgt rev rep sen jan feb mar apr jun jul aug sep sept oct nov dec cf
e.g i.e u.s u.k u.n ph.d m.d a.m p.m v
"""
_NO_END = frozenset(_NO_END_LIST.split())
_MARK = re.compile(r"\s(?=#{1,6}\s|[•▪●◦‣·]\s)")
_TAIL = re.compile(r"[^\s(\[\"'“‘]+\Z")


def segment(text: str, unwrap: bool = False) -> list[Span]:
    """The sentences of a text in reading order, without surrounding white space.

    Line ends separate, and so do heading marks and bullets inside a line; sentence punctuation
    does, unless it ends a known abbreviation or an initial, or a small letter follows. With
    `unwrap` a sentence may go on in the next line where it was plainly broken to fit a page.
    Every character that is not white space lies in exactly one span.
    """
    spans: list[Span] = []
    for line in _lines(text, unwrap):
        start = line.start
        for end in _ends(text, line.start, line.end):
            _add(text, start, end, spans)
            start = end
        _add(text, start, line.end, spans)
    return spans


def first_sentence(rationale: str) -> str:
    """The first sentence of a rationale on one line, cut at `LONGEST_REASON` characters."""
    line = " ".join(rationale.split())
    spans = segment(line)
    sentence = spans[0].of(line) if spans else ""
    return sentence if len(sentence) <= LONGEST_REASON else sentence[: LONGEST_REASON - 1] + "…"


def _lines(text: str, unwrap: bool) -> Iterator[Span]:
    start = end = -1
    for match in _LINE.finditer(text):
        if unwrap and start >= 0 and _continues(text, Span(start, end), match):
            end = match.end()
            continue
        if start >= 0:
            yield Span(start, end)
        start, end = match.span()
    if start >= 0:
        yield Span(start, end)


def _continues(text: str, before: Span, line: re.Match[str]) -> bool:
    """Whether a line continues the sentence that the lines before it left open."""
    if line.start() - before.end > 2 or text[before.end : line.start()] in _BLANK:
        return False
    last = text.rfind("\n", before.start, before.end) + 1
    above = text[max(before.start, last, before.end - 400) : before.end].rstrip()
    below = line.group()[:80].lstrip()
    if not above or not below or above[-1] in ".!?:;。！？；：…|" or "\t" in above:
        return False
    if is_unspaced(above[-1]) or above[-1] in "，、":
        return len(above) >= WRAPPED / 2 and is_unspaced(below[0])
    if len(above) < WRAPPED:
        return False
    word = above.rsplit(maxsplit=1)[-1].lower()
    return below[0].islower() or (below[0].isalnum() and (word[-1] == "," or word in STOPWORDS))


def _ends(text: str, start: int, end: int) -> list[int]:
    ends = []
    for match in _END.finditer(text, start, end):
        at = match.end()
        if match.group()[0] in "。！？；":
            ends.append(at)
            continue
        following = text[at : at + 3].lstrip(" \t\u00a0\"'“‘([")
        if following and following[0].islower():
            continue
        if match.group()[0] == "." and _abbreviates(text, start, match.start()):
            continue
        ends.append(at)
    marks = [match.start() for match in _MARK.finditer(text, start, end)]
    return sorted({*ends, *marks}) if marks else ends


def _abbreviates(text: str, start: int, dot: int) -> bool:
    """Whether the full stop at `dot` belongs to an abbreviation or an initial."""
    tail = _TAIL.search(text[max(start, dot - 12) : dot])
    if tail is None:
        return False
    word = tail.group()
    return (len(word) == 1 and word.isupper()) or word.lower() in _NO_END


def _add(text: str, start: int, end: int, spans: list[Span]) -> None:
    """Append the span without its white space, cut where it is too long to be a sentence."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > LONGEST:
        space = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = space if space > 0 else start + LONGEST
        spans.append(Span(start, cut))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if end > start:
        spans.append(Span(start, end))
