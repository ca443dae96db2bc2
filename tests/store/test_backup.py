"""Backup to one file and restore, on real files."""

import hashlib
import json
import threading
import zipfile
from pathlib import Path

import duckdb
import pytest

from tests.fakes import records as make
from tests.fakes.desk import Clock, fill
from workbench.errors import NewerDatabase, ReachesOutside, UsageError
from workbench.records.text import Span
from workbench.store.admin import backup as backup_module
from workbench.store.admin.backup import DATABASE, back_up, parse_manifest, read_backup, restore
from workbench.store.labels.repository import Guides
from workbench.store.queues.queues import Queues
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.store import Store


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


@pytest.mark.reopens
def test_everything_comes_back(store, folder, tmp_path):
    Corrections(store).correct("r1", "c0", Span(0, 4), "Ada", "The bridge stands.")
    dump_before = dump(store.path)
    backup = back_up(store, tmp_path / "b" / "all.zip", {"snapshots": folder}, Clock())
    assert backup.rows["labels"] == 1
    assert read_backup(backup.path) == backup
    other = Store(tmp_path / "other" / "o.duckdb")
    result = restore(backup.path, other, {"snapshots": tmp_path / "other" / "snaps"})
    assert dump(other.path) == dump_before
    assert result.moved_aside == ()
    restored = tmp_path / "other" / "snaps"
    assert (restored / "objects" / "ab" / "ab12.gz").read_bytes() == bytes(range(256)) * 50
    assert (restored / "facts.jsonl").read_text() == '{"url": "x"}\n'
    assert [run.id for run in other.list_runs()] == ["r1"]
    names = sorted(path.name for path in backup.path.parent.iterdir())
    assert names == ["all.zip"], "nothing half-made is left"


def test_what_is_there_is_moved_aside_only_when_asked(store, folder, tmp_path):
    backup = back_up(store, tmp_path / "all.zip", {"snapshots": folder})
    store.add_label(make.label("l2", citation_id="c1"))
    with pytest.raises(UsageError, match="--replace"):
        restore(backup.path, store)
    restored = restore(backup.path, store, {"snapshots": folder}, replace=True)
    assert len(store.labels("r1")) == 1
    database, snapshots = restored.moved_aside
    assert len(Store(database).labels("r1")) == 2
    assert (snapshots / "facts.jsonl").is_file()


def test_restores_within_a_second_move_aside_what_each_found(store, folder, tmp_path):
    backup = back_up(store, tmp_path / "all.zip", {"snapshots": folder})
    first, second = (
        restore(backup.path, store, {"snapshots": folder}, replace=True, now=lambda: Clock().now)
        for _ in range(2)
    )
    assert len({*first.moved_aside, *second.moved_aside}) == 4
    assert all(path.exists() for path in (*first.moved_aside, *second.moved_aside))


def test_a_backup_is_never_written_over(store, tmp_path):
    (tmp_path / "all.zip").write_text("precious")
    with pytest.raises(UsageError, match="already exists"):
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
    ("change", "message"),
    [
        pytest.param(
            lambda name, data: data[:-1] + b"x" if name == "workbench.duckdb" else data,
            "workbench.duckdb does not match its manifest",
            id="a changed byte",
        ),
        pytest.param(
            lambda name, data: None if name == "workbench.duckdb" else data,
            "workbench.duckdb does not match",
            id="a missing member",
        ),
        pytest.param(
            lambda name, data: None if name == "manifest.json" else data,
            "not a backup of this version",
            id="no manifest",
        ),
        pytest.param(
            manifest(lambda raw: raw.update(format="something 2")), "not a backup", id="format"
        ),
        *(
            pytest.param(
                manifest(lambda raw, name=name: raw["members"][0].update(name=name)),
                "not a backup",
                id=name,
            )
            for name in ("../w.duckdb", "/etc/w", "a\\..\\w", "C:w")
        ),
        pytest.param(
            manifest(lambda raw: raw["members"][0].update(bytes=10)),
            "does not match its manifest",
            id="longer than stated",
        ),
    ],
)
def test_a_tampered_backup_changes_nothing(store, tmp_path, change, message):
    backup = back_up(store, tmp_path / "all.zip")
    dump_before = dump(store.path)
    rewritten(backup.path, change)
    with pytest.raises(UsageError, match=message):
        restore(backup.path, store, replace=True)
    assert dump(store.path) == dump_before
    assert not list(store.path.parent.glob("*before-restore*"))


