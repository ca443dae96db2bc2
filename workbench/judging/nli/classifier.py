"""A model for pairs of texts: pairs in, probabilities out, run by onnxruntime or by Transformers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workbench.errors import JudgeError, UnknownJudge
from workbench.judging.nli.files import LocatedModel, ModelFiles
from workbench.judging.nli.spec import SHORTEST_WINDOW, LabelOrder, PairProbabilities
from workbench.judging.onnx_session import open_session, open_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tokens = NDArray[np.int64]
    Outputs = NDArray[np.float64]
    from tokenizers import Encoding, Tokenizer

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
TRANSFORMERS = "pip install 'torch>=2.13' 'transformers>=5'"


class Runtime(Protocol):
    """Runs a batch of encoded pairs."""

    fixed_pairs: int
    """How many pairs a batch must have; 0 for any number."""
    fixed_length: int
    """How many tokens each pair must have; 0 for any number."""

    def run(self, batch: "Mapping[str, Tokens]") -> "Outputs":
        """One row of outputs for each pair; raises what the library raises."""


class OnnxRuntime:
    """An ONNX model, called with those inputs that it has, by their names."""

    def __init__(self, path: Path) -> None:
        self._session = open_session(path)
        inputs = {item.name: item for item in self._session.get_inputs()}
        unknown = sorted(set(inputs) - set(INPUTS))
        if unknown or "input_ids" not in inputs:
            wanted = unknown[0] if unknown else "no input_ids"
            raise UnknownJudge(
                f"{path.name} is not a supported text-pair model: it takes "
                f"{wanted}; supported: {', '.join(INPUTS)}."
            )
        self._types = {name: _integer_type(item.type, path) for name, item in inputs.items()}
        shape = [*inputs["input_ids"].shape, None, None][:2]
        self.fixed_pairs, self.fixed_length = (
            size if isinstance(size, int) and size > 0 else 0 for size in shape
        )
        names = [item.name for item in self._session.get_outputs()]
        self._output = "logits" if "logits" in names else names[0]

    def run(self, batch: "Mapping[str, Tokens]") -> "Outputs":
        """One row of outputs for each pair; raises what onnxruntime raises."""
        import numpy as np

        feeds = {name: batch[name].astype(kind) for name, kind in self._types.items()}
        (outputs,) = self._session.run([self._output], feeds)
        return np.asarray(outputs, dtype=np.float64)


class TransformersRuntime:
    """A Transformers model for sequence classification; no code out of its folder is run."""

    fixed_pairs = 0
    fixed_length = 0

    def __init__(self, files: ModelFiles) -> None:
        self._torch, library = _import_transformers(files.folder)
        if "auto_map" in files.config:
            raise UnknownJudge(
                f"The model in {files.folder.name!r} comes with program code of its own, which is "
                "not run here: export it to ONNX, or use another one (`workbench models`)."
            )
        library.logging.set_verbosity_error()
        library.logging.disable_progress_bar()
        try:
            self._model = library.AutoModelForSequenceClassification.from_pretrained(
                str(files.folder),
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors="safetensors" in files.weights.name,
                weights_only=True,
            )
        except Exception as error:  # its errors have no common class
            raise UnknownJudge(
                f"The model in {files.folder.name!r} cannot be opened by Transformers "
                f"({type(error).__name__}): check that it is a sequence classification model and "
                "that its files are whole."
            ) from error
        self._model.eval()
        type_count = getattr(self._model.config, "type_vocab_size", 0) or 0
        self._names = INPUTS if type_count > 1 else INPUTS[:2]

    def run(self, batch: "Mapping[str, Tokens]") -> "Outputs":
        """One row of outputs for each pair; raises what torch raises."""
        import numpy as np

        tensors = {name: self._torch.from_numpy(batch[name]) for name in self._names}
        with self._torch.inference_mode():
            logits = self._model(**tensors).logits
        return np.asarray(logits.float().numpy(), dtype=np.float64)


def open_runtime(files: ModelFiles) -> Runtime:
    """What runs a model's file.

    Raises:
        UnknownJudge: A package is missing, or the file is damaged or no such model.
    """
    return OnnxRuntime(files.weights) if files.is_onnx else TransformersRuntime(files)


def _import_transformers(folder: Path) -> tuple[Any, Any]:
    try:
        import torch
        import transformers
    except ImportError as error:
        raise UnknownJudge(
            f"The model in {folder.name!r} needs Transformers, which is not installed: run "
            f"`{TRANSFORMERS}`, or put an ONNX export of the model (model.onnx) into the folder."
        ) from error
    return torch, transformers


def _integer_type(kind: str, path: Path) -> str:
    types = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
    if kind not in types:
        raise UnknownJudge(
            f"{path.name} is not a supported text-pair model: it takes {kind} "
            "where numbers of tokens are expected."
        )
    return types[kind]


PAIRS_AT_ONCE = 16
TOKENS_AT_ONCE = 6144
"""Of a batch with its padding: bounds the memory that a call takes."""
PADS = ("[PAD]", "<pad>", "<|padding|>")


@dataclass(frozen=True, slots=True)
class TokenPair:
    """A pair as the model reads it."""

    ids: tuple[int, ...]
    types: tuple[int, ...]


class PairClassifier:
    """Opened once and shared: it holds no state between calls and may be used by several threads."""

    def __init__(self, model: LocatedModel) -> None:
        files, self._options = model.files, model.options
        self._name = model.name
        self._order: LabelOrder = files.label_order(model.options)
        self._tokenizer: Tokenizer = open_tokenizer(files.tokenizer)
        self._marks = _special_tokens(self._tokenizer)
        self._pad_id = _pad_id(self._tokenizer, files.config.get("pad_token_id"))
        self._runtime: Runtime = open_runtime(files)
        limits = [files.longest(self._pad_id)]
        if truncation := self._tokenizer.truncation:
            limits.append(int(truncation["max_length"]))
        limits += [size for size in (self._runtime.fixed_length, self._options.window) if size]
        self.longest = min(limits)
        """The longest pair, in tokens."""
        # cut here, where it is known which of the two texts may lose its end
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        if self.longest < SHORTEST_WINDOW:
            raise UnknownJudge(
                f"The model {self._name} reads {self.longest} tokens at most, which is too few for "
                f"a claim and a passage: {SHORTEST_WINDOW} are needed."
            )
        self._try_out()

    @property
    def overhead(self) -> int:
        """Tokens that a pair has besides those of its texts."""
        return len(self._encode("", "").ids)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token of a text stands, in code points."""
        plain = self._without_marks(text)
        return list(self._tokenizer.encode(plain, add_special_tokens=False).offsets)

    def classify(self, source_texts: Sequence[str], claim: str) -> list[PairProbabilities]:
        """What the model says of a claim beside each text, in the texts' order.

        Raises:
            JudgeError: The model fails, or gives no numbers.
        """
        pairs = [self._encode(text, claim) for text in source_texts]
        rows: list[tuple[float, ...]] = [()] * len(pairs)
        try:
            for batch in self._batches(pairs):
                outputs = self._run([pairs[i] for i in batch])
                for i, row in zip(batch, outputs, strict=True):
                    rows[i] = row
            given = self._options.outputs == "probabilities"
            return [self._order.read(row, are_probabilities=given) for row in rows]
        except Exception as error:  # what a runtime raises has no common class
            raise JudgeError(
                "malformed_judge_response",
                f"The model {self._name} gives no usable answer ({type(error).__name__}): check "
                "it on another claim, or use another judge.",
            ) from error

    def _encode(self, source: str, claim: str) -> TokenPair:
        """A pair with its special tokens, the end of the source cut where it is too long."""
        claim_first = self._options.first == "claim"
        source, claim = self._without_marks(source), self._without_marks(claim)
        first, second = (claim, source) if claim_first else (source, claim)
        if self._options.join:
            encoding = self._tokenizer.encode(f"{first}{self._options.join}{second}")
            begin = len(claim) + len(self._options.join) if claim_first else 0
            end = begin + len(source)
            own = [i for i, (a, b) in enumerate(encoding.offsets) if begin <= a < b <= end]
        else:
            encoding = self._tokenizer.encode(first, second)
            number = 1 if claim_first else 0
            own = [i for i, which in enumerate(encoding.sequence_ids) if which == number]
        return self._cut(encoding, own)

    def _without_marks(self, text: str) -> str:
        """The text without marks of the tokenizer, which nobody but us may set; as long as it was."""
        if self._marks is None:
            return text
        return self._marks.sub(lambda match: match[0][:-1] + " ", text)

    def _cut(self, encoding: "Encoding", own: Sequence[int]) -> TokenPair:
        """The encoding without as many of the source's last tokens as it is too long by."""
        excess = len(encoding.ids) - self.longest
        dropped = frozenset(own[-excess:]) if excess > 0 else frozenset()
        kept = [i for i in range(len(encoding.ids)) if i not in dropped][: self.longest]
        ids, types = encoding.ids, encoding.type_ids
        return TokenPair(tuple(ids[i] for i in kept), tuple(types[i] for i in kept))

    def _batches(self, pairs: Sequence[TokenPair]) -> Iterator[list[int]]:
        """Indices of pairs that are run together: of like lengths, so that little is padding."""
        at_once = self._runtime.fixed_pairs or PAIRS_AT_ONCE
        batch: list[int] = []
        longest = 0
        for i in sorted(range(len(pairs)), key=lambda i: -len(pairs[i].ids)):
            longest = longest or self._runtime.fixed_length or len(pairs[i].ids)
            if batch and (len(batch) >= at_once or (len(batch) + 1) * longest > TOKENS_AT_ONCE):
                yield batch
                batch, longest = [], self._runtime.fixed_length or len(pairs[i].ids)
            batch.append(i)
        if batch:
            yield batch

    def _run(self, pairs: Sequence[TokenPair]) -> list[tuple[float, ...]]:
        outputs = self._outputs(pairs)
        if outputs.shape[1:] != (len(self._order.roles),):
            raise ValueError(f"outputs of the shape {outputs.shape}")
        return [tuple(map(float, row)) for row in outputs[: len(pairs)]]

    def _outputs(self, pairs: Sequence[TokenPair]) -> "NDArray[np.float64]":
        import numpy as np

        length = self._runtime.fixed_length or max(len(pair.ids) for pair in pairs)
        count = max(len(pairs), self._runtime.fixed_pairs)
        ids = np.full((count, length), self._pad_id, dtype=np.int64)
        mask = np.zeros((count, length), dtype=np.int64)
        types = np.zeros((count, length), dtype=np.int64)
        for row in range(count):
            # a model for a fixed number of pairs gets the last one again, not empty ones
            pair = pairs[min(row, len(pairs) - 1)]
            ids[row, : len(pair.ids)] = pair.ids
            mask[row, : len(pair.ids)] = 1
            types[row, : len(pair.ids)] = pair.types
        return self._runtime.run(dict(zip(INPUTS, (ids, mask, types), strict=True)))

    def _try_out(self) -> None:
        """One short pair, so that a model that cannot be used is refused when it is opened."""
        try:
            outputs = self._outputs([self._encode("The sky is blue.", "The sky is blue.")])
        except Exception as error:  # what a runtime raises has no common class
            raise UnknownJudge(
                f"The model {self._name} cannot be run on a pair of texts "
                f"({type(error).__name__}): check that model and tokenizer.json belong together."
            ) from error
        wanted, given = len(self._order.roles), outputs.shape[1:]
        if given != (wanted,):
            shown = f"{given[0]} numbers" if len(given) == 1 else f"an array of {outputs.ndim} axes"
            raise UnknownJudge(
                f"The model {self._name} gives {shown} for a pair, and its labels name {wanted}: "
                "name them in their order, for example nli:PATH?labels=unsupported,supported."
            )


def _special_tokens(tokenizer: "Tokenizer") -> re.Pattern[str] | None:
    """Matches what the tokenizer would read as a mark of its own, such as a separator."""
    tokens = tokenizer.get_added_tokens_decoder().values()
    marks = [token.content for token in tokens if token.special and not token.content.isalnum()]
    longest_first = sorted(marks, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if marks else None


def _pad_id(tokenizer: "Tokenizer", configured: object) -> int:
    """The token that fills a batch up: of tokenizer.json, else of config.json, else by name."""
    padding = tokenizer.padding
    if padding:
        return int(padding["pad_id"])
    if isinstance(configured, int):
        return configured
    ids = (tokenizer.token_to_id(name) for name in PADS)
    return next((number for number in ids if number is not None), 0)
