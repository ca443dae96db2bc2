"""The exported graph computes what the encoder is: checked against plain numpy on small weights."""

import math

import numpy as np
import pytest

from tests.fakes.tiny_encoder import EPSILON, HEADS, LAYERS, WIDTH, random_weights
from workbench.judging.onnx_session import session_options
from workbench.judging.pair_reader import CLAIM_TOKENS, CONTEXT_TOKENS, END, MODEL, join
from workbench.judging.training.encoder.e5_weights import read_encoder
from workbench.judging.training.encoder.export_encoder import encoder_graph


@pytest.fixture(scope="module")
def state():
    return random_weights(pieces=50, positions=40)


def expected(state, ids, types):
    """Logits and shares of one pair in plain floats."""

    def linear(x, name):
        return x @ state[f"{name}.weight"].T + state[f"{name}.bias"]

    def norm(x, name):
        centered = x - x.mean(-1, keepdims=True)
        scaled = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + EPSILON)
        return scaled * state[f"{name}.weight"] + state[f"{name}.bias"]

    def gelu(x):
        return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))

    def softmax(x):
        raised = np.exp(x - x.max(-1, keepdims=True))
        return raised / raised.sum(-1, keepdims=True)

    x = state["words.weight"][ids] + state["positions.weight"][: len(ids)]
    x = norm(x + state["types.weight"][types], "embedding_norm")
    for number in range(LAYERS):
        name = f"layers.{number}."
        q, k, v = np.split(linear(x, name + "qkv"), 3, axis=-1)
        heads = [
            softmax(q[:, part] @ k[:, part].T / math.sqrt(WIDTH / HEADS)) @ v[:, part]
            for part in (slice(n, n + WIDTH // HEADS) for n in range(0, WIDTH, WIDTH // HEADS))
        ]
        x = norm(x + linear(np.concatenate(heads, -1), name + "out"), name + "attention_norm")
        x = norm(x + linear(gelu(linear(x, name + "wide")), name + "narrow"), name + "norm")
    weight = linear(np.tanh(linear(x, "attend")), "attend_to")[:, 0]
    shares = softmax(np.where(np.array(types) == 1, weight, -1e4))
    pooled = gelu(linear(np.concatenate([x[0], shares @ x]), "pooled"))
    return linear(pooled, "labels"), shares


@pytest.fixture(scope="module")
def session(state):
    import onnxruntime

    model = encoder_graph(state, LAYERS, HEADS, EPSILON)
    return onnxruntime.InferenceSession(model.SerializeToString(), session_options())


def run(session, rows, types):
    longest = max(map(len, rows))
    fill = [[0] * (longest - len(row)) for row in rows]
    return session.run(
        ["logits", "shares"],
        {
            "ids": np.array([row + [1] * len(rest) for row, rest in zip(rows, fill, strict=True)]),
            "types": np.array([row + rest for row, rest in zip(types, fill, strict=True)]),
            "mask": np.array([[1] * len(row) + rest for row, rest in zip(rows, fill, strict=True)]),
        },
    )


IDS, SOURCE_FROM = join([7, 8, 9], [10], [20, 21, 22, 23, 24])
TYPES = [0] * SOURCE_FROM + [1] * (len(IDS) - SOURCE_FROM)


def test_logits_and_shares_are_those_of_the_formulas_but_for_the_rounding_to_bytes(session, state):
    logits, shares = run(session, [IDS], [TYPES])
    expected_logits, expected_shares = expected(state, IDS, TYPES)
    assert logits[0] == pytest.approx(expected_logits, abs=0.05)
    assert shares[0] == pytest.approx(expected_shares, abs=0.02)


def test_only_tokens_of_the_source_share_what_decides(session):
    _, shares = run(session, [IDS], [TYPES])
    assert shares[0][:SOURCE_FROM].max() < 1e-6
    assert shares[0].sum() == pytest.approx(1)


def test_padding_changes_nothing(session):
    short, source_from = join([7], [], [20, 21])
    kinds = [0] * source_from + [1] * (len(short) - source_from)
    alone, _ = run(session, [short], [kinds])
    beside, _ = run(session, [short, IDS], [kinds, TYPES])
    # the scale of a tensor's bytes is shared by a batch
    assert beside[0] == pytest.approx(alone[0], abs=0.05)


def test_a_long_source_is_cut_and_keeps_its_mark():
    ids, source_from = join([5] * 200, [6] * 200, [7] * 900, longest=160)
    assert len(ids) == 160
    assert ids[-1] == END
    assert ids.count(5) == CLAIM_TOKENS and ids.count(6) == CONTEXT_TOKENS
    assert ids[source_from] == 7


def test_an_exported_encoder_is_read_back_so_that_training_can_go_on_from_it(state, tmp_path):
    onnx = pytest.importorskip("onnx")
    model = encoder_graph(state, LAYERS, HEADS, EPSILON)
    model.metadata_props.add(key="steps", value="4500")
    onnx.save(model, tmp_path / MODEL)
    read, steps = read_encoder(tmp_path)
    assert steps == 4500
    assert read.keys() == state.keys()
    for name, values in state.items():
        rounding = np.abs(values).max() / 127 / 2
        np.testing.assert_allclose(read[name], values, atol=rounding + 1e-6, err_msg=name)
