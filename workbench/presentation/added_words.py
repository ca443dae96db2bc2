"""Which words a rewritten claim adds to the claim in the text; pure."""

import re
from dataclasses import dataclass
from itertools import islice

from workbench.records import CitationResult, Span, replace_surrogates

_MOST_WORDS = 500
"""Words, or letters of Chinese, of a claim and of a rewriting that are compared."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])\w)+(?:['’.,-](?:(?![{_CJK}])\w)+)*")
"""A word; of scripts without blanks between words, a letter."""


def added_words(claim: str, standalone: str) -> list[Span]:
    """The words of `standalone` that are not in the claim, in order; adjacent words are one span.

    Offsets are code points of `standalone`. Case and punctuation make no difference. Time grows
    with the product of both, of which `_MOST_WORDS` are compared.
    """
    words = list(islice(_TOKEN.finditer(standalone), _MOST_WORDS))
    common = _common(
        [word[0].casefold() for word in islice(_TOKEN.finditer(claim), _MOST_WORDS)],
        [word[0].casefold() for word in words],
    )
    spans: list[Span] = []
    after_added = False
    for at, word in enumerate(words):
        added = at not in common
        if added and after_added:
            spans[-1] = Span(spans[-1].start, word.end())
        elif added:
            spans.append(Span(word.start(), word.end()))
        after_added = added
    return spans


def _common(first: list[str], second: list[str]) -> set[int]:
    """Places in `second` of the longest sequence of words that both have in the same order."""
    longest = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(second) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if first[i] == second[j] else max(below[j], row[j + 1])
    places = set()
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            places.add(j)
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return places


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneClaim:
    """A standalone claim, ready to be rendered."""

    name: str
    """Whose wording it is, in words."""
    parts: tuple[tuple[str, bool], ...]
    """Texts that joined are the wording, and whether each is added to the claim's words."""


def standalone_claim(result: CitationResult) -> StandaloneClaim | None:
    """A reviewer's wording of the claim, else a model's; None without one."""
    citation, judgment = result.citation, result.judgment
    wording = citation.wording or (judgment.standalone if judgment else None)
    if not wording or citation.claim is None:
        return None
    parts: list[tuple[str, bool]] = []
    at = 0
    for span in added_words(citation.claim.text, wording):
        parts += [(wording[at : span.start], False), (span.of(wording), True)]
        at = span.end
    parts.append((wording[at:], False))
    return StandaloneClaim(
        name="Judged as worded by a reviewer" if citation.wording else "Stands alone as",
        parts=tuple((replace_surrogates(text), added) for text, added in parts if text),
    )
