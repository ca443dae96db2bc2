"""Numbers that hold though they are written otherwise, read alike by every feature. Pure.

*About 300,000 km/s* holds for 299,792 km/s, and 3 km for 3,000 m. Features that compare words and
their order know nothing of it, so the evidence is read with the claim's number in place of its own,
and the words that loosen the claim's number are not asked for. Offsets of the claim stay as they
are; a sentence of the evidence keeps its span in the source.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.judging.quantities import Quantity, find_quantities, is_loosely_matched, matches
from workbench.records import Passage, Span

_MISREAD = str.maketrans("OoIl|SBZ", "00111582")
_RECOGNIZED = re.compile(
    r"(?<!\w)(?=[OoIl|]{0,2}\d)(?=\d*[OoIl|SBZ])[\dOoIl|SBZ]{2,24}(?=(?:[kcm]?m|[km]?g|t|ha|ft)?(?!\w))"
)
"""A figure in which text recognition left letters: 12O, l987."""
ILLEGIBLE = "__"
"""The beginning of what stands for such a figure where it may not be the claim's."""


def read_recognized(claim: str, passages: Sequence[Passage]) -> list[Passage]:
    """The passages of a scan as they may be meant; as long as they are, so spans hold.

    A figure with letters in it is read as the claim's figure where it may be that one, and
    elsewhere not at all: a misread letter is no evidence against a number.

    >>> passage = Passage(span=Span(0, 22), text="It is 12O m and l5 km.")
    >>> read_recognized("It is 120 m.", [passage])[0].text
    'It is 120 m and __ km.'
    """
    claimed = set(re.findall(r"\d+", claim))

    def read(match: re.Match[str]) -> str:
        digits = match[0].translate(_MISREAD)
        return digits if digits in claimed else ILLEGIBLE[0] * len(digits)

    return [replace(p, text=_RECOGNIZED.sub(read, p.text)) for p in passages]


@dataclass(frozen=True, slots=True)
class NumberAlignment:
    """The numbers of a claim that may hold for another number of the evidence."""

    claim: str
    numbers: tuple[Quantity, ...]
    silent: tuple[Span, ...]
    """In the claim: words such as *about*, where the number holds by them."""

    def reword(self, sentence: str) -> str:
        """A sentence of the evidence with the claim's numbers where they hold."""
        for other in reversed(find_quantities(sentence)):
            number = next((q for q in self.numbers if is_loosely_matched(q, other)), None)
            if number is not None:
                written = self.claim[number.start : number.unit_end]
                sentence = sentence[: other.start] + written + sentence[other.unit_end :]
        return sentence


def align_numbers(claim: str, passages: Sequence[Passage]) -> NumberAlignment | None:
    """The claim's numbers that hold loosely in the passages; None where there are none."""
    loose = [
        q
        for q in find_quantities(claim)
        if not q.weak and (q.approximation != "exact" or q.measure is not None)
    ]
    if not loose:
        return None
    others = [q for passage in passages for q in find_quantities(passage.text)]
    held = tuple(q for q in loose if any(is_loosely_matched(q, other) for other in others))
    silent = tuple(
        q.words for q in loose if q.approximation in ("about", "nearly") and matches(q, others)
    )
    return NumberAlignment(claim, held, silent) if held or silent else None
