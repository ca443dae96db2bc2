"""Runs in the background while in progress: reported, stopped, abandoned by their caller."""

import itertools
import json
import socket
import threading
import time

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.served import served
from workbench.pipeline.options import Progress

MANY = 40
AT_ONCE = 5
TEXT = "".join(f"Claim number {n} [1].\n" for n in range(MANY))
TEXT += "\n## References\n[1] https://bridge.example/a\n"
SOURCES = [{"url": "https://bridge.example/a", "content": "The old bridge is 120 metres long."}]


class Slow:
    """A judge that answers five times and then waits until the gate is opened."""

    def __init__(self):
        self.gate, self.asked = threading.Event(), itertools.count()

    def __call__(self, _):
        if next(self.asked) >= AT_ONCE:
            self.gate.wait(60)
        return Answer(text=verdict("not_supported"))

    def again(self):
        self.gate.clear()
        self.asked = itertools.count()


@pytest.fixture(scope="module")
def judge():
    return Slow()


@pytest.fixture(scope="module")
def provider(judge):
    with FakeProvider(judge) as provider:
        yield provider
        judge.gate.set()


@pytest.fixture(scope="module")
def server(tmp_path_factory, provider):
    environment = {"OPENAI_BASE_URL": provider.url + "/v1", "OPENAI_API_KEY": "not-a-key"}
    data = tmp_path_factory.mktemp("jobs")
    with served(
        data, "--calls-per-minute", "100000", ready_at="/openapi.json", **environment
    ) as running:
        yield running


def verify_body(word, **more):
    return {
        "text": TEXT.replace("Claim", word), "sources": SOURCES, "judge": "openai:gpt-4o-mini",
        "max_cost_usd": 1, **more,
    }  # fmt: skip


def final_state(client, run_id):
    """The state of a run once it has ended."""
    for _ in range(600):
        state = client.get(f"/api/v1/verify/{run_id}").json()
        if state["state"] != "running":
            return state
        time.sleep(0.1)
    raise AssertionError("the run did not end")


def test_a_run_is_told_while_it_goes_on_and_can_be_stopped(client, judge):
    judge.again()
    job = client.post("/api/v1/verify", json=verify_body("Point", background=True)).json()
    assert job["state"] == "running"
    names, judged = [], []
    with client.stream("GET", job["events"]) as answer:
        for line in answer.iter_lines():
            if line.startswith("event: "):
                names.append(line.removeprefix("event: "))
            if line.startswith("data: "):
                progress = json.loads(line.removeprefix("data: "))["progress"]
                assert progress is None or set(progress) == set(Progress.__dataclass_fields__)
                judged.append(progress["judged"] if progress else 0)
                if judged[-1] == AT_ONCE:
                    assert client.delete(job["url"]).status_code == 202
                    judge.gate.set()
    assert set(names[:-1]) == {"progress"}
    assert names[-1] == "stopped"
    assert max(judged) < MANY
    run = client.get(job["run"]).json()
    # what was done is kept, the rest says that it was stopped
    assert run["total_resolved"] >= AT_ONCE
    assert run["total_resolved"] + run["errors"]["cancelled"] == MANY
    assert not run["complete"]
    assert 0 < run["total_cost_usd"] <= 1


def test_a_caller_that_leaves_stops_what_it_asked_for(client, server, provider, judge):
    judge.again()
    provider.requests.clear()
    body = json.dumps(verify_body("Item")).encode()
    head = (
        "POST /api/v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), 20) as caller:
        caller.sendall(head.encode() + body)
        while not provider.requests:
            time.sleep(0.05)
    newest = client.get("/api/v1/runs?limit=1").json()["runs"][0]
    assert final_state(client, newest["id"])["state"] == "stopped"
    judge.gate.set()
