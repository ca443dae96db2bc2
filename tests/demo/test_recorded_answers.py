"""The recorded answers cover the examples, say what their files say, and answer nothing else."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from workbench.errors import JudgeError
from workbench.interfaces.web.review.text import DEMOS_RECORDED
from workbench.judging.handoff import FILES, RECORDED, recorded_answers
from workbench.records.context import JudgeContext, SourceFacts
from workbench.records.source import Passage
from workbench.records.text import Span
from workbench.services.demo import list_demos
from workbench.services.judges import open_judge
from workbench.store.store import Store

DATA = Path(__file__).resolve().parents[2] / "data"
CLAIMS = [
    json.loads(line)
    for line in (DATA / "example" / "everyday_claims.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def demo_verdicts(demo_folder):
    """The results of all demo runs beside the labels that we gave, in text order."""
    store = Store(demo_folder / "workbench.duckdb")
    runs = {run.output_sha256: run.id for run in store.list_runs()}
    assert len(runs) == len(list_demos())
    by_name = {summary.name: store.get_run(summary.id) for summary in store.list_runs()}
    return [
        (result, item)
        for demo in list_demos()
        for result, item in zip(by_name[demo.title].counted, demo.expected, strict=True)
    ]


def stated(readme, words):
    """The figures before some words of a document of the data."""
    found = re.search(rf"(\d+) of (?:the )?(\d+) {words}", (DATA / readme).read_text("utf-8"))
    return tuple(map(int, found.groups()))


def test_every_demo_citation_with_a_source_has_a_recorded_verdict(demo_verdicts):
    failed = {result.error.kind for result, _ in demo_verdicts if result.error}
    assert failed == {"no_source", "unlinked"}
    judged = [result for result, _ in demo_verdicts if result.source is not None]
    assert {result.judgment.judge for result in judged} == {RECORDED}
    assert all(result.verdict == "unverifiable" for result, _ in demo_verdicts if not result.source)


def test_the_demo_s_readme_says_how_many_of_our_labels_the_answers_agree_with(demo_verdicts):
    agreed = sum(result.verdict == item.label for result, item in demo_verdicts)
    assert stated("demo/README.md", "citations") == (agreed, len(demo_verdicts))
    assert f"{agreed} of our {len(demo_verdicts)} labels" in DEMOS_RECORDED


def test_every_example_claim_has_a_recorded_answer():
    answers = recorded_answers()
    open_claims = [
        claim["id"] for claim in CLAIMS if (claim["claim"], claim["source_title"]) not in answers
    ]
    assert open_claims == []


def test_the_example_s_readme_says_how_many_of_our_labels_the_answers_agree_with():
    answers = recorded_answers()
    agreed = sum(
        answers[claim["claim"], claim["source_title"]]["label"] == claim["label"]
        for claim in CLAIMS
    )
    assert stated("example/README.md", "claims") == (agreed, len(CLAIMS))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_each_question_is_answered_once(path):
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert max(Counter((row["claim"], row["source"]) for row in rows).values()) == 1


def test_the_judge_quotes_what_is_shown_and_leaves_other_claims_open():
    claim = next(claim for claim in CLAIMS if claim["label"] == "supported")
    passages = [Passage(text=claim["source"], span=Span(0, len(claim["source"])))]
    context = JudgeContext(source=SourceFacts(title=claim["source_title"]))
    judge = open_judge(RECORDED)
    judgment = judge.judge(claim["claim"], passages, context)
    assert judgment.judge == RECORDED
    quote = judgment.evidence[0]
    assert claim["source"][quote.span.start : quote.span.end] == quote.quote
    for other in (("The tram is green.", context), (claim["claim"], JudgeContext())):
        with pytest.raises(JudgeError, match="waits for an answer"):
            judge.judge(other[0], passages, other[1])
    with pytest.raises(JudgeError, match="waits for an answer"):
        open_judge("handoff:chat").judge(claim["claim"], passages, context)
