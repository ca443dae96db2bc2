"""The files of a model in a folder: which there are, what they say, and a hash over their bytes."""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.errors import UnknownJudge
from workbench.judging.nli.labels import HINT, LabelOrder, read_labels
from workbench.judging.nli.spec import ModelOptions

ONNX_FILES = tuple(
    f"{folder}{name}.onnx"
    for name in ("model", "model_quantized", "model_int8", "model_uint8", "model_fp16")
    for folder in ("", "onnx/")
)
"""Where a model's ONNX file usually lies; the first of these that is there is taken."""
TORCH_FILES = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
LONGEST = 512
"""Tokens of a pair; few models for sentence pairs have learned from longer ones."""
LARGEST_JSON = 64 * 2**20
Config = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """A model's files, checked for being there."""

    folder: Path
    weights: Path
    tokenizer: Path
    config: Config
    tokenizer_config: Config

    @property
    def is_onnx(self) -> bool:
        """Whether onnxruntime runs it; else Transformers does."""
        return self.weights.suffix == ".onnx"

    def paths(self) -> list[Path]:
        """Every file that its answers depend on, in order."""
        beside = [self.folder / "config.json", self.folder / "tokenizer_config.json"]
        return [
            path
            for path in (*_weight_parts(self.weights), self.tokenizer, *beside)
            if path.is_file()
        ]

    def size_bytes(self) -> int:
        """What they take on the disk together."""
        return sum(path.stat().st_size for path in self.paths())

    def label_order(self, options: ModelOptions) -> LabelOrder:
        """The meaning of its outputs, as named in the SPEC or in `config.json`.

        Raises:
            UnknownJudge: Neither says what they mean.
        """
        return read_labels(options.labels or self._class_names())

    def longest(self, pad_id: int) -> int:
        """The longest pair it can read, in tokens, `LONGEST` at most."""
        limits = [LONGEST]
        positions = self.config.get("max_position_embeddings")
        if isinstance(positions, int) and positions > 0:
            # RoBERTa counts its positions from behind the padding on
            is_roberta = "roberta" in str(self.config.get("model_type")) or "camembert" in str(
                self.config.get("model_type")
            )
            limits.append(positions - (pad_id + 1 if is_roberta else 0))
        stated = self.tokenizer_config.get("model_max_length")
        if isinstance(stated, int) and stated > 0:
            limits.append(stated)
        return min(limits)

    def _class_names(self) -> Sequence[str]:
        by_id = self.config.get("id2label")
        by_label = self.config.get("label2id")
        try:
            if isinstance(by_id, dict) and by_id:
                return [str(by_id[key]) for key in sorted(by_id, key=int)]
            if isinstance(by_label, dict) and by_label:
                return sorted(map(str, by_label), key=lambda label: int(by_label[label]))
        except (TypeError, ValueError) as error:
            raise UnknownJudge(
                f"id2label in config.json of {self.folder.name!r} has no numbers as keys: {HINT}."
            ) from error
        raise UnknownJudge(
            f"The model in {self.folder.name!r} does not name its classes (no id2label in "
            f"config.json): {HINT}."
        )


def find_files(folder: Path, options: ModelOptions) -> ModelFiles:
    """The files of the model in a folder.

    Raises:
        UnknownJudge: One is missing or cannot be read.
    """
    if not folder.is_dir():
        raise UnknownJudge(
            f"There is no folder {folder.name!r} with a model: name an existing one, or see "
            "`workbench models` for available models and how to get one."
        )
    weights = _weights(folder, options)
    tokenizer = folder / "tokenizer.json"
    if not tokenizer.is_file():
        raise UnknownJudge(
            f"The model in {folder.name!r} has no tokenizer.json: copy it there from where the "
            "model comes from, or write it by AutoTokenizer.from_pretrained(FOLDER)"
            ".save_pretrained(FOLDER) of Transformers."
        )
    config = _read_json(folder / "config.json", required=not options.labels)
    return ModelFiles(
        folder=folder,
        weights=weights,
        tokenizer=tokenizer,
        config=config,
        tokenizer_config=_read_json(folder / "tokenizer_config.json", required=False),
    )


