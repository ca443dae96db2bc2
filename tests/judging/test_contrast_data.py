"""The contrast set: enough of it, in five languages, and neither overlap nor the claim tells a label."""

import gzip
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from zlib import crc32

import pytest

from workbench.judging.training.statistics import auroc

FOLDER = Path(__file__).resolve().parents[2] / "data" / "contrast"
FIELDS = ["id", "group", "half", "lang", "title", "source", "context", "claim", "label", "kind"]
LABELS = {"supported", "partially_supported", "not_supported", "contradicted"}
LANGUAGES = ("de", "en", "es", "fr", "zh")
FOLDS = 5


@pytest.fixture(scope="module")
def claims():
    rows = {}
    for language in LANGUAGES:
        with gzip.open(FOLDER / f"{language}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows[language] = [json.loads(line) for line in lines]
    return rows


def test_every_claim_is_whole_and_has_an_id_of_its_own(claims):
    rows = [row for own in claims.values() for row in own]
    assert len({row["id"] for row in rows}) == len(rows) >= 20_000
    assert all(list(row) == FIELDS and row["label"] in LABELS for row in rows)
    assert all(row[field].strip() for row in rows for field in FIELDS if field != "context")
    assert min(map(len, claims.values())) >= 2000


def test_claims_of_a_passage_have_different_labels(claims):
    groups = defaultdict(list)
    for row in (row for own in claims.values() for row in own):
        groups[row["group"]].append(row)
    assert all(len({row["source"] for row in rows}) == 1 for rows in groups.values())
    assert min(len({row["label"] for row in rows}) for rows in groups.values()) >= 3


def pieces(text, language):
    """Words, or pairs of characters where words are not apart."""
    if language == "zh":
        return [text[n : n + 2] for n in range(len(text) - 1)]
    return "".join(c if c.isalnum() else " " for c in text.lower()).split()


def supported(rows):
    import numpy as np

    return np.array([float(row["label"] == "supported") for row in rows])


def overlap(row):
    claim = set(pieces(row["claim"], row["lang"]))
    return len(claim & set(pieces(row["source"], row["lang"]))) / max(1, len(claim))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "measure", [overlap, lambda row: len(row["claim"])], ids=["words", "length"]
)
def test_neither_shared_words_nor_length_tell_what_is_supported(claims, language, measure):
    import numpy as np

    rows = claims[language]
    assert 0.4 < auroc(np.array([measure(row) for row in rows]), supported(rows)) < 0.62


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_claim_alone_does_not_tell_what_is_supported(claims, language):
    """A classifier by the claim's words (naive Bayes), each passage judged by the other passages."""
    import numpy as np

    rows = claims[language]
    fold = [crc32(row["group"].encode()) % FOLDS for row in rows]
    words = [set(pieces(row["claim"], language)) for row in rows]
    totals = [[Counter(), Counter()] for _ in range(FOLDS)]
    sizes = [[0, 0] for _ in range(FOLDS)]
    for at, row in enumerate(rows):
        is_supported = row["label"] == "supported"
        for other in range(FOLDS):
            if other != fold[at]:
                totals[other][is_supported].update(words[at])
                sizes[other][is_supported] += 1
    scores = []
    for at in range(len(rows)):
        no, yes = totals[fold[at]]
        n, y = sizes[fold[at]]
        scores.append(sum(
            math.log((yes[w] + 1) / (y + 2)) - math.log((no[w] + 1) / (n + 2)) for w in words[at]
        ))  # fmt: skip
    assert 0.42 < auroc(np.array(scores), supported(rows)) < 0.58
