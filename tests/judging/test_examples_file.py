"""Our own examples: enough of them, in five languages, and none that gives its label away."""

import json
from collections import Counter
from pathlib import Path

import pytest

from workbench.judging.training.statistics import auroc

PATH = Path(__file__).resolve().parents[2] / "data" / "judge" / "examples.jsonl"
FIELDS = ["id", "language", "kind", "group", "source", "claim", "label"]


@pytest.fixture(scope="module")
def examples():
    return [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def test_every_example_is_whole_and_has_an_id_of_its_own(examples):
    assert all(list(example) == FIELDS for example in examples)
    assert all(all(value.strip() for value in example.values()) for example in examples)
    assert len({example["id"] for example in examples}) == len(examples) >= 1500


def test_five_languages_four_labels_and_fourteen_kinds_are_there(examples):
    languages = Counter(example["language"] for example in examples)
    assert set(languages) == {"de", "en", "es", "fr", "zh"}
    assert min(languages.values()) >= 300
    assert len({(example["language"], example["label"]) for example in examples}) == 20
    assert len({(example["language"], example["kind"]) for example in examples}) == 70


def test_examples_of_one_source_have_different_labels(examples):
    groups = {}
    for example in examples:
        groups.setdefault(example["group"], set()).add(example["label"])
    assert sum(len(labels) > 1 for labels in groups.values()) >= 0.95 * len(groups)


@pytest.mark.parametrize("measure", ["shared words", "length"])
def test_neither_shared_words_nor_length_tell_what_is_supported(examples, measure):
    import numpy as np

    def pieces(text):
        return {text[n : n + 3].lower() for n in range(len(text) - 2)}

    def value(example):
        claim = pieces(example["claim"])
        if measure == "length":
            return len(example["claim"])
        return len(claim & pieces(example["source"])) / len(claim)

    for language in ("de", "en", "es", "fr", "zh"):
        own = [example for example in examples if example["language"] == language]
        supported = np.array([float(example["label"] == "supported") for example in own])
        assert 0.38 < auroc(np.array([value(example) for example in own]), supported) < 0.62
