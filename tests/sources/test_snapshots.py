"""Snapshots are kept by their hash, never changed, and found again by address."""

import gzip
import json
import multiprocessing
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from workbench.errors import UnreadableInput
from workbench.records.source import Fetched
from workbench.sources.snapshots import SnapshotFolder, export_snapshots, import_snapshots

NOON = datetime(2024, 5, 3, 12, tzinfo=UTC)


def fetched(url="https://example.com/a", body=b"<p>words</p>", fetched_at=NOON, **fields):
    return Fetched(
        url=url, final_url=fields.pop("final_url", url), status=200, content_type="text/html",
        body=body, fetched_at=fetched_at, hops=(url,), **fields,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    return SnapshotFolder(tmp_path / "snapshots")


def test_what_is_put_is_found_again(folder):
    digest = folder.put(fetched(title="T", truncated=True))
    assert digest == fetched().sha256
    assert folder.get(digest) == fetched(title="T", truncated=True)
    assert folder.find("http://EXAMPLE.com/a/#x") == fetched(title="T", truncated=True)
    assert folder.find("https://example.com/b") is None
    assert folder.get("0" * 64) is None


def test_an_empty_folder_has_nothing(folder):
    assert folder.list() == []
    assert folder.find("https://example.com/a") is None
    assert folder.verify().to_dict() == {"checked": 0, "broken": []}
    assert not folder.path.exists()


def test_new_bytes_are_a_new_snapshot_and_the_old_ones_stay(folder):
    old = folder.put(fetched(body=b"old"))
    new = folder.put(fetched(body=b"new", fetched_at=NOON + timedelta(days=1)))
    assert folder.find("https://example.com/a").body == b"new"
    assert folder.get(old).body == b"old"
    assert [row.sha256 for row in folder.history("https://example.com/a")] == [old, new]


def test_equal_bytes_are_kept_once(folder):
    folder.put(fetched())
    folder.put(fetched(url="https://example.org/copy"))
    assert len(list(folder.path.glob("objects/*/*.gz"))) == 1
    assert len(folder.list()) == 2


def test_a_page_is_also_found_where_a_redirect_led(folder):
    folder.put(fetched(url="https://short.example/1", final_url="https://example.com/a"))
    assert folder.find("https://example.com/a").url == "https://short.example/1"
    folder.put(fetched(body=b"asked for itself"))
    folder.put(fetched(url="https://short.example/1", final_url="https://example.com/a"))
    assert folder.find("https://example.com/a").body == b"asked for itself"


def test_another_handle_sees_what_was_put(folder):
    reader = SnapshotFolder(folder.path)
    assert reader.list() == []
    folder.put(fetched())
    assert len(reader.list()) == 1
    folder.put(fetched(body=b"2"))
    assert len(reader.list()) == 2


def test_objects_are_read_only_and_compressed(folder):
    digest = folder.put(fetched(body=b"words " * 1000))
    path = folder.object_path(digest)
    assert path.stat().st_mode & 0o222 == 0
    assert path.stat().st_size < 200
    assert gzip.decompress(path.read_bytes()) == b"words " * 1000


def tampered(folder, digest, data):
    path = folder.object_path(digest)
    path.chmod(0o644)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gzip.compress(b"something else"), "do not have the hash"),
        (b"no gzip", "damaged"),
        (gzip.compress(b"words")[:-4], "damaged"),
        (gzip.compress(b"\0" * (65 * 2**20)), "damaged"),
    ],
    ids=["other bytes", "no gzip", "cut short", "a bomb"],
)
def test_verify_finds_what_was_changed(data, reason, folder):
    digest = folder.put(fetched())
    folder.put(fetched(body=b"sound"))
    tampered(folder, digest, data)
    check = folder.verify()
    assert check.checked == 2
    assert [(snapshot.sha256, snapshot.url) for snapshot in check.broken] == [
        (digest, "https://example.com/a")
    ]
    assert reason in check.broken[0].reason
    assert folder.get(digest) is None


def test_verify_finds_what_is_missing_and_what_is_no_line(folder):
    digest = folder.put(fetched())
    folder.object_path(digest).unlink()
    with (folder.path / "facts.jsonl").open("a") as file:
        file.write('{"sha256": "../../etc/passwd", "url": "x"}\n')
    reasons = [snapshot.reason for snapshot in SnapshotFolder(folder.path).verify().broken]
    assert len(reasons) == 2
    assert any("missing" in reason for reason in reasons)
    assert any("facts.jsonl" in reason for reason in reasons)


def test_half_a_line_does_not_spoil_the_next(folder):
    folder.put(fetched())
    with (folder.path / "facts.jsonl").open("a") as file:
        file.write('{"sha256": "ab')
    folder.put(fetched(body=b"after"))
    reader = SnapshotFolder(folder.path)
    assert [row.bytes for row in reader.list()] == [len(fetched().body), 5]


