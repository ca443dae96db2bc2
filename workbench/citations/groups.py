"""Markers that stand together, and how a group of them stands to the words around it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from workbench.citations.lexicon import CJK_LEADS_TO_MARK, LEADS_TO_MARK
from workbench.records import UNCOUNTED_KINDS, Citation, CitationKind

_BETWEEN = re.compile(
    r"[ \t\u3000,;，；、&()（）\[\]^*_]*(?:and|和|与|及)?[ \t\u3000(（\[]*", re.IGNORECASE
)
_LONGEST_BETWEEN = 12
_BLANK = " \t\u3000\xa0*_"
_OPEN = "([（【［〔"
_STOPS = ".!?。！？…｡"
_ALL_STOPS = tuple(_STOPS)
_CLOSERS = "\"'”’)）」』】]»"
_REST = re.compile(r"[\s.,;:!?。，；：！？…*_)\]）】］〕」』»”’\"'>|]*")
_LONGEST_REST = 20
_WORD_BEFORE = re.compile(r"[^\W\d_]+(?:\.[a-z])?\Z")
_LONGEST_WORD = 20
_BESIDE: frozenset[CitationKind] = frozenset({"numbered", "key", "native"})
"""Kinds that are a sign beside the words, and never words themselves."""


class MarkGroups:
    """The groups of markers of one text, in text order; quotations and figures are left out."""

    def __init__(self, text: str, citations: Sequence[Citation]) -> None:
        self._text = text
        self._first: list[Citation] = []
        self.starts: list[int] = []
        """Where each group begins, in code points of the text."""
        self.ends: list[int] = []
        """Where each group ends."""
        self._covered: list[int] = []
        for citation in citations:
            if citation.kind in UNCOUNTED_KINDS:
                continue
            if covers_claim(citation):
                self._covered.append(citation.start)
            elif self.starts and self._joins(citation.start):
                self.ends[-1] = max(self.ends[-1], citation.end)
            else:
                self._first.append(citation)
                self.starts.append(citation.start)
                self.ends.append(citation.end)
        self.behind = dict(zip(self.ends, self.starts, strict=True))
        """For the end of each group, where it begins."""

    def _joins(self, start: int) -> bool:
        """Whether a marker that begins at `start` belongs to the last group."""
        end = self.ends[-1]
        if start < end:
            return True
        near = start - end <= _LONGEST_BETWEEN
        return near and _BETWEEN.fullmatch(self._text, end, start) is not None

    def number_of(self, citation: Citation) -> int:
        """The number of the group that a marker belongs to."""
        return bisect_right(self.starts, citation.start) - 1

    def count(self, start: int, end: int) -> int:
        """How many groups, and stretches that a provider tied to a source, begin in a stretch."""
        return sum(
            bisect_left(places, end) - bisect_left(places, start)
            for places in (self.starts, self._covered)
        )

    def closes(self, group: int, end: int) -> bool:
        """Whether nothing but closing signs stands between a group and `end`."""
        begin = self.ends[group]
        near = begin <= end <= begin + _LONGEST_REST
        return near and _REST.fullmatch(self._text, begin, end) is not None

    def is_apart(self, group: int) -> bool:
        """Whether a group stands behind a full stop, and none follows it."""
        at = self._before(group, _BLANK + _OPEN)
        while at and self._text[at - 1] in _CLOSERS:
            at -= 1
        behind = at > 0 and self._text[at - 1] in _STOPS
        return behind and not self.is_shut_in(group)

    def is_shut_in(self, group: int) -> bool:
        """Whether a full stop follows a group, so that it belongs to the sentence which ends."""
        end = self.ends[group]
        return self._text[end : end + _LONGEST_REST].lstrip(_BLANK + _CLOSERS)[:1] in _ALL_STOPS

    def is_beside(self, group: int) -> bool:
        """Whether a group stands beside the words of its sentence and is none of them."""
        if self.is_apart(group):
            return True
        text, start, first = self._text, self.starts[group], self._first[group]
        at = self._before(group, _BLANK)
        signed = (
            first.kind in _BESIDE
            or (at > 0 and text[at - 1] in _OPEN)
            or (first.kind != "url" and first.raw[0] in _OPEN)
        )
        if not signed:
            return False
        at = self._before(group, _BLANK + _OPEN)
        piece = text[max(0, at - _LONGEST_WORD) : at] if at else text[:start]
        word = _WORD_BEFORE.search(piece)
        if word is None:
            return True
        leads = word[0].lower() in LEADS_TO_MARK or word[0].endswith(tuple(CJK_LEADS_TO_MARK))
        return not leads

    def _before(self, group: int, signs: str) -> int:
        """The end of what stands before a group, leaving out some signs; few of them are read."""
        at = self.starts[group]
        lowest = max(0, at - _LONGEST_REST)
        while at > lowest and self._text[at - 1] in signs:
            at -= 1
        return at


def covers_claim(citation: Citation) -> bool:
    """Whether a citation is the words that it supports, and no marker beside them."""
    return citation.claim is not None and citation.claim.span == citation.span
