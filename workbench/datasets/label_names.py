"""The words by which files name labels, as our labels."""

import re
from collections.abc import Mapping

from workbench.datasets.entries import InvalidEntryError, UnknownLabel
from workbench.errors import UsageError
from workbench.records.text import Json, replace_surrogates
from workbench.records.verdict import HUMAN_LABELS, HumanLabel

_WORDS_BY_LABEL: tuple[tuple[HumanLabel, str], ...] = (
    ("supported", "support supports entailment entailed entails fully_supported"),
    ("partially_supported", "partial partially partly_supported partially_support"),
    (
        "not_supported",
        "unsupported not_enough_info not_enough_information nei notenoughinfo",
    ),
    ("contradicted", "contradiction contradicts contradictory refutes refute refuted"),
    ("unverifiable", "not_verifiable"),
    ("cannot_tell", "cant_tell can_t_tell unsure unclear"),
)
LONGEST_WORD = 60
_LABEL_WORDS: Mapping[str, HumanLabel] = {
    word: label for label, words in _WORDS_BY_LABEL for word in (label, *words.split())
}


_GUESSES: tuple[tuple[HumanLabel, str], ...] = (
    ("supported", "yes y true t 1 ja j oui si sì sí sim да 是 はい correct right"),
    ("not_supported", "no n false f 0 nein non não нет 否 いいえ incorrect wrong"),
)
_GUESSED: Mapping[str, HumanLabel] = {
    word: label for label, words in _GUESSES for word in words.split()
}


def guess_label(word: str) -> HumanLabel | None:
    """What an unknown word probably stands for, to be shown and confirmed before it counts.

    Only yes and no, in several languages, are guessed. `neutral` is not: in some files it says that
    the source does not state the claim, in others that nobody could tell.
    """
    return _GUESSED.get(word.strip().casefold())


def label_of(value: Json, names: Mapping[str, HumanLabel] | None = None) -> HumanLabel:
    """Our label for a file's word, whatever its case and spacing; `names` come first.

    Numbers, yes or no, and `neutral` are never taken for a label: `names` says what they stand for.

    Raises:
        UnknownLabel: The word is not a known label.
        InvalidEntryError: There is no label.
    """
    if value is None or isinstance(value, Mapping) or not isinstance(value, str | int | float):
        raise InvalidEntryError("it has no label")
    word = replace_surrogates(str(value)).strip()
    if not word:
        raise InvalidEntryError("it has no label")
    own_names = names or {}
    label = (
        own_names.get(word) or own_names.get(word[:LONGEST_WORD]) or _LABEL_WORDS.get(_plain(word))
    )
    if label is None:
        raise UnknownLabel(
            word[:LONGEST_WORD],
            f"its label is {word[:LONGEST_WORD]!r}, none of {', '.join(HUMAN_LABELS)}; map it with "
            f"a label",
        )
    return label


def word_of(value: Json) -> str:
    """The file's own word for a label, as it is shown and mapped."""
    return (
        replace_surrogates(str(value)).strip()[:LONGEST_WORD]
        if isinstance(value, str | int | float)
        else ""
    )


def parse_names(words: Mapping[str, str]) -> dict[str, HumanLabel]:
    """What a file's own words stand for, checked.

    Raises:
        UsageError: A word is mapped to something that is not a label.
    """
    labels: dict[str, HumanLabel] = {}
    for word, name in words.items():
        label = next((human_label for human_label in HUMAN_LABELS if human_label == name), None)
        if label is None:
            raise UsageError(
                f"{word!r} cannot be mapped to {name!r}; the labels are {', '.join(HUMAN_LABELS)}."
            )
        labels[word] = label
    return labels


def _plain(word: str) -> str:
    return re.sub(r"[^a-z]+", "_", word.lower()).strip("_")
