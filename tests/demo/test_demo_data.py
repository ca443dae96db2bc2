"""The shipped demo says what its manifest says it says."""

import asyncio
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.demo.make_pdfs import set_pages
from workbench.citations import extract
from workbench.records.citation import UNCOUNTED_KINDS, Citation, Extraction
from workbench.records.source import Fetched, Source
from workbench.records.verdict import QUOTED_LABELS, VERDICT_LABELS
from workbench.sources.addresses import same_source_key, target_key
from workbench.sources.read import read_source

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
MANIFEST = json.loads((DEMO / "demo.json").read_text("utf-8"))
IDS = [entry["id"] for entry in MANIFEST]
TYPES = {".html": "text/html", ".pdf": "application/pdf"}


def text_of(entry) -> str:
    return (DEMO / entry["file"]).read_text("utf-8")


def listed_sources(entry) -> list[dict[str, str]]:
    return json.loads((DEMO / entry["sources"] / "sources.json").read_text("utf-8"))


def read(path: Path) -> Source:
    fetched = Fetched(
        url=path.name,
        final_url=path.name,
        status=None,
        content_type=TYPES[path.suffix],
        body=path.read_bytes(),
    )
    return asyncio.run(read_source(fetched))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def cited(extraction: Extraction) -> list[Citation]:
    return [c for c in extraction.citations if c.kind not in UNCOUNTED_KINDS]


# -- the manifest -------------------------------------------------------------------------------


def test_there_is_enough_to_show():
    expected = [item for entry in MANIFEST for item in entry["expected"]]
    labels = Counter(item["label"] for item in expected)
    assert len(MANIFEST) >= 5
    assert len(expected) >= 40
    assert set(labels) == set(VERDICT_LABELS)
    assert 0.5 <= labels["supported"] / len(expected) <= 0.6


def test_the_counts_in_the_readme_are_the_manifest_s():
    rows = re.findall(r"^\| `(\w+)\.md` \|.*\| (\d+) \|$", (DEMO / "README.md").read_text(), re.M)
    assert rows == [(entry["id"], str(len(entry["expected"]))) for entry in MANIFEST]


@pytest.mark.parametrize("entry", MANIFEST, ids=IDS)
def test_every_expected_citation_stands_in_the_text_once_for_each_occurrence(entry):
    body = text_of(entry)
    occurrences: Counter[tuple[str, str]] = Counter()
    for item in entry["expected"]:
        key = (item["raw"], item["identifier"])
        assert item["occurrence"] == occurrences[key]
        occurrences[key] += 1
        assert body.count(item["raw"]) >= occurrences[key]
        assert item["why"].strip()


@pytest.mark.parametrize("entry", MANIFEST, ids=IDS)
def test_labels_come_with_a_source_and_evidence_or_with_neither(entry):
    files = {source["file"] for source in listed_sources(entry)}
    for item in entry["expected"]:
        assert (item["source"] is None) == (item["label"] == "unverifiable")
        assert (item["evidence"] is not None) == (item["label"] in QUOTED_LABELS)
        assert item["source"] is None or item["source"] in files


# -- the sources --------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", MANIFEST, ids=IDS)
def test_every_source_is_listed_and_reads_as_a_page_worth_searching(entry):
    folder = DEMO / entry["sources"]
    listed = {source["file"]: source for source in listed_sources(entry)}
    assert set(listed) == {path.name for path in folder.iterdir()} - {"sources.json"}
    for name, facts in listed.items():
        source = read(folder / name)
        assert source.title == facts["title"] or facts["title"].startswith(source.title or "?")
        long_enough = 600 if entry["language"] == "zh" else 1700
        assert long_enough <= len(source.text) <= 12_000, name
        assert len(source.pages) >= 2 if name.endswith(".pdf") else not source.pages
        assert "cookie" not in source.text.casefold()


@pytest.mark.parametrize("entry", MANIFEST, ids=IDS)
def test_evidence_is_found_word_for_word_in_its_source(entry):
    texts = {s["file"]: read(DEMO / entry["sources"] / s["file"]) for s in listed_sources(entry)}
    for item in entry["expected"]:
        if item["evidence"]:
            assert squeezed(item["evidence"]) in squeezed(texts[item["source"]].text), item


def test_pdf_files_are_what_their_manuscripts_say():
    pdfs = sorted(DEMO.glob("*/*.pdf"))
    manuscripts = sorted((DEMO / "manuscripts").glob("*.md"))
    assert {path.stem for path in pdfs} == {path.stem for path in manuscripts}
    for path, manuscript in zip(sorted(pdfs, key=lambda p: p.stem), manuscripts, strict=True):
        source = read(path)
        text = squeezed(source.text)
        body = manuscript.read_text("utf-8").split("\n\n", 1)[1]
        paragraphs = [p for p in body.split("\n\n") if p[0] not in "#|-"]
        assert len(source.pages) == body.count("---page---") + 1
        assert all(squeezed(paragraph) in text for paragraph in paragraphs), path.name


def test_setting_a_manuscript_again_gives_the_same_pages(tmp_path):
    manuscript = DEMO / "manuscripts" / "tidewater-2023.md"
    name, pdf = set_pages(manuscript)
    assert set_pages(manuscript) == (name, pdf)
    (tmp_path / "again.pdf").write_bytes(pdf)
    assert read(tmp_path / "again.pdf").text == read(DEMO / name).text


def test_addresses_are_of_reserved_names():
    for path in [
        *DEMO.glob("*.md"),
        *DEMO.glob("*.json"),
        *DEMO.glob("*/*.html"),
        *DEMO.glob("*/*.json"),
    ]:
        for host in re.findall(r"https?://([\w.-]+)", path.read_text("utf-8")):
            assert host == "doi.org" or host.endswith(".example"), (path.name, host)


# -- what is extracted --------------------------------------------------------------------------


@pytest.mark.parametrize("entry", MANIFEST, ids=IDS)
def test_extraction_finds_exactly_the_expected_citations_in_order(entry):
    raw_and_identifiers = [(c.raw, c.identifier) for c in cited(extract(text_of(entry)))]
    assert raw_and_identifiers == [(item["raw"], item["identifier"]) for item in entry["expected"]]


@pytest.mark.parametrize("entry", MANIFEST, ids=IDS)
def test_each_citation_links_to_the_address_of_its_source(entry):
    addresses = {s["file"]: same_source_key(s["url"]) for s in listed_sources(entry)}
    for citation, item in zip(cited(extract(text_of(entry))), entry["expected"], strict=True):
        reached = target_key(citation.target) if citation.target else None
        if item["source"]:
            assert reached == addresses[item["source"]], citation.raw
        else:
            assert reached not in addresses.values()


@pytest.mark.parametrize("entry", MANIFEST, ids=IDS)
def test_each_citation_has_a_claim(entry):
    for citation in cited(extract(text_of(entry))):
        assert citation.claim is not None
        assert len(citation.claim.text) > 10
