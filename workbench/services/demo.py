"""The shipped demo outputs: listing them, and checking them once so that there is work to see."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.pipeline import VerifyOptions
from workbench.records import Run, VerdictLabel, text_sha256
from workbench.services.verification import verify_and_store
from workbench.settings import SHIPPED_DATA
from workbench.store import Store

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
class Demo:
    """One shipped output with its sources and the labels we expect."""

    id: str
    title: str
    about: str
    language: str
    text: str
    sources: Path
    expected: tuple[Expected, ...]


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
        )
        for entry in json.loads(manifest.read_text("utf-8"))
    ]


def seed_demo(
    store: Store, snapshots: Path | None = None, demos: Sequence[Demo] | None = None
) -> list[Run]:
    """Check each demo output that the store does not hold yet; returns the new runs."""
    stored_hashes = {summary.output_sha256 for summary in store.list_runs(limit=100_000)}
    runs = []
    for demo in list_demos() if demos is None else demos:
        if text_sha256(demo.text) not in stored_hashes:
            runs.append(
                verify_and_store(
                    store,
                    demo.text,
                    demo.title,
                    VerifyOptions(sources=demo.sources, snapshots=snapshots),
                )
            )
    return runs