WRONG = [0, 1.5, True, None, "text", [], {}, -1, float("nan"), "9" * 30]
VALID = {
    "format": "citation-workbench backup 1",
    "created_at": "2026-01-01T10:00:00+00:00",
    "rows": {"labels": 1},
    "members": [{"name": "workbench.duckdb", "sha256": "0" * 64, "bytes": 10}],
}


WRONG_VALUES = [
    (key, wrong)
    for key in (*VALID, "name", "sha256", "bytes")
    for wrong in WRONG
    if (key, wrong) not in (("rows", {}), ("bytes", 0))  # these are of the right type
]


@pytest.mark.parametrize(("key", "wrong"), WRONG_VALUES, ids=repr)
def test_no_manifest_with_a_wrong_type_is_taken(tmp_path, key, wrong):
    member = {**VALID["members"][0], **({} if key in VALID else {key: wrong})}
    changed = {**VALID, "members": [member], **({key: wrong} if key in VALID else {})}
    assert parse_manifest(VALID, tmp_path).to_dict()["members"] == VALID["members"]
    with pytest.raises(ValueError):
        parse_manifest(changed, tmp_path)


@pytest.mark.parametrize(
    "wrong", [{"rows": {"labels": -1}}, {"created_at": "2026-01-01T10:00:00"}, {"created_at": "x"}]
)
def test_no_manifest_with_an_impossible_value_is_taken(tmp_path, wrong):
    with pytest.raises(ValueError):
        parse_manifest({**VALID, **wrong}, tmp_path)


@pytest.mark.parametrize("key", ["format", "created_at", "rows", "members"])
def test_a_manifest_that_lacks_something_is_refused(store, tmp_path, key):
    backup = back_up(store, tmp_path / "all.zip")
    rewritten(backup.path, manifest(lambda raw: raw.pop(key)))
    with pytest.raises(UsageError, match="not a backup of this version"):
        read_backup(backup.path)


@pytest.mark.parametrize(
    "document",
    ["[]", "3", "null", '"x"', "{", "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass")],
)
def test_a_manifest_that_is_no_object_is_refused(store, tmp_path, document):
    backup = back_up(store, tmp_path / "all.zip")
    rewritten(backup.path, lambda name, data: document if name == "manifest.json" else data)
    with pytest.raises(UsageError, match="not a backup of this version"):
        read_backup(backup.path)


def added(*names):
    """Additional members that the manifest names, with the size and hash of empty content."""
    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    return manifest(
        lambda raw: raw["members"].extend(
            {"name": name, "sha256": nothing, "bytes": 0} for name in names
        )
    )


@pytest.mark.parametrize(
    "names",
    [
        ("../x",), ("/etc/x",), ("a/../../x",), ("a\\..\\x",), ("c:/x",), ("a/./x",), ("a//x",),
        ("a/x/",), (".",), ("",), ("a/x\n",), ("a/\ud800",), ("a/x\0",), ("a/" + "x" * 2000,),
        ("workbench.duckdb",), ("workbench.duckdb.wal",), ("manifest.json",),
        ("workbench.duckdb/x",), ("a/x", "a/x"), ("a/x", "A/X"), ("a/x", "a/x/y"),
    ],
    ids=repr,
)  # fmt: skip
def test_no_unsafe_name_is_taken(tmp_path, names):
    members = [*VALID["members"], *({"name": n, "sha256": "0" * 64, "bytes": 0} for n in names)]
    with pytest.raises(ValueError):
        parse_manifest({**VALID, "members": members}, tmp_path)


