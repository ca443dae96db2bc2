"""Backup, restore and erasure of a whole data directory, through the command line as well."""

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime

import duckdb
import pytest

from tests.fakes import records as make
from tests.fakes.launched import launched
from workbench.errors import ReachesOutside, StoreError, UsageError
from workbench.interfaces.cli import main
from workbench.interfaces.web import run_cache
from workbench.pipeline.options import VerifyOptions
from workbench.records.review import LabelDecision
from workbench.records.source import Fetched
from workbench.services import cached_views, jobs
from workbench.services.data_management import (
    back_up_all,
    erase_all,
    is_empty,
    plan_erasure,
    restore_all,
    restore_leftovers,
)
from workbench.settings import load_settings
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.search import Search
from workbench.store.store import Store

pytestmark = pytest.mark.reopens

SECRET = "Quellwasserin"
ANSWER = f"""{SECRET} was born in 1931 [1]. She met the mayor [2]. The bridge is long [3].

References
[1] A life of {SECRET}. https://lone.example/{SECRET}
[2] The mayor. https://mayor.example/a
[3] The bridge. https://bridge.example/a
"""
OTHER = "The bridge is 120 m long [1].\n\nReferences\n[1] Bridge. https://bridge.example/a\n"
RULES = {"default": {"label": "supported", "quote": "*", "confidence": 0.8,
                     "rationale": f"So it says of {SECRET}."}}  # fmt: skip
PAGE = "The bridge is 120 m long. It stands in the north and carries two lanes. " * 4


@pytest.fixture
def settings():
    cached_views.clear_cached_views()
    return load_settings()


@pytest.fixture
def store(settings):
    return Store(settings.database)


def holding(folder, word=SECRET):
    """The files below a folder that hold a word in their name or bytes, packed ones unpacked."""
    names = []
    for file in folder.rglob("*"):
        if not file.is_file():
            continue
        body = file.read_bytes()
        if file.suffix == ".gz":
            body += gzip.decompress(body)
        if word.encode() in body or word in str(file.relative_to(folder)):
            names.append(file.relative_to(folder).as_posix())
    return sorted(names)


def put_page(folder, url, text, **facts):
    folder.put(
        Fetched(
            url=url, final_url=facts.pop("final_url", url), status=facts.pop("status", 200),
            content_type="text/html", body=f"<title>{text[:30]}</title><p>{text}</p>".encode(),
            fetched_at=datetime(2026, 1, 1, tzinfo=UTC), **facts,
        )
    )  # fmt: skip


@pytest.fixture
def stored_runs(settings, store, tmp_path):
    """A data directory with a run whose every part names somebody, and one that does not."""
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(RULES))
    plain = tmp_path / "plain.json"
    plain.write_text(json.dumps({"default": {"label": "supported", "quote": "*"}}))
    folder = SnapshotFolder(settings.snapshots)
    put_page(
        folder, f"https://lone.example/{SECRET}", f"{SECRET} was born in 1931. " * 9, title=SECRET
    )
    put_page(folder, f"https://lone.example/{SECRET}", f"{SECRET} is not here.", status=404)
    put_page(folder, "https://mayor.example/a", f"The mayor met {SECRET}. " * 9)
    put_page(folder, "https://bridge.example/a", PAGE)

    def check(text, name, judge, files=()):
        options = VerifyOptions(judge=f"scripted:{judge}", snapshots=settings.snapshots)
        job = jobs.start(store, text, name, options, files)
        assert job.ended.wait(60)
        assert job.error == ""
        return job.begun.id

    run_id = check(ANSWER, f"Letter of {SECRET}", rules)
    other = check(OTHER, "Bridges", plain)
    cut_off = check(ANSWER, f"Letter of {SECRET}", rules, ((f"{SECRET}.txt", SECRET.encode()),))
    # as a run leaves them that was stopped: its uploads wait
    waiting = next(settings.data_dir.glob("uploads/*"), None)
    if waiting is None:
        waiting = store.get_run(cut_off).config["sources"]
        os.makedirs(waiting)
        (settings.data_dir / "uploads" / os.path.basename(waiting) / f"{SECRET}.txt").write_text(
            SECRET
        )
    store.add_label(make.label(run_id=run_id, note=f"I know {SECRET}", tags=(SECRET,)))
    store.add_label(make.label("l2", run_id=other, note="the bridge"))
    queue = Queues(store).build("all", created_by="Zoe")
    turn = ReviewTaskService(store).open(queue.id, "Ada")
    ReviewTaskService(store).decide(
        queue.id, "Ada", turn.item.position, LabelDecision(label="supported")
    )
    return run_id, other, cut_off


