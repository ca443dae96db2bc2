"""A citation that stands for a list or a paragraph: judged part by part, with one verdict."""

import json

import pytest

from tests.fakes import records as make
from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.thrifty import CLAIM
from workbench import verify
from workbench.citations import extract, with_scope
from workbench.errors import UsageError
from workbench.pipeline.claim import StoredClaims
from workbench.pipeline.estimate import estimate_run
from workbench.pipeline.options import VerifyOptions
from workbench.records.verdict import CitationResult
from workbench.services.export import ExportSelection, export_dataset
from workbench.services.verification import resume_run, verify_and_store
from workbench.store.store import Store

MINI = "openai:gpt-4o-mini"
LIST = """\
The Ostrau bridge has these features:

- It spans 503 metres.
- It carries two railway tracks.
- It is painted green. [1]

## References
[1] https://b.example/a
"""
PARTS = ["It spans 503 metres.", "It carries two railway tracks.", "It is painted green."]
SOURCE = "The Ostrau bridge spans 503 metres. It carries two railway tracks. It is painted red."
SOURCES = [{"url": "https://b.example/a", "content": SOURCE}]
LABELS = dict(zip(PARTS, ("supported", "supported", "contradicted"), strict=True))


def reply(request):
    """The label of each part that is asked about, alone or several in a call."""
    asked_about = [" ".join(words.split()) for _, words in CLAIM.findall(request.prompt)]
    claims = [words for words in asked_about if words in LABELS]
    answers = [
        {**json.loads(verdict(LABELS[words], quote="It carries two railway tracks.")), "claim": n}
        for n, words in enumerate(claims, 1)
    ]
    body = {"judgments": answers} if "`judgments`" in request.prompt else answers[0]
    return Answer(text=json.dumps(body), input_tokens=1000, output_tokens=100)


@pytest.fixture
def model(monkeypatch):
    with FakeProvider(reply) as fake:
        for name in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{name}_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def only_result(run):
    (result,) = run.counted
    return result


@pytest.mark.parametrize(
    "options",
    [{}, {"together": "auto"}, {"batch": True, "batch_poll_s": 0.02}],
    ids=["alone", "together", "batch"],
)
@pytest.mark.parametrize("spec", [MINI, "anthropic:claude-haiku-4-5"])
def test_a_list_is_judged_part_by_part_however_it_is_asked(model, spec, options):
    run = verify(LIST, judge=spec, sources=SOURCES, scope="list", **options)
    result = only_result(run)
    assert result.verdict == "contradicted"
    assert [(part.span.of(LIST), part.label) for part in result.judgment.parts] == list(
        LABELS.items()
    )
    assert result.judgment.rationale.startswith(
        "2 of 3 parts are covered. Not covered: “It is painted green.”."
    )
    assert result.citation.claim.text == "It is painted green."
    assert run.config["scope"] == "list"


def test_each_part_is_asked_about_in_its_own_context(model):
    verify(LIST, judge=MINI, sources=SOURCES, scope="list")
    assert len(model.requests) == 3
    assert all(
        "The Ostrau bridge has these features:" in request.prompt for request in model.requests
    )


def test_the_sentence_alone_is_asked_about_where_that_is_chosen(model):
    run = verify(LIST, judge=MINI, sources=SOURCES, scope="sentence")
    assert len(model.requests) == 1
    assert only_result(run).judgment.parts == ()
    assert only_result(run).verdict == "contradicted"


def test_a_guessed_scope_is_judged_unless_another_is_chosen(model):
    guessed = extract(LIST).citations[0].scope
    assert (guessed.kind, guessed.guess) == ("list", True)
    run = verify(LIST, judge=MINI, sources=SOURCES)
    assert len(only_result(run).judgment.parts) == 3
    assert "scope" not in run.config


def test_the_embedded_judge_says_which_part_is_missing():
    text = LIST.replace("is painted green", "was sold to a circus in 1987")
    judgment = only_result(verify(text, sources=SOURCES)).judgment
    assert [part.label == "supported" for part in judgment.parts] == [True, True, False]
    assert judgment.label != "supported"
    assert judgment.score == min(part.score for part in judgment.parts)


def test_a_panel_joins_each_judge_over_the_parts(model):
    run = verify(LIST, judge=["local", MINI], sources=SOURCES, scope="list")
    assert [len(judgment.parts) for judgment in only_result(run).judgments] == [3, 3]


def test_a_part_that_cannot_be_judged_is_an_error_of_the_citation(model):
    model.reply = lambda request: (
        reply(request)
        if "two railway tracks.\n</claim>" not in request.prompt
        else Answer(status=400)
    )
    result = only_result(verify(LIST, judge=MINI, sources=SOURCES, scope="list"))
    assert result.error.kind == "llm_judge_error"
    assert result.verdict == "unverifiable"


def test_the_cap_holds_over_parts_and_what_was_spent_is_told(model):
    run = verify(LIST, judge=MINI, sources=SOURCES, scope="list", max_cost_usd=0.0)
    assert (model.requests, only_result(run).error.kind) == ([], "cost_cap_reached")


def test_the_estimate_counts_each_part(model):
    extraction = extract(LIST)
    guess = {
        kind: estimate_run(extraction, [MINI], scope=kind).calls for kind in ("sentence", "list")
    }
    assert guess == {"sentence": 1, "list": 3}


def test_a_kept_run_gives_the_parts_back_and_goes_on_with_its_scope(model, tmp_path):
    store = Store(tmp_path / "w.duckdb")
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "1.txt").write_text(SOURCE)
    options = {"judge": MINI, "sources": folder, "scope": "list"}
    run = verify_and_store(store, LIST, "Bridge", VerifyOptions(**options))
    again = store.get_run(run.id)
    assert only_result(again).judgment == only_result(run).judgment
    assert (
        CitationResult.from_dict(only_result(run).to_dict()).citation.scope
        == only_result(run).citation.scope
    )
    stored = verify_and_store(store, LIST, "Bridge", VerifyOptions(max_citations=0, **options))
    assert stored.finished
    with pytest.raises(UsageError, match="has ended"):
        resume_run(store, stored.id)


def test_a_labelled_list_is_asked_about_whole(model):
    extraction = with_scope(extract(LIST), "list")
    claim, _ = StoredClaims().claim_of("r1", LIST, extraction.citations, extraction.citations[0].id)
    assert [part in claim for part in PARTS] == [True, True, True]
    assert "[1]" not in claim


def test_a_label_on_a_list_is_exported_with_the_whole_list(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    run = verify_and_store(store, LIST, "Bridge", VerifyOptions(sources=SOURCES))
    store.add_label(make.label(run_id=run.id, citation_id=only_result(run).citation.id))
    export_dataset(store, "pairs", tmp_path / "pairs.jsonl", ExportSelection())
    (pair,) = map(json.loads, (tmp_path / "pairs.jsonl").read_text().splitlines())
    assert all(part in pair["claim"] for part in PARTS)


@pytest.mark.parametrize("scope", ["page", "", True, 3])
def test_a_scope_that_there_is_not_is_refused(scope):
    with pytest.raises(UsageError, match="scope is guess, sentence, list, paragraph, not"):
        verify(LIST, sources=SOURCES, scope=scope)
