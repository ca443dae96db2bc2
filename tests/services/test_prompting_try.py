"""Prompts run over labelled items: each judge with each prompt, one cap, stored answers."""

import json
import shutil
import threading

import pytest

from tests.fakes.labelled import add_run, mixed
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.services.calibration.measurement import ensure_split
from workbench.services.labelled_judging import (
    ExampleScope,
    attempts,
    contenders,
    judge_sequentially,
)
from workbench.services.prompts import prompt_repository, write_prompt
from workbench.store.evaluation.evaluation_examples import EvaluationRepository
from workbench.store.store import Store

MODEL = "openai:gpt-4o-mini"
MINE = "Be mild.\n=====\n{{passages}}\n{{claim}}\nAnswer with JSON."


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("built") / "w.duckdb")
    for number in range(8):
        add_run(store, f"r{number}", mixed(f"r{number}", 6))
    return store.path


@pytest.fixture
def store(built, tmp_path):
    return Store(shutil.copy(built, tmp_path))


@pytest.fixture
def provider(monkeypatch):
    def reply(request):
        return Answer(text=verdict("not_supported"), output_tokens=800)

    with FakeProvider(reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        yield server


@pytest.fixture
def dev(store):
    return ExampleScope(split_id=ensure_split(store, "Ada").id, parts=("dev",))


def versions(store):
    write_prompt(store, "mine", MINE, author="Ada")
    return [prompt_repository(store).get(name) for name in ("strict", "mine")]


def test_each_prompt_is_asked_about_the_part_alone_and_only_once(store, dev, provider):
    candidates = contenders(versions(store), [MODEL])
    tries = attempts(store, candidates, dev)
    (number,) = {attempt.missing for attempt in tries}
    assert 0 < number < 48
    progress = []
    judging = judge_sequentially(
        store, candidates, dev, on_progress=lambda *so_far: progress.append(so_far)
    )
    assert (judging.judged, judging.unjudged) == (2 * number, 0)
    assert progress[-1] == (judging.judged, pytest.approx(judging.cost_usd))
    assert [count for count, _ in progress] == sorted(count for count, _ in progress)
    assert sum("Be mild." in request.prompt for request in provider.requests) == number
    assert [attempt.missing for attempt in attempts(store, candidates, dev)] == [0, 0]
    prompts = {judge.prompt.partition(":")[0] for judge, _ in EvaluationRepository(store).judges()}
    assert prompts == {"", "strict@3", "mine@1"}
    requests_before = len(provider.requests)
    assert judge_sequentially(store, candidates, dev).judged == 0
    assert len(provider.requests) == requests_before


def test_the_cap_holds_for_all_together_and_what_is_kept_is_not_asked_again(store, dev, provider):
    candidates = contenders(versions(store), [MODEL])
    tries = attempts(store, candidates, dev)
    dearest = sum(attempt.guess.cost_usd for attempt in tries) / sum(
        attempt.missing for attempt in tries
    )
    first = judge_sequentially(store, candidates, dev, max_cost_usd=1.5 * dearest)
    assert first.judged > 0
    assert first.unjudged > 0
    assert first.cost_usd <= 1.5 * dearest
    second = judge_sequentially(store, candidates, dev)
    assert second.unjudged == 0
    assert first.judged + second.judged == len(provider.requests)


def test_cancelling_ends_it_before_the_next_contender(store, dev, provider):
    candidates = contenders(versions(store), [MODEL])
    stop = threading.Event()
    stop.set()
    judging = judge_sequentially(store, candidates, dev, cancel=stop)
    assert judging.judged == 0
    assert judging.unjudged == sum(attempt.missing for attempt in attempts(store, candidates, dev))
    assert provider.requests == []


def test_without_a_key_the_table_says_what_to_do(store, dev, monkeypatch):
    (attempt,) = attempts(store, contenders(versions(store)[:1], [MODEL]), dev)
    assert not attempt.askable
    assert attempt.missing > 0
    assert "OPENAI_API_KEY" in attempt.fault


def test_a_panel_of_scripts_gives_one_joint_opinion(store, dev, tmp_path):
    specs = []
    for name, label in (("a", "supported"), ("b", "supported"), ("c", "not_supported")):
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"default": {"label": label, "quote": "*"}, "rules": []}))
        specs.append(f"scripted:{path}")
    (panel,) = contenders([], specs, together=True)
    judging = judge_sequentially(store, [panel], dev)
    assert judging.judged > 0
    items = EvaluationRepository(store).read(panel.name, dev.split_id, dev.parts).items
    assert {item.judge for item in items} == {"supported"}
