"""An encoder of random weights in a folder of the embedded judge: it runs, and knows nothing."""

import json
import string
from pathlib import Path

import numpy as np

from workbench.judging.pair_reader import LONGEST, MODEL, TOKENIZER
from workbench.judging.training.encoder.e5_weights import make_tokenizer
from workbench.judging.training.encoder.export_encoder import encoder_graph
from workbench.shipped import JUDGE_DATA

WIDTH, HIDDEN, HEADS, LAYERS = 32, 64, 4, 2
EPSILON = 1e-12
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
PIECES = (*SPECIAL, "▁", *string.ascii_letters, *string.digits, *".,:%")
READING = {
    "supported": {"bias": 1.0, "of": {"read": 0.1}},
    "contradicted": {"bias": -3.0, "of": {"read_against": 0.1}},
    "limits": {"support_from": 0.5, "partial_from": 0.3, "against_from": 0.9},
}


def random_weights(pieces: int, positions: int) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(1)

    def random(*shape):
        return generator.normal(0, 0.2, shape).astype(np.float32)

    def linear(name, wide, narrow):
        return {f"{name}.weight": random(wide, narrow), f"{name}.bias": random(wide)}

    def norm(name):
        return {f"{name}.weight": 1 + random(WIDTH), f"{name}.bias": random(WIDTH)}

    weights = {
        "words.weight": random(pieces, WIDTH),
        "positions.weight": random(positions, WIDTH),
        "types.weight": random(2, WIDTH),
        **norm("embedding_norm"),
        **linear("attend", WIDTH, WIDTH),
        **linear("attend_to", 1, WIDTH),
        **linear("pooled", WIDTH, 2 * WIDTH),
        **linear("labels", 3, WIDTH),
    }
    for number in range(LAYERS):
        part = {
            **linear("qkv", 3 * WIDTH, WIDTH), **linear("out", WIDTH, WIDTH),
            **linear("wide", HIDDEN, WIDTH), **linear("narrow", WIDTH, HIDDEN),
            **norm("attention_norm"), **norm("norm"),
        }  # fmt: skip
        weights |= {f"layers.{number}.{name}": values for name, values in part.items()}
    return weights


def add_encoder(folder: Path) -> None:
    """The files of an encoder that a judge's folder lacks."""
    graph = encoder_graph(random_weights(len(PIECES), LONGEST), LAYERS, HEADS, EPSILON)
    (folder / MODEL).write_bytes(graph.SerializeToString())
    scores = [0.0] * len(SPECIAL) + [-1.0] * (len(PIECES) - len(SPECIAL))
    make_tokenizer(PIECES, scores, SPECIAL.index("<unk>")).save(str(folder / TOKENIZER))


def judge_folder(folder: Path, *, reads: bool) -> Path:
    """The shipped weights in a folder without an encoder; those of one that `reads` are made up."""
    stored = json.loads((JUDGE_DATA / "weights.json").read_text("utf-8"))
    if reads:
        stored["reading"] = READING
    (folder / "weights.json").write_text(json.dumps(stored))
    return folder
