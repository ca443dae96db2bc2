"""Names and numbers of a claim that its passages lack. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging.claim_features import ClaimParts, Sentence, held_stems
from workbench.judging.quantities import Quantity, find_quantities, matches
from workbench.judging.tokenization import Word


@dataclass(frozen=True, slots=True)
class MissingEntities:
    """Names and numbers of the claim that the passages lack."""

    names: tuple[Word, ...]
    numbers: tuple[Quantity, ...]

    @classmethod
    def of(cls, claim: ClaimParts, text: str, sentences: Sequence[Sentence]) -> "MissingEntities":
        """What is missing of the claim in the passages."""
        stems = held_stems(sentences, {})
        roots = {stem[:5] for stem in stems if len(stem) >= 5}
        held = find_quantities(text)
        return cls(
            names=tuple(
                word
                for word in claim.content
                if word.name and word.stem not in stems and word.stem[:5] not in roots
            ),
            numbers=tuple(
                q for q in find_quantities(claim.text) if not q.weak and not matches(q, held)
            ),
        )

    def values(self) -> dict[str, float]:
        """The features about names and numbers."""
        return {
            "names_missing": min(len(self.names), 4) / 4,
            "numbers_missing": min(len(self.numbers), 3) / 3,
        }