def test_nothing_of_an_erased_output_is_left_in_any_file(stored_runs, store, settings):
    run_id, other, cut_off = stored_runs
    files_before = holding(settings.data_dir)
    assert "workbench.duckdb" in files_before
    assert any(name.startswith("uploads/") for name in files_before)
    assert any(name.startswith("snapshots/objects") for name in files_before)
    cached_views.clear_if_rewritten(store.path)  # as every page does first
    assert SECRET in run_cache.load_review(store, run_id).text
    plan = plan_erasure(store, run_id)
    assert set(plan.run_ids) == {run_id, cut_off}
    cleared = erase_all(store, settings, plan, "Zoe", "personal_data")
    assert holding(settings.data_dir) == []
    assert cleared.uploads == 1
    assert cleared.snapshots == 3, "both answers of the lone address, and the mayor's page"
    assert (cleared.trace.verdicts, cleared.trace.reviewer) == (plan.verdicts, "Zoe")
    assert [run.id for run in store.list_runs()] == [other]
    assert len(store.labels(other)) >= 1
    source = store.get_source(other, store.get_run(other).citations[0].citation.id)
    assert SnapshotFolder(settings.snapshots).get(source.sha256), "another run leans on it"
    assert SnapshotFolder(settings.snapshots).verify().broken == ()
    cached_views.clear_if_rewritten(store.path)
    with pytest.raises(StoreError, match="no run"):
        run_cache.load_review(store, run_id)
    with pytest.raises(StoreError, match="was erased on"):
        plan_erasure(store, run_id)


def test_copies_that_a_restore_moved_aside_are_named_and_go_when_asked(
    stored_runs, store, settings
):
    run_id, *_ = stored_runs
    archive = settings.data_dir.parent / f"{settings.data_dir.name}-backup.zip"
    back_up_all(store, settings, archive)
    restore_all(store, settings, archive, replace=True)
    plan = plan_erasure(store, run_id)
    again = erase_all(store, settings, plan, "Zoe", "personal_data")
    assert {path.name.split(".before-")[0] for path in again.copies} == {
        "workbench.duckdb",
        "snapshots",
        "uploads",
    }
    assert all("before-restore" in name for name in holding(settings.data_dir))
    restore_all(store, settings, archive, replace=True)
    erase_all(store, settings, plan, "Zoe", "personal_data", copies=True)
    assert restore_leftovers(store, settings) == ()
    assert holding(settings.data_dir) == []


def test_a_backup_is_enough_to_judge_again_elsewhere(
    stored_runs, store, settings, tmp_path, monkeypatch
):
    kept_file = back_up_all(store, settings, tmp_path / "all.zip")
    assert len(kept_file.sha256) == 64
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "elsewhere"))
    other_settings = load_settings()
    fresh = Store(other_settings.database)
    assert is_empty(fresh)
    fresh.list_runs()
    restore_all(fresh, other_settings, tmp_path / "all.zip", replace=False)
    assert not is_empty(fresh)
    assert [run.id for run in fresh.list_runs()] == [run.id for run in store.list_runs()]
    answer = tmp_path / "a.md"
    answer.write_text(OTHER)
    shutil.rmtree(settings.snapshots)
    assert main(["verify", str(answer), "--offline", "--json"]) == 0
    with pytest.raises(UsageError, match="--replace"):
        restore_all(fresh, other_settings, tmp_path / "all.zip", replace=False)


# -- the command line --------------------------------------------------------------------------


