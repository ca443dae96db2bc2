"""A run before a policy: what the command line, the pages and the gateway share."""

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from workbench.errors import SourceError, UnreadableInput, UsageError, storage_error
from workbench.judging.judge import run_sync
from workbench.pipeline.claim import read_documents
from workbench.pipeline.options import Sources
from workbench.pipeline.policy_gate import gate
from workbench.policy import (
    ACTIONS,
    FIELDS,
    HANDLINGS,
    OUTCOMES,
    PATTERNS,
    STANDINGS,
    CitationFact,
    Field,
    FieldValue,
    NoEffect,
    Outcome,
    Policy,
    PolicyDecision,
    ReferenceFact,
    SimulatedOutcome,
    StoredRun,
    ThresholdOutcome,
    apply_policy,
    edit_policy,
    pattern_for,
    read_policy,
    simulate_policy,
    simulate_thresholds,
    why_no_effect,
)
from workbench.policy.fields import Kind
from workbench.records.evaluation import CitationOutcome, RunOutcomes
from workbench.records.options import CAP_USD
from workbench.records.text import replace_surrogates
from workbench.records.verdict import Run
from workbench.services.database import database_stamp
from workbench.settings import Settings, load_settings
from workbench.shipped import SHIPPED_DATA
from workbench.store.evaluation.predictions import RunOutcomeRepository
from workbench.store.store import Store

__all__ = [
    "ACTIONS", "FIELDS", "Field", "FieldValue", "HANDLINGS", "Kind", "NoEffect", "OUTCOMES",
    "Outcome", "PATTERNS", "Policy", "PolicyDecision", "STANDINGS", "SimulatedOutcome",
    "ThresholdOutcome", "edit_policy", "read_policy", "simulate_policy", "simulate_thresholds",
    "why_no_effect",
]  # fmt: skip

BUILTIN_POLICIES = SHIPPED_DATA / "policies"
KEPT = "policies"
"""The folder of saved policies in the data directory."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def builtin_policies() -> list[str]:
    """The names of the policies that come with the workbench."""
    return sorted(path.stem for path in BUILTIN_POLICIES.glob("*.yaml"))


def saved_policies(data_dir: Path) -> list[str]:
    """The names of the policies that were saved in a data directory."""
    return sorted(path.stem for path in (data_dir / KEPT).glob("*.yaml"))


def policy_path(name: str, data_dir: Path) -> Path | None:
    """The file of a saved policy, else of the ready-made one of that name; None without either."""
    if _NAME.fullmatch(name) is None:
        return None
    candidates = (data_dir / KEPT / f"{name}.yaml", BUILTIN_POLICIES / f"{name}.yaml")
    return next((path for path in candidates if path.is_file()), None)


def policy_text(name: str, data_dir: Path) -> str:
    """The YAML of a saved or ready-made policy.

    Raises:
        UnreadableInput: There is none of that name, or it is no text.
    """
    return _read(policy_path(name, data_dir) or Path(name), name, data_dir)


def save_policy(name: str, text: str, data_dir: Path) -> Path:
    """The file that a policy was saved in, whole or not at all; it takes an earlier one's place.

    From then on `verify --policy NAME` finds it.

    Raises:
        UsageError: The name cannot be one, belongs to a ready-made policy, or the policy holds a
            key in the open; or the file cannot be written.
        InvalidPolicy: The policy holds mistakes.
    """
    name = name.strip()
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            "A policy's name has 1 to 60 lowercase letters a to z, digits, dashes and underscores, "
            "and starts with a letter or digit; for example support-2026."
        )
    if name in builtin_policies():
        raise UsageError(f"{name} is a built-in policy; save yours under another name.")
    read_policy(text, os.environ)
    if _holds_a_key(text):
        raise UsageError(
            "The policy contains the resolver's key itself. Name a variable that contains it, for "
            "example api_key: ${RESOLVER_KEY}; then save."
        )
    folder = data_dir / KEPT
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("wb", dir=folder, delete=False, prefix=".new-") as file:
            file.write(text.encode("utf-8"))
        Path(file.name).replace(folder / f"{name}.yaml")
    except OSError as error:
        raise storage_error(error, folder) or UsageError(
            f"The policy cannot be saved in {folder}: {error.strerror or 'unknown reason'}."
        ) from None
    return folder / f"{name}.yaml"


def _holds_a_key(text: str) -> bool:
    """Whether the resolver's key is in a policy itself, and not in a variable that it names."""
    variable = "~~"
    names = re.findall(r"\$\{(\w+)\}", text)
    resolver = read_policy(text, dict.fromkeys(names, variable)).resolver
    return bool(resolver and resolver.api_key and variable not in resolver.api_key)


