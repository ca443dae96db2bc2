"""Open ONNX models and tokenizers from files: the part that every encoder shares.

onnxruntime and tokenizers are imported here only, and late: the workbench starts without them.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import UnknownJudge

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer


# onnxruntime 1.32 sends usage statistics unless it is told not to before it is first imported
os.environ["ORT_DISABLE_TELEMETRY"] = "1"


def runtime_missing() -> str | None:
    """Which package is missing to run ONNX models, with what to do; None where both are there."""
    for package in ("onnxruntime", "tokenizers"):
        if find_spec(package) is None:
            return f"{package} is not installed: run `pip install onnxruntime tokenizers`."
    return None


def open_session(path: Path, threads: int = 1) -> "InferenceSession":
    """An ONNX model on the processor; one may be used by several threads at a time.

    `threads` is how many threads one call uses: batches of several callers run side by side.

    Raises:
        UnknownJudge: The file is missing or damaged, or onnxruntime is not installed.
    """
    with _reading("model", path, " as ONNX"):
        import onnxruntime

        return onnxruntime.InferenceSession(
            str(path), session_options(threads), providers=["CPUExecutionProvider"]
        )


def open_tokenizer(path: Path) -> "Tokenizer":
    """A tokenizer out of a `tokenizer.json`.

    Raises:
        UnknownJudge: The file is missing or damaged, or tokenizers is not installed.
    """
    with _reading("tokenizer", path):
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(path))


@contextmanager
def _reading(what: str, path: Path, form: str = "") -> Iterator[None]:
    if missing := runtime_missing():
        raise UnknownJudge(f"The {what} {path.name} cannot be run: {missing}")
    try:
        yield
    except Exception as error:  # its errors have no common class
        raise UnknownJudge(
            f"The {what} {str(path)!r} cannot be read{form} ({type(error).__name__}): "
            "check that the file is there and whole."
        ) from error


def session_options(threads: int = 1) -> "SessionOptions":
    """The options with which a model gives the same scores on every processor.

    Without `x64quantprecision`, products of bytes overflow on processors that have AVX2 or AVX-512
    but not VNNI (onnxruntime, "Quantize ONNX Models"): a logit was off by .35.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.x64quantprecision", "1")
    return options
