"""Names, numbers and quotations of a claim, and which of them its passages lack. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging.claim_features import ClaimParts, Sentence, held_stems
from workbench.judging.quantities import Quantity, find_quantities, matches
from workbench.judging.tokenization import Word, normalize_word

_QUOTED = re.compile(r"[\"“«「『]([^\"”»」』]{4,200})[\"”»」』]")


@dataclass(frozen=True, slots=True)
class MissingEntities:
    """Names, numbers and quotations of the claim, and which of them the passages lack."""

    names: tuple[Word, ...]
    numbers: tuple[Quantity, ...]
    all_names: int
    all_numbers: int
    near_names: int
    near_numbers: int
    quotes: int

    @classmethod
    def of(
        cls, claim: ClaimParts, text: str, sentences: Sequence[Sentence], window: Sequence[Sentence]
    ) -> "MissingEntities":
        """What is missing of the claim in the passages and in the best window of them."""
        all_stems, window_stems = held_stems(sentences, {}), held_stems(window, {})
        roots = {stem[:5] for stem in all_stems if len(stem) >= 5}
        names = [word for word in claim.content if word.name]
        numbers = [q for q in find_quantities(claim.text) if not q.weak]
        quantities = find_quantities(text)
        window_quantities = find_quantities("\n".join(s.text for s in window))
        folded = normalize_word(text)
        quoted = [normalize_word(m.group(1)).strip(" .,") for m in _QUOTED.finditer(claim.text)]
        return cls(
            names=tuple(w for w in names if w.stem not in all_stems and w.stem[:5] not in roots),
            numbers=tuple(q for q in numbers if not matches(q, quantities)),
            all_names=len(names),
            all_numbers=len(numbers),
            near_names=sum(word.stem in window_stems for word in names),
            near_numbers=sum(matches(q, window_quantities) for q in numbers),
            quotes=sum(quote not in folded for quote in quoted),
        )

    def values(self) -> dict[str, float]:
        """The features about names, numbers and quotations."""
        names, numbers = max(1, self.all_names), max(1, self.all_numbers)
        names_all = 1 - len(self.names) / names
        numbers_all = 1 - len(self.numbers) / numbers
        near_names = self.near_names / names if self.all_names else 1.0
        near_numbers = self.near_numbers / numbers if self.all_numbers else 1.0
        return {
            "names_all": names_all,
            "names_window": near_names,
            "names_missing": min(len(self.names), 4) / 4,
            "has_names": float(bool(self.all_names)),
            "numbers_all": numbers_all,
            "numbers_window": near_numbers,
            "numbers_missing": min(len(self.numbers), 3) / 3,
            "has_numbers": float(bool(self.all_numbers)),
            "years_missing": float(any(q.is_year for q in self.numbers)),
            "quotes_missing": float(bool(self.quotes)),
            "names_alone": names_all - near_names,
            "numbers_alone": numbers_all - near_numbers,
        }
