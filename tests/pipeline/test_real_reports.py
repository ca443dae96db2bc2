"""Every shared deep-research report goes through `verify` offline; nothing is dropped."""

import json
import re
from pathlib import Path

import pytest

import workbench
from workbench import extract, verify

REPORTS = Path(workbench.__file__).parents[2] / "shared" / "data" / "deep_research_reports.jsonl"
MARKER = re.compile(r"\[(\d{1,3})\]")


def reports():
    if not REPORTS.is_file():
        return []
    return [json.loads(line) for line in REPORTS.read_text("utf-8").splitlines()]


pytestmark = pytest.mark.skipif(
    not REPORTS.is_file(), reason="the shared reports are not beside this checkout"
)


def body_markers(article, references):
    """Offsets of each `[n]` that stands outside the reference entries, read independently."""
    entries = [(reference.start, reference.end) for reference in references]
    return {
        match.start(): match.group(1)
        for match in MARKER.finditer(article)
        if not any(start <= match.start() < end for start, end in entries)
    }


@pytest.mark.parametrize("report", reports(), ids=lambda report: str(report["id"]))
def test_a_report_runs_offline_and_every_marker_is_linked(report):
    extraction = extract(report["article"])
    run = verify(extraction)
    assert [r.citation for r in run.citations] == list(extraction.citations)
    assert set(run.errors) <= {"fetch_disabled", "unlinked"}
    numbered = {c.start: c for c in extraction.citations if c.kind == "numbered"}
    for start, number in body_markers(report["article"], extraction.references).items():
        assert start in numbered, f"[{number}] at {start} is not listed"
        assert numbered[start].target is not None, f"[{number}] at {start} is not linked"
    for result in run.citations:
        citation = result.citation
        assert report["article"][citation.start : citation.end] == citation.raw
