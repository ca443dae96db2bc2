"""How much of a name a part of a source holds: whole, in part, by its initials. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.tokenization import Rarity, Word, find_words, is_unspaced

LIKE = 0.8
"""What a word with the same first six letters counts (*Handedness*, *handed*)."""
SURNAME = 0.85
"""What one rare word counts of a name of several: *Keïta* for *Amadou Keïta*."""
SURNAME_RARE = 0.9
LAST_NAME, LAST_NAME_RARE = 0.75, 0.6
"""The same for the last word of a name that is all capitals, which may be less rare."""
COMMON = 0.6
"""The weight of a lowercase word next to the capitals of a name."""
FADE = 0.6
"""How much less the last pair of Chinese characters counts than the first."""
_SMALL = frozenset("of the for and de on".split())


@dataclass(frozen=True, slots=True)
class Name:
    """What to look for: stems with their weights, and short forms."""

    weights: Mapping[str, float]
    unspaced: bool
    rare: frozenset[str]
    """Words that stand for the whole, as a surname does."""
    last: str
    """The stem of its last word where all are capitals and that is rare enough."""
    short: str
    """The folded name where it is itself an abbreviation."""
    acronym: str
    """Its initials where it has three capitals or more."""

    @classmethod
    def of(cls, text: str, rarity: Rarity) -> "Name":
        """The name as it is looked for."""
        words = find_words(text)
        words = [word for word in words if not word.stop] or words
        unspaced = is_unspaced(text)
        weights: dict[str, float] = {}
        rare: set[str] = set()
        for i, word in enumerate(words):
            first = text[word.start]
            if unspaced and not word.stem.isascii():
                weight = 1 - FADE * i / len(words)
            else:
                weight = 1.0 if word.stem.isdigit() else rarity.weight(word.stem)
                weight *= 1.0 if first.isupper() or first.isdigit() else COMMON
            weights[word.stem] = max(weight, weights.get(word.stem, 0.0))
            if first.isupper() and rarity.weight(word.stem) >= SURNAME_RARE:
                rare.add(word.stem)
        capitals = [word for word in text.replace("-", " ").split() if word[:1].isupper()]
        several = not unspaced and len(capitals) > 1
        abbreviates = text.isascii() and text.isupper() and 2 <= len(text) <= 6
        return cls(
            weights,
            unspaced,
            frozenset(rare) if several else frozenset(),
            _last_name(words, text, rarity) if several else "",
            text.lower() if abbreviates else "",
            "".join(word[0] for word in capitals).lower() if len(capitals) > 2 else "",
        )


@dataclass(frozen=True, slots=True)
class Held:
    """What a part of a source holds: stems, their first letters, the initials of its names."""

    stems: frozenset[str]
    openings: frozenset[str]
    initials: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Held":
        """What a text holds."""
        return cls.of_stems({word.stem for word in find_words(text)}, text)

    @classmethod
    def of_stems(cls, stems: Iterable[str], text: str) -> "Held":
        """What a text with known stems holds."""
        stem_set = frozenset(stems)
        openings = frozenset(stem[:6] for stem in stem_set if len(stem) >= 6 and stem.isascii())
        return cls(stem_set, openings, find_initials(text))

    def joined(self, other: "Held") -> "Held":
        """What both hold together."""
        return Held(
            self.stems | other.stems, self.openings | other.openings, self.initials | other.initials
        )

    def share(self, name: Name) -> float:
        """How much of the name is here, 0 to 1, weighed by how rare its words are."""
        if (name.short and name.short in self.initials) or name.acronym in self.stems:
            return 1.0
        total = sum(name.weights.values()) or 1.0
        held_weight = seen_weight = 0.0
        best = SURNAME if name.rare & self.stems else 0.0
        best = max(best, LAST_NAME if name.last in self.stems else 0.0)
        for i, (stem, weight) in enumerate(name.weights.items()):
            seen_weight += weight
            held_weight += weight * self._holds(stem)
            if name.unspaced and i:
                # a run of Chinese may go on beyond the name that begins it
                best = max(best, held_weight / seen_weight * (0.6 + 0.4 * seen_weight / total))
        return max(best, held_weight / total)

    def _holds(self, stem: str) -> float:
        if stem in self.stems:
            return 1.0
        if len(stem) < 6 or not stem.isascii():
            return 0.0
        return LIKE if stem[:6] in self.openings or stem[:5] in self.stems else 0.0


def _last_name(words: Sequence[Word], text: str, rarity: Rarity) -> str:
    last = words[-1].stem
    capitals = all(text[word.start].isupper() for word in words)
    return last if capitals and rarity.weight(last) >= LAST_NAME_RARE else ""


def find_initials(text: str) -> frozenset[str]:
    """The folded initials of runs of two to six words with a capital."""
    initials: set[str] = set()
    run = ""
    for word in text.replace("-", " ").split():
        core = word.strip("()[],.;:\"'“”")
        if core[:1].isupper():
            run = (run + core[0].lower())[-6:]
            initials.update(run[-n:] for n in range(2, len(run) + 1))
        elif core not in _SMALL:
            run = ""
        if word[-1] in ",.;:":
            run = ""
    return frozenset(initials)