def test_a_backup_that_leads_out_of_its_folder_writes_nothing(store, tmp_path):
    backup = back_up(store, tmp_path / "all.zip")
    rewritten(backup.path, added("snapshots/../../x"))
    with pytest.raises(UsageError, match="not a backup of this version"):
        restore(backup.path, Store(tmp_path / "o" / "o.duckdb"))
    assert not (tmp_path / "x").exists()
    assert not (tmp_path / "o" / "o.duckdb").exists()


def test_a_link_in_a_backup_is_refused(store, tmp_path):
    backup = back_up(store, tmp_path / "all.zip")
    with zipfile.ZipFile(backup.path, "a") as archive:
        link = zipfile.ZipInfo("snapshots/facts.jsonl")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(UsageError, match="not a backup of this version"):
        read_backup(backup.path)


def test_an_entry_that_stands_there_twice_is_refused(store, tmp_path):
    backup = back_up(store, tmp_path / "all.zip")
    with (
        zipfile.ZipFile(backup.path, "a") as archive,
        pytest.warns(UserWarning, match="Duplicate"),
    ):
        archive.writestr("workbench.duckdb", b"another")
    with pytest.raises(UsageError, match="not a backup of this version"):
        read_backup(backup.path)


def test_the_size_is_checked_before_anything_is_unpacked(store, folder, tmp_path):
    backup = back_up(store, tmp_path / "all.zip", {"snapshots": folder})
    other = Store(tmp_path / "o" / "o.duckdb")
    with pytest.raises(
        UsageError, match=r"unpacks to [\d.]+ \w+, and at most [\d.]+ \w+ are allowed"
    ):
        restore(backup.path, other, max_bytes=backup.bytes - 1)
    assert list(other.path.parent.iterdir()) == []
    restore(backup.path, other, max_bytes=backup.bytes)


def test_a_bomb_that_says_its_size_is_refused_by_it(store, tmp_path):
    backup = back_up(store, tmp_path / "all.zip")
    rewritten(backup.path, manifest(lambda raw: raw["members"][0].update(bytes=21 << 30)))
    with pytest.raises(UsageError, match=r"unpacks to 21 GiB, and at most 20 GiB"):
        restore(backup.path, Store(tmp_path / "o.duckdb"))
    rewritten(backup.path, manifest(lambda raw: raw["members"][0].update(bytes=1 << 60)))
    with pytest.raises(UsageError, match="No space left on the disk of"):
        restore(backup.path, Store(tmp_path / "o.duckdb"), max_bytes=1 << 61)


def test_a_bomb_that_lies_about_its_size_is_stopped_there(store, tmp_path, monkeypatch):
    backup = back_up(store, tmp_path / "all.zip")
    with zipfile.ZipFile(backup.path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("uploads/bomb", b"\0" * 50_000_000)
    rewritten(backup.path, added("uploads/bomb"))
    sizes = []
    make_folder = backup_module.tempfile.TemporaryDirectory

    class Watched(make_folder):
        def cleanup(self):
            sizes.extend(f.stat().st_size for f in Path(self.name).rglob("bomb"))
            super().cleanup()

    monkeypatch.setattr(backup_module.tempfile, "TemporaryDirectory", Watched)
    with pytest.raises(UsageError, match="uploads/bomb does not match its manifest"):
        restore(backup.path, Store(tmp_path / "o.duckdb"))
    assert sizes == [0]


@pytest.mark.parametrize("offset", [100, 2000, -400])
def test_damaged_packing_gets_a_sentence(store, folder, tmp_path, offset):
    backup = back_up(store, tmp_path / "all.zip", {"snapshots": folder})
    content = bytearray(backup.path.read_bytes())
    content[offset : offset + 40] = b"\xff" * 40
    backup.path.write_bytes(content)
    with pytest.raises(UsageError, match="all.zip is"):
        restore(backup.path, Store(tmp_path / "o.duckdb"))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not really", b"text"], ids=repr)
def test_a_file_that_is_no_backup_gets_a_sentence(tmp_path, content):
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="damaged or not a backup"):
        read_backup(path)
    with pytest.raises(UsageError, match="There is no file"):
        read_backup(tmp_path / "none.zip")


