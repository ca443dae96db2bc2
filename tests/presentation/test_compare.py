from tests.fakes import records as make
from workbench.interfaces.web.runs.comparison import compare
from workbench.presentation.run_view import ReviewState


def desk(results, text=make.TEXT, run_id="r1"):
    return ReviewState(run=make.run(run_id, results, text=text), text=text, labels={})


def test_over_one_text_citations_are_matched_by_place():
    first = desk([make.result(1), make.result(2)])
    second = desk([make.result(1, "contradicted"), make.result(2)], run_id="r2")
    comparison = compare(first, second)
    assert comparison.same_text
    assert [(p.first, p.before, p.after) for p in comparison.changed] == [
        ("c1", "supported", "contradicted")
    ]
    assert (len(comparison.pairs), comparison.only_first, comparison.only_second) == (2, 0, 0)


def test_over_two_texts_citations_are_matched_by_claim():
    other = "New head. " + make.TEXT
    moved = make.citation(1, text=other, claim=make.citation(1).claim)
    comparison = compare(
        desk([make.result(1), make.result(2)]), desk([make.result(1, citation=moved)], other)
    )
    assert not comparison.same_text
    assert [pair.changed for pair in comparison.pairs] == [False]
    assert (comparison.only_first, comparison.only_second) == (1, 0)


def test_runs_with_nothing_in_common():
    comparison = compare(desk([make.result(1)]), desk([make.failure(2)]))
    assert (comparison.pairs, comparison.only_first, comparison.only_second) == ((), 1, 1)