def holds_model(folder: Path) -> bool:
    """Whether a folder looks like a model's: a tokenizer and weights; nothing is opened."""
    names = (*ONNX_FILES, *TORCH_FILES)
    return (folder / "tokenizer.json").is_file() and (
        any((folder / name).is_file() for name in names) or bool(_other_onnx(folder))
    )


def model_hash(files: ModelFiles, options: ModelOptions) -> str:
    """Eight hexadecimal digits of the SHA-256 over a model's files and how it is read.

    Hashed are, by line, `NAME SHA-256` of each file and the options. Files are read once a process
    for as long as their size and time of change stay.
    """
    total = hashlib.sha256()
    for path in files.paths():
        state = path.stat()
        total.update(f"{path.name} {_file_hash(path, state.st_size, state.st_mtime_ns)}\n".encode())
    total.update(options.text.encode("utf-8", "surrogatepass"))
    return total.hexdigest()[:8]


@lru_cache(maxsize=256)
def _file_hash(path: Path, size: int, changed_ns: int) -> str:
    del size, changed_ns  # part of the key only
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _weights(folder: Path, options: ModelOptions) -> Path:
    if options.file:
        path = folder / options.file
        inside = Path(os.path.normpath(path)).is_relative_to(os.path.normpath(folder))
        if not inside or not path.is_file() or path.suffix not in (".onnx", ".safetensors", ".bin"):
            raise UnknownJudge(
                f"The folder {folder.name!r} contains no model {options.file!r}: name a .onnx, "
                ".safetensors or .bin file in it."
            )
        return path
    for name in (*ONNX_FILES, *TORCH_FILES):
        if (folder / name).is_file():
            return folder / name
    others = _other_onnx(folder)
    if len(others) == 1:
        return others[0]
    if others:
        names = ", ".join(path.relative_to(folder).as_posix() for path in others[:8])
        raise UnknownJudge(
            f"The folder {folder.name!r} contains several models ({names}): choose one, for example "
            f"nli:PATH?file={others[0].relative_to(folder).as_posix()}."
        )
    raise UnknownJudge(
        f"The folder {folder.name!r} contains no model: it needs model.onnx (or onnx/model.onnx, "
        "model_quantized.onnx), model.safetensors or pytorch_model.bin, next to tokenizer.json and "
        "config.json."
    )


def _other_onnx(folder: Path) -> list[Path]:
    """ONNX files of other names, in order."""
    return sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])


def _weight_parts(weights: Path) -> Iterator[Path]:
    """The file of the weights, and those that it refers to by the usual names."""
    yield weights
    if weights.suffix == ".onnx":
        yield from (weights.with_name(weights.name + end) for end in ("_data", ".data"))
    elif weights.name.endswith(".index.json"):
        stem = re.escape(weights.name.split(".")[0])
        shard = re.compile(stem + r"-\d+-of-\d+\.(?:safetensors|bin)")
        yield from sorted(path for path in weights.parent.iterdir() if shard.fullmatch(path.name))


def _read_json(path: Path, *, required: bool) -> Config:
    if not path.is_file() and not required:
        return {}
    try:
        if path.stat().st_size > LARGEST_JSON:
            raise ValueError("too large")
        stored = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UnknownJudge(
            f"The model in {path.parent.name!r} has no {path.name} that can be read: put it there "
            f"from where the model comes from, or {HINT}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise UnknownJudge(
            f"{path.name} of {path.parent.name!r} is not JSON: download it again from the model's "
            f"origin."
        ) from error
    if not isinstance(stored, dict):
        raise UnknownJudge(
            f"{path.name} of {path.parent.name!r} contains no JSON object: restore it."
        )
    return stored