@pytest.mark.reopens
def test_a_backup_of_a_later_version_is_refused(store, tmp_path):
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("insert into migrations values ('m999_from_the_future', now())")
    later = Store(store.path)
    later._migrated = True  # what the later version itself would have done
    backup = back_up(later, tmp_path / "all.zip")
    other = Store(tmp_path / "o.duckdb")
    with pytest.raises(NewerDatabase, match="m999"):
        restore(backup.path, other)
    assert not other.path.exists()


def test_labels_given_while_a_backup_is_made_are_all_there(store, tmp_path):
    def work():
        for turn in range(15):
            store.add_label(make.label(f"w{turn}", citation_id="c1"))

    worker = threading.Thread(target=work)
    worker.start()
    backup = back_up(store, tmp_path / "all.zip")
    worker.join()
    assert len(store.labels("r1")) == 16
    other = Store(tmp_path / "o.duckdb")
    restore(backup.path, other)
    assert len(other.labels("r1")) == backup.rows["labels"]


@pytest.mark.reopens
def test_what_a_foreign_backup_says_reads_no_file_of_this_machine(store, tmp_path):
    """Whoever made a backup also wrote the views in it."""
    local_file = tmp_path / "mine.csv"
    local_file.write_text("id\nconfidential\n")
    with duckdb.connect(str(store.path)) as connection:
        (columns,) = connection.execute(
            "select string_agg(format('id as {}', column_name)) from duckdb_columns() "
            "where table_name = 'current_labels'"
        ).fetchone()
        connection.execute(
            f"create or replace view current_labels as select {columns} from read_csv('{local_file}')"
        )
    backup = back_up(store, tmp_path / "foreign.zip")
    other = Store(tmp_path / "here" / "w.duckdb")
    with pytest.raises(ReachesOutside, match="foreign.zip cannot be restored: a view") as refused:
        restore(backup.path, other)
    assert "confidential" not in str(refused.value)
    assert not other.path.exists()
    # nor does the database when it is copied there by hand
    with pytest.raises(ReachesOutside, match="w.duckdb was tampered with") as refused:
        store.all_labels()
    assert "confidential" not in str(refused.value)


def with_database(path, body):
    """The backup with another database in it, and a manifest that says so."""
    digest = hashlib.sha256(body).hexdigest()

    def listed(raw):
        (entry,) = [member for member in raw["members"] if member["name"] == DATABASE]
        entry.update(sha256=digest, bytes=len(body))

    rewritten(path, lambda name, data: body if name == DATABASE else manifest(listed)(name, data))


@pytest.mark.parametrize(
    "statement",
    [
        *(
            f"{dropped}create view {view} as select * from read_csv('{__file__}')"
            for view, dropped in (
                ("labels", "drop table labels cascade; "),
                ("migrations", "drop table migrations cascade; "),
                ("of_mine", ""),
            )
        ),
        f"create macro mine() as table select * from read_text('{__file__}')",
        f"create macro mine() as (select content from read_text('{__file__}'))",
        "create macro round(x, y) as 1",
        "create table seen (id varchar); create trigger seen_labels after insert on labels "
        "for each statement insert into seen values ('x')",
    ],
)
def test_no_backup_is_restored_that_reads_or_runs_what_is_not_ours(store, tmp_path, statement):
    backup = back_up(store, tmp_path / "foreign.zip")
    with duckdb.connect(str(store.path)) as connection:
        connection.execute(statement)
    with_database(backup.path, store.path.read_bytes())
    other = Store(tmp_path / "here" / "w.duckdb")
    with pytest.raises(ReachesOutside, match="Nothing was changed"):
        restore(backup.path, other)
    assert not other.path.exists()
