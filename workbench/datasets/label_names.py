"""The words by which files name labels, as our labels."""

import re
from collections.abc import Mapping

from workbench.datasets.entries import BadEntry
from workbench.errors import UsageError
from workbench.records import HUMAN_LABELS, HumanLabel, Json, shown

_WORDS: tuple[tuple[HumanLabel, str], ...] = (
    ("supported", "support supports entailment entailed entails fully_supported"),
    ("partially_supported", "partial partially partly_supported partially_support"),
    (
        "not_supported",
        "unsupported neutral not_enough_info not_enough_information nei notenoughinfo",
    ),
    ("contradicted", "contradiction contradicts contradictory refutes refute refuted"),
    ("unverifiable", "not_verifiable"),
    ("cannot_tell", "cant_tell can_t_tell unsure unclear"),
)
_KNOWN: Mapping[str, HumanLabel] = {
    word: label for label, words in _WORDS for word in (label, *words.split())
}


def label_of(value: Json, names: Mapping[str, HumanLabel] | None = None) -> HumanLabel:
    """Our label for a file's word, whatever its case and spacing; `names` come first.

    Numbers and yes or no are never guessed: `names` says what they stand for.

    Raises:
        BadEntry: The word is none that we know.
    """
    if value is None or isinstance(value, Mapping) or not isinstance(value, str | int | float):
        raise BadEntry("it has no label")
    word = shown(str(value)).strip()
    if not word:
        raise BadEntry("it has no label")
    found = (names or {}).get(word) or _KNOWN.get(_plain(word))
    if found is None:
        raise BadEntry(f"its label is {word[:60]!r}, none of {', '.join(HUMAN_LABELS)}")
    return found


def parse_names(given: Mapping[str, str]) -> dict[str, HumanLabel]:
    """What a file's own words stand for, checked.

    Raises:
        UsageError: A word is said to stand for something that is no label.
    """
    found: dict[str, HumanLabel] = {}
    for word, name in given.items():
        label = next((one for one in HUMAN_LABELS if one == name), None)
        if label is None:
            raise UsageError(
                f"{word!r} cannot stand for {name!r}; the labels are {', '.join(HUMAN_LABELS)}."
            )
        found[word] = label
    return found


def _plain(word: str) -> str:
    return re.sub(r"[^a-z]+", "_", word.lower()).strip("_")
