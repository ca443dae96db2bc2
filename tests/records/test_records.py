"""Records: derived figures of a run, and JSON that comes back as what it was."""

import hashlib
import json
from dataclasses import replace

from tests.fakes import records as make
from workbench.records.citation import Reference
from workbench.records.context import JudgeContext
from workbench.records.text import Span, replace_surrogates, text_sha256
from workbench.records.verdict import CitationResult, Evidence


def test_overall_score_is_supported_over_resolved():
    # 2 supported of 3 resolved = 0.67; the failure is not resolved
    run = make.run(
        results=[
            make.result(1, "supported"),
            make.result(1, "supported"),
            make.result(2, "contradicted"),
            make.failure(2),
        ]
    )
    assert (run.total_citations_found, run.total_resolved, run.total_supported) == (4, 3, 2)
    assert run.overall_score == 0.67
    assert run.passed
    assert run.complete
    assert run.errors == {"timeout": 1}


def test_half_supported_passes_and_less_fails():
    half = make.run(results=[make.result(1, "supported"), make.result(2, "not_supported")])
    assert half.overall_score == 0.5
    assert half.passed
    assert not make.run(results=[make.result(1, "not_supported")]).passed


def test_nothing_resolved_passes_by_contract_but_is_not_complete():
    run = make.run(results=[make.failure(1), make.failure(2)])
    assert run.overall_score is None
    assert run.passed
    assert not run.complete


def test_no_citation_at_all_is_complete():
    assert make.run().complete


def test_a_run_cut_short_is_not_complete():
    assert not make.run(results=[make.result(1)], finished=False).complete


def test_quotes_and_statistics_are_not_counted():
    quote = make.result(1, citation=make.citation(1, kind="quote"))
    run = make.run(results=[make.result(1, "supported"), quote])
    assert run.total_citations_found == 1
    assert run.total_supported == 1


def test_results_survive_json():
    for result in (make.result(), make.failure(), make.result(source=make.source(pages=()))):
        raw = json.loads(json.dumps(result.to_dict()))
        assert CitationResult.from_dict(raw).to_dict() == result.to_dict()


def test_references_survive_json():
    reference = make.run().references[0]
    assert Reference.from_dict(reference.to_dict()) == reference


def test_page_of_an_offset():
    source = make.source()
    assert [source.page_at(0), source.page_at(18), source.page_at(19)] == [1, 1, 2]
    assert source.page_at(10_000) is None


def test_lone_surrogates_are_hashed_as_they_are_and_shown_one_for_one():
    text = "a\ud800b"
    assert replace_surrogates(text) == "a\ufffdb"
    assert text_sha256(text) == hashlib.sha256(b"a\xed\xa0\x80b").hexdigest()


def test_a_quote_from_a_scanned_page_is_named_as_such():
    pages = [replace(page, scanned=page.number == 2) for page in make.source().pages]
    source = make.source(pages=tuple(pages))
    seen, recognized = (Evidence.in_source(source, Span(at, at + 5)) for at in (0, 19))
    assert (seen.place, seen.scanned, "scanned" in seen.to_dict()) == ("page 1", False, False)
    assert recognized.place.startswith("page 2, text recognized under a scanned page")
    assert Evidence.from_dict(json.loads(json.dumps(recognized.to_dict()))) == recognized
    told = JudgeContext(source=source.self_description())
    assert "recognized from scanned pages" in told.of_source