def run_command(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    output = capsys.readouterr()
    return code, output.out, output.err


def documents(capsys, *arguments):
    code, out, err = run_command(capsys, *arguments, "--json")
    assert err == ""
    return code, json.loads(out)


def test_words_are_searched_for(stored_runs, capsys):
    run_id, *_ = stored_runs
    code, hits = documents(capsys, "search", SECRET)
    assert code == 0
    assert set(hits) == {"query", "counts", "hits"}
    assert all(hits["counts"][kind] for kind in ("output", "claim", "rationale", "note", "source"))
    (hit,) = documents(capsys, "search", "I know", "--in", "note", "--run", run_id)[1]["hits"]
    assert (hit["kind"], hit["run_id"], hit["author"]) == ("note", run_id, "Ada")
    assert [hit["excerpt"]["text"][m["start"] : m["end"]] for m in hit["matches"]] == ["I know"]
    code, out, _ = run_command(capsys, "search", "nowhere", "at", "all")
    assert (code, out) == (1, "found nowhere\n")
    code, out, _ = run_command(capsys, "search", "bridge", "--in", "note")
    assert "the bridge" in out
    with pytest.raises(SystemExit):
        main(["search", "x", "--in", "nonsense"])


def test_backup_and_restore(stored_runs, store, settings, tmp_path, capsys):
    run_id, other, _ = stored_runs
    file = tmp_path / "all.zip"
    code, backup = documents(capsys, "backup", file)
    assert (code, backup["path"], backup["bytes"]) == (0, str(file), file.stat().st_size)
    assert backup["rows"]["runs"] == 3
    code, _, err = run_command(capsys, "backup", file)
    assert code == 2 and "already exists" in err
    store.add_label(make.label("late", run_id=run_id))
    code, _, err = run_command(capsys, "restore", file)
    assert code == 2 and "--replace" in err
    code, restored = documents(capsys, "restore", file, "--replace")
    assert code == 0 and len(restored["moved_aside"]) == 3
    assert "late" not in [label.id for label in store.labels(run_id)]
    (tmp_path / "broken.zip").write_bytes(file.read_bytes()[:-400])
    code, _, err = run_command(capsys, "restore", tmp_path / "broken.zip", "--replace")
    assert code == 2 and "damaged or not a backup" in err
    code, _, err = run_command(
        capsys, "backup", tmp_path / "n.zip", "--db", tmp_path / "none.duckdb"
    )
    assert code == 2 and "no database" in err


def test_a_hostile_view_is_told_in_a_sentence(stored_runs, store, tmp_path, capsys):
    """In a backup to restore, and in a database that is there."""
    with duckdb.connect(str(store.path)) as connection:
        connection.execute(
            "create or replace view current_labels as select * from read_csv('/etc/passwd')"
        )
    assert run_command(capsys, "backup", tmp_path / "foreign.zip")[0] == 0
    code, out, err = run_command(capsys, "restore", tmp_path / "foreign.zip", "--replace")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "foreign.zip cannot be restored: a view in its database reads a file" in err
    code, out, err = run_command(capsys, "calibrate")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "was tampered with: it contains a view or macro that reads a file" in err
    with pytest.raises(ReachesOutside, match="Restore a backup that you made yourself"):
        store.all_labels()


def test_erase_asks_first(stored_runs, store, settings, capsys, monkeypatch):
    run_id, other, _ = stored_runs
    code, plan = documents(capsys, "erase", run_id, "--dry-run")
    assert code == 0 and plan["labels"] >= 1 and len(store.list_runs()) == 3
    code, _, err = run_command(capsys, "erase", run_id)
    assert code == 2 and "add --yes" in err
    monkeypatch.setattr(sys, "stdin", io.StringIO("no\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    code, _, err = run_command(capsys, "erase", run_id)
    assert code == 2 and "Nothing was erased" in err and "Type erase" in err
    assert len(store.list_runs()) == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO("erase\n"))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    code, out, _ = run_command(capsys, "erase", run_id, "--by", "Zoe", "--reason", "mistake")
    assert code == 0 and out.startswith("erased: 2 runs")
    assert holding(settings.data_dir) == []
    code, traces = documents(capsys, "erase", "--list")
    assert [(t["reviewer"], t["reason"]) for t in traces] == [("Zoe", "mistake")]
    code, _, err = run_command(capsys, "erase", run_id, "--yes")
    assert code == 2 and "was erased on" in err
    assert run_command(capsys, "erase")[0] == 2
    assert run_command(capsys, "erase", "--rewrite")[0] == 0
    code, erased = documents(capsys, "erase", other, "--yes")
    assert code == 0 and erased["copies_left"] == [] and store.list_runs() == []


def test_another_process_that_shows_an_output_drops_it_when_it_is_erased(stored_runs, store):
    run_id, *_ = stored_runs
    cached_views.clear_if_rewritten(store.path)
    assert SECRET in run_cache.load_review(store, run_id).text
    process = subprocess.run(
        launched("erase", run_id, "--yes", "--json"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(process.stdout)["verdicts"]
    cached_views.clear_if_rewritten(store.path)
    with pytest.raises(StoreError, match="no run"):
        run_cache.load_review(store, run_id)
    assert Search(store).find(SECRET).total == 0
