"""The store on real DuckDB files."""

import json
import subprocess
import sys
import threading

import duckdb
import pytest

from tests.fakes import records as make
from workbench.errors import NewerDatabase, StorageError, StoreError, no_space
from workbench.records.text import text_sha256
from workbench.store.runs.verdict_buffer import VerdictWriteBuffer
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "folder" / "w.duckdb")


def keep(store, run, text=make.TEXT, name="bridge.md"):
    store.add_run(run, text, name)
    store.finish_run(run)
    return run


def test_a_run_comes_back_as_it_was(store):
    run = keep(store, make.run(results=[make.result(1), make.failure(2)]))
    again = store.get_run("r1")
    assert again.to_dict() == run.to_dict()
    assert again.references == run.references
    assert store.get_output(run.output_sha256) == make.TEXT


def test_summary_counts_what_the_run_counts(store):
    quote = make.result(1, citation=make.citation(1, id="q1", kind="quote"))
    run = keep(store, make.run(results=[make.result(1), make.failure(2), quote], cost_usd=0.25))
    store.add_label(make.label())
    (summary,) = store.list_runs()
    assert store.list_runs(shas=[run.output_sha256]) == [summary]
    assert store.list_runs(shas=["another"]) == []
    assert (summary.found, summary.resolved, summary.supported, summary.errors) == (
        run.total_citations_found,
        run.total_resolved,
        run.total_supported,
        1,
    )
    assert summary.name == "bridge.md"
    assert summary.cost_usd == 0.25
    assert summary.labelled == 1
    assert summary.finished


def test_a_run_whose_process_died_keeps_its_verdicts_and_is_not_finished(store):
    run = make.run(results=[make.result(1), make.failure(2)])
    store.add_run(run, make.TEXT, "bridge.md")
    store.add_verdict("r1", make.result(1))
    again = store.get_run("r1")
    assert [(r.citation.id, r.status) for r in again.citations] == [("c1", "ok"), ("c2", "error")]
    assert not again.finished
    assert store.list_runs()[0].ended_at is None


def test_what_a_stop_left_unchecked_is_no_verdict_and_can_be_filled_in(store):
    stopped = make.run(results=[make.result(1), make.failure(2, "cancelled")], finished=False)
    keep(store, stopped)
    assert store.get_run("r1").to_dict() == stopped.to_dict()
    complete = make.run(results=[make.result(1), make.result(2)], cost_usd=0.5)
    keep(store, complete)
    again = store.get_run("r1")
    assert again.finished
    assert [r.status for r in again.citations] == ["ok", "ok"]
    assert store.list_runs()[0].cost_usd == 0.5


def test_a_citation_checked_again_keeps_its_history(store):
    keep(store, make.run(results=[make.result(1, "supported"), make.failure(2)]))
    other = make.result(2, "contradicted", source=make.source("Another page says no."))
    store.replace_verdict("r1", other)
    assert [r.verdict for r in store.get_run("r1").citations] == ["supported", "contradicted"]
    assert [r.verdict for r in store.verdict_history("r1", "c2")] == [
        "unverifiable",
        "contradicted",
    ]
    assert store.get_source("r1", "c2").text == "Another page says no."
    assert store.list_runs()[0].resolved == 2
    assert len(list(store.labelled_citations())) == 2


def test_a_paid_judgment_is_found_under_its_key(store):
    assert store.get_judgment("k") is None
    store.add_judgment("k", make.judgment("supported", cost_usd=0.01))
    store.add_judgment("k", make.judgment("contradicted"))
    assert store.get_judgment("k") == make.judgment("supported", cost_usd=0.01)


def test_a_verdict_is_kept_once(store):
    store.add_run(make.run(), make.TEXT, "bridge.md")
    store.add_verdict("r1", make.result(1, "supported"))
    store.add_verdict("r1", make.result(1, "contradicted"))
    assert [r.verdict for r in store.get_run("r1").citations] == ["supported"]


def test_the_source_of_a_verdict_has_its_text_and_pages(store):
    keep(store, make.run(results=[make.result(1), make.failure(2)]))
    source = store.get_source("r1", "c1")
    assert source.text == make.SOURCE_TEXT
    assert source.pages == make.source().pages
    assert source.fetched_at == make.MOMENT
    assert store.get_source("r1", "c2") is None


def test_text_with_lone_surrogates_and_nul_is_kept_exactly(store):
    text = "a\ud800b\x00c \u202e [1]"
    citation = make.citation(1, text=text)
    run = make.run(results=[make.result(1, citation=citation)], text=text)
    store.add_run(run, text, "name \udfff")
    store.finish_run(run)
    assert store.get_output(text_sha256(text)) == text
    assert store.get_run("r1").citations[0].citation == citation
    assert store.list_runs()[0].name == "name \ufffd"


def test_labels_append_and_the_latest_counts(store):
    keep(store, make.run(results=[make.result(1)]))
    store.add_label(make.label("l1", "contradicted"))
    store.add_label(make.label("l2", "cannot_tell", replaces="l1"))
    assert [label.id for label in store.labels("r1")] == ["l2"]
    assert [label.id for label in store.label_history("r1", "c1")] == ["l1", "l2"]
    assert store.label_history("r1", "c1")[0] == make.label("l1", "contradicted")


