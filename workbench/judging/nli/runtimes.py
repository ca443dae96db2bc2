"""What runs a model's arithmetic: onnxruntime, or Transformers where that extra is installed."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from workbench.errors import UnknownJudge
from workbench.judging.nli.files import ModelFiles
from workbench.judging.onnx_session import open_session

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tokens = NDArray[np.int64]
    Outputs = NDArray[np.float64]

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
TRANSFORMERS = "pip install 'torch>=2.13' 'transformers>=5'"


class Runtime(Protocol):
    """Runs a batch of encoded pairs."""

    @property
    def fixed_pairs(self) -> int:
        """How many pairs a batch must have; 0 for any number."""
        ...

    @property
    def fixed_length(self) -> int:
        """How many tokens each pair must have; 0 for any number."""
        ...

    def run(self, batch: "Mapping[str, Tokens]") -> "Outputs":
        """One row of outputs for each pair; raises what the library raises."""
        ...


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
        self._fixed = [size if isinstance(size, int) and size > 0 else 0 for size in shape]
        names = [item.name for item in self._session.get_outputs()]
        self._output = "logits" if "logits" in names else names[0]

    @property
    def fixed_pairs(self) -> int:
        """How many pairs a batch must have; 0 for any number."""
        return self._fixed[0]

    @property
    def fixed_length(self) -> int:
        """How many tokens each pair must have; 0 for any number."""
        return self._fixed[1]

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
