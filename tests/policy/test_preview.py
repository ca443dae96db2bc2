"""What a policy would do to stored runs: the same as it does, computed from fewer facts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import records as make
from workbench.policy import (
    PATTERNS,
    CitationFact,
    Policy,
    StoredRun,
    apply_policy,
    pattern_of,
    simulate_policy,
    simulate_thresholds,
)
from workbench.records.citation import Target
from workbench.records.text import Span
from workbench.records.verdict import VERDICT_LABELS

KINDS = ("numbered", "url", "doi", "quote", "statistic", "case_law", "native")
FORMS = (None, "url", "doi", "arxiv", "case", "file", "guess")
scores = st.sampled_from([0.0, 0.3, 0.6, 0.79, 0.8, 0.95, 1.0])


@st.composite
def policies(draw):
    return Policy(
        enabled=draw(st.booleans()) or draw(st.booleans()),
        require_sources=draw(st.booleans()),
        require_source_match=draw(st.booleans()),
        min_confidence=draw(scores),
        extract_patterns=tuple(draw(st.lists(st.sampled_from(PATTERNS), unique=True))),
        verify_against_context=draw(st.booleans()) or draw(st.booleans()),
        unverified_action=draw(st.sampled_from(["flag", "redact", "block"])),
        hallucination_action="block",
    )


@st.composite
def citations(draw):
    kind, form = draw(st.sampled_from(KINDS)), draw(st.sampled_from(FORMS))
    verdict = draw(st.sampled_from(VERDICT_LABELS))
    score = draw(st.none() | scores)
    citation = make.citation(
        1, kind=kind, target=Target(form=form, value="x") if form else None, span=Span(25, 28)
    )
    judgment = None if score is None else replace(make.judgment(verdict), score=score)
    result = make.result(1, verdict, citation=citation, judgment=judgment, judgments=())
    label = draw(st.sampled_from([None, True, False]))
    return result, CitationFact(pattern_of(citation), verdict, score, label)


runs = st.lists(st.lists(citations(), max_size=4), max_size=5)


def stored(number, pairs):
    return StoredRun(id=str(number), stands=tuple(citation for _, citation in pairs))


@given(policies(), runs)
def test_a_preview_is_what_the_policy_does(policy, given_runs):
    previews = simulate_policy(policy, [stored(n, pairs) for n, pairs in enumerate(given_runs)])
    for preview, pairs in zip(previews, given_runs, strict=True):
        run = make.run(results=[result for result, _ in pairs])
        decision = apply_policy(policy, run, make.TEXT)
        assert preview.action == decision.action
        if policy.enabled:
            assert preview.citations == len(decision.citations)
            assert preview.loose == sum(c.status != "verified" for c in decision.citations)


@given(policies(), runs)
def test_a_threshold_holds_back_what_a_policy_with_it_would(policy, given_runs):
    values = [0.0, 0.3, 0.5, 0.8, 0.9, 1.0]
    runs = [stored(n, pairs) for n, pairs in enumerate(given_runs)]
    patterns = set(policy.extract_patterns)
    for simulation in simulate_thresholds(policy, runs, values):
        other = replace(policy, min_confidence=simulation.threshold)
        previews = simulate_policy(other, runs)
        rightly = wrongly = missed = 0
        for run, preview in zip(runs, previews, strict=True):
            counted = [citation for citation in run.stands if citation.pattern in patterns]
            unconfirmed = [citation for citation in counted if not confirmed(other, citation)]
            rightly += preview.loose > 0 and any(
                citation.supported is False for citation in unconfirmed
            )
            wrongly += bool(unconfirmed) and all(
                citation.supported is True for citation in unconfirmed
            )
            missed += not unconfirmed and any(citation.supported is False for citation in counted)
        assert simulation.runs == sum(preview.action != "pass" for preview in previews)
        if policy.enabled:
            assert (simulation.rightly, simulation.wrongly, simulation.missed) == (
                rightly,
                wrongly,
                missed,
            )


def confirmed(policy, citation):
    return (
        policy.verify_against_context
        and citation.verdict == "supported"
        and citation.score is not None
        and citation.score >= policy.min_confidence
    )


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        # value, (held back, rightly, wrongly, let through wrongly)
        (0.5, (2, 1, 0, 1)),
        (0.7, (3, 1, 1, 1)),
        (0.95, (4, 2, 1, 0)),
    ],
)
def test_a_table_by_hand(threshold, expected):
    policy = Policy(require_source_match=True, unverified_action="block")
    runs = [
        StoredRun(id="none", stands=()),  # names no source: always held back
        StoredRun(id="wrong", stands=(CitationFact("url", "not_supported", 0.1, False),)),
        StoredRun(id="fine", stands=(CitationFact("url", "supported", 0.6, True),)),
        StoredRun(id="sure but false", stands=(CitationFact("url", "supported", 0.9, False),)),
    ]
    (simulation,) = simulate_thresholds(policy, runs, [threshold])
    assert (simulation.runs, simulation.rightly, simulation.wrongly, simulation.missed) == expected
