"""An answer before a policy, with context documents and a resolver that really answers."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from workbench import verify
from workbench.pipeline.policy_gate import gate
from workbench.policy import Policy, Resolver

ANSWER = (
    "The old bridge is 120 metres long [1]. The harbour has a lighthouse made of glass [2].\n\n"
    "## References\n[1] https://bridge.example/old\n[2] https://bridge.example/glass\n"
)
CONTEXT = [
    {"content": "The old bridge is 120 metres long and was opened in 1931.", "title": "Bridges"}
]


@contextmanager
def resolver(answer, *, status=200, delay_s=0.0):
    """A service that answers each question with `answer(question)`, and its requests."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            question = json.loads(self.rfile.read(int(self.headers["content-length"])))
            requests.append((dict(self.headers), question))
            time.sleep(delay_s)
            body = answer(question) if callable(answer) else answer
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            try:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                pass  # the caller did not wait

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/check", requests
    finally:
        server.shutdown()
        server.server_close()


def all_known(question):
    return {
        "citations": [
            {"id": citation["id"], "status": "verified", "confidence": 0.97, "source": "register"}
            for citation in question["citations"]
        ]
    }


@pytest.fixture(scope="module")
def run():
    return verify(ANSWER, sources=[])


def policy(endpoint, timeout_ms=5000, **fields):
    return Policy(
        extract_patterns=("url",),
        resolver=Resolver(endpoint=endpoint, api_key="Bearer s3cret", timeout_ms=timeout_ms),
        **fields,
    )


HERE = ("127.0.0.1",)


def test_the_resolver_is_asked_with_its_key_and_confirms(run):
    with resolver(all_known) as (endpoint, requests):
        decision = gate(policy(endpoint), run, ANSWER, internal_hosts=HERE)
    assert decision.action == "pass"
    assert {citation.by for citation in decision.citations} == {"resolver"}
    headers, question = requests[0]
    assert headers["Authorization"] == "Bearer s3cret"
    assert {citation["target"] for citation in question["citations"]} >= {
        "https://bridge.example/glass"
    }
    assert "s3cret" not in str(decision.to_dict())


def test_an_internal_address_needs_the_operators_word(run):
    with resolver(all_known) as (endpoint, requests):
        decision = gate(policy(endpoint), run, ANSWER)
    assert requests == []
    assert decision.resolver == "inconclusive"


@pytest.mark.parametrize(
    "fault",
    [
        {"answer": all_known, "delay_s": 1.0},
        {"answer": all_known, "status": 500},
        {"answer": b"<html>"},
        {"answer": b"[" * 100_000},
        {"answer": {"nothing": 1}},
        {"answer": b"x" * 1_100_000},
    ],
    ids=["late", "error", "no json", "deep", "no list", "huge"],
)
def test_a_resolver_that_fails_leaves_the_check_inconclusive(run, fault):
    with resolver(**fault) as (endpoint, _):
        decision = gate(
            policy(endpoint, timeout_ms=300, require_source_match=True),
            run, ANSWER, internal_hosts=HERE,
        )  # fmt: skip
    assert decision.resolver == "inconclusive"
    assert {citation.status for citation in decision.citations} == {"inconclusive"}


@pytest.mark.parametrize(
    "row",
    [{"id": "none of them"}, {"status": "verified", "confidence": 7}, "text", None,
     {"status": "verified", "confidence": True}],
)  # fmt: skip
def test_a_malformed_row_confirms_nothing(run, row):
    with resolver({"citations": [row, row]}) as (endpoint, _):
        decision = gate(policy(endpoint), run, ANSWER, internal_hosts=HERE)
    assert all(citation.status != "verified" for citation in decision.citations)


def test_rows_without_ids_are_taken_in_the_order_of_the_question(run):
    with resolver([{"status": "verified"}]) as (endpoint, _):
        decision = gate(policy(endpoint), run, ANSWER, internal_hosts=HERE)
    assert sum(citation.status == "verified" for citation in decision.citations) == 1


def test_claims_are_checked_against_the_context(run):
    strict = Policy(min_groundedness=0.9, require_sources=False, extract_patterns=("case_law",))
    decision = gate(strict, run, ANSWER, documents=CONTEXT)
    assert decision.action == "block"
    assert decision.text == ""
    (warning, *_) = decision.report()["groundedness_warnings"]
    assert "lighthouse" in warning["claim"]
    assert ANSWER[warning["start"] : warning["end"]] == warning["claim"]


def test_without_documents_groundedness_is_not_checked(run):
    strict = Policy(min_groundedness=0.9, require_sources=False, extract_patterns=("case_law",))
    decision = gate(strict, run, ANSWER)
    assert (decision.action, decision.groundedness) == ("pass", None)
