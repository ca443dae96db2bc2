"""Claims that reach further than their evidence, and claims that do not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.judging.layer_checks import check_layers, find_overreach, quoted_sentences
from workbench.records.source import Passage
from workbench.records.text import Span
from workbench.records.verdict import Evidence, Judgment

WIDER = [
    # claim, evidence, kind, words
    ("All users saw faster pages.", "Some users saw faster pages.", "universal", "All"),
    ("The drug always works.", "The drug worked in 40 of 100 cases.", "universal", "always"),
    ("所有用户都更满意。", "部分用户更满意。", "universal", "所有"),
    ("This proves that tea helps.", "The results suggest that tea helps.", "certainty", "proves"),
    ("Tea lowers blood pressure.", "Tea may lower blood pressure.", "certainty", "may"),
    ("Coffee causes insomnia.", "Coffee was associated with insomnia.", "causal", "causes"),
    ("The town has 4,000 people.", "In 1961 the town had 4,000 people.", "date", "In 1961"),
    ("The drug shrinks tumours.", "The drug shrank tumours in mice.", "population", "in mice"),
    ("Exercise improves sleep.", "Exercise improved sleep in women with asthma.", "population",
     "in women with asthma"),
    ("Studies show that naps help.", "A small study found that naps help.", "single_study",
     "Studies show"),
    ("It saves 30 percent.", "It saves up to 30 percent.", "bound", "up to"),
    ("The town lost 500 homes.", "The town lost at least 500 homes.", "bound", "at least"),
]  # fmt: skip

AS_WIDE = [
    ("All users saw faster pages.", "All users saw faster pages."),
    ("Tea may lower blood pressure.", "Tea may lower blood pressure."),
    ("Coffee is associated with insomnia.", "Coffee was associated with insomnia."),
    ("In 1961 the town had 4,000 people.", "In 1961 the town had 4,000 people."),
    ("The drug shrank tumours in mice.", "The drug shrank tumours in mice."),
    ("A study found that naps help.", "A small study found that naps help."),
    ("It saves up to 30 percent.", "It saves up to 30 percent."),
    ("After all, the bridge was opened.", "The bridge was opened."),
    ("The bridge is 503 metres long.", "The bridge is 503 metres long."),
    ("Smoking causes cancer.", "Smoking causes cancer and is associated with asthma."),
]


@pytest.mark.parametrize(("claim", "evidence", "kind", "words"), WIDER)
def test_what_is_wider_is_named(claim, evidence, kind, words):
    findings = {finding.kind: finding for finding in find_overreach(claim, [evidence])}
    assert kind in findings
    assert findings[kind].words == words
    assert words in findings[kind].message


@pytest.mark.parametrize(("claim", "evidence"), AS_WIDE)
def test_what_is_as_wide_is_left_alone(claim, evidence):
    assert find_overreach(claim, [evidence]) == ()


def test_nothing_to_compare_with():
    assert find_overreach("All is well.", []) == ()
    assert find_overreach("", ["All is well."]) == ()


@settings(deadline=None)
@given(st.text(max_size=120), st.lists(st.text(max_size=120), max_size=3))
def test_spans_lie_in_the_claim(claim, evidence):
    for finding in find_overreach(claim, evidence):
        assert 0 <= finding.start < finding.end <= len(claim)


SOURCE = "Tea was studied. Tea may lower blood pressure in adults. More work is needed."


def judgment(label, quote=""):
    start = SOURCE.find(quote)
    evidence = (Evidence(quote=quote, span=Span(start, start + len(quote))),) if quote else ()
    return Judgment(
        label=label, confidence=0.9, score=0.9, rationale="", evidence=evidence, judge="x"
    )


PASSAGE = Passage(span=Span(0, len(SOURCE)), text=SOURCE)


def test_a_quote_that_stops_short_is_read_with_its_sentence():
    verdict = judgment("supported", "lower blood pressure")
    assert quoted_sentences(verdict, [PASSAGE]) == ["Tea may lower blood pressure in adults."]
    report = check_layers(
        exists=True,
        resolves=True,
        claim="Tea lowers blood pressure.",
        judgment=verdict,
        passages=[PASSAGE],
    )
    assert report.layers.to_dict() == {
        "exists": True,
        "resolves": True,
        "derivable": True,
        "in_scope": False,
    }
    assert {f.kind for f in report.overreach} == {"certainty", "population"}


@pytest.mark.parametrize(
    ("given_judgment", "derivable", "in_scope"),
    [
        (None, None, None),
        (judgment("not_supported"), False, None),
        (judgment("contradicted", "lower blood pressure"), False, None),
        (judgment("supported", "Tea was studied."), True, True),
    ],
)
def test_layers_are_reported_apart(given_judgment, derivable, in_scope):
    report = check_layers(
        exists=True,
        resolves=True,
        claim="Tea was studied.",
        judgment=given_judgment,
        passages=[PASSAGE],
    )
    assert report.layers.derivable is derivable
    assert report.layers.in_scope is in_scope


def test_a_citation_without_a_source():
    layers = check_layers(exists=False, resolves=None).layers
    assert (layers.exists, layers.resolves, layers.derivable, layers.in_scope) == (
        False, None, None, None,
    )  # fmt: skip
