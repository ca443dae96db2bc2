"""The claim as the source bears it out: proposals of language models checked, and plain swaps.

A language model proposes in the call that judges; nothing of it is believed (`accept_proposal`). A
judge that compares words proposes where a number, a date or a name alone is what differs and the
evidence has another one in its place (`propose_swap`). In doubt there is no proposal. Pure.

For a swap claim and sentence are aligned by their words; what stands between the same neighbors in
both is in the same place. Nothing comes back where that is not plain.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging.features import FeatureVector
from workbench.language.quantities import Quantity, find_quantities, matches, rivals
from workbench.language.tokenization import (
    HEDGES,
    Word,
    find_words,
    normalize_word,
    without_markers,
)
from workbench.records.corrections import (
    CORRECTED_LABELS,
    LONGEST_CORRECTION,
    LONGEST_WHY,
    WORD,
    ProposedCorrection,
    TextEdit,
    apply_edits,
    common_places,
    word_edits,
)
from workbench.records.source import Passage
from workbench.records.text import Json, Span
from workbench.records.verdict import Judgment, VerdictLabel

LEAST_ALIGNED = 0.5
"""Share of the claim's words that the sentence has in the same order."""
MOST_NAME_WORDS = 4

_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen", "twenty",
)  # fmt: skip
_FIGURE = re.compile(r"(\d{1,3}(?:[,\u00a0\u202f]\d{3})+|\d+)(\.\d+)?(.*)", re.DOTALL)
_PERCENT = re.compile(r"\s?(?:%|％|per\s?cent\b)", re.IGNORECASE)
_SEPARATOR = re.compile(r"[,\u00a0\u202f]")
_LIMITS = HEDGES | frozenset(
    "over under least most nearly almost than between up circa around some only just c ca".split()
)
"""Words before a number that make it a bound or an estimate."""
_RANGE = "-–—−/~+±≈<>≤≥"
_MONTHS = frozenset(
    normalize_word(word)
    for word in "January February March April May June July August September October November "
    "December".split()
)


def swapped_number(
    claim: str, number: Quantity, sentence: str, uncovered: Sequence[Span]
) -> tuple[TextEdit, str] | None:
    """The edit that gives a claim the number of the sentence, and that number's own words.

    The number comes in the claim's format: its thousands separator, its scale, a word for a word.
    """
    unit = _PERCENT.match(claim, number.end)
    end = unit.end() if unit else number.end
    if any(span.start < number.start or span.end > end for span in uncovered):
        return None
    theirs = next((pair[1] for pair in rivals(claim, [number], sentence)), None)
    if theirs is None or number.measure != theirs.measure:
        return None
    if not (_exact(claim, number) and _exact(sentence, theirs)):
        return None
    aligned = _Aligned(claim, sentence)
    tokens = aligned.opposite(Span(number.start, number.end))
    numbers = [token for token in tokens if token.key.startswith("#")]
    place = Span(theirs.start, theirs.end)
    # of several, the one that stands right beside the same word as in the claim
    beside = aligned.beside(Span(number.start, number.end))
    if [token.span for token in numbers] != [place] and place not in beside:
        return None
    text = formatted_like(claim, number, theirs.value)
    if text is None:
        return None
    return (
        TextEdit(span=Span(number.start, number.end), text=text),
        sentence[theirs.start : theirs.end],
    )


def swapped_name(
    claim: str, names: Sequence[Word], sentence: str, uncovered: Sequence[Span]
) -> tuple[TextEdit, str] | None:
    """The edit that gives a claim the name of the sentence, and that name.

    What the passages lack of the claim is this one name, and between the same two words the
    sentence has a name alone.
    """
    if len(uncovered) != 1 or any(
        word.start < uncovered[0].start or word.end > uncovered[0].end for word in names
    ):
        return None
    place = uncovered[0]
    aligned = _Aligned(claim, sentence)
    own = [token for token in aligned.claim if place.start <= token.span.start < place.end]
    if not own or not all(claim[token.span.start].isupper() for token in own):
        return None
    # a part of a longer name, which only half differs
    if re.match(r"[ -][A-Z]", claim[place.end :]) or re.search(
        r"[A-Z]\w*[ -]$", claim[: place.start]
    ):
        return None
    tokens = aligned.opposite(place, tight=True)
    known = {token.key for token in aligned.claim}
    if not 0 < len(tokens) <= MOST_NAME_WORDS or not all(
        token.name and token.key not in known for token in tokens
    ):
        return None
    span = Span(tokens[0].span.start, tokens[-1].span.end)
    if re.search(r"[^\w\s.'’-]", span.of(sentence)) or "\n" in span.of(sentence):
        return None
    if _is_month(place.of(claim)) != _is_month(span.of(sentence)):
        return None
    return TextEdit(span=place, text=span.of(sentence)), span.of(sentence)


