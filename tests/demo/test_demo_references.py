"""The demo's reference list is wrong where its manifest says so, and right elsewhere.

The entries and the registry are compared field by field and letter by letter here, without the
workbench's own comparison.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from workbench.citations import extract
from workbench.records.bibliography import ENTRY_FIELDS, REFERENCE_STATUSES, RETRACTION_KINDS
from workbench.services.demo import list_demos

DEMO = Path(__file__).resolve().parents[2] / "data" / "demo"
ENTRIES = [entry for entry in json.loads((DEMO / "demo.json").read_text()) if "registry" in entry]
IDS = [entry["id"] for entry in ENTRIES]
APA = re.compile(
    r"\[(?P<label>\d+)\] (?P<authors>.+) \((?P<year>\d{4})\)\. (?P<title>.+)\. "
    r"\*(?P<venue>[^*]+)\*, \*(?P<volume>\d+)\*\((?P<issue>\d+)\), (?P<pages>\d+–\d+)\. "
    r"https://doi\.org/(?P<doi>10\.5555/\S+)"
)
ARTICLE_KEYS = {"container-title", "volume", "issue", "page"}


def registry_of(entry):
    return json.loads((DEMO / entry["registry"]).read_text("utf-8"))


def listed(entry):
    """The fields of each entry of the reference list, by its label."""
    lines = (DEMO / entry["file"]).read_text("utf-8").split("## References\n")[1].split("\n")
    matches = [APA.fullmatch(line) for line in lines if line]
    assert all(matches)
    return {match["label"]: match.groupdict() for match in matches}


def in_apa(record):
    """The fields of a record as an APA entry gives them."""
    names = [
        f"{author['family']}, {' '.join(part[0] + '.' for part in author['given'].split())}"
        for author in record["author"]
    ]
    return {
        "authors": ", & ".join(filter(None, [", ".join(names[:-1]), names[-1]])),
        "year": str(record["issued"]["date-parts"][0][0]),
        "title": record["title"],
        "venue": record.get("container-title"),
        "volume": record.get("volume"),
        "issue": record.get("issue"),
        "pages": record.get("page", "").replace("-", "–"),
        "doi": record["DOI"],
    }


def differing(given, record):
    expected = in_apa(record)
    return {field for field in expected if given[field] != expected[field]}


def meant(given, records):
    """The record that shares most with an entry, and the fields in which they differ."""
    record = min(records, key=lambda record: len(differing(given, record)))
    return record, differing(given, record)


def of_status(entry, *statuses):
    return [item for item in entry["expected_references"] if item["status"] in statuses]


def test_one_demo_brings_a_registry():
    assert IDS == ["literature_review"]


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_a_registry_is_a_list_of_csl_items_with_full_fields(entry):
    records = registry_of(entry)
    assert len(records) == 16
    assert len({record["id"] for record in records}) == len(records)
    assert len({record["DOI"] for record in records}) == len(records)
    for record in records:
        assert record["title"] and record["author"]
        assert all(author["family"] and author["given"] for author in record["author"])
        assert isinstance(record["issued"]["date-parts"][0][0], int)
        assert record["DOI"].startswith("10.5555/")
        if record["type"] == "article-journal":
            assert all(isinstance(record[key], str) and record[key] for key in ARTICLE_KEYS)
        else:
            assert record["type"] == "book" and record["publisher"]


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_each_listed_reference_is_extracted_and_expected_once(entry):
    fields = listed(entry)
    references = extract((DEMO / entry["file"]).read_text("utf-8")).references
    assert [item["label"] for item in entry["expected_references"]] == list(fields)
    assert [reference.label for reference in references] == list(fields)
    assert len(references) == 11
    for reference in references:
        given = fields[reference.label]
        assert reference.title == given["title"]
        assert str(reference.year) == given["year"]
        assert reference.doi == given["doi"]


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_six_references_are_wrong_in_six_ways_and_five_are_right(entry):
    ways = Counter(
        (item["status"], *item["fields"], item["retraction"])
        for item in entry["expected_references"]
    )
    assert ways.pop(("matches", None)) == 5
    assert len(ways) == 6
    assert set(ways.values()) == {1}
    for item in entry["expected_references"]:
        assert item["status"] in REFERENCE_STATUSES
        assert set(item["fields"]) <= set(ENTRY_FIELDS)
        assert item["retraction"] is None or item["retraction"] in RETRACTION_KINDS
        assert item["why"].strip()


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_a_reference_differs_from_the_work_it_means_in_just_the_fields_named(entry):
    records, fields = registry_of(entry), listed(entry)
    for item in of_status(entry, "matches", "differs", "other_work"):
        record, names = meant(fields[item["label"]], records)
        assert names == set(item["fields"]), item["label"]
        retraction = record.get("custom", {}).get("retraction", {})
        assert retraction.get("kind") == item["retraction"]


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_a_doi_is_that_of_the_work_unless_the_reference_names_another_work(entry):
    records, fields = registry_of(entry), listed(entry)
    owners = {record["DOI"]: record["id"] for record in records}
    for item in of_status(entry, "matches", "differs", "other_work"):
        given = fields[item["label"]]
        record, _ = meant(given, records)
        owner = owners[given["doi"]]
        assert (owner != record["id"]) == (item["status"] == "other_work"), item["label"]


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_the_invented_reference_shares_neither_title_nor_doi_nor_author_with_any_work(entry):
    fields = listed(entry)
    for item in of_status(entry, "not_found"):
        given = fields[item["label"]]
        for record in registry_of(entry):
            assert given["title"] != record["title"]
            assert given["doi"] != record["DOI"]
            assert not any(author["family"] in given["authors"] for author in record["author"])


@pytest.mark.parametrize("entry", ENTRIES, ids=IDS)
def test_the_text_does_not_tell_which_references_are_wrong(entry):
    text = (DEMO / entry["file"]).read_text("utf-8").casefold()
    for word in ("retract", "invented", "fictional", "fabricat", "not exist", "wrong", "withdrawn"):
        assert word not in text


def test_demos_are_read_with_their_registry_and_expected_references():
    demos = {demo.id: demo for demo in list_demos(DEMO)}
    review = demos.pop("literature_review")
    assert review.registry == DEMO / "literature_review_registry.json"
    assert [reference.label for reference in review.expected_references] == [
        str(number) for number in range(1, 12)
    ]
    altered = review.expected_references[9]
    assert (altered.status, altered.fields, altered.retraction) == (
        "differs",
        ("year", "venue"),
        None,
    )
    assert review.expected_references[4].retraction == "retracted"
    for demo in demos.values():
        assert demo.registry is None
        assert demo.expected_references == ()
