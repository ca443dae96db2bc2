"""Runs that can wait: submitted as a batch, collected at half the price, also after a stop."""

import threading

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench import verify
from workbench.errors import UsageError
from workbench.judging.ask_openai import OpenAIProvider
from workbench.judging.provider import failed_status
from workbench.pipeline.options import VerifyOptions
from workbench.services.verification import resume_run, verify_and_store
from workbench.store.store import Store

HAIKU, MINI = "anthropic:claude-haiku-4-5", "openai:gpt-4o-mini"
BOTH = [HAIKU, MINI]
SOURCES = [
    {"url": "https://b.example/a", "content": "The bridge was opened in 1932. It is 120 m long."},
    {"url": "https://b.example/b", "content": "The bridge was opened in 1932 by the mayor."},
]
TEXT = """The bridge was opened in 1932 [1]. It is 120 m long [1]. The mayor opened it [2].

References
[1] https://b.example/a
[2] https://b.example/b
"""
COUNT = 3
PRICE = {HAIKU: (1e-6, 5e-6), MINI: (0.15e-6, 0.6e-6)}
OPTIONS = {"sources": SOURCES, "batch": True, "batch_poll_s": 0.02}


def reply(request):
    return Answer(
        text=verdict(quote="The bridge was opened in 1932"), input_tokens=1000, output_tokens=100
    )


@pytest.fixture
def server(monkeypatch):
    with FakeProvider(reply) as fake:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def batch_price(spec, calls=COUNT):
    input_price, output_price = PRICE[spec]
    return pytest.approx(calls * (1000 * input_price + 100 * output_price) / 2, abs=1e-6)


def stop_once_it_waits(server):
    """Run options that stop it while its batch is pending."""
    server.batches.done = False
    cancel, messages = threading.Event(), []

    def tell(progress):
        messages.append(progress.waiting)
        if progress.waiting.startswith("Waiting for the batch"):
            cancel.set()

    return {"cancel": cancel, "on_progress": tell}, messages


@pytest.mark.parametrize("spec", BOTH)
def test_a_run_goes_out_as_one_batch_at_half_the_price(server, spec):
    run = verify(TEXT, judge=spec, **OPTIONS)
    assert server.requests == []  # not one single call
    assert len(server.batches.handed_in) == 1
    assert len(server.batches.handed_in[0]) == COUNT
    assert [r.verdict for r in run.counted] == ["supported"] * COUNT
    assert run.total_cost_usd == batch_price(spec)
    (ticket,) = run.config["batches"]
    assert ticket["spec"] == spec


@pytest.mark.parametrize("spec", BOTH)
def test_a_stopped_run_collects_its_batch_later_and_pays_once(server, spec, tmp_path):
    store = Store(tmp_path / "workbench.duckdb")
    stopping, messages = stop_once_it_waits(server)
    run = verify_and_store(store, TEXT, "Bridge", VerifyOptions(judge=spec, **OPTIONS, **stopping))
    assert not run.finished
    assert any(spec in message and "up to a day" in message for message in messages)
    assert run.total_cost_usd == 0
    server.batches.done = True
    resumed = resume_run(store, run.id, **{**OPTIONS, "snapshots": tmp_path / "snapshots"})
    assert resumed.finished and resumed.total_resolved == COUNT
    assert len(server.batches.handed_in) == 1
    assert server.requests == []
    assert resumed.total_cost_usd == batch_price(spec)
    assert store.get_run(run.id).config["batches"] == resumed.config["batches"]


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_killed_run_has_left_its_ticket_in_the_store(server, tmp_path):
    store = Store(tmp_path / "workbench.duckdb")
    server.batches.done = False

    def die(progress):
        if progress.waiting.startswith("Waiting for the batch"):
            raise Killed

    with pytest.raises(Killed):
        verify_and_store(
            store, TEXT, "Bridge", VerifyOptions(judge=HAIKU, **OPTIONS, on_progress=die)
        )
    (summary,) = store.list_runs()
    assert not store.get_run(summary.id).finished
    server.batches.done = True
    resumed = resume_run(store, summary.id, **{**OPTIONS, "snapshots": tmp_path / "snapshots"})
    assert resumed.total_resolved == COUNT
    assert len(server.batches.handed_in) == 1
    assert resumed.total_cost_usd == batch_price(HAIKU)
    assert store.get_run(summary.id).total_cost_usd == resumed.total_cost_usd


