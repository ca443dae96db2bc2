"""The MCP server before the SDK's own client, in process, over stdio and over HTTP."""

import asyncio
import json
import logging
import os
import re
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

import pytest
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters

from tests.fakes.launched import launched
from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.served import free_port
from workbench.interfaces.http.security import RateLimiter
from workbench.interfaces.mcp import build_server, list_tools
from workbench.interfaces.mcp.results import PublishedError, PublishedKind
from workbench.records.fields import parse_fields
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.runs.runs import Traces
from workbench.store.store import Store

ANSWER = (
    "The old bridge is 120 metres long [1]. It was opened in 1931 [2]. See [9].\n\n"
    "## References\n[1] https://bridge.example/a\n[2] https://bridge.example/b\n"
)
SOURCES = [
    {"url": "https://bridge.example/a", "content": "The old bridge is 120 metres long."},
    {"url": "https://bridge.example/b", "content": "The old bridge was opened in 1931."},
]


@pytest.fixture
def settings(tmp_path):
    return load_settings({"WORKBENCH_DATA": str(tmp_path)})


def call(settings, name, arguments, **options):
    """The result of one call, through the SDK's client."""

    async def once():
        async with Client(build_server(settings, **options)) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(once())


def checked(settings, **more):
    given = {"output": ANSWER, "model": "local", "sources": SOURCES, **more}
    return call(settings, "verify_citations", given)


def test_the_published_result_to_the_field_name(settings):
    found = checked(settings).structured_content
    assert list(found)[:8] == [
        "id", "overall_score", "passed", "total_citations_found", "total_resolved",
        "total_supported", "total_cost_usd", "citations",
    ]  # fmt: skip
    assert (found["total_citations_found"], found["total_resolved"]) == (3, 2)
    assert found["total_cost_usd"] == 0
    first, _, last = found["citations"]
    assert first["citation"] == {
        "raw": "[1]", "kind": "numbered", "identifier": "1",
        "offset_start": ANSWER.index("[1]"), "offset_end": ANSWER.index("[1]") + 3,
    }  # fmt: skip
    assert first["resolve_status"] == "ok"
    assert set(first["source"]) == {"url", "status", "content_type", "bytes_fetched", "truncated"}
    assert set(first["judge"]) == {
        "supported", "confidence", "rationale", "cost_usd", "latency_ms", "input_tokens",
        "output_tokens",
    }  # fmt: skip
    assert last["resolve_status"] != "ok"
    assert last["resolve_error"]["kind"] == "unresolvable_kind"
    assert last["extensions"]["error_kind"] == "unlinked"


def test_kinds_and_errors_are_the_published_ones(settings):
    text = "Shown before [@smith2019] and in arXiv:2101.00001, as held in 410 U.S. 113 (1973)."
    found = call(settings, "verify_citations", {"output": text, "model": "local"})
    for one in found.structured_content["citations"]:
        assert one["citation"]["kind"] in get_args(PublishedKind)
        if "resolve_error" in one:
            assert one["resolve_error"]["kind"] in get_args(PublishedError)


def test_the_text_of_a_result_is_its_json(settings):
    result = checked(settings)
    assert json.loads(result.content[0].text) == result.structured_content


def test_what_is_beyond_the_limit_is_counted_and_not_listed(settings):
    found = checked(settings, max_citations=1).structured_content
    assert found["total_citations_found"] == 3
    assert len(found["citations"]) == 1
    assert len(found["extensions"]["skipped"]) == 2


def test_the_hard_cap_holds(settings):
    text = (
        "".join(f"Claim {n} [1].\n" for n in range(60)) + "\n## References\n[1] https://x.example\n"
    )
    found = checked(settings, output=text, max_citations=50).structured_content
    assert found["total_citations_found"] == 60
    assert len(found["citations"]) == 50
    refused = checked(settings, output=text, max_citations=51)
    assert refused.is_error
    assert refused.content[0].text == (
        "verify_citations: max_citations: Input should be less than or equal to 50, not 51."
    )


