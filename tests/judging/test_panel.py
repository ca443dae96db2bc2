"""Panels of judges and claims with several sources."""

import pytest

from workbench.judging.joint_verdicts import join_sources, joint_judgment
from workbench.judging.passages import select_passages
from workbench.records.text import Span
from workbench.records.verdict import Evidence, Judgment

SOURCE = "Tea was first grown in China. It later came to India."
PASSAGES = select_passages("tea", SOURCE)


def judgment_with(label, score=0.5, *, judge="j", uncovered=(), quote="", cost=0.0):
    evidence = (Evidence(quote=quote, span=Span(0, len(quote))),) if quote else ()
    return Judgment(
        label=label, confidence=0.8, score=score, rationale="R.", judge=judge,
        evidence=evidence, uncovered=tuple(uncovered), cost_usd=cost,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "rule", "expected"),
    [
        (["supported", "supported", "not_supported"], "majority", "supported"),
        (["supported", "not_supported"], "majority", "not_supported"),  # a tie: the careful one
        (["supported", "contradicted", "not_supported"], "majority", "contradicted"),
        (["supported", "supported"], "unanimous", "supported"),
        (["supported", "supported", "partially_supported"], "unanimous", "not_supported"),
        (["not_supported", "supported"], "cascade", "supported"),
        (["partially_supported"], "unanimous", "partially_supported"),
    ],
)
def test_rules(labels, rule, expected):
    assert joint_judgment([judgment_with(label) for label in labels], rule).label == expected


def test_the_joint_judgment_adds_up_and_keeps_the_disagreement():
    joint = joint_judgment(
        [judgment_with("supported", 0.9, judge="a", cost=0.01), judgment_with("not_supported", 0.2, judge="b"),
         judgment_with("supported", 0.7, judge="c", cost=0.02)]
    )  # fmt: skip
    assert joint.score == 0.6
    assert joint.cost_usd == pytest.approx(0.03)
    assert joint.judge == "a + b + c"
    assert "2 of 3 judges say supported (a: supported; b: not supported" in joint.rationale


CLAIM = "Tea was first grown in China and later in India."


def part(words):
    start = CLAIM.index(words)
    return Span(start, start + len(words))


def test_two_halves_make_a_whole():
    china = judgment_with("partially_supported", 0.4, uncovered=[part("later in India")], quote="a")
    india = judgment_with(
        "partially_supported", 0.4, uncovered=[part("first grown in China")], quote="b"
    )
    joint = join_sources(CLAIM, [china, india])
    assert joint.judgment.label == "supported"
    assert joint.idle == ()
    assert [piece.quote for piece in joint.judgment.evidence] == ["a", "b"]
    assert joint.judgment.uncovered == ()


def test_what_nobody_covers_stays_open():
    first = judgment_with("partially_supported", 0.4, uncovered=[part("later in India")])
    two = judgment_with("partially_supported", 0.3, uncovered=[part("and later in India")])
    joint = join_sources(CLAIM, [first, two])
    assert joint.judgment.label == "partially_supported"
    assert [span.of(CLAIM) for span in joint.judgment.uncovered] == ["later in India"]
    assert joint.idle == (1,)


def test_a_source_beside_full_support_adds_nothing():
    joint = join_sources(
        CLAIM, [judgment_with("not_supported", 0.1), judgment_with("supported", 0.9, quote="a")]
    )
    assert joint.judgment.label == "supported"
    assert joint.idle == (0,)
    assert [piece.quote for piece in joint.judgment.evidence] == ["a"]


def test_support_and_contradiction_are_both_shown():
    joint = join_sources(
        CLAIM,
        [judgment_with("supported", 0.9, quote="a"), judgment_with("contradicted", 0.0, quote="b")],
    )
    assert joint.judgment.label == "contradicted"
    assert joint.against == (1,)
    assert [piece.quote for piece in joint.judgment.evidence] == ["a", "b"]
    assert "1 of 2 sources support the claim, 1 contradict it." in joint.judgment.rationale
    assert joint.judgment.score == 0.5


def test_a_single_source_is_itself():
    only = judgment_with("not_supported", 0.2)
    joint = join_sources(CLAIM, [only])
    assert joint.judgment is only
    assert joint.idle == (0,)
    with pytest.raises(ValueError, match="at least one"):
        join_sources(CLAIM, [])
