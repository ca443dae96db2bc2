"""Whether a quoted part of a source states anything: a heading, a title, a question does not. Pure.

Such a part may hold every word of a claim and still bear out nothing, so no verdict rests on it
alone. The rules are narrow: what they are not sure of counts as a statement.
"""

import re
from collections.abc import Sequence

from workbench.judging.segment import segment
from workbench.records import Passage, Span

LONGEST_TITLE = 120
"""Code points of a title in a list."""
FEWEST_WORDS = 4
TITLE_CASE = 0.8
"""The share of a title's longer words that begin with a capital."""
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
_ITEM = re.compile(r"\s*(?:[-*•·▪◦●○–]|\d{1,3}[.)])\s+")
_QUESTION_END = re.compile(r"[?？؟]+[\s\"'”’»」』)）\]]*\Z")
_END = re.compile(r"[.!。！:：…;；|]")
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def passage_of(span: Span, passages: Sequence[Passage]) -> Passage | None:
    """The passage that holds a span of the source; None where no passage does."""
    return next((p for p in passages if p.start <= span.start and span.end <= p.end), None)


def why_no_statement(span: Span, passage: Passage) -> str | None:
    """Why a part of a passage states nothing; None where it does.

    `span` counts code points of the source, as the passage's does. A part that reaches into
    several lines or sentences states nothing only if none of them does.
    """
    part = Span(max(span.start, passage.start), min(span.end, passage.end))
    inside = Span(part.start - passage.start, part.end - passage.start)
    reasons = [
        _reason(passage.text, sentence)
        for sentence in segment(passage.text)
        if sentence.start < inside.end and sentence.end > inside.start
    ]
    if passage.heading and _folded(inside.of(passage.text)) == _folded(passage.heading):
        return "heading"
    return reasons[0] if reasons and all(reasons) else None


def _reason(text: str, sentence: Span) -> str | None:
    line = _line_around(text, sentence.start)
    if _HEADING.match(line.of(text)):
        return "heading"
    if _QUESTION_END.search(sentence.of(text)):
        return "question"
    if _is_title(line.of(text)) and any(map(_is_title, _neighbors(text, line))):
        return "title in a list"
    return None


def _line_around(text: str, at: int) -> Span:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return Span(start, len(text) if end < 0 else end)


def _neighbors(text: str, line: Span) -> list[str]:
    """The nearest lines before and after that are not blank."""
    before = text[: line.start].rstrip().rsplit("\n", 1)[-1]
    after = text[line.end :].lstrip().split("\n", 1)[0]
    return [before, after]


def _is_title(line: str) -> bool:
    """Whether a line is written like a title: short, capitalized, without an end or a colon."""
    plain = _ITEM.sub("", line, count=1).strip()
    if not plain or len(plain) > LONGEST_TITLE or _END.search(plain):
        return False
    words = _WORD.findall(plain)
    longer = [word for word in words if len(word) > 3]
    capitalized = sum(word[0].isupper() for word in longer)
    return len(words) >= FEWEST_WORDS and capitalized >= TITLE_CASE * len(longer) > 0


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
