"""Which citations use a source, and what reviewers decided about it; on real DuckDB files."""

from datetime import timedelta

import pytest

from tests.fakes import records as make
from workbench.records.citation import Target
from workbench.records.stored_sources import SourceOverride, SuppliedSource
from workbench.records.verdict import ErrorInfo
from workbench.store.sources import SourceRepository
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


@pytest.fixture
def book(store):
    return SourceRepository(store)


def keep(store, run):
    store.add_run(run, make.TEXT, "bridge.md")
    store.finish_run(run)


def acceptance(number=1, **fields):
    defaults = {
        "id": f"a{number}",
        "sha256": "aa" * 32,
        "url": "https://bridge.example/a",
        "reviewer": "Ada",
        "reason": "A short page, and the whole of it.",
        "created_at": make.MOMENT + timedelta(minutes=number),
    }
    return SourceOverride(**(defaults | fields))


def test_uses_are_the_current_verdicts_with_the_entry_that_names_the_source(store, book):
    keep(store, make.run(results=[make.result(1), make.failure(2)]))
    uses = book.uses(["r1"])["r1"]
    assert [(use.result.citation.id, use.result.verdict) for use in uses] == [
        ("c1", "supported"),
        ("c2", "unverifiable"),
    ]
    assert uses[0].run_name == "bridge.md"
    assert uses[0].reference.title == "A bridge"
    assert uses[0].text_sha256 and uses[1].text_sha256 is None
    assert uses[0].before is None


def test_a_citation_checked_again_tells_what_it_was_before(store, book):
    keep(store, make.run(results=[make.result(1), make.failure(2, "timeout")]))
    store.replace_verdict("r1", make.result(2, "contradicted"))
    second = book.uses(["r1"])["r1"][1]
    assert (second.before, second.before_error, second.version) == ("unverifiable", "timeout", 2)
    assert second.result.verdict == "contradicted"


def test_citations_not_reached_come_as_they_were_announced(store, book):
    run = make.run(results=[make.result(1), make.failure(2, "cancelled")], finished=False)
    store.add_run(run, make.TEXT, "bridge.md")
    store.add_verdict("r1", make.result(1))
    judged, waiting = book.uses(["r1"])["r1"]
    assert judged.judged_at is not None
    assert waiting.judged_at is None
    assert waiting.result.citation.id == "c2"


def test_an_entry_out_of_range_is_no_entry(store, book):
    far = make.citation(1, target=Target(form="url", value="https://b.example", reference=7))
    keep(store, make.run(results=[make.result(1, citation=far)]))
    assert book.uses(["r1"])["r1"][0].reference is None


def test_a_changed_run_has_another_stamp_and_the_others_keep_theirs(store, book):
    keep(store, make.run("r1", results=[make.result(1)]))
    keep(store, make.run("r2", results=[make.result(1)]))
    versions_before = {stamp.run_id: stamp for stamp in book.run_versions()}
    store.replace_verdict("r1", make.result(1, "contradicted"))
    versions_after = {stamp.run_id: stamp for stamp in book.run_versions()}
    assert versions_before["r1"] != versions_after["r1"]
    assert versions_before["r2"] == versions_after["r2"]
    assert book.run_versions("r2") == [versions_after["r2"]]
    assert versions_after["r1"].judge == ("local",)


def test_uses_of_no_run_and_of_an_unknown_run_are_empty(book):
    assert book.uses([]) == {}
    assert book.uses(["nobody"]) == {}


def test_an_acceptance_stands_until_it_is_taken_back_and_is_never_forgotten(book):
    book.accept(acceptance(1))
    assert book.accepted() == {"aa" * 32}
    book.withdraw_acceptance("a1", "Bo")
    book.withdraw_acceptance("a1", "Cy")
    assert book.accepted() == frozenset()
    (stored,) = book.acceptances()
    assert (stored.reviewer, stored.reason) == ("Ada", "A short page, and the whole of it.")
    assert stored.withdrawn_by == "Bo"
    assert stored.withdrawn_at is not None


def test_two_acceptances_of_one_body_are_taken_back_one_by_one(book):
    book.accept(acceptance(1))
    book.accept(acceptance(2, reviewer="Bo"))
    book.accept(acceptance(3, sha256="bb" * 32))
    book.withdraw_acceptance("a1", "Ada")
    assert book.accepted() == {"aa" * 32, "bb" * 32}
    assert [stored.id for stored in book.acceptances(["aa" * 32])] == ["a1", "a2"]
    assert book.acceptances([]) == []


def test_what_reviewers_hand_over_is_listed_with_lone_surrogates_replaced(book):
    supplied = SuppliedSource(
        id="h1",
        sha256="cc" * 32,
        url="https://bridge.example/a",
        form="upload",
        name="scan\ud800.pdf",
        reviewer="Ada",
        note="From the library",
        created_at=make.MOMENT,
    )
    book.add_supplied(supplied)
    (stored,) = book.supplied()
    assert stored.name == "scan\ufffd.pdf"
    assert (stored.form, stored.note, stored.created_at) == (
        "upload",
        "From the library",
        make.MOMENT,
    )


def test_texts_of_a_body_come_with_their_pages(store, book):
    store.add_source(make.source())
    (text,) = book.texts(make.source().sha256)
    assert text.text == make.SOURCE_TEXT
    assert [page.number for page in text.pages] == [1, 2]
    assert book.texts("00" * 32) == []


def test_facts_without_a_text_do_not_hide_the_text_of_the_same_bytes(store):
    with_text = make.source()
    unread = make.source(text="", sha256=with_text.sha256)
    failed = make.failure(2, "not_evidence")
    failed = type(failed)(
        citation=failed.citation, status="error", verdict="unverifiable",
        error=ErrorInfo(kind="not_evidence", message="A log-in page."), source=unread,
    )  # fmt: skip
    keep(store, make.run(results=[make.result(1, source=with_text), failed]))
    assert store.get_source("r1", "c1").text == with_text.text
    assert store.get_source("r1", "c2") is None