def test_a_run_is_kept_and_linked_to_its_trace(settings):
    trace = call(settings, "log_trace", {"output": ANSWER, "input": "How long?", "model": "m",
                                         "metadata": {"step": 3}}).structured_content  # fmt: skip
    run = checked(settings, trace_id=trace["id"]).structured_content
    (found,) = call(settings, "get_traces", {"trace_id": trace["id"]}).structured_content["traces"]
    assert found["runs"] == [run["id"]]
    assert (found["input"], found["metadata"]) == ("How long?", {"step": 3})
    stored = call(settings, "get_run", {"run_id": run["id"]}).structured_content
    assert stored["overall_score"] == run["overall_score"]
    (listed,) = call(settings, "list_runs", {}).structured_content["runs"]
    assert listed["id"] == run["id"]
    assert call(settings, "delete_trace", {"trace_id": trace["id"]}).structured_content["deleted"]
    assert not call(settings, "delete_trace", {"trace_id": trace["id"]}).structured_content[
        "deleted"
    ]


def test_a_trace_that_is_kept_elsewhere_is_linked_as_given_and_said_so(settings):
    found = checked(settings, trace_id="langfuse-7").structured_content
    assert found["extensions"]["trace_id"] == "langfuse-7"
    assert found["extensions"]["trace_known"] is False
    assert Store(settings.database).get_run(found["id"]).config["trace_id"] == "langfuse-7"
    own = call(settings, "log_trace", {"output": ANSWER}).structured_content["id"]
    assert checked(settings, trace_id=own).structured_content["extensions"]["trace_known"] is True


def test_a_label_is_kept_with_who_gave_it(settings):
    run = checked(settings).structured_content
    citation = run["citations"][0]["extensions"]["id"]
    given = {"run_id": run["id"], "citation_id": citation, "label": "contradicted",
             "reviewer": "Ada", "note": "No."}  # fmt: skip
    first = call(settings, "submit_label", given).structured_content
    again = call(settings, "submit_label", given).structured_content
    assert (first["added"], again["added"]) == (True, False)
    (label,) = Store(settings.database).labels(run["id"])
    assert (label.reviewer, label.label, label.note) == ("Ada", "contradicted", "No.")


def test_a_sentence_is_corrected_and_an_uncited_one_is_compared(settings):
    text = ANSWER.replace("See [9].", "The old bridge is blue.")
    source = SOURCES[0] | {"content": "The old bridge is 120 metres long. The old bridge is blue."}
    run = checked(settings, output=text, sources=[source]).structured_content
    found = call(settings, "check_uncited", {"run_id": run["id"]}).structured_content
    (suggestion,) = found["suggestions"]
    given = {"run_id": run["id"], "start": suggestion["start_at"], "kind": "cited",
             "reviewer": "Ada", "stated_in": suggestion["citation_id"]}  # fmt: skip
    changes = [call(settings, "correct_sentence", given).structured_content for _ in range(2)]
    assert [change["changed"] for change in changes] == [True, False]
    assert changes[0]["coverage"]["cited_elsewhere"] == 1
    refused = call(settings, "correct_sentence", given | {"start": 1})
    assert refused.is_error and "begins at 1" in refused.content[0].text


def test_a_label_answers_the_fields_of_its_queue(settings):
    run = checked(settings).structured_content
    citation = run["citations"][0]["extensions"]["id"]
    field = {"name": "severity", "question": "How bad?", "kind": "score", "required": True}
    store = Store(settings.database)
    queue = Queues(store).build(
        "to do", created_by="Zoe", items=[(run["id"], citation)], fields=parse_fields([field])
    )
    given = {"run_id": run["id"], "citation_id": citation, "label": "contradicted",
             "reviewer": "Ada", "queue_id": queue.id}  # fmt: skip
    refused = call(settings, "submit_label", given)
    assert refused.is_error and "'severity' needs an answer" in refused.content[0].text
    added = call(settings, "submit_label", given | {"answers": {"severity": 4}}).structured_content
    assert added["added"]
    (label,) = store.labels(run["id"])
    assert label.answers_to(queue.id) == {"severity": 4}


def test_a_chat_judges_a_run_by_its_questions_and_answers(settings):
    run = checked(settings).structured_content
    asked = call(settings, "export_handoff", {"run_id": run["id"]}).structured_content
    (key, *others) = re.findall(r'<question key="([^"]+)">', "".join(asked["parts"]))
    answers = json.dumps({"judgments": [{"key": key, "label": "not_supported", "confidence": 1}]})
    given = {"run_id": run["id"], "answers": answers, "name": "ada"}
    taken = call(settings, "import_handoff", given).structured_content
    assert (taken["judge"], taken["taken"], taken["refused"]) == ("handoff:ada", 1, [])
    assert taken["unanswered"] == len(others) == asked["questions"] - 1
    refused = call(settings, "import_handoff", given | {"answers": "None."})
    assert refused.is_error and "hold no JSON object" in refused.content[0].text


