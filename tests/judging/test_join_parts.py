"""A list or a paragraph with one marker: judged part by part, with one verdict."""

import pytest

from tests.fakes import records as make
from workbench.judging.joint_verdicts import join_parts
from workbench.records.text import Excerpt, Span


def judged(*labels, **fields):
    return [make.judgment(label=label, score=0.9 - index / 10, **fields)
            for index, label in enumerate(labels)]  # fmt: skip


TEXT = "The arch spans 503 metres. It carries trains. It is painted green."
PARTS = [Excerpt(span=Span(start, end), text=TEXT[start:end]) for start, end in
         ((0, 26), (27, 45), (46, 66))]  # fmt: skip


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("supported", "supported", "supported"), "supported"),
        (("supported", "not_supported", "supported"), "partially_supported"),
        (("not_supported", "partially_supported", "not_supported"), "partially_supported"),
        (("not_supported", "not_supported", "unverifiable"), "not_supported"),
        (("supported", "contradicted", "supported"), "contradicted"),
    ],
)
def test_the_parts_make_one_verdict(labels, expected):
    assert join_parts(PARTS, judged(*labels)).label == expected


def test_the_rationale_names_the_parts_that_are_not_covered():
    joint = join_parts(PARTS, judged("supported", "not_supported", "contradicted"))
    assert joint.rationale.startswith(
        "1 of 3 parts is covered. Not covered: “It carries trains.”; “It is painted green.”."
    )


def test_the_verdict_on_each_part_is_kept_with_its_place():
    joint = join_parts(PARTS, judged("supported", "not_supported", "supported"))
    assert [(part.span.of(TEXT), part.label) for part in joint.parts] == [
        ("The arch spans 503 metres.", "supported"),
        ("It carries trains.", "not_supported"),
        ("It is painted green.", "supported"),
    ]


def test_the_whole_is_at_most_as_likely_as_its_weakest_part():
    assert join_parts(PARTS, judged("supported", "supported", "supported")).score == 0.7


def test_costs_add_up_and_evidence_is_kept_once():
    parts = judged("supported", "supported", cost_usd=0.25, input_tokens=10)
    joint = join_parts(PARTS[:2], parts)
    assert (joint.cost_usd, joint.input_tokens) == (0.5, 20)
    assert joint.evidence == parts[0].evidence


def test_one_part_is_its_own_judgment():
    (only,) = judged("partially_supported")
    assert join_parts(PARTS[:1], [only]) is only
    with pytest.raises(ValueError, match="one judgment for each"):
        join_parts(PARTS, [only])
