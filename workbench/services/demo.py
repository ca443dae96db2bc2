"""The shipped demo outputs: listing them, and storing them once so that there is work to see."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.judging.handoff import RECORDED
from workbench.pipeline.options import VerifyOptions
from workbench.records.bibliography import ReferenceStatus, RetractionKind
from workbench.records.text import text_sha256
from workbench.records.verdict import Run, VerdictLabel
from workbench.services.references.checking import ReferenceOptions
from workbench.services.references.registries import FileRegistries
from workbench.services.verification import verify_and_store
from workbench.shipped import SHIPPED_DATA
from workbench.store.store import Store

__all__ = ["RECORDED"]

DEMO = SHIPPED_DATA / "demo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What we say a demo citation deserves; `occurrence` counts equal markers from 0."""

    raw: str
    identifier: str
    occurrence: int
    label: VerdictLabel
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedReference:
    """What we say of a bibliography entry of a demo, found by its label."""

    label: str
    status: ReferenceStatus
    fields: tuple[str, ...]
    """What the entry says otherwise than the record of the work that it means."""
    retraction: RetractionKind | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """One shipped output with its sources, its registry and the findings we expect."""

    id: str
    title: str
    about: str
    language: str
    text: str
    sources: Path
    registry: Path | None
    """CSL-JSON list of the works that the output's references are looked up in; few demos have one."""
    expected: tuple[Expected, ...]
    expected_references: tuple[ExpectedReference, ...]


def list_demos(folder: Path = DEMO) -> list[Demo]:
    """The shipped demo outputs in the manifest's order; empty where none are shipped."""
    manifest = folder / "demo.json"
    if not manifest.is_file():
        return []
    return [
        Demo(
            id=entry["id"],
            title=entry["title"],
            about=entry["about"],
            language=entry["language"],
            text=(folder / entry["file"]).read_text("utf-8"),
            sources=folder / entry["sources"],
            registry=folder / entry["registry"] if "registry" in entry else None,
            expected=tuple(
                Expected(
                    raw=item["raw"],
                    identifier=item["identifier"],
                    occurrence=item["occurrence"],
                    label=item["label"],
                    why=item["why"],
                )
                for item in entry["expected"]
            ),
            expected_references=tuple(
                ExpectedReference(
                    label=item["label"],
                    status=item["status"],
                    fields=tuple(item["fields"]),
                    retraction=item["retraction"],
                    why=item["why"],
                )
                for item in entry.get("expected_references", ())
            ),
        )
        for entry in json.loads(manifest.read_text("utf-8"))
    ]


def demo_options(demo: Demo, snapshots: Path | None = None) -> VerifyOptions:
    """How a demo is checked: against its own sources and its own registry, without a network."""
    lists = registry_files(demo)
    references = ReferenceOptions(registries=FileRegistries(lists).indexes()) if lists else None
    return VerifyOptions(sources=demo.sources, snapshots=snapshots, references=references)


def registry_files(demo: Demo) -> tuple[tuple[str, bytes], ...]:
    """Name and content of a demo's registry; empty for a demo without one."""
    return ((demo.registry.name, demo.registry.read_bytes()),) if demo.registry else ()


def seed_demo(
    store: Store, snapshots: Path | None = None, demos: Sequence[Demo] | None = None
) -> list[Run]:
    """The new runs: one of each demo output that the store does not hold yet.

    Its verdicts are the recorded ones of a language model; nothing is asked for them.
    """
    stored_hashes = {summary.output_sha256 for summary in store.list_runs(limit=100_000)}
    runs = []
    for demo in list_demos() if demos is None else demos:
        if text_sha256(demo.text) not in stored_hashes:
            options = replace(demo_options(demo, snapshots), judge=RECORDED)
            runs.append(verify_and_store(store, demo.text, demo.title, options))
    return runs