def test_the_matrix_of_a_run_is_read_estimated_and_filled(settings):
    run = {"run_id": checked(settings).structured_content["id"]}
    known = call(settings, "source_matrix", run).structured_content
    assert known["load"]["open"] > 0
    guess = call(settings, "source_matrix", run | {"estimate": True}).structured_content
    assert guess["estimate"]["items"] <= known["load"]["open"] and len(guess) == 1
    filled = call(settings, "source_matrix", run | {"model": "local"}).structured_content
    assert filled["load"]["open"] == 0
    refused = call(settings, "source_matrix", run | {"model": "handoff:chat"})
    assert refused.is_error and "handoff export" in refused.content[0].text


def test_a_run_waits_for_its_chat_and_counts_what_it_answers(settings):
    run = checked(settings, model="handoff:ada").structured_content
    assert run["total_supported"] == 0
    assert run["citations"][0]["resolve_error"]["message"] == (
        "Open: waits for an answer of handoff:ada."
    )
    asked = call(settings, "export_handoff", {"run_id": run["id"]}).structured_content
    keys = re.findall(r'<question key="([^"]+)">', "".join(asked["parts"]))
    answers = json.dumps(
        {"judgments": [{"key": key, "label": "not_supported", "confidence": 1} for key in keys]}
    )
    given = {"run_id": run["id"], "answers": answers}
    taken = call(settings, "import_handoff", given).structured_content
    assert (taken["judge"], taken["taken"], taken["unanswered"]) == ("handoff:ada", len(keys), 0)
    stored = call(settings, "get_run", {"run_id": run["id"]}).structured_content
    verdicts = [one["verdict"] for one in stored["citations"]]
    assert verdicts.count("not_supported") == len(keys)


def test_runs_are_renamed_and_citations_commented_on(settings):
    run = checked(settings).structured_content
    citation = run["citations"][0]["extensions"]["id"]
    title = {"run_id": run["id"], "title": "Mine", "reviewer": "Ada"}
    assert call(settings, "rename_run", title).structured_content["name"] == "Mine"
    said = {"run_id": run["id"], "citation_id": citation, "author": "Ada", "body": "Look."}
    added = call(settings, "add_comment", said).structured_content["comment"]
    found = call(settings, "get_comments", {"run_id": run["id"]}).structured_content
    assert found["comments"] == [added]
    refused = call(settings, "add_comment", said | {"citation_id": "none"})
    assert refused.is_error and "no citation 'none'" in refused.content[0].text


def test_citations_are_listed_without_judging(settings):
    found = call(settings, "extract_citations", {"text": ANSWER}).structured_content
    assert [one["raw"] for one in found["citations"] if one["kind"] == "numbered"] == [
        "[1]", "[2]", "[9]",
    ]  # fmt: skip
    assert len(found["references"]) == 2


def test_claims_are_checked_against_sources(settings):
    given = {"claims": ["The old bridge is 120 metres long."], "sources": SOURCES}
    found = call(settings, "verify_claims", given).structured_content
    assert found["total_claims"] == 1
    assert set(found) >= {
        "claims", "overall_grounded", "supported_ratio", "supported_count", "weak_count",
        "unverifiable_count", "contradicted_count", "summary",
    }  # fmt: skip
    both = call(settings, "verify_claims", {"claims": [], "text": "x", "sources": []})
    assert both.is_error


ENVELOPE = {
    "claims": [
        {"claim": "The old bridge is 120 metres long.", "source": "web:https://bridge.example/a",
         "evidence": "is 120 metres long", "confidence": "high"},
        {"claim": "It was opened in 1931.", "source": "web:https://bridge.example/b",
         "evidence": "it opened to traffic in 1931", "confidence": "med"},
        {"claim": "All old bridges are 120 metres long.", "source": "web:https://bridge.example/a",
         "evidence": "is 120 metres long", "scope": "everywhere", "confidence": "low"},
        {"claim": "It will stand.", "source": "guess", "evidence": "", "confidence": "low"},
        {"claim": "It is old.", "source": "", "evidence": "old", "confidence": "high"},
        {"claim": "It is red.", "source": "web:https://bridge.example/none", "evidence": "red",
         "confidence": "high"},
    ],
    "unverified": ["It is loved."],
}  # fmt: skip