def formatted_like(claim: str, number: Quantity, value: float) -> str | None:
    """A value as the claim writes its number; None where its format does not tell how.

    >>> from workbench.language.quantities import find_quantities
    >>> claim = "It cost 3.5 million euros."
    >>> formatted_like(claim, find_quantities(claim)[0], 4_200_000.0)
    '4.2 million'
    """
    own = claim[number.start : number.end]
    figure = own[:1].isdigit()
    text = _as_figure(own, number.value, value) if figure else _as_word(own, value)
    if text is None or claim[number.end : number.end + 2].lower() in ("st", "nd", "rd", "th"):
        return None
    again = find_quantities(claim[: number.start] + text + claim[number.end :])
    if not any(q.start == number.start and q.value == value for q in again):
        return None
    return text


def _as_word(own: str, value: float) -> str | None:
    if own.lower() not in _WORDS or value != int(value) or value < 0:
        return None
    if value >= len(_WORDS):
        return str(int(value)) if value < 1000 else None
    word = _WORDS[int(value)]
    return word.capitalize() if own[0].isupper() else word


def _as_figure(own: str, own_value: float, value: float) -> str | None:
    match = _FIGURE.fullmatch(own)
    if match is None:
        return None
    whole, decimals, scale = match[1], match[2] or "", match[3]
    factor = own_value / float(_SEPARATOR.sub("", whole) + decimals)
    figure = f"{value / factor:.6f}".rstrip("0").rstrip(".")
    head, point, tail = figure.partition(".")
    separator = _SEPARATOR.search(whole)
    if len(tail) > 3 or value < 0 or (scale.strip() and not 0.1 <= value / factor < 10_000):
        return None
    if separator:
        head = f"{int(head):,}".replace(",", separator[0])
    elif len(head) > 4 and len(whole) < 4:
        return None
    return head + point + tail + scale


def _exact(text: str, number: Quantity) -> bool:
    """Whether a number stands for itself: no bound or estimate, no end of a range, no fraction."""
    if number.approximation != "exact":
        return False
    before, after = text[: number.start], text[number.end :]
    if (
        before.rstrip()[-1:]
        and before.rstrip()[-1] in _RANGE
        or after.lstrip()[:1] in tuple(_RANGE)
    ):
        return False
    # a decade, a decimal comma, a time
    if re.match(r"['’]?s\b|[.,:]\d", after) or re.search(r"\d[.,:]$", before):
        return False
    return not {normalize_word(word) for word in re.findall(r"\w+", before)[-2:]} & _LIMITS


def _is_month(name: str) -> bool:
    return normalize_word(name) in _MONTHS


@dataclass(frozen=True, slots=True)
class _Token:
    key: str
    span: Span
    name: bool


class _Aligned:
    """A claim and a sentence by the longest row of words that both have in the same order."""

    def __init__(self, claim: str, sentence: str) -> None:
        self.claim, self.sentence = _tokens(claim), _tokens(sentence)
        self.pairs = common_places(
            [token.key for token in self.claim], [token.key for token in self.sentence]
        )

    def opposite(self, place: Span, *, tight: bool = False) -> list[_Token]:
        """The words of the sentence between the neighbours of a place in the claim.

        Empty where a neighbour is not the next word in both, on one side at least; with `tight`
        on both sides, where the end of the claim meets the end of the sentence.
        """
        neighbors = self._neighbors(place)
        if neighbors is None:
            return []
        before, after, adjacent = neighbors
        if not (all(adjacent) if tight else any(adjacent)):
            return []
        if before < 0 and after == len(self.sentence):
            return []
        return self.sentence[before + 1 : after]

    def beside(self, place: Span) -> list[Span]:
        """What stands in the sentence right beside a word that is next to a place in the claim."""
        neighbors = self._neighbors(place)
        if neighbors is None:
            return []
        before, after, (left, right) = neighbors
        numbers = [before + 1] * (left and before >= 0) + [after - 1] * (
            right and after < len(self.sentence)
        )
        return [self.sentence[n].span for n in numbers if before < n < after]

    def _neighbors(self, place: Span) -> tuple[int, int, tuple[bool, bool]] | None:
        """The aligned words of the sentence around a place in the claim; whether each is next to it.

        None where too little of the claim is aligned.
        """
        inside = [n for n, t in enumerate(self.claim) if place.start <= t.span.start < place.end]
        if not inside or len(self.pairs) < LEAST_ALIGNED * (len(self.claim) - len(inside)):
            return None
        first, last = inside[0], inside[-1]
        before = max((pair for pair in self.pairs if pair[0] < first), default=(-1, -1))
        after = min(
            (pair for pair in self.pairs if pair[0] > last),
            default=(len(self.claim), len(self.sentence)),
        )
        return before[1], after[1], (before[0] == first - 1, after[0] == last + 1)


def _tokens(text: str) -> list[_Token]:
    numbers = [Span(q.start, q.end) for q in find_quantities(text)]
    keys = [f"#{q.value}" for q in find_quantities(text)]
    tokens = [_Token(key, span, False) for key, span in zip(keys, numbers, strict=True)]
    for word in find_words(without_markers(text)):
        if not any(span.start < word.end and word.start < span.end for span in numbers):
            tokens.append(_Token(word.stem, Span(word.start, word.end), word.name))
    return sorted(tokens, key=lambda token: token.span)


