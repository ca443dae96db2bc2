"""A claim with several sources gets one verdict of its own."""

from dataclasses import replace

from tests.fakes import records as make
from workbench.pipeline.verification import joint_verdicts
from workbench.records.text import Excerpt, Span

CLAIM = Excerpt(span=Span(0, 24), text=make.TEXT[:24])


def cited(number, label, text="One source.", **fields):
    citation = make.citation(number, claim=CLAIM)
    judgment = make.judgment(label, uncovered=(), **fields)
    return replace(
        make.result(number, label),
        citation=citation,
        source=make.source(text),
        judgment=judgment,
        judgments=(judgment,),
    )


def test_support_beside_silence_is_support_and_the_silent_one_is_named():
    run = make.run(results=[cited(1, "supported", "A."), cited(2, "not_supported", "B.")])
    (joint,) = joint_verdicts(run)
    assert joint.judgment.label == "supported"
    assert joint.citations == ("c1", "c2")
    assert joint.idle == ("c2",)
    assert joint.against == ()


def test_a_contradiction_is_never_outvoted():
    run = make.run(results=[cited(1, "supported", "A."), cited(2, "contradicted", "B.")])
    (joint,) = joint_verdicts(run)
    assert joint.judgment.label == "contradicted"
    assert joint.against == ("c2",)


def test_one_source_cited_twice_is_one_source():
    run = make.run(results=[cited(1, "supported"), cited(2, "supported")])
    assert joint_verdicts(run) == []


def test_other_claims_are_not_joined():
    run = make.run(results=[make.result(1), make.failure(2)])
    assert joint_verdicts(run) == []