def test_each_layer_of_an_envelope_is_reported(settings):
    found = call(settings, "check_envelope", {"envelope": ENVELOPE, "sources": SOURCES})
    report = found.structured_content
    layers = [
        [one["layers"][name] for name in ("exists", "resolves", "derivable", "in_scope")]
        for one in report["claims"]
    ]
    assert layers == [
        [True, True, True, True],
        [True, True, False, None],
        [True, True, True, False],
        [True, False, False, None],
        [False, None, None, None],
        [True, False, None, None],
    ]
    assert [one["passed"] for one in report["claims"]] == [True, *[False] * 5]
    assert report["unverified"] == ["It is loved."]
    assert not report["valid"]
    assert {one["path"] for one in report["problems"]} == {"claims[2].scope", "claims[4].source"}


@pytest.mark.parametrize(
    ("source", "exists"),
    [
        ("file:src/app.py:42", True), ("file:src/app.py:42-50", True), ("file:C:x.py:3", True),
        ("file::42", False), ("file: :42", False), ("file:::42", False), ("file:42", False),
        ("file:", False), ("file:app.py", False), ("memory:", False), ("git: ", False),
    ],
)  # fmt: skip
def test_a_source_that_names_nothing_does_not_exist(settings, source, exists):
    claim = {"claim": "It is so.", "source": source, "evidence": "so", "confidence": "high"}
    report = call(settings, "check_envelope", {"envelope": {"claims": [claim]}}).structured_content
    assert report["claims"][0]["layers"]["exists"] is exists


