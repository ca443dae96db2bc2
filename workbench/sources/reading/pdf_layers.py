"""What a page of a PDF shows of its text: invisible layers under pictures, and the gaps of words.

Text recognition leaves its letters invisible, or under the picture of the page. A program that sets
words apart by less than half a space leaves a text in which words run together; on the page the
gaps are there, so they are measured. Runs in the child.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from workbench.sources.reading.page_text import Box

INVISIBLE = (3, 7)
"""Text render modes that draw nothing."""
COVERED = 0.5
"""The share of a page that a picture, or several, covers if the page is a scan."""
LONG_RUN = 24
"""Letters in a row that are hardly one word."""
LEAST_GAP = 0.035
"""By how much more of a line's height than two letters two words are apart."""
WORDS = (1.5, 14.0)
"""Fewest and most letters a word, on average, where the gaps found are those of words."""

_UNSPACED = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7ff\uff00-\uffef"
_RUN = re.compile(rf"[^\W_{_UNSPACED}]{{{LONG_RUN},}}")
_ADDRESS = re.compile(r"\S*(?:://|www\.|@|/|_)\S*")


class LayerVisitor:
    """Counts what is drawn while the text of a page is extracted: pass it as `visitor`."""

    def __init__(self, images: Mapping[str, bool], area: float) -> None:
        """Take the page's pictures by name, and whether nothing shows through each; its area."""
        self._images, self._area = images, area
        self._mode, self._modes = 0, list[int]()
        self.seen = self.hidden = 0
        self.pictured = 0.0

    def __call__(
        self, operator: bytes, operands: Sequence[object], matrix: Sequence[float], _text: object
    ) -> None:
        """Read one operation of the page."""
        if operator == b"q":
            self._modes.append(self._mode)
        elif operator == b"Q" and self._modes:
            self._mode = self._modes.pop()
        elif operator == b"Tr" and operands and isinstance(operands[0], int | float):
            self._mode = int(operands[0])
        elif operator in (b"Tj", b"'", b'"', b"TJ") and operands:
            shown = operands[-1] if isinstance(operands[-1], list) else operands[-1:]
            letters = sum(len(piece) for piece in shown if isinstance(piece, str | bytes))
            if self._mode in INVISIBLE:
                self.hidden += letters
            else:
                self.seen += letters
        elif operator == b"Do" and operands and str(operands[0]) in self._images:
            share = abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]) / self._area
            self.pictured += min(share, 1.0)
            if (
                share >= COVERED and self._images[str(operands[0])]
            ):  # what was drawn before lies under it
                self.hidden, self.seen = self.hidden + self.seen, 0

    @property
    def is_scan(self) -> bool:
        """Whether pictures cover the page and most of its text is not to be seen."""
        return self.pictured >= COVERED and self.hidden > self.seen


def letters_run_together(text: str) -> float:
    """The share of a text's letters in rows that are too long for words; addresses left out."""
    text = _ADDRESS.sub(" ", text)
    long = sum(len(match[0]) for match in _RUN.finditer(text))
    return long / max(sum(map(str.isalnum, text)), 1) if long else 0.0


def with_word_gaps(text: str, places: Sequence[Box | None]) -> str:
    """The text of a page with a space where its letters stand as far apart as words do.

    The gaps of a page fall into two groups, those between letters and those between words, with
    nothing between them; where they do not, the text stays as it is.

    Args:
        text: As it was extracted.
        places: For each code point where it stands on the page.
    """
    gaps: dict[int, float] = {}
    for at, (one, other) in enumerate(pairwise(places), 1):
        if one and other and one.top < other.bottom and other.top < one.bottom:
            gaps[at] = (other.left - one.right) / max(one.bottom - one.top, 1)
    edge = _edge(sorted(gaps.values()))
    if edge is None:
        return text
    starts = [0, *(at for at, gap in gaps.items() if gap > edge), len(text)]
    spaced = " ".join(text[start:end] for start, end in pairwise(starts))
    words = spaced.split()
    is_likely = WORDS[0] <= sum(map(len, words)) / max(len(words), 1) <= WORDS[1]
    return spaced if is_likely else text


def _edge(gaps: Sequence[float]) -> float | None:
    """The gap above which words begin: the widest jump above the gap that most letters have."""
    if not gaps:
        return None
    usual = gaps[len(gaps) // 2]
    above = [usual, *(gap for gap in gaps if gap > usual)]
    width, low = max(
        ((after - before, before) for before, after in pairwise(above)), default=(0, 0)
    )
    return low + width / 2 if width >= LEAST_GAP else None