MOST_SENTENCES = 2
"""Sentences of a proposal, or as many as the claim has."""
LEAST_SHARED = 1 / 3
"""A proposal that shares less of its words with the claim is another sentence."""
LONGER = 150
"""Code points that a proposal may be longer by than the claim, besides half as much again."""

_END = re.compile(r"[.!?](?=\s)|[。！？]")
_MARKUP = re.compile(
    r"</?[A-Za-z!][^>]*>?|&#?\w+;|\]\(|`|https?://|www\.|\*\*|__|^\s*(?:#+|[-*>|]|\d+\.)\s|[{}|\\]",
    re.MULTILINE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def accept_proposal(
    claim: str,
    proposed: Json,
    passages: Sequence[Passage],
    label: VerdictLabel,
    *,
    why: str,
    judge: str,
) -> ProposedCorrection | None:
    """A model's corrected claim where it can be shown; None for one that is dropped.

    Dropped is what is no text, empty, the claim again, much longer than the claim or another
    sentence altogether, what has more sentences, markup, control or direction characters, and what
    brings in a number or a name that neither the claim nor the passages have. Offsets of the edits
    are code points of the claim as given; its citation markers are never part of an edit.
    """
    if label not in CORRECTED_LABELS or not isinstance(proposed, str):
        return None
    words = without_markers(claim)
    line = " ".join(without_markers(proposed).split())
    if not line or len(line) > min(LONGEST_CORRECTION, round(1.5 * len(claim)) + LONGER):
        return None
    if _CONTROL.search(proposed) or _marks(proposed) - _marks(claim):
        return None
    if len(_END.findall(line + " ")) > max(MOST_SENTENCES, len(_END.findall(words + " "))):
        return None
    if not _borne_out(words, line, passages):
        return None
    return correction(claim, word_edits(words, line), why=why, judge=judge)


def propose_swap(
    claim: str, reading: FeatureVector, label: VerdictLabel, *, judge: str
) -> ProposedCorrection | None:
    """The claim with the one number, date or name that its evidence gives otherwise.

    None unless exactly that differs: the evidence covers all other words of the claim, nothing is
    negated on one side alone, and what stands in its place is plain.
    """
    if label not in CORRECTED_LABELS or reading.negation_differs or reading.opposites:
        return None
    if reading.values.get("polarity_sentence"):
        return None
    numbers, names = reading.missing_numbers, reading.missing_names
    words = without_markers(claim)
    for sentence in reading.best:
        if len(numbers) == 1 and not names:
            swap = swapped_number(words, numbers[0], sentence.text, reading.uncovered)
        elif names and not numbers:
            swap = swapped_name(words, names, sentence.text, reading.uncovered)
        else:
            return None
        if swap is not None:
            edit, theirs = swap
            why = f"The source gives {theirs} where the claim gives {edit.span.of(claim)}."
            return correction(claim, (edit,), why=why, judge=judge)
    return None


def first_proposal(label: VerdictLabel, judgments: Sequence[Judgment]) -> ProposedCorrection | None:
    """The first proposal of judgments that share a joint label; None where it calls for none."""
    if label not in CORRECTED_LABELS:
        return None
    proposals = (judgment.proposed_correction for judgment in judgments)
    return next((proposal for proposal in proposals if proposal), None)


def correction(
    claim: str, edits: tuple[TextEdit, ...] | None, *, why: str, judge: str
) -> ProposedCorrection | None:
    """The proposal of some edits of a claim; None where they change nothing."""
    if not edits:
        return None
    text = apply_edits(claim, edits)
    if " ".join(text.split()).casefold() == " ".join(claim.split()).casefold():
        return None
    return ProposedCorrection(text=text, edits=edits, why=why[:LONGEST_WHY], judge=judge)


def _marks(text: str) -> set[str]:
    return {match.group().strip() for match in _MARKUP.finditer(text)}


def _borne_out(claim: str, line: str, passages: Sequence[Passage]) -> bool:
    """Whether a proposal keeps to the claim, and has its new numbers and names from the source."""
    source = "\n".join(passage.text for passage in passages)
    known = {normalize_word(match[0]) for match in WORD.finditer(f"{claim}\n{source}")}
    claim_words = {normalize_word(match[0]) for match in WORD.finditer(claim)}
    matched = list(WORD.finditer(line))
    shared = sum(normalize_word(match[0]) in claim_words for match in matched)
    if shared < LEAST_SHARED * min(len(matched), len(claim_words)):
        return False
    quantities = find_quantities(claim) + find_quantities(source)
    if not all(matches(q, quantities) for q in find_quantities(line) if not q.weak):
        return False
    return all(
        normalize_word(match[0]) in known
        for match in matched[1:]
        if match[0][0].isupper() and not match[0].isdigit()
    )