@pytest.mark.parametrize("envelope", [None, 3, [], "text", {"claims": 1}, {"claims": [1, None]}])
def test_what_is_no_envelope_is_said_so(settings, envelope):
    report = call(settings, "check_envelope", {"envelope": envelope}).structured_content
    assert not report["valid"]


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("verify_citations", {"model": "local"}, "verify_citations: output: this argument is required."),
        ("verify_citations", {"output": "x", "model": "local", "fetch": True},
         "verify_citations: fetch: there is no such argument."),
        ("verify_citations", {"output": "x", "model": "llama"}, "Unknown model 'llama'"),
        ("verify_citations", {"output": "x [1]", "model": "claude-opus-4-7"}, "ANTHROPIC_API_KEY"),
        ("verify_citations", {"output": "x", "model": "local", "max_citations": 0}, "max_"),
        ("get_run", {"run_id": "none"}, "'none'"),
        ("no_such_tool", {}, "There is no tool"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_tool_error_in_a_sentence(settings, monkeypatch, name, arguments, says):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    result = call(settings, name, arguments)
    assert result.is_error
    assert says in result.content[0].text
    assert "Traceback" not in result.content[0].text


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("list_runs", {"limit": "5"}, "limit: Input should be a valid integer, not '5'."),
        ("list_runs", {"limit": True}, "limit: Input should be a valid integer, not True."),
        ("verify_claims", {"claims": ["x"], "sources": [{"title": "t"}]},
         "sources.0.content: this argument is required."),
        ("verify_claims", {"claims": ["x"], "sources": "[]"},
         "sources: Input should be a valid list, not '[]'."),
        ("submit_label", {"run_id": "r", "citation_id": "c", "label": "good", "reviewer": "Ada"},
         "label: Input should be 'supported', 'partially_supported', 'not_supported', "
         "'contradicted', 'unverifiable' or 'cannot_tell', not 'good'."),
        ("verify_citations", {"output": "x", "model": "local", "max_cost_usd_total": -1},
         "max_cost_usd_total: Input should be greater than or equal to 0, not -1."),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named_in_one_sentence(settings, name, arguments, sentence):
    result = call(settings, name, arguments)
    assert (result.is_error, result.content[0].text) == (True, f"{name}: {sentence}")


def test_what_an_argument_may_also_be(settings):
    """A number without a fraction, null for what may be left out, and more about a source."""
    more = {"max_citations": 2.0, "allow_fetch": None, "provider": None,
            "sources": [{**SOURCES[0], "publisher": "The town"}]}  # fmt: skip
    assert checked(settings, **more).structured_content["total_resolved"] == 1


def test_a_text_that_looks_like_json_stays_a_text(settings):
    given = {"envelope": json.dumps(ENVELOPE), "sources": SOURCES}
    report = call(settings, "check_envelope", given).structured_content
    assert report["problems"] == [{"path": "", "message": "an envelope is an object with claims"}]
    trace = call(settings, "log_trace", {"output": '{"a": [1]}'}).structured_content
    (stored,) = call(settings, "get_traces", {"trace_id": trace["id"]}).structured_content["traces"]
    assert stored["output"] == '{"a": [1]}'


def test_an_error_of_its_own_is_logged_and_not_told(settings, monkeypatch, caplog):
    def broken(database, limit):
        raise RuntimeError("the file of Ada is broken")

    monkeypatch.setattr("workbench.interfaces.mcp.tools.list_runs", broken)
    result = call(settings, "list_runs", {})
    assert result.is_error
    assert result.content[0].text.startswith("The workbench could not finish this call")
    assert "RuntimeError: the file of Ada is broken" in caplog.text


def test_the_log_of_the_process_stays_as_it_is(settings, monkeypatch):
    monkeypatch.setattr(logging.root, "handlers", [])
    build_server(settings)
    assert logging.root.handlers == []


def test_the_tools_are_named_and_described_for_a_reader(settings):
    async def listed():
        async with Client(build_server(settings)) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(listed())
    assert [tool.name for tool in tools] == [tool["name"] for tool in list_tools()]
    for tool in tools:
        assert 20 < len(tool.description) < 300
        assert tool.title
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator.check_schema(tool.output_schema)
        assert tool.annotations.read_only_hint is not None
    by_name = {tool.name: tool for tool in tools}
    assert by_name["delete_trace"].annotations.destructive_hint
    assert not by_name["verify_citations"].annotations.read_only_hint
    defaults = by_name["verify_citations"].input_schema["properties"]
    assert {name: defaults[name]["default"] for name in (
        "allow_fetch", "max_cost_usd_total", "max_citations", "per_source_timeout_ms",
        "per_source_max_bytes")} == {
            "allow_fetch": False, "max_cost_usd_total": 1.0, "max_citations": 20,
            "per_source_timeout_ms": 10_000, "per_source_max_bytes": 5 * 1024 * 1024}  # fmt: skip
    assert set(by_name["verify_citations"].input_schema["required"]) == {"output", "model"}


def test_a_model_is_paid_within_the_cap_and_progress_is_told(settings, monkeypatch):
    with FakeProvider(lambda _: Answer(text=verdict("not_supported"))) as provider:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "not-a-key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
        told = []

        async def progress(done, total, message):
            told.append((done, total))

        async def once():
            async with Client(build_server(settings)) as client:
                return await client.call_tool(
                    "verify_citations",
                    {"output": ANSWER, "model": "claude-haiku-4-5", "sources": SOURCES},
                    progress_callback=progress,
                )

        found = asyncio.run(once()).structured_content
        assert 0 < found["total_cost_usd"] <= 1
        assert found["citations"][0]["judge"]["input_tokens"] == 100
        assert told
        assert told[-1][1] == 3
        # other claims, since what was paid for once is free
        other = ANSWER.replace("120", "140").replace("1931", "1941")
        broke = checked(settings, output=other, model="claude-haiku-4-5", max_cost_usd_total=0)
        kinds = {one.get("resolve_error", {}).get("kind")
                 for one in broke.structured_content["citations"]}  # fmt: skip
        assert "cost_cap_reached" in kinds


def test_a_cancelled_call_stops_the_run(settings, monkeypatch):
    slow = FakeProvider(lambda _: Answer(text=verdict("not_supported"), delay_s=0.5))
    text = "".join(f"Claim number {n} [1].\n" for n in range(50))
    text += "\n## References\n[1] https://bridge.example/a\n"
    with slow as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")

        async def leave_early():
            async with Client(build_server(settings)) as client:
                work = asyncio.create_task(client.call_tool(
                    "verify_citations",
                    {"output": text, "model": "gpt-4o-mini", "sources": SOURCES,
                     "max_citations": 50},
                ))  # fmt: skip
                while not provider.requests:
                    await asyncio.sleep(0.02)
                work.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await work
                for _ in range(200):
                    runs = Store(settings.database).list_runs()
                    if runs and runs[0].ended_at:
                        return runs[0]
                    await asyncio.sleep(0.05)

        run = asyncio.run(leave_early())
        assert run is not None
        assert not run.finished
        assert len(provider.requests) < 50


def test_calls_are_limited_by_the_minute():
    now = [0.0]
    meter = RateLimiter(2, clock=lambda: now[0])
    assert (meter.wait_s(), meter.wait_s()) == (0, 0)
    assert meter.wait_s() == 60
    now[0] = 59.0
    assert meter.wait_s() == 1
    now[0] = 60.0
    assert meter.wait_s() == 0
    assert RateLimiter(None).wait_s() == 0


def environment(tmp_path):
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return {**kept, "WORKBENCH_DATA": str(tmp_path)}


def test_over_standard_input_and_output(tmp_path):
    program, *arguments = launched("mcp")
    server = StdioServerParameters(
        command=program, args=arguments, env=environment(tmp_path),
        cwd=str(Path(__file__).parents[3]),
    )  # fmt: skip

    async def once():
        async with Client(server) as client:
            return await client.call_tool(
                "verify_citations", {"output": ANSWER, "model": "local", "sources": SOURCES}
            )

    assert asyncio.run(once()).structured_content["total_resolved"] == 2


def test_a_line_with_half_a_character_is_answered_over_standard_input_and_output(tmp_path):
    """As a client writes it that cuts a text between the halves of a character."""
    text = "The old bridge \\ud83d is 120 metres long \ud83d."
    calls = [
        ("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "a", "version": "1"}}),
        ("tools/call", {"name": "extract_claims", "arguments": {"text": text}}),
        ("tools/call", {"name": "none\udc00", "arguments": {}}),
    ]  # fmt: skip
    lines = [
        {"jsonrpc": "2.0", "id": n, "method": method, "params": params}
        for n, (method, params) in enumerate(calls)
    ]
    lines.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    server = subprocess.Popen(
        launched("mcp"), env=environment(tmp_path), cwd=Path(__file__).parents[3],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    unanswered = threading.Timer(60, server.kill)
    unanswered.start()
    with server:
        server.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        server.stdin.flush()
        # calls under way at the end of the input get no answer
        answers = [json.loads(server.stdout.readline()) for _ in calls]
    unanswered.cancel()
    by_id = {answer["id"]: answer["result"] for answer in answers}
    # a backslash that was written stays
    claims = by_id[1]["structuredContent"]["claims"]
    assert claims == ["The old bridge \\ud83d is 120 metres long \ufffd."]
    assert "There is no tool 'none\ufffd'" in by_id[2]["content"][0]["text"]


@contextmanager
def served(tmp_path, *more):
    port = free_port()
    server = subprocess.Popen(
        launched("mcp", "--transport=http", f"--port={port}", *more),
        env=environment(tmp_path), cwd=Path(__file__).parents[3],
    )  # fmt: skip
    try:
        for _ in range(400):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.terminate()
        server.wait(20)


def post(url, **headers):
    """The status of a bare request to the server."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, body, {**sent, **headers}), timeout=20
        ) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_over_http_with_its_limit_of_calls(tmp_path):
    with served(tmp_path, "--calls-per-minute", "2") as url:

        async def three():
            async with Client(url) as client:
                return [
                    await client.call_tool("extract_citations", {"text": "As shown [1]."})
                    for _ in range(3)
                ]

        results = asyncio.run(three())
        assert [one.is_error for one in results] == [False, False, True]
        assert "2 calls a minute" in results[2].content[0].text
        # a page of another site cannot reach it, whatever name it gives this machine
        assert post(url, Host="evil.example") in (403, 421)
        assert post(url, Origin="https://evil.example") == 403


def test_over_http_with_a_token(tmp_path):
    token = tmp_path / "token"
    token.write_text("a-token-of-enough-letters")
    with served(tmp_path, "--token-file", str(token)) as url:
        assert post(url) == 401
        assert post(url, Authorization="Bearer wrong") == 401
        assert post(url, Authorization="Bearer a-token-of-enough-letters") != 401


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--transport", "http", "--host", "0.0.0.0"], "this machine only"),
        (["--transport", "http", "--token-file", "/no/such/file"], "cannot be read"),
    ],
)
def test_an_open_server_is_refused(tmp_path, arguments, says):
    done = subprocess.run(
        launched("mcp", *arguments), env=environment(tmp_path),
        cwd=Path(__file__).parents[3], capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert says in done.stderr


def test_threads_may_log_traces_at_once(settings):
    traces = Traces(Store(settings.database))
    workers = [threading.Thread(target=traces.log, args=(f"answer {n}",)) for n in range(8)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len(traces.newest()) == 8