def test_a_label_is_taken_back_by_a_new_entry(store):
    keep(store, make.run(results=[make.result(1)]))
    store.add_label(make.label("l1", "contradicted"))
    store.add_label(make.label("l2", "cannot_tell", replaces="l1"))
    store.withdraw_label("l2", "Ada")
    assert [label.id for label in store.labels("r1")] == ["l1"]
    store.withdraw_label("l1", "Ada")
    store.withdraw_label("l1", "Ada")
    assert store.labels("r1") == []
    assert store.list_runs()[0].labelled == 0
    assert [label.id for label in store.label_history("r1", "c1")] == ["l1", "l2"]


def test_a_run_counts_labelled_citations_not_labels_and_leaves_quotes_out(store):
    quote = make.result(1, citation=make.citation(1, id="q", kind="quote"))
    keep(store, make.run(results=[make.result(1), make.failure(2), quote]))
    for number, (reviewer, citation) in enumerate([("Ada", "c1"), ("Bob", "c1"), ("Ada", "q")]):
        store.add_label(make.label(str(number), citation_id=citation, reviewer=reviewer))
    summary = store.get_summary("r1")
    assert (summary.found, summary.labelled) == (2, 1)


def test_export_rows_hold_results_and_current_labels(store):
    keep(store, make.run(results=[make.result(1), make.failure(2)]))
    store.add_label(make.label("l1"))
    store.add_label(make.label("l2", "supported", replaces="l1"))
    first, second = store.labelled_citations()
    assert first.to_dict()["label"] == "supported"
    assert [label.id for label in first.labels] == ["l2"]
    assert second.labels == ()


def test_unknown_run_and_output_get_a_sentence(store):
    with pytest.raises(StoreError, match="no run 'nope'"):
        store.get_run("nope")
    with pytest.raises(StoreError, match="no output"):
        store.get_output("0" * 64)


@pytest.mark.reopens
def test_a_database_from_a_newer_version_is_refused(store):
    store.list_runs()
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("insert into migrations values ('m999_from_the_future', now())")
    with pytest.raises(NewerDatabase, match=r"later version .*m999_from_the_future"):
        Store(store.path).list_runs()


@pytest.mark.parametrize("content", [b"not a database" * 1000, b"\x00" * 5000], ids=["text", "nul"])
def test_a_file_that_is_no_database_gets_a_sentence(tmp_path, content):
    path = tmp_path / "w.duckdb"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(path).list_runs()
    assert path.read_bytes() == content


def test_twenty_threads_lose_nothing(store):
    keep(store, make.run(results=[make.result(1)]))

    def work(number):
        for turn in range(5):
            store.add_label(make.label(f"l{number}-{turn}", "supported"))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.labels("r1")) == 100


def test_another_process_can_read_while_this_one_writes(store):
    keep(store, make.run(results=[make.result(1)]))
    code = (
        "import sys; from workbench.store.store import Store\n"
        "for _ in range(20): assert Store(sys.argv[1]).list_runs()\n"
    )
    reader = subprocess.Popen([sys.executable, "-c", code, str(store.path)])
    for turn in range(20):
        store.add_label(make.label(f"l{turn}"))
    assert reader.wait(timeout=60) == 0
    assert len(store.labels("r1")) == 20


def test_the_store_follows_a_file_that_was_removed(store):
    keep(store, make.run(results=[make.result(1)]))
    store.path.unlink()
    assert store.list_runs() == []


def test_recording_keeps_verdicts_soon_and_all_at_the_end(store):
    store.add_run(make.run(), make.TEXT, "bridge.md")
    recording = VerdictWriteBuffer(store)
    recording.add_verdict("r1", make.result(1))
    recording.add_verdict("r1", make.failure(2))
    recording.flush()
    assert len(store.get_run("r1").citations) == 2


def test_recording_holds_what_could_not_be_stored(store, monkeypatch):
    store.add_run(make.run(), make.TEXT, "bridge.md")
    recording = VerdictWriteBuffer(store)
    recording.add_verdict("r1", make.result(1))
    with monkeypatch.context() as full:

        def refuse(run_id, results):
            raise no_space(store.path)

        full.setattr(store, "add_verdicts", refuse)
        with pytest.raises(StorageError, match="No space left on the disk of"):
            recording.flush()
    recording.flush()
    assert len(store.get_run("r1").citations) == 1


def test_recording_flushes_by_itself(store):
    store.add_run(make.run(), make.TEXT, "bridge.md")
    recording = VerdictWriteBuffer(store)
    recording.add_verdict("r1", make.result(1))
    deadline = threading.Event()
    for _ in range(100):
        if store.get_run("r1").citations:
            return
        deadline.wait(0.05)
    raise AssertionError("the verdict never reached the file")


@pytest.mark.reopens
def test_no_verdict_column_disagrees_with_its_record(store):
    keep(store, make.run(results=[make.result(1), make.failure(2)]))
    with duckdb.connect(str(store.path)) as connection:
        rows = connection.execute(
            "select citation_id, verdict, status, error_kind, record from verdicts"
        ).fetchall()
    for citation_id, verdict, status, error_kind, record in rows:
        raw = json.loads(record)
        assert (raw["id"], raw["verdict"], raw["status"]) == (citation_id, verdict, status)
        assert (raw["error"] or {}).get("kind") == error_kind
