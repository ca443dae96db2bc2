"""How much faster a model of one's own scores a long source in batches than pair by pair.

The model is an encoder of random weights with the shape of a small one (6 layers, 384 wide), made
here: the ratio is what counts, and that both ways give the same. Pass a folder with a model to
measure that one: `python tests/bench/bench_own_models.py nli:PATH`.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT))

from tests.fakes.pair_models import NLI, write_model  # noqa: E402
from workbench.judging.judge_factory import open_judge  # noqa: E402
from workbench.judging.nli import classifier  # noqa: E402
from workbench.judging.nli.judge import NliJudge  # noqa: E402
from workbench.judging.passages import select_passages  # noqa: E402

WIDE, LAYERS, HEADS = 384, 6, 12
SENTENCE = "The council of the old town approved the new bridge over the river in spring {}."
CLAIM = "The council approved the new bridge in spring 1913."
ROUNDS = 5


def main() -> None:
    """Print the times and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        source = " ".join(SENTENCE.format(1800 + i) for i in range(180))
        spec = sys.argv[1] if len(sys.argv) > 1 else f"nli:{encoder(Path(folder) / 'm', source)}"
        judge = open_judge(spec)
        assert isinstance(judge, NliJudge)
        passages = select_passages(CLAIM, source, budget_chars=len(source))
        times: dict[int, list[float]] = {1: [], classifier.PAIRS_AT_ONCE: []}
        scores = {}
        for _ in range(ROUNDS):
            for at_once, taken in times.items():
                classifier.PAIRS_AT_ONCE = at_once
                begun = perf_counter()
                scores[at_once] = judge.judge(CLAIM, passages).score
                taken.append(perf_counter() - begun)
    single, batched = (median(taken) for taken in times.values())
    print(f"{len(source):,} characters, {judge.spec}")
    print(f"one by one {single * 1000:.0f} ms, in batches {batched * 1000:.0f} ms")
    print(f"ratio {single / batched:.2f}, scores {sorted(set(scores.values()))}")


def encoder(folder: Path, words: str) -> Path:
    """A folder with a transformer of random weights that takes the tokens of `write_model`."""
    from tokenizers import Tokenizer

    write_model(folder, words, longest=128)
    size = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab_size()
    random = np.random.default_rng(0)
    nodes, weights = [], []

    def constant(values: np.ndarray) -> str:
        weights.append(numpy_helper.from_array(values, f"w{len(weights)}"))
        return f"w{len(weights) - 1}"

    def matrix(*shape: int) -> str:
        return constant((random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32))

    def add(operation: str, *inputs: str, **attributes: object) -> str:
        nodes.append(helper.make_node(operation, list(inputs), [f"n{len(nodes)}"], **attributes))
        return f"n{len(nodes) - 1}"

    hidden = add("Gather", matrix(size, WIDE), "input_ids")
    masked = add("Cast", "attention_mask", to=TensorProto.FLOAT)
    masked = add("Sub", masked, constant(np.float32(1)))
    masked = add("Mul", masked, constant(np.float32(1e4)))
    masked = add("Unsqueeze", masked, constant(np.array([1, 2])))
    split = constant(np.array([0, 0, HEADS, WIDE // HEADS]))
    joined = constant(np.array([0, 0, WIDE]))
    scale = constant(np.float32((WIDE // HEADS) ** -0.5))
    ones, zeros = np.ones(WIDE, np.float32), np.zeros(WIDE, np.float32)
    for _ in range(LAYERS):
        heads = [
            add("Transpose", add("Reshape", add("MatMul", hidden, matrix(WIDE, WIDE)), split),
                perm=[0, 2, 3, 1] if part == "key" else [0, 2, 1, 3])
            for part in ("query", "key", "value")
        ]  # fmt: skip
        attention = add("Add", add("Mul", add("MatMul", heads[0], heads[1]), scale), masked)
        mixed = add("MatMul", add("Softmax", attention, axis=-1), heads[2])
        mixed = add("Reshape", add("Transpose", mixed, perm=[0, 2, 1, 3]), joined)
        hidden = add(
            "LayerNormalization", add("Add", hidden, mixed), constant(ones), constant(zeros)
        )
        inner = add("Relu", add("MatMul", hidden, matrix(WIDE, 4 * WIDE)))
        inner = add("MatMul", inner, matrix(4 * WIDE, WIDE))
        hidden = add(
            "LayerNormalization", add("Add", hidden, inner), constant(ones), constant(zeros)
        )
    first = add("Gather", hidden, constant(np.array(0)), axis=1)
    nodes.append(helper.make_node("MatMul", [first, matrix(WIDE, len(NLI))], ["logits"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", len(NLI)])
    graph = helper.make_graph(nodes, "encoder", inputs, [output], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(folder / "model.onnx"))
    return folder


if __name__ == "__main__":
    main()