def killed_between(store, server, spec, after_submission):
    """The id of a run whose process ended before a batch was submitted, or right after."""
    keep = store.set_config

    def die(run):
        unsubmitted = [batch for batch in run.config.get("batches", []) if not batch["id"]]
        if after_submission and not unsubmitted:
            raise Killed  # the provider has it, and its ticket was not stored
        keep(run)
        if not after_submission:
            raise Killed  # the intent was stored, and the batch was not submitted

    store.set_config = die
    with pytest.raises(Killed):
        verify_and_store(store, TEXT, "Bridge", VerifyOptions(judge=spec, **OPTIONS))
    store.set_config = keep
    (summary,) = store.list_runs()
    (batch,) = store.get_run(summary.id).config["batches"]
    assert (batch["id"], batch["intent"]["items"]) == ("", COUNT)
    return summary.id


@pytest.mark.parametrize("spec", BOTH)
def test_a_kill_before_the_ticket_is_stored_loses_no_batch(server, spec, tmp_path):
    # submitted by others at the same time, of the same size and of another
    verify(TEXT.replace("1932", "1933"), judge=spec, **OPTIONS)
    verify(TEXT.replace("It is 120 m long [1]. ", ""), judge=spec, **OPTIONS)
    store = Store(tmp_path / "workbench.duckdb")
    run_id = killed_between(store, server, spec, after_submission=True)
    assert len(server.batches.handed_in) == 3
    resumed = resume_run(store, run_id, **{**OPTIONS, "snapshots": tmp_path / "snapshots"})
    assert resumed.finished and resumed.total_resolved == COUNT
    assert len(server.batches.handed_in) == 3, "it was found, not handed in again"
    assert server.requests == []
    assert resumed.total_cost_usd == batch_price(spec)
    batches = store.get_run(run_id).config["batches"]
    assert "b3" in [batch["id"] for batch in batches]
    assert all("intent" not in batch for batch in batches)


@pytest.mark.parametrize("spec", BOTH)
def test_a_kill_before_a_batch_goes_out_hands_it_in_once(server, spec, tmp_path):
    store = Store(tmp_path / "workbench.duckdb")
    run_id = killed_between(store, server, spec, after_submission=False)
    assert server.batches.handed_in == []
    resumed = resume_run(store, run_id, **{**OPTIONS, "snapshots": tmp_path / "snapshots"})
    assert resumed.total_resolved == COUNT
    assert len(server.batches.handed_in) == 1
    assert [batch["id"] for batch in store.get_run(run_id).config["batches"]] == ["b1"]


def test_a_provider_that_is_away_when_a_batch_is_looked_for_is_asked_again(
    server, monkeypatch, tmp_path
):
    store = Store(tmp_path / "workbench.duckdb")
    run_id = killed_between(store, server, MINI, after_submission=True)
    find, tries = OpenAIProvider.find, []

    async def fail_twice(self, intent):
        tries.append(intent)
        if len(tries) < 3:
            raise failed_status(503, "busy", {})
        return await find(self, intent)

    monkeypatch.setattr(OpenAIProvider, "find", fail_twice)
    resumed = resume_run(store, run_id, **{**OPTIONS, "snapshots": tmp_path / "snapshots"})
    assert (resumed.total_resolved, len(tries)) == (COUNT, 3)
    assert len(server.batches.handed_in) == 1


