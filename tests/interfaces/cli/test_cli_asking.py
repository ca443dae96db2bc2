"""How language models are asked, from the command line: jointly, as a batch, collected later."""

import json
import re
import subprocess
import threading
import time
from collections import Counter

import pytest

from tests.fakes.launched import KILL, launched
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.interfaces.cli import main
from workbench.store.store import Store

TEXT = """The bridge is 120 m long [1]. It was opened in 1932 [1].

References
[1] The bridge. https://bridge.example/a
"""
BODY = "The bridge is 120 m long and was opened in 1932."
MINI = "openai:gpt-4o-mini"


@pytest.fixture
def server(monkeypatch):
    def reply(request):
        return Answer(text=verdict(quote=BODY), input_tokens=1000, output_tokens=100)

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "answer.md").write_text(TEXT, "utf-8")
    sources = [{"content": BODY, "url": "https://bridge.example/a"}]
    (tmp_path / "sources.json").write_text(json.dumps(sources), "utf-8")
    return ["verify", str(tmp_path / "answer.md"), "--sources", str(tmp_path / "sources.json")]


def run_json(capsys, *arguments):
    code = main([*arguments, "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_together_is_an_option(server, files, capsys):
    code, run, _ = run_json(capsys, *files, "--judge", MINI, "--together", "auto")
    assert code == 0
    assert run["config"]["together"] == "auto"
    first = server.requests[0].prompt
    assert '<claim id="1">' in first and '<claim id="2">' in first
    code, alone, _ = run_json(capsys, *files, "--judge", MINI)
    assert alone["config"]["together"] == "never"


def test_a_batch_is_announced_with_the_way_to_go_on(server, files, capsys):
    code, run, message = run_json(capsys, *files, "--judge", MINI, "--batch")
    assert code == 0
    assert run["total_supported"] == 2
    assert run["total_cost_usd"] == pytest.approx((2000 * 0.15e-6 + 200 * 0.6e-6) / 2, abs=1e-6)
    assert f"workbench resume {run['id']}" in message
    assert [len(requests) for requests in server.batches.handed_in] == [2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--judge", MINI, "--batch", "--no-store"], "leave out --no-store"),
        (["--batch"], "Anthropic or OpenAI"),
    ],
)
def test_a_batch_that_cannot_be_is_refused_in_a_sentence(server, files, capsys, options, message):
    assert main([*files, *options]) == 2
    assert message in capsys.readouterr().err


def test_a_killed_process_collects_its_batch_with_resume(server, files, capsys):
    server.batches.done = False
    child = subprocess.Popen(
        launched(*files, "--judge", MINI, "--batch"),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    run_id = child.stderr.readline().split()[2]
    server.batches.asked.wait(
        60
    )  # it has submitted the batch, stored its id and polls for the first time
    child.send_signal(KILL)
    child.wait(30)
    child.stderr.close()
    server.batches.done = True
    code, run, _ = run_json(capsys, "resume", run_id)
    assert code == 0
    assert run["id"] == run_id
    assert run["total_supported"] == 2
    assert [len(requests) for requests in server.batches.handed_in] == [2]
    assert server.requests == []


def test_a_killed_process_pays_for_no_answered_call_twice(server, files, tmp_path, capsys):
    count, may_answer = 24, threading.Event()
    lines = "".join(f"Claim number {n} is about rain [{n}].\n" for n in range(1, count + 1))
    entries = "".join(f"[{n}] https://rain.example/{n}\n" for n in range(1, count + 1))
    (tmp_path / "answer.md").write_text(f"{lines}\nReferences\n{entries}", "utf-8")
    sources = [{"content": f"Page {n}: {BODY}", "url": f"https://rain.example/{n}"}
             for n in range(1, count + 1)]  # fmt: skip
    (tmp_path / "sources.json").write_text(json.dumps(sources), "utf-8")
    at_once, asked_about = 10, re.compile(r"Claim number (\d+) is")

    def reply(request):
        if len(server.requests) > at_once:
            may_answer.wait(60)
        return Answer(text=verdict(quote=BODY), input_tokens=1000, output_tokens=100)

    server.reply = reply
    child = subprocess.Popen(launched(*files, "--judge", MINI))
    store = Store(tmp_path / "data" / "workbench.duckdb")
    judged = []
    while len(judged) < at_once:
        assert child.poll() is None
        time.sleep(0.2)
        runs = store.list_runs()
        judged = [r for r in store.get_run(runs[0].id).citations if r.judgment] if runs else []
    child.send_signal(KILL)
    child.wait(30)
    may_answer.set()
    code, run, _ = run_json(capsys, "resume", runs[0].id)
    assert code == 0
    assert run["total_resolved"] == count
    times = Counter(
        asked_about.findall(request.prompt.rsplit("<claim", 1)[1])[0] for request in server.requests
    )
    assert {times[result.citation.identifier] for result in judged} == {1}
    assert len(times) == count
