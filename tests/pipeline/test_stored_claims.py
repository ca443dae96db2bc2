"""Claims of stored outputs, also of runs from before claims had a context."""

from dataclasses import replace

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench import extract, verify
from workbench.pipeline.claim import StoredClaims

TEXT = (
    "# Bridges\n\nThe Ostrau bridge is old. It was opened in 1913 [1]. "
    "It has two arches [2].\n\n[1]: https://a.example\n[2]: https://b.example\n"
)


def without_context(extraction):
    """What a run of an older version stored."""
    bare = tuple(replace(citation, claim_context=None) for citation in extraction.citations)
    return replace(extraction, citations=bare)


def test_a_claim_of_an_older_run_gets_its_context_from_the_text():
    older = without_context(extract(TEXT))
    claims = StoredClaims()
    first = next(citation for citation in older.citations if citation.identifier == "1")
    claim, context = claims.claim_of("run", TEXT, older.citations, first.id)
    assert claim == "It was opened in 1913."
    assert context.before == "The Ostrau bridge is old."
    assert context.headings == ("Bridges",)


def test_an_output_is_read_once_for_all_of_its_claims(monkeypatch):
    from workbench.pipeline import claim as module

    completed = []
    complete = module.with_claim_context
    monkeypatch.setattr(
        module, "with_claim_context", lambda extraction: completed.append(1) or complete(extraction)
    )
    older = without_context(extract(TEXT))
    claims = StoredClaims()
    for citation in older.citations:
        claims.claim_of("run", TEXT, older.citations, citation.id)
    assert len(completed) == 1
    claims.claim_of("another run", TEXT, older.citations, older.citations[0].id)
    assert len(completed) == 2


def test_a_citation_that_is_not_there_is_said():
    with pytest.raises(KeyError):
        StoredClaims().claim_of("run", TEXT, extract(TEXT).citations, "c99")


def test_an_older_extraction_is_asked_about_like_a_new_one(monkeypatch):
    sources = [{"url": "https://a.example", "content": "It was opened in 1913."}]
    with FakeProvider(lambda request: Answer(text=verdict("not_supported"))) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")
        for extraction in (extract(TEXT), without_context(extract(TEXT))):
            verify(extraction, judge="openai:gpt-4o-mini", sources=sources)
        first, second = (request.prompt for request in provider.requests)
    assert first == second
    assert "The Ostrau bridge is old." in first
