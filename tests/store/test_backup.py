"""Backup to one file and restore, on real files."""

import json
import threading
import zipfile

import duckdb
import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from workbench.errors import NewerDatabase, UsageError
from workbench.store import Guides, Queues, Store, back_up, read_backup, restore


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "data" / "w.duckdb")
    fill(store, 3)
    store.add_label(make.label(citation_id="c0"))
    Queues(store).build("q", created_by="Zoe")
    Guides(store).save("What labels mean.", "Zoe")
    return store


@pytest.fixture
def folder(tmp_path):
    snapshots = tmp_path / "data" / "snapshots"
    (snapshots / "objects" / "ab").mkdir(parents=True)
    (snapshots / "objects" / "ab" / "ab12.gz").write_bytes(bytes(range(256)) * 50)
    (snapshots / "facts.jsonl").write_text('{"url": "x"}\n')
    return snapshots


def dump(path):
    with duckdb.connect(str(path)) as connection:
        tables = connection.execute(
            "select table_name from duckdb_tables() order by table_name"
        ).fetchall()
        return {
            table: connection.execute(f"select * from {table} order by all").fetchall()
            for (table,) in tables
        }


def test_everything_comes_back(store, folder, tmp_path):
    before = dump(store.path)
    made = back_up(store, tmp_path / "b" / "all.zip", {"snapshots": folder}, Clock())
    assert made.rows["labels"] == 1
    assert read_backup(made.path) == made
    other = Store(tmp_path / "other" / "o.duckdb")
    done = restore(made.path, other, {"snapshots": tmp_path / "other" / "snaps"})
    assert dump(other.path) == before
    assert done.moved_aside == ()
    restored = tmp_path / "other" / "snaps"
    assert (restored / "objects" / "ab" / "ab12.gz").read_bytes() == bytes(range(256)) * 50
    assert (restored / "facts.jsonl").read_text() == '{"url": "x"}\n'
    assert [run.id for run in other.list_runs()] == ["r1"]
    left = sorted(path.name for path in made.path.parent.iterdir())
    assert left == ["all.zip"], "nothing half-made is left"


def test_what_is_there_is_moved_aside_only_when_asked(store, folder, tmp_path):
    made = back_up(store, tmp_path / "all.zip", {"snapshots": folder})
    store.add_label(make.label("l2", citation_id="c1"))
    with pytest.raises(UsageError, match="say that it may be replaced"):
        restore(made.path, store)
    done = restore(made.path, store, {"snapshots": folder}, replace=True)
    assert len(store.labels("r1")) == 1
    database, snapshots = done.moved_aside
    assert len(Store(database).labels("r1")) == 2
    assert (snapshots / "facts.jsonl").is_file()


def test_restores_within_a_second_move_aside_what_each_found(store, folder, tmp_path):
    made = back_up(store, tmp_path / "all.zip", {"snapshots": folder})
    first, second = (
        restore(made.path, store, {"snapshots": folder}, replace=True, now=lambda: Clock().now)
        for _ in range(2)
    )
    assert len({*first.moved_aside, *second.moved_aside}) == 4
    assert all(path.exists() for path in (*first.moved_aside, *second.moved_aside))


def test_a_backup_is_never_written_over(store, tmp_path):
    (tmp_path / "all.zip").write_text("precious")
    with pytest.raises(UsageError, match="is there already"):
        back_up(store, tmp_path / "all.zip")
    assert (tmp_path / "all.zip").read_text() == "precious"


def rewritten(path, change):
    """The backup with one member changed by `change(name, data) -> data or None`."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w") as new:
        for name, data in members.items():
            data = change(name, data)
            if data is not None:
                new.writestr(name, data)


def manifest(change):
    def changed(name, data):
        if name != "manifest.json":
            return data
        raw = json.loads(data)
        change(raw)
        return json.dumps(raw)

    return changed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(
            lambda name, data: data[:-1] + b"x" if name == "workbench.duckdb" else data,
            "workbench.duckdb is not what its manifest says",
            id="a changed byte",
        ),
        pytest.param(
            lambda name, data: None if name == "workbench.duckdb" else data,
            "workbench.duckdb is not what",
            id="a missing member",
        ),
        pytest.param(
            lambda name, data: None if name == "manifest.json" else data,
            "no backup of this version",
            id="no manifest",
        ),
        pytest.param(
            manifest(lambda raw: raw.update(format="something 2")), "no backup", id="format"
        ),
        *(
            pytest.param(
                manifest(lambda raw, name=name: raw["members"][0].update(name=name)),
                "no backup",
                id=name,
            )
            for name in ("../w.duckdb", "/etc/w", "a\\..\\w", "C:w")
        ),
        pytest.param(
            manifest(lambda raw: raw["members"][0].update(bytes=10)),
            "is not what its manifest says",
            id="longer than stated",
        ),
    ],
)
def test_a_tampered_backup_changes_nothing(store, tmp_path, change, said):
    made = back_up(store, tmp_path / "all.zip")
    before = dump(store.path)
    rewritten(made.path, change)
    with pytest.raises(UsageError, match=said):
        restore(made.path, store, replace=True)
    assert dump(store.path) == before
    assert not list(store.path.parent.glob("*before-restore*"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"text"], ids=repr)
def test_a_file_that_is_no_backup_gets_a_sentence(tmp_path, content):
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="damaged or no backup"):
        read_backup(path)
    with pytest.raises(UsageError, match="There is no file"):
        read_backup(tmp_path / "none.zip")


def test_a_backup_of_a_later_version_is_refused(store, tmp_path):
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("insert into migrations values ('m999_from_the_future', now())")
    later = Store(store.path)
    later._migrated = True  # what the later version itself would have done
    made = back_up(later, tmp_path / "all.zip")
    other = Store(tmp_path / "o.duckdb")
    with pytest.raises(NewerDatabase, match="m999"):
        restore(made.path, other)
    assert not other.path.exists()


def test_labels_given_while_a_backup_is_made_are_all_there(store, tmp_path):
    def work():
        for turn in range(15):
            store.add_label(make.label(f"w{turn}", citation_id="c1"))

    worker = threading.Thread(target=work)
    worker.start()
    made = back_up(store, tmp_path / "all.zip")
    worker.join()
    assert len(store.labels("r1")) == 16
    other = Store(tmp_path / "o.duckdb")
    restore(made.path, other)
    assert len(other.labels("r1")) == made.rows["labels"]
