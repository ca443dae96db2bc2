"""Turn a true claim into a false one by one small change: number, name, negation, opposite, place.

For training and for stress tests: a judge that reads must score the original above its corruption.
Pure; the generator decides, so the same seed gives the same corruptions.
"""

import random
import re
from collections.abc import Sequence
from typing import Literal, get_args

from workbench.judging.quantities import find_quantities
from workbench.judging.tokenization import OPPOSITES, find_words, normalize_word, without_markers

Corruption = Literal["number", "name", "negation", "opposite"]
CORRUPTIONS: tuple[Corruption, ...] = get_args(Corruption)

_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|should|may|might|does|do|did)\b"
    r"(?! not\b)"
)
_NOT = re.compile(r"\b(is|are|was|were|has|have|had|will|would|can|could|does|do|did) not\b ?")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*\b")


def make_negative(
    claim: str, kind: Corruption, generator: random.Random, names: Sequence[str] = ()
) -> str | None:
    """The claim with one change of a kind that makes it false; None where it offers no place.

    `names` are other names to swap in; without one that differs a name is not swapped. A negation
    is taken out where there is one, and put in after the first auxiliary where there is none.
    """
    if kind == "number":
        return _number(claim, generator)
    if kind == "name":
        return _name(claim, generator, names)
    if kind == "negation":
        return negate(claim)
    return _opposite(claim, generator)


def find_names(text: str) -> list[str]:
    """Capitalised names inside sentences, each once, in text order; for swapping."""
    name_starts = {word.start for word in find_words(text) if word.name}
    names = (match.group() for match in _NAME.finditer(text) if match.start() in name_starts)
    return list(dict.fromkeys(names))


def negate(claim: str) -> str | None:
    """The claim with its negation taken out, or with one put in; None without an auxiliary."""
    negated = _NOT.search(claim)
    if negated:
        auxiliary_text = negated.group(1) + " "
        return claim[: negated.start()] + auxiliary_text + claim[negated.end() :]
    auxiliary = _AUXILIARY.search(claim)
    if auxiliary is None:
        return None
    return f"{claim[: auxiliary.end()]} not{claim[auxiliary.end() :]}"


def _number(claim: str, generator: random.Random) -> str | None:
    places = [q for q in find_quantities(without_markers(claim)) if claim[q.start].isdigit()]
    if not places:
        return None
    place = generator.choice(places)
    digits = re.match(r"\d[\d,.]*\d|\d", claim[place.start : place.end])
    if digits is None:
        return None
    old = digits.group()
    new = _other_number(old, place.is_year, generator)
    return claim[: place.start] + new + claim[place.start + len(old) :]


def _other_number(old: str, is_year: bool, generator: random.Random) -> str:
    """Another number of the same shape: same length, same separators."""
    if is_year and old.isdigit():
        return str(int(old) + generator.choice([-1, 1]) * generator.randint(2, 12))
    while True:
        new = "".join(generator.choice("0123456789") if c.isdigit() else c for c in old)
        if new[0] == "0" and old[0] != "0":
            new = generator.choice("123456789") + new[1:]
        if new != old:
            return new


def _name(claim: str, generator: random.Random, names: Sequence[str]) -> str | None:
    claim_names = find_names(claim)
    spare = [
        name for name in names if name not in claim and not any(k in name for k in claim_names)
    ]
    if not claim_names or not spare:
        return None
    old = generator.choice(claim_names)
    same = [name for name in spare if name.count(" ") == old.count(" ")] or spare
    return claim.replace(old, generator.choice(same), 1)


def _opposite(claim: str, generator: random.Random) -> str | None:
    places = [w for w in find_words(claim) if normalize_word(claim[w.start : w.end]) in OPPOSITES]
    if not places:
        return None
    place = generator.choice(places)
    old = claim[place.start : place.end]
    new = generator.choice(sorted(OPPOSITES[normalize_word(old)]))
    new = new.capitalize() if old[0].isupper() else new
    return claim[: place.start] + new + claim[place.end :]
