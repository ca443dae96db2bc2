"""Which labelled items to freeze as anchors: as even over the labels as can be, spread widely."""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorCandidate:
    """A labelled item with a readable source."""

    item: str
    label: str
    question: str
    domain: str


def choose_anchors(
    candidates: Sequence[AnchorCandidate], many: int, *, seed: int = 0
) -> list[AnchorCandidate]:
    """At most `many` of the candidates; the same candidates and seed give the same choice.

    Every label gets as many places as the others, as far as it has items: an anchor set watches a
    judge, and a rare label that is judged worse than before must show. Within a label the next item
    comes from the question that was drawn least, then from the domain that was, then by a hash of
    its name with the seed. The order of the candidates does not matter.

    Raises:
        UsageError: Fewer than one item is asked for.
    """
    if many < 1:
        raise UsageError(f"A reference set needs at least one example, not {many}.")
    strata: dict[str, list[AnchorCandidate]] = defaultdict(list)
    for candidate in candidates:
        strata[candidate.label].append(candidate)
    places = _even({label: len(items) for label, items in strata.items()}, many)
    return [
        anchor for label in sorted(strata) for anchor in _spread(strata[label], places[label], seed)
    ]


def _even(sizes: dict[str, int], many: int) -> dict[str, int]:
    """How many places each label gets: what small ones leave over is shared by the larger ones."""
    places: dict[str, int] = {}
    remaining = min(many, sum(sizes.values()))
    for number, label in enumerate(sorted(sizes, key=lambda name: (sizes[name], name))):
        # the smallest first: what it cannot fill goes to those that come
        places[label] = min(sizes[label], remaining // (len(sizes) - number))
        remaining -= places[label]
    return places


def _spread(items: Sequence[AnchorCandidate], many: int, seed: int) -> list[AnchorCandidate]:
    ordered = sorted(items, key=lambda candidate: _draw(seed, candidate.item))
    in_question: dict[str, int] = defaultdict(int)
    ranked: list[tuple[int, AnchorCandidate]] = []
    for candidate in ordered:
        ranked.append((in_question[candidate.question], candidate))
        in_question[candidate.question] += 1
    in_domain: dict[tuple[int, str], int] = defaultdict(int)
    placed: list[tuple[int, int, int, AnchorCandidate]] = []
    for number, (turn, candidate) in enumerate(ranked):
        placed.append((turn, in_domain[turn, candidate.domain], number, candidate))
        in_domain[turn, candidate.domain] += 1
    placed.sort(key=lambda place: place[:3])
    return [candidate for *_, candidate in placed[:many]]


def _draw(seed: int, item: str) -> str:
    name = f"{seed} {item}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(name).hexdigest()
