"""The files of a model in a folder, a hash over their bytes, and where such folders lie.

A run names such a judge `nli:NAME@HASH`, without the path. To open it again by that name, its path
is kept in `locations.json` of the models' folder, on this machine only. Without such a folder (the
library, which reads no settings) it is kept for as long as the process lives.
"""

import hashlib
import json
import os
import re
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.errors import UnknownJudge
from workbench.judging.nli.spec import (
    HINT,
    USAGE,
    LabelOrder,
    ModelOptions,
    parse_options,
    read_labels,
)

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


LOCATIONS = "locations.json"
NAME = re.compile(r"[^/\\?@]+@[0-9a-f]{8}")
"""The name of a judge in runs, without `nli:`."""
_LOCK = threading.Lock()


@dataclass(slots=True)
class _Places:
    """What this process knows."""

    folder: Path | None = None
    opened: dict[str, str] | None = None


_PLACES = _Places()


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedModel:
    """A model that was found by its SPEC."""

    name: str
    """`NAME@HASH`: its folder's name, and a hash over its bytes and options."""
    files: ModelFiles
    options: ModelOptions

    @property
    def spec(self) -> str:
        """The SPEC by which runs name it: `nli:NAME@HASH`."""
        return f"nli:{self.name}"


def use_models_folder(folder: Path | None) -> None:
    """Look models up in this folder from now on, and keep there where others lie."""
    _PLACES.folder = folder


def models_folder() -> Path | None:
    """The folder that models are looked up in."""
    return _PLACES.folder


def list_model_folders(folder: Path) -> list[Path]:
    """The folders below one that look like a model's, by name; nothing is opened."""
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and holds_model(path))
    except OSError:
        return []


def locate(text: str) -> LocatedModel:
    """The model that stands behind `nli:`: a path, a folder in the models' folder, or `NAME@HASH`.

    Raises:
        UnknownJudge: There is none, its files are incomplete, or they are no longer those of the
            hash.
    """
    text = text.strip()
    if not text:
        raise UnknownJudge(f"nli: names no model: {USAGE}.")
    if NAME.fullmatch(text) and not Path(text).expanduser().is_dir():
        return _by_name(text)
    folder, options = _split(text)
    model = _located(folder, options)
    _remember(model)
    return model


def run_name(text: str) -> str:
    """The name under which runs keep the model behind `nli:`; one that is such a name stays it.

    Raises:
        UnknownJudge: As `locate`.
    """
    is_name = NAME.fullmatch(text.strip()) and not Path(text.strip()).expanduser().is_dir()
    return text.strip() if is_name else locate(text).name


def _split(text: str) -> tuple[Path, ModelOptions]:
    """Folder and options; a path to a model's file is its folder and `file`."""
    path_text, _, options_text = text.partition("?")
    options = parse_options(options_text)
    if not path_text:
        raise UnknownJudge(f"nli:{text} names no folder: {USAGE}.")
    path = Path(path_text).expanduser()
    is_name = not {"/", "\\"} & set(path_text) and path_text not in (".", "..")
    if is_name and _PLACES.folder and (_PLACES.folder / path_text).is_dir():
        path = _PLACES.folder / path_text
    if not path.exists():
        # as it was written: the rest of the path is nobody's business who asks over a network
        raise UnknownJudge(
            f"There is no folder {path_text!r} with a model: name an existing one, or see "
            "`workbench models` for available models and how to get one."
        )
    if path.is_file() and not options.file:
        folder = path.parent.parent if path.parent.name == "onnx" else path.parent
        chosen = parse_options(f"file={path.relative_to(folder).as_posix()}").file
        values = {name: getattr(options, name) for name in ModelOptions.__dataclass_fields__}
        return folder.resolve(), ModelOptions(**{**values, "file": chosen})
    return path.resolve(), options


def _located(folder: Path, options: ModelOptions) -> LocatedModel:
    files = find_files(folder, options)
    plain = re.sub(r"[^\w.\-]+", "-", folder.name).strip("-") or "model"
    try:
        return LocatedModel(
            name=f"{plain}@{model_hash(files, options)}", files=files, options=options
        )
    except OSError as error:
        raise UnknownJudge(
            f"A file of the model in {folder.name!r} cannot be read "
            f"({error.strerror or 'unknown reason'})."
        ) from error


def _by_name(name: str) -> LocatedModel:
    """The model of a run's name, out of what was opened before or out of the models' folder."""
    plain = name.partition("@")[0]
    changed = False
    for text in _candidates(name):
        try:
            model = _located(*_split(text))
        except UnknownJudge:
            continue
        if model.name == name:
            return model
        changed = True
    if changed:
        raise UnknownJudge(
            f"The model {plain} is no longer the one of {name}: its files have changed. Restore "
            f"them, or use its path (nli:PATH) to use the current files."
        )
    raise UnknownJudge(
        f"No model {name} is known here: name it once by its path (nli:PATH), or put its folder "
        f"{plain} where `workbench models` looks for models."
    )


def _candidates(name: str) -> Iterator[str]:
    opened = _read_locations()
    if name in opened:
        yield opened[name]
    if _PLACES.folder is not None:
        for folder in list_model_folders(_PLACES.folder):
            if re.sub(r"[^\w.\-]+", "-", folder.name).strip("-") == name.partition("@")[0]:
                yield str(folder)


def _remember(model: LocatedModel) -> None:
    """Keep where a model lies, unless that is known already."""
    options = model.options.text
    place = str(model.files.folder) + (f"?{options}" if options else "")
    with _LOCK:
        known = _read_locations()
        if known.get(model.name) == place:
            return
        known[model.name] = place
        _PLACES.opened = known
        if _PLACES.folder is not None:
            _write_locations(_PLACES.folder, known)


def _read_locations() -> dict[str, str]:
    """The places by name; a damaged file counts as empty."""
    known = dict(_PLACES.opened or {})
    if _PLACES.folder is None:
        return known
    try:
        stored = json.loads((_PLACES.folder / LOCATIONS).read_text("utf-8"))
    except (OSError, ValueError):
        return known
    kept = stored if isinstance(stored, dict) else {}
    return {**known, **{str(name): str(place) for name, place in kept.items()}}


def _write_locations(folder: Path, known: dict[str, str]) -> None:
    """Write them in one go; where that is not possible, they last as long as the process."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, prefix=".locations-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1, sort_keys=True)
        Path(draft).replace(folder / LOCATIONS)
    except OSError:
        return
