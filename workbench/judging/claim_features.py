"""A claim and its passages taken apart into what the features are made of. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.segment import segment
from workbench.judging.tokenization import Rarity, Word, find_words, normalize_word
from workbench.judging.vectors import Vectors
from workbench.records import Passage, Span

_SOFT = 0.6


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the passages, with what the features look at."""

    span: Span
    """In the source."""
    text: str
    """Its words as they are compared: numbers that hold by an approximation read as the claim's."""
    order: tuple[str, ...]
    """Its stems in text order."""
    stems: frozenset[str]
    folded: frozenset[str]


@dataclass(frozen=True, slots=True)
class ClaimParts:
    """A claim taken apart."""

    text: str
    words: tuple[Word, ...]
    content: tuple[Word, ...]
    weights: Mapping[str, float]
    order: tuple[str, ...]
    folded: Mapping[str, str]
    """Folded content words and their stems; names and figures left out."""

    @property
    def total(self) -> float:
        """What all content words weigh; 1 for a claim without any."""
        return sum(self.weights.values()) or 1.0

    def cover(self, present: Mapping[str, float]) -> float:
        """Share of the claim's content that some held stems cover, each by its likeness."""
        return sum(w * present.get(k, 0.0) for k, w in self.weights.items()) / self.total


def take_apart(claim: str, rarity: Rarity, silent: Sequence[Span] = ()) -> ClaimParts:
    """The claim's words, which of them carry content, and what each weighs.

    Words in `silent` (spans of the claim) are left out.
    """
    words = tuple(
        word
        for word in find_words(claim)
        if not any(span.start <= word.start and word.end <= span.end for span in silent)
    )
    content = tuple(w for w in words if not w.stop) or words
    folded = {
        normalize_word(claim[w.start : w.end]): w.stem
        for w in content
        if not w.name and not w.stem[0].isdigit()
    }
    weights = {word.stem: rarity.weight(word.stem) for word in content}
    return ClaimParts(claim, words, content, weights, tuple(w.stem for w in words), folded)


def sentences_of(
    passages: Sequence[Passage], reword: Callable[[str], str] | None = None
) -> list[Sentence]:
    """The passages' sentences with their words, those of `reword` where it is given."""
    sentences = []
    for passage in passages:
        for span in segment(passage.text, unwrap=True):
            text = span.of(passage.text)
            if reword is not None:
                text = reword(text)
            words = find_words(text)
            place = Span(passage.start + span.start, passage.start + span.end)
            order = tuple(word.stem for word in words)
            folded = frozenset(normalize_word(text[word.start : word.end]) for word in words)
            sentences.append(Sentence(place, text, order, frozenset(order), folded))
    return sentences


def similar_words(
    claim: ClaimParts, sentences: Sequence[Sentence], vectors: Vectors | None
) -> dict[str, tuple[str, float]]:
    """For each folded word of the passages that is like a content word of the claim: which, how."""
    words = {word for sentence in sentences for word in sentence.folded}
    by_prefix = {key[:5]: key for key in claim.weights if len(key) >= 6 and key[0].isalpha()}
    similar = vectors.alike(claim.folded, words) if vectors else {}
    likeness = {word: (claim.folded[other], value) for word, (other, value) in similar.items()}
    for word in words:
        key = by_prefix.get(word[:5]) if len(word) >= 6 else None
        if key is not None and likeness.get(word, ("", 0.0))[1] < _SOFT:
            likeness[word] = (key, _SOFT)
    return likeness


def held_stems(
    sentences: Sequence[Sentence], alike: Mapping[str, tuple[str, float]]
) -> dict[str, float]:
    """Stems that the sentences hold, with 1 for the stem itself and less for a like word."""
    stems: dict[str, float] = {}
    for sentence in sentences:
        for word in sentence.folded:
            if word in alike:
                key, value = alike[word]
                stems[key] = max(value, stems.get(key, 0.0))
    for sentence in sentences:
        stems.update(dict.fromkeys(sentence.stems, 1.0))
    return stems
