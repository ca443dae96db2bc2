"""Exports: reproducible bytes, safe cells."""

import csv
import hashlib
import json

import pytest

from tests.fakes import records as make
from workbench.datasets import export_rows
from workbench.datasets.export import neutralised
from workbench.errors import UsageError
from workbench.records import LabelledCitation


def rows(**fields):
    given = {
        "run_id": "r1",
        "name": "bridge.md",
        "output_sha256": "0" * 64,
        "created_at": make.MOMENT,
        "result": make.result(1),
        "labels": (make.label(),),
    }
    return [LabelledCitation(**(given | fields))]


def test_jsonl_holds_the_published_keys_and_the_labels(tmp_path):
    written = export_rows(rows(), "jsonl", tmp_path / "a.jsonl")
    (line,) = (tmp_path / "a.jsonl").read_text("ascii").splitlines()
    row = json.loads(line)
    assert row["verdict"] == "supported"
    assert row["label"] == "contradicted"
    assert row["labels"][0]["reviewer"] == "Ada"
    assert written.rows == 1
    assert written.sha256 == hashlib.sha256((tmp_path / "a.jsonl").read_bytes()).hexdigest()


def test_same_rows_same_bytes(tmp_path):
    for name in ("jsonl", "csv"):
        first = export_rows(rows(), name, tmp_path / "one")
        second = export_rows(rows(), name, tmp_path / "two")
        assert first.sha256 == second.sha256


def test_csv_reads_back(tmp_path):
    export_rows(rows(), "csv", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["verdict"] == "supported"
    assert row["evidence"] == "120 metres"
    assert row["page"] == "2"
    assert row["note"] == "see page 2"


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        ([("Ada", "supported"), ("Bob", "supported"), ("Cyd", "contradicted")], "supported"),
        ([("Ada", "supported"), ("Bob", "contradicted")], ""),
        ([], ""),
    ],
)
def test_csv_holds_the_label_that_stands_and_what_each_said(said, standing, tmp_path):
    labels = tuple(make.label(who, value, reviewer=who, note=f"by {who}") for who, value in said)
    export_rows(rows(labels=labels), "csv", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["label"] == standing
    # with it comes who gave it and why, never somebody else's note
    assert (row["reviewer"], row["note"]) == (("Bob", "by Bob") if standing else ("", ""))
    assert row["labels"] == "; ".join(f"{who}: {value}" for who, value in said)


def test_csv_takes_the_adjudicated_label(tmp_path):
    settled = make.label("l2", "contradicted", reviewer="Zoe", role="adjudication")
    labels = (make.label("l0", "supported"), make.label("l1", "supported"), settled)
    export_rows(rows(labels=labels), "csv", tmp_path / "a.csv")
    assert ",contradicted,Zoe," in (tmp_path / "a.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("cell", "written"),
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
def test_no_cell_is_a_formula(cell, written):
    assert neutralised(cell) == written


def test_unknown_format_and_unwritable_path_get_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="no export format 'xml'; choose one of jsonl, csv"):
        export_rows(rows(), "xml", tmp_path / "a")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        export_rows(rows(), "csv", tmp_path / "file" / "a.csv")
