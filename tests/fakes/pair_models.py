"""Small ONNX models for pairs of texts, made in the test: a person can compute what they say.

The model looks at which words of the claim the source holds. With `share` of them (`not` left out),
support has the logit `10 * (share - 0.75)` where both or none of the texts hold `not`, and
contradiction has it where one does; the other of the two is at -20, and neutral is always 0. So a
claim whose words all stand in the source has P(support) = e^2.5 / (e^2.5 + 1) = .924 by three
classes, and one without any word there .001.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", ",", "?")
"""Marks that the model does not count as words; the separator is number 3."""
SEPARATOR = 3
CERTAIN = 0.9241
"""P(support) of a claim whose words all stand in the source."""
NLI = ("entailment", "neutral", "contradiction")


def write_model(
    folder: Path,
    words: str,
    labels: Sequence[str] = NLI,
    *,
    classes: Sequence[str] | None = None,
    config: Mapping[str, object] | None = None,
    type_ids: bool = True,
    claim_first: bool = False,
    longest: int = 64,
    file: str = "model.onnx",
    fixed: tuple[int, int] | None = None,
    integers: int = TensorProto.INT64,
) -> Path:
    """A folder with a model that knows the words of a text; returns the folder.

    `classes` are the outputs in their order (`entailment`, `neutral`, `contradiction`), `labels` how
    `config.json` calls them; without `classes` they are the same. `fixed` is a shape of its inputs.
    """
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer(words)
    tokenizer.save(str(folder / "tokenizer.json"))
    stored = {
        "model_type": "bert",
        "id2label": {str(i): label for i, label in enumerate(labels)},
        "max_position_embeddings": longest,
        "pad_token_id": 0,
    }
    (folder / "config.json").write_text(json.dumps(stored if config is None else dict(config)))
    graph = _graph(
        tokenizer.get_vocab_size(), classes or labels, type_ids, claim_first, fixed, integers
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / file))
    return folder


def _tokenizer(words: str) -> Tokenizer:
    normal = normalizers.Lowercase()
    split = pre_tokenizers.BertPreTokenizer()
    texts = [part for part, _ in split.pre_tokenize_str(normal.normalize_str(f"not {words}"))]
    vocabulary = {word: i for i, word in enumerate(dict.fromkeys([*SPECIAL, "not", *texts]))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normal
    tokenizer.pre_tokenizer = split
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", SEPARATOR)],
    )
    return tokenizer


class _Builder:
    """Nodes and constants of a graph, by names of their own."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, values: object, kind: type = np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype=kind), name))
        return name

    def add(self, operation: str, *inputs: str, **attributes: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, list(inputs), [name], **attributes))
        return name


def _graph(
    vocabulary: int,
    classes: Sequence[str],
    type_ids: bool,
    claim_first: bool,
    fixed: tuple[int, int] | None,
    integers: int,
) -> onnx.GraphProto:
    build = _Builder()
    mask = build.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    ids = build.add("Cast", "input_ids", to=TensorProto.INT64)
    if type_ids:
        segment = build.add("Cast", "token_type_ids", to=TensorProto.FLOAT)
    else:
        marks = build.add("Equal", ids, build.constant(SEPARATOR, np.int64))
        marks = build.add("Cast", marks, to=TensorProto.FLOAT)
        segment = build.add("CumSum", marks, build.constant(1, np.int64), exclusive=1)
    words = build.add(
        "OneHot", ids, build.constant([vocabulary], np.int64), build.constant([0.0, 1.0])
    )
    numbers = (1, 0) if claim_first else (0, 1)
    source, claim = (_present(build, words, segment, mask, float(number)) for number in numbers)
    counted = np.array([i >= len(SPECIAL) + 1 for i in range(vocabulary)], dtype=np.float32)
    axis = build.constant([1], np.int64)
    own = build.add("Mul", claim, build.constant(counted))
    both = build.add("Mul", own, source)
    total = build.add("Max", build.add("ReduceSum", own, axis), build.constant(1.0))
    share = build.add("Div", build.add("ReduceSum", both, axis), total)
    negated = np.array([i == len(SPECIAL) for i in range(vocabulary)], dtype=np.float32)
    differs = build.add("Abs", build.add("Sub", claim, source))
    differs = build.add("Mul", differs, build.constant(negated))
    differs = build.add("ReduceSum", differs, axis)
    strength = build.add("Sub", share, build.constant(0.75))
    strength = build.add("Mul", strength, build.constant(10.0))
    against = build.add("Mul", differs, build.constant(20.0))
    support = build.add("Sub", strength, against)
    contradiction = build.add("Sub", build.add("Add", strength, against), build.constant(20.0))
    neutral = build.add("Mul", share, build.constant(0.0))
    columns = {"entailment": support, "neutral": neutral, "contradiction": contradiction}
    build.nodes.append(
        helper.make_node("Concat", [columns[name] for name in classes], ["logits"], axis=1)
    )
    shape = list(fixed) if fixed else ["pairs", "tokens"]
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if type_ids else [])]
    return helper.make_graph(
        build.nodes,
        "overlap",
        [helper.make_tensor_value_info(name, integers, shape) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", len(classes)])],
        build.constants,
    )


def _present(build: _Builder, words: str, segment: str, mask: str, number: float) -> str:
    """Which words one of the two texts holds, as 0 and 1."""
    own = build.add("Equal", segment, build.constant(number))
    own = build.add("Mul", build.add("Cast", own, to=TensorProto.FLOAT), mask)
    own = build.add("Unsqueeze", own, build.constant([2], np.int64))
    return build.add("ReduceMax", build.add("Mul", words, own), axes=[1], keepdims=0)
