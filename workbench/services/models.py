"""Models that can judge without a provider: the embedded one, those of the user, and known ones."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import UnknownJudge, UsageError
from workbench.judging.embedded_limits import embedded_limits
from workbench.judging.nli import (
    TRANSFORMERS,
    ModelOptions,
    find_files,
    list_model_folders,
)
from workbench.judging.onnx_session import runtime_missing
from workbench.records import Json, JsonDict
from workbench.settings import Settings
from workbench.shipped import JUDGE_DATA, SHIPPED_DATA

__all__ = ["ModelFolder", "ModelListing", "list_models"]

KNOWN = SHIPPED_DATA / "judge" / "known_models.json"
FOLDER = "FOLDER"
"""Stands for the models' folder in the commands of the table."""
NO_PARTS = ("*.py", "*.md", "*.jsonl", "prices.json", KNOWN.name)
"""Files beside the embedded judge's that are no part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A model of the user's own in the models' folder."""

    name: str
    judge: str
    """The SPEC that opens it."""
    size_bytes: int
    runs_with: str
    """`onnxruntime` or `transformers`."""
    problem: str
    """Why it cannot be used as it is, and what to do; empty where nothing is known to be wrong."""

    def to_dict(self) -> JsonDict:
        """`{"name", "judge", "size_bytes", "runs_with", "problem"}`."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelListing:
    """What is there, and what can be got."""

    embedded: Mapping[str, int]
    """The embedded judge's files with their sizes in bytes."""
    embedded_limits: str
    """How far it can be trusted, by its own figures."""
    runtime_problem: str
    """What is missing to run ONNX models, and what to do; empty where nothing is."""
    folder: Path
    """Where models of the user's own are looked up."""
    own: tuple[ModelFolder, ...]
    known: tuple[Mapping[str, Json], ...]
    """The entries of `known_models.json`, the folder put into their commands."""

    def to_dict(self) -> JsonDict:
        """`{"embedded", "onnxruntime", "folder", "own", "known"}`."""
        return {
            "embedded": {
                "judge": "local",
                "files": dict(self.embedded),
                "size_bytes": sum(self.embedded.values()),
                "limits": self.embedded_limits,
            },
            "onnxruntime": {
                "available": not self.runtime_problem,
                "problem": self.runtime_problem or None,
            },
            "folder": str(self.folder),
            "own": [model.to_dict() for model in self.own],
            "known": [dict(model) for model in self.known],
        }


def list_models(settings: Settings, known: Path = KNOWN) -> ModelListing:
    """The models that are there, and known ones with the commands that fetch them.

    Nothing is downloaded, and no model is opened.

    Raises:
        UsageError: The table of known models cannot be read.
    """
    folder = settings.models_folder
    return ModelListing(
        embedded={
            path.relative_to(JUDGE_DATA).as_posix(): path.stat().st_size
            for path in sorted(JUDGE_DATA.rglob("*"))
            if path.is_file() and not any(map(path.match, NO_PARTS))
        },
        embedded_limits=embedded_limits(),
        runtime_problem=runtime_missing() or "",
        folder=folder,
        own=tuple(_own(path) for path in list_model_folders(folder)),
        known=tuple(_known(known, folder)),
    )


def _own(folder: Path) -> ModelFolder:
    size, runs_with = 0, ""
    try:
        files = find_files(folder, ModelOptions())
        size = files.size_bytes()
        runs_with = "onnxruntime" if files.is_onnx else "transformers"
        files.label_order(ModelOptions())
        problem = "" if files.is_onnx else _transformers_missing()
    except UnknownJudge as error:
        problem = str(error)
    return ModelFolder(
        name=folder.name,
        judge=f"nli:{folder.name}",
        size_bytes=size,
        runs_with=runs_with,
        problem=problem,
    )


def _transformers_missing() -> str:
    from importlib.util import find_spec

    if find_spec("torch") and find_spec("transformers"):
        return ""
    return f"Transformers is not installed: run `{TRANSFORMERS}`."


def _known(table: Path, folder: Path) -> list[Mapping[str, Json]]:
    try:
        models: list[dict[str, Json]] = json.loads(table.read_text("utf-8"))["models"]
        place = f"'{folder}'" if " " in str(folder) else str(folder)
        return [
            {
                name: value.replace(FOLDER, place)
                if name == "fetch" and isinstance(value, str)
                else value
                for name, value in model.items()
            }
            for model in models
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(
            f"The table of known models {str(table)!r} cannot be read ({type(error).__name__}): "
            "restore the one from the repository."
        ) from error
