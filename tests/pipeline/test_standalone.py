"""Runs that have claims rewritten to stand alone: together, in batches, kept, continued, capped."""

import json
import re

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.thrifty import CLAIM
from workbench import verify
from workbench.citations import extract
from workbench.errors import UsageError
from workbench.judging.prompts import STRICT
from workbench.judging.reply import with_standalone
from workbench.pipeline.claim import ground_claims
from workbench.pipeline.estimate import estimate_run
from workbench.pipeline.options import VerifyOptions
from workbench.services.prompts import prompt_for_judge
from workbench.services.verification import rejudge_citations, resume_run, verify_and_store
from workbench.store.store import Store

MINI = "openai:gpt-4o-mini"
SENTENCES = [f"Pier {n} of the bridge is {n * 7} metres high." for n in range(8)]
SOURCES = [{"url": "https://b.example/a", "content": " ".join(SENTENCES)}]
TEXT = "".join(f"It is {n * 7} metres high [1].\n" for n in range(1, 6))
TEXT += "\nReferences\n[1] https://b.example/a\n"


def rewritten(claim):
    return f"The bridge's pier: {claim.strip()}"


def reply(request):
    """Every claim supported, and rewritten where the prompt asks for it."""
    asked_about = [words for _, words in CLAIM.findall(request.prompt.split("</passage>")[-1])]
    wants_rewriting = "- standalone:" in request.prompt
    judgment = json.loads(verdict(quote=SENTENCES[1]))
    answers = [
        {
            **judgment,
            "claim": number,
            **({"standalone": rewritten(words)} if wants_rewriting else {}),
        }
        for number, words in enumerate(asked_about, 1)
    ]
    body = {"judgments": answers} if "`judgments`" in request.prompt else answers[0]
    return Answer(text=json.dumps(body), input_tokens=1000, output_tokens=100)


@pytest.fixture
def server(monkeypatch):
    with FakeProvider(reply) as fake:
        for name in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{name}_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


def rewritings(run):
    return [result.judgment.standalone for result in run.counted]


EVERY = [f"The bridge's pier: It is {n * 7} metres high." for n in range(1, 6)]


@pytest.mark.parametrize(
    "options",
    [{}, {"together": "auto"}, {"batch": True, "batch_poll_s": 0.02}],
    ids=["alone", "together", "batch"],
)
@pytest.mark.parametrize("spec", [MINI, "anthropic:claude-haiku-4-5"])
def test_every_way_of_asking_rewrites_every_claim(server, spec, options):
    run = verify(TEXT, judge=spec, sources=SOURCES, standalone=True, **options)
    assert [" ".join(rewriting.split()) for rewriting in rewritings(run)] == EVERY
    assert run.config["standalone"] is True
    assert re.match(r"(strict|together)\+standalone@3:", run.counted[0].judgment.prompt)
    assert run.config["prompt"] == with_standalone(STRICT).id


def test_a_panel_asks_its_language_models_alone(server):
    run = verify(TEXT, judge=["local", MINI], sources=SOURCES, standalone=True)
    first = run.counted[0]
    assert [judgment.standalone is None for judgment in first.judgments] == [True, False]
    assert first.judgment.standalone


def test_what_was_kept_without_a_rewriting_is_asked_anew_and_then_kept(server, store):
    def check(**options):
        return verify_and_store(
            store, TEXT, "Bridge", VerifyOptions(judge=MINI, sources=SOURCES, **options)
        )

    assert rewritings(check()) == [None] * 5
    first = check(standalone=True)
    assert len(server.requests) == 10
    again = check(standalone=True)
    assert len(server.requests) == 10
    assert rewritings(again) == rewritings(first)
    assert rewritings(store.get_run(first.id)) == rewritings(first)


def test_a_run_that_is_continued_or_judged_again_keeps_the_switch(server, store, tmp_path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "1.txt").write_text(SOURCES[0]["content"])
    options = {"judge": MINI, "sources": tmp_path / "s", "standalone": True}
    stopped = verify_and_store(store, TEXT, "Bridge", VerifyOptions(max_cost_usd=None, **options))
    some = [result.citation.id for result in stopped.counted[:2]]
    server.reply = lambda request: Answer(
        text=verdict(quote=SENTENCES[1], standalone="Another wording of the model.")
    )
    grown = [{"content": SOURCES[0]["content"] + " More.", "label": "1"}]
    again = rejudge_citations(store, stopped.id, some, sources=grown)
    assert rewritings(again)[:2] == ["Another wording of the model."] * 2
    assert again.counted[0].judgment.prompt == with_standalone(STRICT).id