@pytest.fixture(scope="module")
def processes():
    """Three processes of their own, all of them begun before one takes anything up."""
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(3, spawn.Barrier(3).wait) as pool:
        yield pool


def _write(path, worker):
    folder = SnapshotFolder(path)
    for number in range(50):
        folder.put(fetched(url=f"https://example.com/{worker}/{number}", body=b"%d" % (number % 7)))


def test_several_processes_write_at_once(processes, tmp_path):
    processes.starmap(_write, [(tmp_path, number) for number in range(3)], chunksize=1)
    folder = SnapshotFolder(tmp_path)
    assert len(folder.list()) == 150
    assert len({row.url for row in folder.list()}) == 150
    assert folder.verify().to_dict() == {"checked": 7, "broken": []}
    assert not list(tmp_path.glob("objects/*/.new-*"))


def test_what_is_removed_is_gone_and_the_rest_is_whole(folder):
    other = SnapshotFolder(folder.path)
    removed = folder.put(fetched(url="https://secret.example/a", body=b"Margarethe"))
    folder.put(fetched(url="https://secret.example/copy", body=b"Margarethe"))
    stored = folder.put(fetched(body=b"kept"))
    assert len(other.list()) == 3
    with (folder.path / "facts.jsonl").open("ab") as file:
        file.write(b'{"url": "https://secret.example/half')
    assert folder.remove([removed, "../../elsewhere"]) == 3
    for snapshots in (folder, other):
        assert [row.sha256 for row in snapshots.list()] == [stored]
        assert snapshots.find("https://secret.example/a") is None
        assert snapshots.find("https://example.com/a").body == b"kept"
        assert snapshots.verify().to_dict() == {"checked": 1, "broken": []}
    assert [file for file in folder.path.rglob("*") if removed in file.name] == []
    assert b"secret" not in (folder.path / "facts.jsonl").read_bytes()
    assert folder.put(fetched(body=b"again")) in {row.sha256 for row in other.list()}
    assert folder.remove([removed]) == 0


def _remove_and_put(path, number):
    folder = SnapshotFolder(path)
    digests = [folder.put(fetched(body=f"gone {number} {n}".encode())) for n in range(15)]
    for n, digest in enumerate(digests):
        folder.put(fetched(body=f"kept {number} {n}".encode()))
        folder.remove([digest])


def test_no_line_is_lost_while_others_are_removed(processes, tmp_path):
    processes.starmap(_remove_and_put, [(tmp_path, number) for number in range(3)], chunksize=1)
    folder = SnapshotFolder(tmp_path)
    assert len(folder.list()) == 45
    assert folder.verify().to_dict() == {"checked": 45, "broken": []}


def test_exported_snapshots_come_in_again(folder, tmp_path):
    folder.put(fetched(title="T"))
    folder.put(fetched(url="https://example.com/b", body=b"b"))
    assert export_snapshots(folder, tmp_path / "x.zip") == 2
    other = SnapshotFolder(tmp_path / "other")
    assert import_snapshots(other, tmp_path / "x.zip").to_dict() == {"imported": 2, "skipped": []}
    assert other.list() == folder.list()
    assert other.find("https://example.com/b").body == b"b"
    assert import_snapshots(other, tmp_path / "x.zip").imported == 0
    assert len(other.list()) == 2


def test_an_export_is_the_same_bytes_each_time_and_may_be_partial(folder, tmp_path):
    stored = folder.put(fetched())
    folder.put(fetched(url="https://example.com/b", body=b"b"))
    assert export_snapshots(folder, tmp_path / "1.zip", only={stored}) == 1
    export_snapshots(folder, tmp_path / "2.zip", only={stored})
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_forged_entries_stay_out(folder, tmp_path):
    digest = folder.put(fetched())
    row = json.dumps(folder.list()[0].to_dict())
    forged = tmp_path / "forged.zip"
    with zipfile.ZipFile(forged, "w") as file:
        file.writestr("facts.jsonl", f"{row}\nnonsense\n")
        file.writestr(f"objects/{digest[:2]}/{digest}.gz", gzip.compress(b"forged"))
        file.writestr("../../evil.txt", "evil")
        file.writestr(f"objects/{'0' * 2}/{'0' * 64}.gz", gzip.compress(b"\0" * (65 * 2**20)))
    other = SnapshotFolder(tmp_path / "other")
    result = import_snapshots(other, forged)
    assert result.imported == 0
    assert len(result.skipped) == 5
    assert other.list() == []
    assert not (tmp_path / "evil.txt").exists()


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04broken"])
def test_what_is_no_export_is_said_so(data, folder, tmp_path):
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(UnreadableInput, match="not a file of exported snapshots"):
        import_snapshots(folder, tmp_path / "x.zip")
