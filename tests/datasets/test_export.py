"""Exports of a run: safe cells, the label that stands, what each person said."""

import csv
import io
import json

import pytest

from tests.fakes import records as make
from workbench.datasets.export import escape_formula, to_csv, to_jsonl
from workbench.records.review import LabelledCitation


def rows(**fields):
    values = {
        "run_id": "r1",
        "name": "bridge.md",
        "output_sha256": "0" * 64,
        "created_at": make.MOMENT,
        "result": make.result(1),
        "labels": (make.label(),),
    }
    return [LabelledCitation(**(values | fields))]


def read_csv(citations):
    return list(csv.DictReader(io.StringIO("".join(to_csv(citations)), newline="")))


def test_jsonl_holds_the_published_keys_and_the_labels():
    (line,) = to_jsonl(rows())
    row = json.loads(line)
    assert line.isascii()
    assert row["verdict"] == "supported"
    assert row["label"] == "contradicted"
    assert row["labels"][0]["reviewer"] == "Ada"


def test_csv_reads_back():
    (row,) = read_csv(rows())
    assert row["verdict"] == "supported"
    assert row["evidence"] == "120 metres"
    assert row["page"] == "2"
    assert row["note"] == "see page 2"


@pytest.mark.parametrize(
    ("opinions", "standing"),
    [
        ([("Ada", "supported"), ("Bob", "supported"), ("Cyd", "contradicted")], "supported"),
        ([("Ada", "supported"), ("Bob", "contradicted")], ""),
        ([], ""),
    ],
)
def test_csv_holds_the_label_that_stands_and_what_each_said(opinions, standing):
    labels = tuple(
        make.label(reviewer, value, reviewer=reviewer, note=f"by {reviewer}")
        for reviewer, value in opinions
    )
    (row,) = read_csv(rows(labels=labels))
    assert row["label"] == standing
    # with its author and reason, never somebody else's note
    assert (row["reviewer"], row["note"]) == (("Bob", "by Bob") if standing else ("", ""))
    assert row["labels"] == "; ".join(f"{reviewer}: {value}" for reviewer, value in opinions)


def test_csv_takes_the_adjudicated_label():
    settled = make.label("l2", "contradicted", reviewer="Zoe", role="adjudication")
    labels = (make.label("l0", "supported"), make.label("l1", "supported"), settled)
    (row,) = read_csv(rows(labels=labels))
    assert (row["label"], row["reviewer"]) == ("contradicted", "Zoe")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+44", "'+44"),
        ("-2", "'-2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("  =1", "'  =1"),
        ("\uff1d1", "'\uff1d1"),
        ("plain", "plain"),
        ("a=1", "a=1"),
        (-0.5, "-0.5"),
        (None, ""),
        ("\ud800", "\ufffd"),
    ],
)
def test_no_cell_is_a_formula(cell, expected):
    assert escape_formula(cell) == expected
