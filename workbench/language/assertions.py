"""What a sentence without a citation is there for, by its words and figures: a linear classifier.

Its features are the words of a sentence, neighbouring ones together, its first words, and whether the
lists of `data/sentences/cues.toml` have something for it; English, German, French, Spanish and Chinese
are known. `workbench.judging.training.fit_sentences` fits it; `data/sentences/README.md` says what
to, and how often it is right.
"""

import gzip
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Set
from functools import cache
from typing import Literal, NamedTuple

from workbench.language.tokenization import STOPWORDS
from workbench.records.citation import SentenceKind
from workbench.shipped import SHIPPED_DATA

KINDS: tuple[SentenceKind, ...] = (
    "uncited", "absence", "derived", "synthesis", "opinion", "structure",
)  # fmt: skip
"""What the classifier tells apart, in the order of its weights."""
Language = Literal["en", "de", "fr", "es", "zh"]
LONGEST = 600
"""Code points of a sentence that are looked at."""
FIRST, LAST = 16, 6
"""Words at the beginning and the end of a sentence that are features."""
_SAMPLE = 5_000
"""Code points of a text that tell its language."""
_FOLDER = SHIPPED_DATA / "sentences"
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\d_]+|\d+(?:[.,]\d+)*|[%€$£?!:：？！|;]")
_COMMON: dict[Language, frozenset[str]] = {
    "en": frozenset("the of and to in is was for that with on are by it from be as".split()),
    "de": frozenset(
        "der die und das ist nicht mit von den ein eine im zu auf für sich dem".split()
    ),
    "fr": frozenset("le les des et est une dans du pour que qui par sur au pas plus ce".split()),
    "es": frozenset("el los las y una del por con para es se su al como más lo fue".split()),
    "zh": frozenset("的了在是和与有为对中上于"),
}
COMMON_WORDS = STOPWORDS.union(*_COMMON.values())
"""Words that say nothing of what a sentence is about, of all languages that are known."""


class Classifier(NamedTuple):
    """The weights of each feature by kind, in the order of `KINDS`, and what is added to each."""

    weights: dict[str, tuple[int, ...]]
    bias: tuple[float, ...]

    def kind(self, features: Set[str]) -> SentenceKind:
        """Return the kind that the features of a sentence most speak for."""
        known = [found for found in map(self.weights.get, features) if found]
        sums = map(sum, zip(*known, strict=True)) if known else (0,) * len(KINDS)
        size = len(features) ** 0.5
        scores = [total / size + bias for total, bias in zip(sums, self.bias, strict=True)]
        return KINDS[scores.index(max(scores))]


@cache
def classifier() -> Classifier:
    """Return the classifier that is shipped; it is read once."""
    raw = json.loads(gzip.decompress((_FOLDER / "weights.json.gz").read_bytes()))
    weights = {name: tuple(by_kind) for name, *by_kind in raw["weights"]}
    return Classifier(weights, tuple(raw["bias"]))


@cache
def cues() -> dict[str, dict[Language, re.Pattern[str]]]:
    """Return the lists of words by name and language, each as one expression for lower-case text."""
    lists = tomllib.loads((_FOLDER / "cues.toml").read_text("utf-8"))
    return {
        name: {language: re.compile("|".join(words)) for language, words in by_language.items()}
        for name, by_language in lists.items()
    }


def language_of(text: str) -> Language:
    """Return the language of a text by its commonest words, of those known; English for others."""
    words = Counter(_TOKEN.findall(text[:_SAMPLE].lower()))
    chinese = sum(count for word, count in words.items() if "\u3400" <= word[0] <= "\u9fff")
    if 4 * chinese > words.total():
        return "zh"
    return max(_COMMON, key=lambda name: sum(map(words.__getitem__, _COMMON[name])))


def features_of(sentence: str, language: Language) -> set[str]:
    """Return what the classifier looks at in a sentence."""
    text = sentence[:LONGEST].lower()
    words = ["0" if word[0].isdigit() else word for word in _TOKEN.findall(text)]
    length = f"#{min(len(words) // 5, 8)}"
    if len(words) > FIRST + LAST:
        words = [*words[:FIRST], *words[-LAST:]]
    features = {*words, length}
    before, last = "", "^"
    for number, word in enumerate(words):
        features.add(f"{last} {word}")
        if before:
            features.add(f"{before} {last} {word}")
        if number < 3:
            features.add(f"{number}^{word}")
        if len(word) > 5:
            features.update((f"{word[:5]}-", f"-{word[-3:]}"))
            if len(word) > 7:
                features.add(f"{word[:7]}-")
        before, last = last, word
    features.add(f"{last} $")
    for name, patterns in cues().items():
        if patterns[language].search(text):
            # three times, as its weight is shared among many words otherwise
            features.update((f"cue {name}", f"cue 1 {name}", f"cue 2 {name}"))
    return features


def is_absence(sentence: str) -> bool:
    """Whether a sentence says that something did not happen, was not found or does not exist."""
    return classifier().kind(features_of(sentence, language_of(sentence))) == "absence"


def is_structure(sentence: str, language: Language) -> bool:
    """Whether a sentence begins as those do that lead to others and assert nothing."""
    return cues()["structure"][language].match(sentence.lower()) is not None


def is_calculated(sentence: str, before: Iterable[str], features: Set[str]) -> bool:
    """Whether a figure of a sentence follows from sentences before it, and its words say that it may."""
    if "cue quantity" not in features or features.isdisjoint(("cue relates", "cue concludes")):
        return False
    # their expressions take a fifth of a second to compile, which most texts never need
    from workbench.language.calculations import find_calculations

    found = find_calculations(sentence, [(0, "\n".join(before), "", "")])
    return any(calculation.agrees for calculation in found)
