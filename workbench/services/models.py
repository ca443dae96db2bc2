"""Models that can judge on this machine: embedded, the user's own, those of servers, and known ones."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from workbench.errors import JudgeError, UnknownJudge, UsageError
from workbench.judging.judge import run_sync
from workbench.judging.judge_factory import open_judge
from workbench.judging.llm import LlmJudge
from workbench.judging.local_servers import FoundServer, LocalProvider, find_servers, server_of
from workbench.judging.nli.classifier import TRANSFORMERS
from workbench.judging.nli.files import find_files, list_model_folders
from workbench.judging.nli.spec import ModelOptions
from workbench.judging.onnx_session import runtime_missing
from workbench.judging.passages import select_passages
from workbench.judging.provider import Completion, CompletionRequest, ProviderFailure, parsed
from workbench.judging.reading_model import embedded_limits
from workbench.records.codec import Record
from workbench.records.text import Json, JsonDict
from workbench.settings import Settings
from workbench.shipped import JUDGE_DATA, SHIPPED_DATA

KNOWN = SHIPPED_DATA / "judge" / "known_models.json"
FOLDER = "FOLDER"
"""Stands for the models' folder in the commands of the table."""
NO_PARTS = ("*.py", "*.md", "*.jsonl", "prices.json", KNOWN.name)
"""Files beside the embedded judge's that are no part of it."""

TRIAL_CLAIM = "The harbour bridge was closed for nine weeks in 2019."
TRIAL_SOURCE = (
    "The harbour bridge closed on 4 March 2019 for repairs to its cables and reopened six weeks "
    "later, ahead of schedule. Ferries carried passengers in the meantime."
)
TRIAL_LABEL = "contradicted"
"""A question that the words alone answer wrongly."""
LISTED_WITHIN_S = 2.0
"""How long `models` waits for servers that are slow to list theirs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTrial(Record):
    """How a model on this machine answered one question whose answer is known."""

    judge: str
    """Its SPEC."""
    label: str | None
    """What it said; None where it gave no verdict."""
    right: bool
    keeps_schema: bool
    """Whether the reply was the JSON that was asked for and nothing else."""
    seconds: float
    problem: str
    """Why there is no verdict; empty where there is one."""

    def to_dict(self) -> JsonDict:
        """Its fields, with the sentence that sums it up."""
        return {**Record.to_dict(self), "expected": TRIAL_LABEL, "says": self.sentence}

    @property
    def sentence(self) -> str:
        """What came of it."""
        if self.problem:
            return self.problem
        form = "kept to the schema" if self.keeps_schema else "did not keep to the schema"
        verdict = (
            f"was right: {self.label}."
            if self.right
            else f"was wrong: it said {self.label}, right is {TRIAL_LABEL}. Do not rely on it."
        )
        return f"{self.judge} answered in {self.seconds:.1f} s, {form}, and {verdict}"


def try_judge(spec: str) -> JudgeTrial:
    """Ask a model of a server on this machine one question whose answer is known.

    Raises:
        UsageError: The SPEC names no such model.
    """
    judge = open_judge(spec) if server_of(spec) else None
    if not isinstance(judge, LlmJudge) or not isinstance(judge.provider, LocalProvider):
        raise UsageError(
            f"{spec[:200]!r} is no model of a server on this machine; the trial question is for "
            "ollama:MODEL, lmstudio:MODEL, llamacpp and vllm:MODEL."
        )
    passages = select_passages(TRIAL_CLAIM, TRIAL_SOURCE)
    question = judge.question(TRIAL_CLAIM, passages)
    begun = perf_counter()
    label, keeps_schema, problem = None, False, ""
    try:
        completion = run_sync(_completion(judge.provider, question))
        seconds = perf_counter() - begun
        required = question.schema["required"]
        assert isinstance(required, list)
        keeps_schema = set(required) == set(parsed(completion.text))
        label = judge.accept(TRIAL_CLAIM, passages, completion, batch=False).label
    except ProviderFailure as failure:
        seconds = perf_counter() - begun
        problem = f"{judge.spec} could not be asked: {failure}."
    except JudgeError as error:
        problem = error.message
    return JudgeTrial(
        judge=judge.spec,
        label=label,
        right=label == TRIAL_LABEL,
        keeps_schema=keeps_schema,
        seconds=round(seconds, 2),
        problem=problem,
    )


async def _completion(provider: LocalProvider, question: CompletionRequest) -> Completion:
    try:
        return await provider.complete(question)
    finally:
        await provider.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder(Record):
    """A model of the user's own in the models' folder."""

    name: str
    judge: str
    """The SPEC that opens it."""
    size_bytes: int
    runs_with: str
    """`onnxruntime` or `transformers`."""
    problem: str
    """Why it cannot be used as it is, and what to do; empty where nothing is known to be wrong."""


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
    servers: tuple[FoundServer, ...]
    """What was found where servers of language models listen; empty where settings forbid them."""
    known: tuple[Mapping[str, Json], ...]
    """The entries of `known_models.json`, the folder put into their commands."""

    def to_dict(self) -> JsonDict:
        """`{"embedded", "onnxruntime", "folder", "own", "servers", "known"}`."""
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
            "servers": [
                {
                    "name": found.server.name,
                    "title": found.server.title,
                    "address": found.place,
                    "state": found.state,
                    "judges": list[Json](found.judges),
                    "problem": found.problem or None,
                }
                for found in self.servers
            ],
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
        servers=tuple(find_servers(LISTED_WITHIN_S)),
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
