"""The label guide and corrected claims."""

import pytest

from tests.fakes.desk import Clock, fill
from workbench.errors import StoreError, UsageError
from workbench.pipeline.verification import verify
from workbench.records.text import Span
from workbench.services.verification import rejudge_citations
from workbench.store.labels.repository import Guides
from workbench.store.runs.claim_corrections import Corrections
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


def test_versions_of_the_guide_stay(store):
    guides = Guides(store, Clock())
    assert guides.current() is None
    first = guides.save("# Labels\n", "Zoe")
    second = guides.save("# Labels\n\nMore.", "Ada", "more", based_on=first.version)
    assert [guide.version for guide in guides.history()] == [2, 1]
    assert guides.current() == second
    assert guides.get(1).body == "# Labels"
    assert second.created_at > first.created_at


def test_saving_the_same_text_makes_no_version(store):
    guides = Guides(store)
    guides.save("One.", "Zoe")
    assert guides.save(" One.\n", "Ada", based_on=None).author == "Zoe"
    assert len(guides.history()) == 1


def test_nobody_writes_over_anothers_version(store):
    guides = Guides(store)
    guides.save("One.", "Zoe")
    guides.save("Two.", "Ada", based_on=1)
    with pytest.raises(UsageError, match="Ada saved version 2 .* while you edited version 1"):
        guides.save("Three.", "Bob", based_on=1)
    assert guides.current().body == "Two."


@pytest.mark.parametrize("body", ["", " \n", "x" * 100_001], ids=["empty", "blank", "long"])
def test_a_guide_has_a_text_of_reasonable_length(store, body):
    with pytest.raises(UsageError, match="guide"):
        Guides(store).save(body, "Zoe")


def test_an_unknown_version_gets_a_sentence(store):
    with pytest.raises(StoreError, match="no version 4"):
        Guides(store).get(4)


def test_the_newest_correction_of_a_claim_counts(store):
    run = fill(store, 2)
    corrections = Corrections(store, Clock())
    claim = run.citations[0].citation.claim
    corrections.correct("r1", "c0", Span(0, 4), "Ada")
    corrections.correct("r1", "c0", Span(claim.start, claim.end - 1), "Bob")
    assert corrections.current("r1")["c0"].reviewer == "Bob"
    assert [correction.span for correction in corrections.history("r1")][0] == Span(0, 4)
    extraction = corrections.extraction("r1")
    corrected, other = extraction.citations
    assert corrected.claim.text == claim.text[:-1]
    assert corrected.claim.span.of(extraction.text) == corrected.claim.text
    assert other == run.citations[1].citation


def test_a_claim_is_reworded_without_moving_its_place(store):
    run = fill(store, 2)
    corrections = Corrections(store, Clock())
    claim = run.citations[0].citation.claim
    corrections.correct("r1", "c0", claim.span, "Ada", "  The Ostrau bridge\n stands. ")
    (correction,) = corrections.history("r1")
    assert correction.wording == "The Ostrau bridge stands."
    citation = corrections.extraction("r1").citations[0]
    assert (citation.claim, citation.wording) == (claim, "The Ostrau bridge stands.")
    corrections.correct("r1", "c0", claim.span, "Ada")
    assert corrections.extraction("r1").citations[0].wording is None


@pytest.mark.parametrize("wording", ["", " \n", "x" * 1001], ids=["empty", "blank", "long"])
def test_a_wording_is_a_sentence(store, wording):
    fill(store, 2)
    with pytest.raises(UsageError, match="1 to 1,000 characters"):
        Corrections(store).correct("r1", "c0", Span(0, 4), "Ada", wording)
    assert Corrections(store).history("r1") == []


@pytest.mark.parametrize("span", [Span(0, 10_000), Span(3, 3), Span(-2, 4), Span(10, 5)], ids=str)
def test_a_claim_lies_in_its_output(store, span):
    fill(store, 2)
    with pytest.raises(UsageError, match="select the claim"):
        Corrections(store).correct("r1", "c0", span, "Ada")


def test_a_correction_is_about_a_citation_of_the_run(store):
    fill(store, 2)
    with pytest.raises(StoreError, match="no citation 'nope'"):
        Corrections(store).correct("r1", "nope", Span(0, 4), "Ada")


def test_a_corrected_claim_is_judged_again_and_the_earlier_verdict_stays(store):
    text = "Paris is in France. The bridge is 120 metres long [1]. It is red [1]."
    sources = [{"label": "1", "content": "The bridge measures 120 metres. It was painted red."}]
    run = verify(text, sources=sources)
    store.add_run(run, text, "bridge")
    store.finish_run(run)
    first = run.citations[0].citation
    start = text.index("Paris")
    Corrections(store).correct(run.id, first.id, Span(start, first.claim.end), "Ada")
    extraction = Corrections(store).extraction(run.id)
    assert [claim.citations for claim in extraction.claims if first.id in claim.citations] == [
        (first.id,)
    ]
    rejudge_citations(store, run.id, {first.id}, text=extraction, sources=sources)
    history = store.verdict_history(run.id, first.id)
    assert [result.citation.claim.start for result in history] == [first.claim.start, start]
    assert store.get_run(run.id).citations[0].citation.claim.start == start
    assert len(store.verdict_history(run.id, run.citations[1].citation.id)) == 1