def test_what_failed_in_a_batch_is_an_error_and_the_rest_stands(server):
    first = []

    def lose_one(run):
        if not first:
            first.append(run)

    # the fake server knows its items once they are submitted: the second is lost
    server.batches.fail_number = 1
    run = verify(TEXT, judge=MINI, **OPTIONS, on_config=lose_one)
    assert run.errors == {"llm_judge_error": 1}
    assert run.total_resolved == COUNT - 1
    assert run.total_cost_usd == batch_price(MINI, COUNT - 1)
    assert len(first) == 1


def test_the_cap_holds_for_a_batch(server):
    # one question at worst: some 1,700 tokens read and 700 written at half the price, $0.0026
    run = verify(TEXT, judge=HAIKU, **OPTIONS, max_cost_usd=0.0058)
    assert len(server.batches.handed_in[0]) == 2
    assert run.errors == {"cost_cap_reached": 1}
    assert run.total_cost_usd <= 0.0058


def test_kept_judgments_are_not_handed_in_again(server):
    memory = {}
    options = {**OPTIONS, "recall": memory.get, "remember": memory.__setitem__}
    verify(TEXT, judge=MINI, **options)
    again = verify(TEXT, judge=MINI, **options)
    assert len(server.batches.handed_in) == 1
    assert again.total_resolved == COUNT
    assert again.total_cost_usd == 0


@pytest.mark.parametrize("panel", ["majority", "cascade"])
def test_a_panel_hands_in_a_batch_for_each_judge(server, panel):
    server.reply = lambda request: Answer(
        text=verdict(
            "partially_supported", "The bridge was opened in 1932", confidence=0.3
        ),  # inside the abstain band: a cascade asks the next judge
        input_tokens=1000,
        output_tokens=100,
    )
    judges = BOTH if panel == "cascade" else ["local", *BOTH]
    run = verify(TEXT, judge=judges, panel=panel, **OPTIONS)
    assert [len(batch) for batch in server.batches.handed_in] == [COUNT, COUNT]
    assert [len(r.judgments) for r in run.counted] == [len(judges)] * COUNT


@pytest.mark.parametrize("call", ["state", "results"])
def test_a_provider_that_is_away_for_a_while_is_asked_again(server, monkeypatch, call):
    ask, tries = getattr(OpenAIProvider, call), []

    async def fail_twice(self, batch_id):
        tries.append(batch_id)
        if len(tries) < 3:
            raise failed_status(503, "busy", {})
        return await ask(self, batch_id)

    monkeypatch.setattr(OpenAIProvider, call, fail_twice)
    assert verify(TEXT, judge=MINI, **OPTIONS).total_resolved == COUNT
    assert len(tries) == 3


def test_a_wrong_key_leaves_the_batch_to_be_collected(server, monkeypatch, tmp_path):
    store = Store(tmp_path / "workbench.duckdb")

    async def refused(self, batch_id):
        raise failed_status(401, "who are you", {})

    with monkeypatch.context() as wrong:
        wrong.setattr(OpenAIProvider, "state", refused)
        with pytest.raises(UsageError, match="correct the key and resume"):
            verify_and_store(store, TEXT, "Bridge", VerifyOptions(judge=MINI, **OPTIONS))
    (summary,) = store.list_runs()
    resumed = resume_run(store, summary.id, **OPTIONS)
    assert resumed.finished and resumed.total_resolved == COUNT
    assert len(server.batches.handed_in) == 1


def test_a_batch_that_is_refused_is_said_on_every_citation(server, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    run = verify(TEXT, judge=MINI, **OPTIONS)
    assert run.errors == {"llm_judge_error": COUNT}
    assert "did not take the batch" in run.counted[0].error.message
    assert run.total_cost_usd == 0


def test_a_batch_without_a_judge_that_takes_it_is_refused():
    with pytest.raises(UsageError, match="Anthropic or OpenAI"):
        verify(TEXT, judge="local", **OPTIONS)
