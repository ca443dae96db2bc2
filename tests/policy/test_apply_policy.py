"""What a policy does with an answer."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import verify
from workbench.policy import (
    ContextClaim,
    Policy,
    Resolver,
    ResolverAnswer,
    apply_policy,
    pattern_of,
    redacted,
)
from workbench.records.text import Span

TEXT = """The old bridge is 120 metres long [1]. The new bridge opened in 1831 [2]. Both stay open.

## References
[1] The old bridge. https://bridge.example/old
[2] The new bridge. https://bridge.example/new
"""
SOURCES = [
    {"url": "https://bridge.example/old", "content": "The old bridge is 120 metres long."},
    {"url": "https://bridge.example/new", "content": "The new bridge opened in 1956."},
]


@pytest.fixture(scope="module")
def run():
    """The first claim is supported with 0.95, the second not, with 0.1."""
    verified = verify(TEXT, sources=SOURCES)
    citations = []
    for result in verified.citations:
        good = result.citation.identifier == "1" or "120" in result.citation.raw
        judgment = dataclasses.replace(
            result.judgment, label="supported" if good else "not_supported",
            score=0.95 if good else 0.1, sure=True,
        )  # fmt: skip
        citations.append(dataclasses.replace(result, judgment=judgment, verdict=judgment.label))
    return dataclasses.replace(verified, citations=tuple(citations))


def urls(**fields):
    return Policy(extract_patterns=("url", "academic"), **fields)


def test_unconfirmed_citations_are_flagged_and_the_text_stays(run):
    decision = apply_policy(urls(), run, TEXT)
    assert (decision.action, decision.text) == ("flag", TEXT)
    assert [(citation.citation.raw, citation.status) for citation in decision.citations] == [
        ("[1]", "verified"), ("[2]", "unverified"),
    ]  # fmt: skip
    first = decision.citations[0]
    assert (first.by, first.confidence, first.matched_source) == (
        "context", 0.95, "https://bridge.example/old",
    )  # fmt: skip
    assert decision.reasons == ("1 of 2 citations are not confirmed",)


def test_a_verdict_that_the_judge_is_not_sure_of_confirms_nothing_unless_it_may(run):
    unsure = [
        dataclasses.replace(result, judgment=dataclasses.replace(result.judgment, sure=False))
        for result in run.citations
    ]
    doubted = dataclasses.replace(run, citations=tuple(unsure))
    decision = apply_policy(urls(), doubted, TEXT)
    assert (decision.citations[0].status, decision.citations[0].reason) == (
        "unverified", "the judge leans to supported and is not sure",
    )  # fmt: skip
    allowed = apply_policy(urls(on_unsure="verified"), doubted, TEXT)
    assert allowed.citations[0].status == "verified"


def test_a_document_without_a_name_is_known_by_its_place():
    text = "The old bridge is 120 metres long [1]. The new bridge opened in 1831 [2]."
    documents = [
        {"label": "1", "content": "The old bridge is 120 metres long."},
        {"label": "2", "content": "The new bridge opened in 1831.", "title": "Bridges"},
    ]
    decision = apply_policy(urls(), verify(text, sources=documents), text)
    matched = {citation.citation.raw: citation.matched_source for citation in decision.citations}
    assert matched == {"[1]": "[1]", "[2]": "Bridges"}


def test_all_confirmed_passes(run):
    supported = tuple(result for result in run.citations if result.verdict == "supported")
    good = dataclasses.replace(run, citations=supported)
    assert apply_policy(urls(require_source_match=True), good, TEXT).action == "pass"


@pytest.mark.parametrize("action", ["flag", "redact", "block"])
def test_a_required_match_gets_the_action_that_was_asked_for(run, action):
    policy = urls(require_source_match=True, unverified_action=action)
    decision = apply_policy(policy, run, TEXT)
    assert decision.action == action
    if action == "redact":
        assert "120 metres long [1]. [removed: source not confirmed]. Both stay" in decision.text
        assert "1831" not in decision.text
        (span,) = decision.removed
        assert TEXT[span.start : span.end].startswith("The new bridge opened")
    if action == "block":
        assert decision.text == ""
        assert "error" in decision.to_dict()
        assert "1831" not in str({**decision.to_dict(), "report": None})


def test_the_confidence_asked_for_decides_what_is_a_match(run):
    strict = apply_policy(urls(min_confidence=0.99), run, TEXT)
    assert [citation.status for citation in strict.citations] == ["unverified", "unverified"]
    assert "only with 95%" in strict.citations[0].reason


@pytest.mark.parametrize(
    ("action", "text"),
    [("flag", "Nothing is cited."), ("redact", "[response removed: it names no source]"),
     ("block", "")],
)  # fmt: skip
def test_an_answer_without_sources(run, action, text):
    bare = dataclasses.replace(run, citations=())
    decision = apply_policy(Policy(unverified_action=action), bare, "Nothing is cited.")
    assert (decision.action, decision.text) == (action, text)
    free = Policy(unverified_action=action, require_sources=False)
    assert apply_policy(free, bare, "Nothing is cited.").action == "pass"


def test_only_the_wanted_kinds_count(run):
    decision = apply_policy(Policy(extract_patterns=("case_law",)), run, TEXT)
    assert decision.citations == ()
    assert decision.reasons == ("the answer names no source",)
    kinds = {pattern_of(result.citation) for result in run.citations}
    assert "url" in kinds
    assert "statistic" in kinds


CLAIMS = [
    ContextClaim(text="The old bridge is 120 metres long", span=Span(start=0, end=33), overlap=0.9),
    ContextClaim(text="Both stay open.", span=Span(start=74, end=89), overlap=0.2, source="old"),
]


def test_an_answer_that_is_not_grounded_gets_the_other_action(run):
    policy = urls(min_groundedness=0.6)
    decision = apply_policy(policy, run, TEXT, claims=CLAIMS)
    assert (decision.action, decision.groundedness) == ("block", 0.5)
    assert decision.report()["groundedness_warnings"][0]["claim"] == "Both stay open."
    assert apply_policy(urls(min_groundedness=0.5), run, TEXT, claims=CLAIMS).action == "flag"
    lax = urls(min_groundedness=0.6, min_context_overlap=0.1)
    assert apply_policy(lax, run, TEXT, claims=CLAIMS).groundedness == 1
    blind = urls(min_groundedness=0.6, verify_against_context=False)
    assert apply_policy(blind, run, TEXT, claims=CLAIMS).groundedness is None


def test_ungrounded_claims_are_redacted(run):
    policy = urls(min_groundedness=0.6, hallucination_action="redact")
    decision = apply_policy(policy, run, TEXT, claims=CLAIMS)
    assert decision.action == "redact"
    assert "Both stay open" not in decision.text
    assert "[removed: not found in the context]." in decision.text
    assert "1831" in decision.text  # unverified citations are only flagged here


RESOLVING = urls(require_source_match=True, resolver=Resolver(endpoint="https://r.example"))


def answers(run, verified, confidence=0.9):
    return {
        result.citation.id: ResolverAnswer(
            citation_id=result.citation.id, verified=verified, confidence=confidence, source="r"
        )
        for result in run.citations
    }


def test_the_resolver_confirms_what_the_context_does_not(run):
    decision = apply_policy(RESOLVING, run, TEXT, resolved=answers(run, True))
    assert decision.action == "pass"
    assert decision.citations[1].by == "resolver"
    assert decision.resolver == "answered"


def test_a_resolver_that_is_unsure_or_says_no(run):
    unsure = apply_policy(RESOLVING, run, TEXT, resolved=answers(run, True, 0.5))
    assert unsure.citations[1].status == "unverified"
    refused = apply_policy(RESOLVING, run, TEXT, resolved=answers(run, False))
    assert refused.citations[1].reason == "the resolver does not know it"


def test_a_resolver_that_is_late_leaves_the_check_inconclusive(run):
    decision = apply_policy(RESOLVING, run, TEXT, resolved=None)
    assert decision.resolver == "inconclusive"
    assert [citation.status for citation in decision.citations] == ["verified", "inconclusive"]
    # inconclusive is not confirmed
    assert decision.action == "flag"
    assert decision.reasons == ("1 of 2 citations are not confirmed",)


def test_the_report_is_left_out_where_it_is_not_wanted(run):
    assert "report" in apply_policy(urls(), run, TEXT).to_dict()
    quiet = urls(include_verification_report=False)
    assert "report" not in apply_policy(quiet, run, TEXT).to_dict()


def test_a_switched_off_policy_lets_everything_pass(run):
    decision = apply_policy(urls(enabled=False, min_confidence=1), run, TEXT)
    assert (decision.action, decision.text) == ("pass", TEXT)


@pytest.mark.parametrize(
    ("text", "removed", "expected"),
    [
        ("One. Two. Three.", ["Two."], "One. [x]. Three."),
        ("One. Two. Three.", ["Two"], "One. [x]. Three."),
        ("One. Two. Three.", ["Two.", "Three."], "One. [x]."),
        ("One. Two.\n\nThree.", ["Two.", "Three."], "One. [x].\n\n[x]."),
        ("It is so [1], and more.", ["It is so [1]"], "[x], and more."),
        ("He said “no.” Then left.", ["He said “no.”"], "[x]. Then left."),
        ("一。二。三。", ["二。"], "一。[x]。三。"),
        ("One.", ["One."], "[x]"),
    ],
)
def test_what_stays_can_be_read(text, removed, expected):
    spans = [
        (Span(start=text.index(words), end=text.index(words) + len(words)), "[x]")
        for words in removed
    ]
    assert redacted(text, spans) == expected


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70))))
def test_no_letter_of_a_removed_span_stays(text, pairs):
    spans = [(Span(start=min(a, b), end=max(a, b)), "\0") for a, b in pairs]
    removed = {index for span, _ in spans for index in range(span.start, span.end)}
    remaining = "".join(letter for index, letter in enumerate(text) if index not in removed)
    text_after = redacted(text, spans).replace("\0", "")
    # blanks between removed spans and the full stops that end sentences may differ
    strip = str.maketrans("", "", " .!?。！？…")
    squeezed = "".join(text_after.split()).translate(strip).replace("\x00", "")
    assert squeezed == "".join(remaining.split()).translate(strip).replace("\x00", "")
