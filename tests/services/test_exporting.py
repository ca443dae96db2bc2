"""Data sets out of a real database: every format, what it holds, and that it comes back."""

import csv
import hashlib
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from tests.fakes import records as make
from workbench.errors import StoreError, UsageError
from workbench.interfaces.cli import main
from workbench.judging.reply import read_reply
from workbench.records.evaluation import OfflineJudgment
from workbench.records.export_formats import CITATION_FORMATS as EXPORT_FORMATS
from workbench.records.queue import ItemFilter
from workbench.records.text import Span
from workbench.records.verdict import Evidence
from workbench.services.calibration.measurement import ensure_split
from workbench.services.export import PARTS, ExportSelection, export_dataset, plan_export, preview
from workbench.services.imports import import_file
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.splits import Splits
from workbench.store.labels.examples import Examples
from workbench.store.labels.repository import Guides
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

SOURCE = "The bridge was opened in 1931. It is 120 metres long, and it was painted red in 1950."


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A checked run with labels of two people, and an imported set of twelve pairs in groups."""
    folder = tmp_path_factory.mktemp("built")
    store = Store(folder / "a.duckdb")
    store.add_run(make.run("r1"), make.TEXT, "=Bridges")
    store.add_verdicts("r1", [make.result(1), make.failure(2)])
    evidence = Evidence(quote="120 metres", span=Span(40, 50), page=2)
    store.add_label(make.label("l1", "contradicted", reviewer="Ada", evidence=(evidence,)))
    store.add_label(make.label("l2", "contradicted", reviewer="Bob", note="=1+1"))
    store.finish_run(make.run("r1"))
    file = folder / "set.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {"id": f"p{n}", "claim": f"Fact {n}: it is 120 metres long.",
                 "source": f"{SOURCE} Note {n // 2}.",
                 "label": ("supported", "not_supported", "partially_supported")[n % 3],
                 "group": f"g{n // 4}", "origin": "Bridge set", "licence": "CC0"}
            ) + "\n"
            for n in range(12)
        )
    )  # fmt: skip
    import_file(store, "pairs", file)
    Guides(store).save("Supported means that the source says it.\n~~~\nend", "Ada")
    return store.path


@pytest.fixture
def locked(built, tmp_path):
    return Store(shutil.copy(built, tmp_path))


@pytest.fixture
def store(locked):
    """The same, whose test part somebody has opened."""
    split = ensure_split(locked, "Ada")
    Splits(locked).open_test(split.id, by="Ada", reason="release", figures="all")
    return locked


def write(store, name, path, **choice):
    """Everything that may be written, unless a choice says otherwise."""
    return export_dataset(store, name, path, ExportSelection(**({"labelled": False} | choice)))


def lines_of(path):
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def everything(path):
    return {
        str(file.relative_to(path.parent)): file.read_bytes()
        for file in [path, *path.parent.rglob("*")]
        if file.is_file()
    }


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_same_items_same_bytes_and_a_card_with_the_licences(name, store, tmp_path):
    first = write(store, name, tmp_path / "one" / "set")
    second = write(store, name, tmp_path / "two" / "set")
    again = write(store, name, tmp_path / "two" / "set")
    assert everything(tmp_path / "one" / "set") == everything(tmp_path / "two" / "set")
    assert first.sha256 == second.sha256 == again.sha256
    card = first.card.read_text("utf-8")
    if name != "preference":
        assert "| Bridge set | CC0 | 12 |" in card
        assert first.licences["CC0"] == 12
    assert "Labelling guide, version 1" in card
    assert "Krippendorff's alpha" in card
    if name != "huggingface":
        data = (tmp_path / "one" / "set").read_bytes()
        assert first.sha256 == hashlib.sha256(data).hexdigest()
        assert first.sha256 in card


def words_of(path):
    """All that a written file says; compressed columns are read."""
    if path.read_bytes()[:4] == b"PAR1":
        return pd.read_parquet(path).to_json()
    return path.read_text("utf-8")


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_source_text_goes_along_or_is_left_out(name, store, tmp_path):
    write(store, name, tmp_path / "whole" / "set")
    exported = write(store, name, tmp_path / "without" / "set", source_text=False)
    all_words = "".join(
        words_of(tmp_path / "whole" / file) for file in everything(tmp_path / "whole" / "set")
    )
    assert "Opening year" in all_words
    for file in everything(tmp_path / "without" / "set"):
        words = words_of(tmp_path / "without" / file)
        assert "painted red" not in words
        assert "Opening year" not in words
    assert "left out" in exported.card.read_text("utf-8")


def test_jsonl_holds_each_persons_label_and_the_gold_apart(store, tmp_path):
    write(store, "jsonl", tmp_path / "a")
    rows = lines_of(tmp_path / "a")
    assert len(rows) == 14
    first = next(row for row in rows if row["run_id"] == "r1" and row["labels"])
    assert first["label"] == "contradicted"
    assert [label["reviewer"] for label in first["labels"]] == ["Ada", "Bob"]
    assert first["source_text"] == make.SOURCE_TEXT
    imported = next(row for row in rows if row["id"] == "p3")
    assert (imported["group"], imported["licence"]) == ("g0", "CC0")


def test_parts_keep_groups_and_sources_together_and_can_be_left_out(store, tmp_path):
    write(store, "jsonl", tmp_path / "a")
    rows = [row for row in lines_of(tmp_path / "a") if row["labels"]]
    for key in ("group", "source_text"):
        parts = {}
        for row in rows:
            parts.setdefault(row[key], set()).add(row["split"])
        assert all(len(values) == 1 for values in parts.values())
    assert {row["split"] for row in rows} == {"train", "dev", "test"}
    without_test = write(store, "pairs", tmp_path / "b", parts=("train", "dev"))
    other_ids = {row["id"] for row in rows if row["split"] != "test"}
    assert {row["id"] for row in lines_of(tmp_path / "b")} == other_ids
    assert without_test.test_rows == 0


def test_no_csv_cell_is_a_formula(store, tmp_path):
    write(store, "csv", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    row = next(row for row in rows if row["citation_id"] == "c1" and row["run_id"] == "r1")
    assert row["output_name"] == "'=Bridges"
    assert row["label_note"] == "'=1+1"
    assert row["labels"] == "Ada: contradicted; Bob: contradicted"
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-\D", cell)]


def test_parquet_is_read_by_duckdb_and_pandas(store, tmp_path):
    path = tmp_path / "a.parquet"
    write(store, "parquet", path)
    with duckdb.connect() as connection:
        counts = connection.execute(
            "select label, count(*), sum(len(labels)) from read_parquet(?) group by 1 order by 1",
            [str(path)],
        ).fetchall()
    assert counts == [("contradicted", 1, 2), ("not_supported", 4, 4),
                     ("partially_supported", 4, 4), ("supported", 4, 4), (None, 1, 0)]  # fmt: skip
    frame = pd.read_parquet(path)
    assert len(frame) == 14
    labels = next(labels for labels in frame["labels"] if len(labels) == 2)
    assert [label["reviewer"] for label in labels] == ["Ada", "Bob"]


def test_the_hugging_face_folder_is_as_its_loader_expects(store, tmp_path):
    exported = write(store, "huggingface", tmp_path / "set")
    card = (tmp_path / "set" / "README.md").read_text("utf-8")
    _, head, body = card.split("---\n", 2)
    files = dict(re.findall(r"  - split: (\w+)\n    path: (\S+)\n", head))
    assert re.search(r"^configs:\n- config_name: default\n  data_files:\n  - split", head, re.M)
    assert set(files) == {"train", "validation", "test", "unplaced"}
    frames = {name: pd.read_parquet(tmp_path / "set" / file) for name, file in files.items()}
    assert sum(map(len, frames.values())) == exported.rows == 14
    assert len({tuple(frame.columns) for frame in frames.values()}) == 1
    for name, file in files.items():
        digest = hashlib.sha256((tmp_path / "set" / file).read_bytes()).hexdigest()
        assert f"| {file} | {len(frames[name])} | {digest} |" in body
    assert "~~~~\nSupported means that the source says it.\n~~~\nend\n~~~~" in body
    sums = (tmp_path / "set" / "SHA256SUMS").read_bytes()
    assert exported.sha256 == hashlib.sha256(sums).hexdigest()


def test_pairs_come_back_byte_for_byte(store, tmp_path):
    write(store, "pairs", tmp_path / "one.jsonl", parts=PARTS)
    other = Store(tmp_path / "b.duckdb")
    import_file(other, "pairs", tmp_path / "one.jsonl")
    write(other, "pairs", tmp_path / "two.jsonl", parts=PARTS)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    rows = lines_of(tmp_path / "one.jsonl")
    assert len(rows) == 13
    assert {"id", "claim", "source", "label", "group"} <= set(rows[0])
    people = [row["labels"] for row in rows if "labels" in row]
    assert [[label["annotator"] for label in labels] for labels in people] == [["Ada", "Bob"]]


def test_pairs_of_a_file_that_names_nobody_come_back_as_they_were(tmp_path):
    rows = [{"id": "a", "claim": "It is long.", "source": SOURCE, "label": "supported",
              "group": "g", "origin": "o", "licence": "MIT"}]  # fmt: skip
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]) + "\n")
    store = Store(tmp_path / "b.duckdb")
    import_file(store, "pairs", tmp_path / "a.jsonl")
    write(store, "pairs", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes() == (tmp_path / "a.jsonl").read_bytes()


def test_label_studio_tasks_come_back_with_labels_and_annotators(store, tmp_path):
    write(store, "label-studio", tmp_path / "tasks.json")
    tasks = json.loads((tmp_path / "tasks.json").read_text())
    task = next(task for task in tasks if len(task["annotations"]) == 2)
    (prediction,) = task["predictions"]
    assert (prediction["model_version"], prediction["score"]) == ("local", 0.9)
    choice, piece = prediction["result"]
    assert choice["value"] == {"choices": ["supported"]}
    assert piece["value"]["text"] == make.SOURCE_TEXT[40:50]
    other = Store(tmp_path / "b.duckdb")
    imported = import_file(other, "label-studio", tmp_path / "tasks.json")
    # a citation whose source was not available is a task without a source: nothing to import
    assert [skipped.reason for skipped in imported.skipped] == ["the source is empty"]

    def label_records(database):
        return sorted(
            (example.row.result.citation.claim.text, label.reviewer, label.label, label.note,
             label.created_at, tuple(evidence.quote for evidence in label.evidence))
            for example in Examples(database).read(Examples(database).keys())
            for label in example.row.labels
        )  # fmt: skip

    assert label_records(other) == label_records(store)


@pytest.mark.parametrize("name", ["chat-openai", "chat-anthropic"])
def test_fine_tuning_data_asks_as_the_judge_asks(name, store, tmp_path):
    exported = write(store, name, tmp_path / "a.jsonl")
    rows = lines_of(tmp_path / "a.jsonl")
    assert (len(rows), exported.excluded) == (13, {"without an active label": 1})
    for row in rows:
        assert set(row) == ({"messages"} if name == "chat-openai" else {"system", "messages"})
        system = row.get("system") or row["messages"][0]["content"]
        assert system.startswith("You check whether a source supports a claim.")
        *_, question, answer = row["messages"]
        assert (question["role"], answer["role"]) == ("user", "assistant")
        reply = read_reply(answer["content"])
        assert "<claim>" in question["content"]
        assert all(quote in question["content"] for quote in reply.quotes)
        assert bool(reply.quotes) == (reply.label != "not_supported")
    assert "`strict@3:" in exported.card.read_text("utf-8")


def test_preference_pairs_set_the_correction_over_the_judge(store, tmp_path):
    exported = write(store, "preference", tmp_path / "a.jsonl", labelled=True)
    (row,) = lines_of(tmp_path / "a.jsonl")
    assert read_reply(row["chosen"]).label == "contradicted"
    assert read_reply(row["chosen"]).quotes == (make.SOURCE_TEXT[40:50],)
    assert read_reply(row["rejected"]).label == "supported"
    assert "<passage" in row["prompt"]
    assert exported.excluded["without a verdict of a judge"] == 12


def test_what_a_judge_said_when_it_was_measured_goes_along(store, tmp_path):
    keys = Examples(store).keys()
    key = next(key for key in keys if key[0] != "r1")
    judgment = OfflineJudgment(
        run_id=key[0], citation_id=key[1], judge="scripted:a", prompt="", error=None,
        judgment=make.judgment("contradicted", judge="scripted:a", evidence=(), uncovered=()),
    )  # fmt: skip
    OfflineJudgmentRepository(store).add([judgment])
    assert write(store, "preference", tmp_path / "a.jsonl", run_id=key[0]).rows == 1
    (row,) = lines_of(tmp_path / "a.jsonl")
    assert (row["id"], read_reply(row["rejected"]).label) == ("p0", "contradicted")
    write(store, "csv", tmp_path / "a.csv", run_id=key[0])
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        first = next(csv.DictReader(file))
    assert (first["judge"], first["judge_label"]) == ("scripted:a", "contradicted")


def test_parts_are_those_of_the_split_that_calibration_keeps(locked, tmp_path):
    write(locked, "jsonl", tmp_path / "before", parts=PARTS)
    split = ensure_split(locked, "Ada")
    write(locked, "jsonl", tmp_path / "after", parts=PARTS)
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()
    sizes = {part.part: part.items for part in Splits(locked).sizes(split.id)}
    counted = Counter(row["split"] for row in lines_of(tmp_path / "after") if row["split"])
    assert counted == sizes


def test_a_run_a_queue_and_a_filter_narrow_an_export(store, tmp_path):
    queue = Queues(store).build("q", ItemFilter(labels=("supported",)), created_by="Zoe")
    for choice, rows in (
        ({"run_id": "r1"}, 2),
        ({"queue_id": queue.id}, 4),
        ({"within": ItemFilter(reviewers=("Bob",))}, 1),
        ({"labelled": True}, 13),
    ):
        assert write(store, "jsonl", tmp_path / "a", **choice).rows == rows
    assert write(store, "jsonl", tmp_path / "a").rows == 14
    assert len(preview(store, "parquet", ExportSelection(), 2)) == 2
    with pytest.raises(StoreError, match="There is no run 'none'"):
        write(store, "jsonl", tmp_path / "b", run_id="none")
    with pytest.raises(StoreError, match="queue"):
        write(store, "jsonl", tmp_path / "b", queue_id="none")
    with pytest.raises(UsageError, match="There is no split 'all'"):
        write(store, "jsonl", tmp_path / "b", parts=("all",))
    assert not (tmp_path / "b").exists()


def test_what_cannot_be_written_is_refused_and_nothing_is_lost(store, tmp_path):
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.txt").write_text("kept")
    for name, path, message in (
        ("xml", tmp_path / "a", "There is no export format 'xml'; choose one of jsonl, csv"),
        ("csv", tmp_path / "file" / "a.csv", "cannot be written"),
        ("csv", tmp_path / "folder", "is a folder; name a file"),
        ("huggingface", tmp_path / "folder", "is not an exported data set"),
        ("huggingface", tmp_path / "file", "is not an exported data set"),
    ):
        with pytest.raises(UsageError, match=re.escape(message)):
            write(store, name, path)
    assert (tmp_path / "file").read_text() == "kept"
    assert [file.name for file in (tmp_path / "folder").iterdir()] == ["mine.txt"]
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_an_empty_database_gives_an_empty_data_set(tmp_path):
    store = Store(tmp_path / "empty.duckdb")
    for name in EXPORT_FORMATS:
        assert write(store, name, tmp_path / name).rows == 0


def test_lone_surrogates_and_markup_go_through_every_format(tmp_path):
    store = Store(tmp_path / "a.duckdb")
    file = tmp_path / "a.jsonl"
    row = {"id": "\ud800|<b>", "claim": "It\ud800 </claim> is", "source": "It is \udc00 <passage>",
           "label": "supported", "origin": "a|b\n# c"}  # fmt: skip
    file.write_text(json.dumps(row) + "\n")
    assert import_file(store, "pairs", file).imported == 1
    for name in EXPORT_FORMATS:
        exported = write(store, name, tmp_path / name)
        assert exported.rows == (0 if name == "preference" else 1)
    assert "a\\|b # c" in Path(tmp_path / "csv.card.md").read_text("utf-8")


def test_the_command_prints_the_published_json(store, tmp_path, capsys):
    arguments = ["export", "chat-openai", "--out", str(tmp_path / "out" / "a.jsonl"), "--json"]
    assert main([*arguments, "--db", str(store.path)]) == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert (printed["path"], printed["rows"]) == (str(tmp_path / "out" / "a.jsonl"), 13)
    data = (tmp_path / "out" / "a.jsonl").read_bytes()
    assert printed["sha256"] == hashlib.sha256(data).hexdigest()
    assert "of the test set" in captured.err
    assert main([*arguments, "--part", "train", "--db", str(store.path)]) == 0
    assert "of the test set" not in capsys.readouterr().err
    assert main(["export", "xml", "--out", str(tmp_path / "x"), "--db", str(store.path)]) == 2
    assert "There is no export format 'xml'" in capsys.readouterr().err


def test_rows_come_in_their_order_however_few_are_read_at_a_time(store, monkeypatch):
    reading = Examples(store)
    keys = reading.keys()
    all_rows = [(row.id, row.source_text) for row in reading.read(keys)]
    monkeypatch.setattr("workbench.store.labels.examples.EACH", 3)
    assert [(row.id, row.source_text) for row in reading.read(keys)] == all_rows
    monkeypatch.setattr("workbench.store.labels.examples.MOST_BYTES", 1)
    assert [(row.id, row.source_text) for row in reading.read(keys)] == all_rows
    assert len(all_rows) == 14


# -- the locked test set, labelled items, and the rows that will be written ---------------------


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_the_locked_test_part_stays_out_until_it_is_opened_or_chosen(name, locked, tmp_path):
    out = tmp_path / "set"
    if name == "preference":
        keys = Examples(locked).keys()
        wrong = [
            OfflineJudgment(run_id=key[0], citation_id=key[1], judge="scripted:a", prompt="",
                    error=None, judgment=make.judgment("contradicted", judge="scripted:a", evidence=()))
            for key in keys if key[0] != "r1"
        ]  # fmt: skip
        OfflineJudgmentRepository(locked).add(wrong)
    closed = export_dataset(locked, name, out, ExportSelection())
    assert closed.parts["test"] == 0
    assert closed.rows > 0
    assert "without the locked test set" in closed.card.read_text("utf-8")
    chosen = export_dataset(locked, name, out, ExportSelection(parts=("test",)))
    assert 0 < chosen.rows == chosen.parts["test"]
    split = ensure_split(locked, "Ada")
    Splits(locked).open_test(split.id, by="Ada", reason="release", figures="all")
    opened = export_dataset(locked, name, out, ExportSelection())
    assert opened.parts == closed.parts | {"test": chosen.rows}


@pytest.mark.parametrize("name", EXPORT_FORMATS)
def test_what_will_be_written_is_told_before_and_is_what_is_written(name, locked, tmp_path):
    choices = (
        ExportSelection(),
        ExportSelection(run_id="r1", labelled=False),
        ExportSelection(labelled=False),
        ExportSelection(parts=PARTS),
        ExportSelection(parts=("dev",)),
    )
    # every choice once for what takes any item, and for what takes some only
    for choice in choices if name in ("jsonl", "preference") else choices[:2]:
        plan = plan_export(locked, name, choice)
        exported = export_dataset(locked, name, tmp_path / "set", choice)
        assert plan.rows == exported.parts
        assert plan.total == exported.rows
        assert plan.excluded == exported.excluded


def test_only_labelled_items_are_written_unless_all_are_asked_for(store):
    assert plan_export(store, "jsonl", ExportSelection()).total == 13
    assert plan_export(store, "jsonl", ExportSelection(labelled=False)).total == 14


def test_the_command_tells_the_rows_of_each_part_first(locked, tmp_path, capsys):
    out = tmp_path / "a.jsonl"
    arguments = ["export", "jsonl", "--json", "--db", str(locked.path)]
    assert main([*arguments, "--dry-run"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert plan["rows"]["test"] == 0 < plan["locked_test_items"]
    assert plan["total"] + plan["locked_test_items"] == 13
    assert not out.exists()
    assert main([*arguments, "--out", str(out)]) == 0
    output = capsys.readouterr()
    assert json.loads(output.out)["parts"] == plan["rows"]
    assert f"workbench: {plan['total']} rows: train {plan['rows']['train']}, dev " in output.err
    assert f"{plan['locked_test_items']} labelled items of the test set stay out" in output.err
    assert main([*arguments, "--out", str(out), "--all"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == plan["total"] + 1
    assert main(arguments) == 2
    assert "--out PATH" in capsys.readouterr().err


def test_labels_that_a_data_set_came_with_are_nobodys_in_card_and_rows(store, tmp_path):
    card = write(store, "jsonl", tmp_path / "a").card.read_text("utf-8")
    assert "annotators |" not in card
    assert "12 labels came with a data set that names no annotator" in card
    row = next(row for row in lines_of(tmp_path / "a") if row["id"] == "p3")
    assert [label["by_person"] for label in row["labels"]] == [False]
    write(store, "csv", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        row = next(row for row in csv.DictReader(file) if row["id"] == "p3")
    assert (row["label_by"], row["labels"]) == ("", f"the data set: {row['label']}")
