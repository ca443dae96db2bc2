import threading

import pytest

from tests.fakes import records as make
from workbench.errors import StoreError, UsageError
from workbench.interfaces.web import run_cache
from workbench.pipeline.options import VerifyOptions
from workbench.services import cached_views, jobs
from workbench.services.runs import unjudged_citations
from workbench.store.store import Store

TEXT = (
    "The bridge is 120 metres long [1]. It opened in 1931 [2].\n\n"
    "## References\n[1] The bridge. https://bridge.example/a\n[2] The year. https://bridge.example/b\n"
)
FILES = (
    ("1.txt", b"The bridge measures 120 metres from end to end. It is 120 metres long."),
    ("2.txt", b"The bridge opened in 1931 after two years of work."),
)


@pytest.fixture
def store(tmp_path):
    cached_views.clear_cached_views()
    return Store(tmp_path / "w.duckdb")


def done(job):
    assert job.ended.wait(30)
    return job


def test_a_run_is_kept_by_its_own_thread(store):
    job = done(jobs.start(store, TEXT, "Bridges", VerifyOptions(), FILES))
    assert job.error == ""
    assert jobs.find(job.begun.id) is None
    run = store.get_run(job.begun.id)
    assert (run.finished, run.total_citations_found, run.total_resolved) == (True, 2, 2)
    assert store.get_summary(run.id).name == "Bridges"
    desk = run_cache.load_review(store, run.id)
    assert desk.pending == frozenset()
    assert "120 metres" in run_cache.open_source(store, desk, next(iter(desk.results))).text


@pytest.mark.parametrize(
    ("name", "stored_name"),
    [
        ("1.html", "1.html"),
        ("Smith, 2019.PDF", "Smith, 2019.pdf"),
        ("../../evil.txt", "evil.txt"),
        ("a\\..\\.hidden", "hidden"),
        ("..", "source"),
        ("", "source"),
        ("a\x00\nb.txt", "a__b.txt"),
        ("报告.pdf", "报告.pdf"),
        ("\ud800.txt", "\ufffd.txt"),
        ("x" * 300 + ".txt", "x" * 60 + ".txt"),
    ],
)
def test_uploaded_names_are_neither_paths_nor_hidden(name, stored_name, tmp_path):
    jobs.unpack_files([(name, b"x")], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [stored_name]


def test_a_wrong_order_is_told_in_a_sentence(store):
    job = done(jobs.start(store, TEXT, "x", VerifyOptions(judge="nobody")))
    assert job.begun is None
    assert "nobody" in job.error
    with pytest.raises(UsageError):
        job.partial()


def test_a_run_that_breaks_off_keeps_what_it_has(store, monkeypatch):
    def broken(_store, _text, _name, options):
        options.on_start(make.run("r9", finished=False))
        raise RuntimeError("boom")

    monkeypatch.setattr(jobs, "verify_and_store", broken)
    done(jobs.start(store, TEXT, "x", VerifyOptions()))
    assert jobs.find("r9") is None
    assert "internal error" in jobs.error_of("r9")
    assert "boom" not in jobs.error_of("r9")


def test_a_run_under_way_shows_what_is_done(store, monkeypatch):
    go, seen = threading.Event(), threading.Event()

    def slow(_store, _text, _name, options):
        options.on_start(
            make.run("r7", [make.failure(1, "cancelled"), make.failure(2, "cancelled")])
        )
        options.on_verdict("r7", make.result(1))
        seen.set()
        go.wait(20)

    monkeypatch.setattr(jobs, "verify_and_store", slow)
    job = jobs.start(store, make.TEXT, "Bridges", VerifyOptions())
    assert seen.wait(20)
    desk = run_cache.load_review(store, "r7")
    assert desk.marks == {"c1": "supported", "c2": "pending"}
    assert job in jobs.running()
    go.set()
    done(job)


def test_cancel_stops_a_run_and_it_can_be_continued(store):
    stopped = jobs.start(store, TEXT, "Bridges", VerifyOptions(), FILES)
    stopped.cancel.set()
    done(stopped)
    run = store.get_run(stopped.begun.id)
    if run.finished:
        pytest.skip("the run was faster than its cancel")
    desk = run_cache.load_review(store, run.id)
    assert desk.pending == unjudged_citations(run) != frozenset()
    again = done(jobs.resume(run.id, store))
    assert again.error == ""
    run = store.get_run(run.id)
    assert (run.finished, run.total_resolved) == (True, 2)
    assert not any((store.path.parent / jobs.UPLOADS).iterdir())


def test_an_unknown_run_is_told_in_a_sentence(store):
    with pytest.raises(StoreError, match="no run"):
        run_cache.load_review(store, "nope")