def test_a_stopped_run_is_continued_with_the_switch(server, store):
    import threading

    stop = threading.Event()
    stored = verify_and_store(
        store,
        TEXT,
        "Bridge",
        VerifyOptions(
            judge=MINI,
            sources=SOURCES,
            standalone=True,
            cancel=stop,
            on_start=lambda run: stop.set(),
        ),
    )
    resumed = resume_run(store, stored.id, sources=SOURCES)
    assert all(rewritings(resumed))


def test_the_name_of_a_derived_prompt_leads_to_it(tmp_path):
    database = tmp_path / "w.duckdb"
    derived = with_standalone(STRICT)
    for name in (derived.id, derived.title):
        assert prompt_for_judge(database, name) == derived


def test_it_is_in_the_estimate_and_under_the_cap(server):
    extraction = extract(TEXT)
    plain, rewriting = (estimate_run(extraction, [MINI], standalone=on) for on in (False, True))
    assert rewriting.tokens > plain.tokens
    assert rewriting.usual_usd > plain.usual_usd
    assert rewriting.cost_usd > plain.cost_usd
    local = estimate_run(extraction, ["local"], standalone=True)
    assert (local.cost_usd, local.tokens) == (0.0, 0)
    run = verify(TEXT, judge=MINI, sources=SOURCES, standalone=True, max_cost_usd=0.0)
    assert set(run.errors) == {"cost_cap_reached"}
    assert server.requests == []
    server.reply = lambda request: Answer(text=reply(request).text, input_tokens=9000)
    cap = rewriting.cost_usd / 3
    assert (
        verify(TEXT, judge=MINI, sources=SOURCES, standalone=True, max_cost_usd=cap).cost_usd <= cap
    )


def test_a_switch_that_is_none_is_refused():
    with pytest.raises(UsageError, match="standalone is True or False"):
        verify(TEXT, sources=SOURCES, standalone="yes")


CLAIMS_TEXT = "# The Ostrau bridge\n\nIt has two arches. That year it was opened, in 1913."
PAGE = "The Ostrau bridge was opened in 1913."


def split(claims):
    return Answer(text=json.dumps({"claims": claims}))


def test_a_splitter_words_claims_to_stand_alone_and_the_judge_is_asked_about_that(server):
    wording = "The Ostrau bridge was opened in 1913."
    server.queue(
        split([
            {"quote": "That year it was opened, in 1913", "claim": wording},
            {"quote": "made up", "claim": "It was made up."},
        ])
    )  # fmt: skip
    server.reply = lambda request: Answer(text=verdict(quote=PAGE))
    report = ground_claims(CLAIMS_TEXT, [{"content": PAGE}], MINI, splitter=MINI, standalone=True)
    asked_splitter, asked_judge = [request.prompt for request in server.requests]
    assert "can be understood without the text" in asked_splitter
    assert f"<claim>\n{wording}\n</claim>" in asked_judge
    assert "standalone" not in asked_judge
    (claim,) = report.claims
    assert (claim.text, claim.verdict) == (wording, "supported")
    assert claim.span.of(CLAIMS_TEXT) == "That year it was opened, in 1913"


def test_a_part_of_a_long_text_is_told_what_stands_before_it(server):
    text = "The Ostrau bridge has two arches.\n" + "Nothing happened here for long.\n" * 200
    server.reply = lambda request: split([])
    ground_claims(text, [{"content": PAGE}], "local", splitter=MINI, standalone=True)
    contexts = [re.search(r"<context>\n(.*?)\n</context>", request.prompt, re.DOTALL)[1]
                for request in server.requests]  # fmt: skip
    assert len(contexts) == 2
    assert sorted(len(context) > 700 for context in contexts) == [False, True]


def test_without_a_splitter_the_judge_rewrites(server):
    server.reply = lambda request: Answer(text=verdict(quote=PAGE, standalone=PAGE))
    report = ground_claims(["It was opened in 1913."], [{"content": PAGE}], MINI, standalone=True)
    (claim,) = report.to_dict()["claims"]
    assert (claim["text"], claim["standalone"]) == ("It was opened in 1913.", PAGE)
    plain = ground_claims(["It was opened in 1913."], [{"content": PAGE}], MINI)
    assert "standalone" not in plain.to_dict()["claims"][0]


def test_where_the_splitter_fails_the_judge_rewrites(server):
    server.queue(Answer(text="no list"))
    server.reply = lambda request: Answer(text=verdict(quote=PAGE, standalone=PAGE))
    report = ground_claims(CLAIMS_TEXT, [{"content": PAGE}], MINI, splitter=MINI, standalone=True)
    assert report.notes[0].startswith("Split by rule")
    assert {claim.standalone for claim in report.claims} == {PAGE}
