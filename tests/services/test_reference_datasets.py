"""Labelled references as data sets: rows, the decision that stands, the card."""

import csv
import json

import pandas as pd
import pytest

from tests.fakes.reference_lists import add_list, check, differing, retracted
from workbench.errors import StoreError, UsageError
from workbench.interfaces.cli import main
from workbench.services.export import (
    ExportSelection,
    card_bytes,
    export_bytes,
    export_dataset,
    export_title,
    plan_export,
    preview,
)
from workbench.services.references.labels import override_reference
from workbench.store.bibliography.labels import EntryLabelRepository
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    """Two lists of which four entries are labelled; people are at odds over one of them."""
    store = Store(tmp_path / "a.duckdb")
    invented = check(2, "not_found", 0.04)
    add_list(store, "r1", [check(1), invented, differing(3), retracted(4)], "=Letters")
    add_list(store, "r2", [check(1)], "Second")
    EntryLabelRepository(store).give("r1", 0, "Ada", "exists")
    EntryLabelRepository(store).give("r1", 0, "Bob", "fabricated")
    override_reference(store, "r1", 1, "Ada", "outside_indexes", note="=see the archive")
    EntryLabelRepository(store).give("r1", 2, "Ada", "differs")
    EntryLabelRepository(store).give("r1", 2, "Bob", "differs")
    EntryLabelRepository(store).give("r2", 0, "Ada", "exists")
    return store


def rows_of(store, path, **choice):
    export_dataset(store, "references", path, ExportSelection(**choice))
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def test_a_row_holds_the_check_and_the_decision_that_stands(store, tmp_path):
    rows = rows_of(store, tmp_path / "set.jsonl")
    assert [row["id"] for row in rows] == ["r1/0", "r1/1", "r1/2", "r2/0"]
    invented = rows[1]
    assert invented["text"] == "[2] Roe, A. (1992). Work 2."
    assert invented["entry"]["title"] == "Work 2"
    assert (invented["status"], invented["score"]) == ("not_found", 0.04)
    assert (invented["decision"], invented["reason"]) == ("exists", "outside_indexes")
    assert (invented["reviewer"], invented["note"]) == ("Ada", "=see the archive")
    assert invented["created_at"].startswith("20")
    assert rows[0]["record"] == {"title": "Work 1", "DOI": "10.1000/1"}
    assert rows[2]["fields"][0]["why"] == "Another year."


def test_people_at_odds_leave_no_decision(store, tmp_path):
    contested = rows_of(store, tmp_path / "set.jsonl")[0]
    assert contested["decision"] is None
    assert {label["decision"] for label in contested["labels"]} == {"exists", "fabricated"}


def test_a_run_or_everything_that_was_checked(store, tmp_path):
    assert [row["id"] for row in rows_of(store, tmp_path / "a", run_id="r2")] == ["r2/0"]
    everything = rows_of(store, tmp_path / "b", labelled=False)
    assert len(everything) == 5
    assert everything[3]["retraction"]["kind"] == "retracted"
    assert everything[3]["labels"] == []
    with pytest.raises(StoreError):
        rows_of(store, tmp_path / "c", run_id="nothing")


def test_no_cell_of_the_csv_is_a_formula(store, tmp_path):
    path = tmp_path / "set.csv"
    export_dataset(store, "references-csv", path, ExportSelection())
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["note"] == "'=see the archive"
    assert rows[1]["output_name"] == "'=Letters"
    assert rows[0]["labels"] == "Ada: exists; Bob: fabricated"
    assert (rows[2]["authors"], rows[2]["differing"]) == ("A. Roe", "year")


def test_the_table_has_types(store, tmp_path):
    path = tmp_path / "set.parquet"
    export_dataset(store, "references-parquet", path, ExportSelection())
    frame = pd.read_parquet(path)
    assert frame["score"].tolist() == [0.95, 0.04, 0.8, 0.95]
    assert frame["year"].tolist() == [1991, 1992, 1993, 1991]
    assert json.loads(frame["record"][0])["DOI"] == "10.1000/1"


def test_the_card_counts_decisions_people_and_their_agreement(store, tmp_path):
    written = export_dataset(store, "references", tmp_path / "set.jsonl", ExportSelection())
    card = written.card.read_text("utf-8")
    assert written.rows == 4
    assert "4 entries of 2 outputs" in card
    assert "| exists | 2 |" in card
    assert "| none | 1 |" in card
    assert "| outside_indexes | 1 |" in card
    assert "| Ada | 4 |" in card
    assert "4 labels of 2 people on 2 entries" in card
    assert written.sha256 in card


@pytest.mark.parametrize("name", ["references", "references-csv", "references-parquet"])
def test_same_labels_same_bytes_in_every_way_out(store, tmp_path, name):
    choice = ExportSelection()
    written = export_dataset(store, name, tmp_path / "set", choice)
    assert export_bytes(store, name, "set", choice, tmp_path) == written.path.read_bytes()
    assert card_bytes(store, name, "set", choice, tmp_path) == written.card.read_bytes()
    assert export_title(store, choice, name) == "labelled"
    assert plan_export(store, name, choice).to_dict()["rows"] == {
        "train": 0, "dev": 0, "test": 0, "none": 4,
    }  # fmt: skip
    assert len(preview(store, name, choice)) == 3


def test_parts_of_a_split_hold_no_references(store, tmp_path):
    with pytest.raises(UsageError, match="no split"):
        rows_of(store, tmp_path / "set", parts=("train",))


def test_the_command_writes_them(store, tmp_path, capsys):
    out = tmp_path / "out" / "set.jsonl"
    code = main(
        ["export", "references", "--out", str(out), "--db", str(tmp_path / "a.duckdb"), "--json"]
    )
    document = json.loads(capsys.readouterr().out)
    assert code == 0
    assert document["rows"] == 4
    assert document["path"] == str(out)
    assert len(out.read_text().splitlines()) == 4