def open_policy(name_or_path: str | Path, environ: Mapping[str, str] | None = None) -> Policy:
    """The policy in a file, or the saved or ready-made one of that name.

    Variables that it names are read from the environment.

    Raises:
        UnreadableInput: There is no such file, or it is no text.
        InvalidPolicy: It holds mistakes; the message tells them by line.
    """
    path, data_dir = Path(name_or_path), load_settings(environ).data_dir
    if not path.is_file():
        path = policy_path(str(name_or_path), data_dir) or path
    return read_policy(
        _read(path, str(name_or_path), data_dir), os.environ if environ is None else environ
    )


def _read(path: Path, name: str, data_dir: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        names = ", ".join([*builtin_policies(), *saved_policies(data_dir)])
        raise UnreadableInput(
            f"The policy {replace_surrogates(name)!r} cannot be read ({type(error).__name__}): name a YAML "
            f"file in UTF-8, or one of {names}."
        ) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunHistory:
    """The judged runs of a span of time, as a preview weighs them and as a list names them."""

    runs: tuple[StoredRun, ...]
    facts: Mapping[str, RunOutcomes]
    """By run id."""
    labelled: int
    """Citations among them that people have decided."""


def past_runs(store: Store, since: datetime | None, until: datetime | None) -> RunHistory:
    """The runs of a span of time; read again only when a run, a verdict or a label was added."""
    return _run_history(
        store.path, database_stamp(store.path), RunOutcomeRepository(store).state(), since, until
    )


@lru_cache(maxsize=4)
def _run_history(
    path: Path, written: int, state: str, since: datetime | None, until: datetime | None
) -> RunHistory:
    outcomes = RunOutcomeRepository(Store(path)).read(since, until)
    runs = tuple(
        StoredRun(
            id=run.id,
            stands=tuple(map(_citation_fact, run.stances)),
            references=tuple(ReferenceFact._make(outcome) for outcome in run.references),
        )
        for run in outcomes
    )
    return RunHistory(
        runs=runs,
        facts={run.id: run for run in outcomes},
        labelled=sum(fact.supported is not None for run in runs for fact in run.stands),
    )


def _citation_fact(outcome: CitationOutcome) -> CitationFact:
    supported = None if outcome.label in (None, "cannot_tell") else outcome.label == "supported"
    return CitationFact(
        pattern_for(outcome.kind, outcome.form), outcome.verdict, outcome.score, supported,
        bool(outcome.unsure),
    )  # fmt: skip


def preview_policy(store: Store, policy: Policy, run_id: str) -> PolicyDecision:
    """What a policy makes of one stored run, its text as it would be handed on.

    Raises:
        StoreError: There is no such run.
    """
    run = store.get_run(run_id)
    return apply_policy(policy, run, run.text)


def apply_policy_to_run(
    policy: Policy,
    run: Run,
    text: str,
    *,
    sources: Sources = None,
    judge: Sequence[str] = ("local",),
    settings: Settings,
    max_cost_usd: float | None = CAP_USD,
) -> PolicyDecision:
    """What the policy makes of a run's answer, its given sources being the context documents.

    `max_cost_usd` is the cap of the whole: what the run left of it may be spent here.

    Raises:
        UsageError: The sources or the judge cannot be used.
        UnreadableInput: A source cannot be read; the message says which.
    """
    try:
        documents = run_sync(read_documents(sources)) if sources is not None else []
    except SourceError as error:
        raise UnreadableInput(f"A source cannot be read: {error.message}") from None
    spent = run.cost_usd + run.reserved_usd
    return gate(
        policy,
        run,
        text,
        documents=documents,
        judge=judge[0],
        internal_hosts=settings.resolver_hosts,
        max_cost_usd=None if max_cost_usd is None else max(max_cost_usd - spent, 0.0),
    )
