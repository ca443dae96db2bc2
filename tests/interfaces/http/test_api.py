"""The API as programs use it: its responses are the records' JSON."""

import asyncio
import http.client
import io
import json
import re
import zipfile

import pytest
from jsonschema import Draft202012Validator
from mcp import Client
from openapi_spec_validator import validate
from pyarrow import parquet

from tests.fakes.served import PROJECT
from workbench import extract
from workbench.interfaces.http import schemas
from workbench.records.fields import parse_fields
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

ANSWER = (
    "The old bridge is 120 metres long [1]. It was opened in 1931 [2]. See [9].\n\n"
    "## References\n[1] https://bridge.example/a\n[2] https://bridge.example/b\n"
)
SOURCES = [
    {"url": "https://bridge.example/a", "content": "The old bridge is 120 metres long."},
    {"url": "https://bridge.example/b", "content": "The old bridge was opened in 1931."},
]


def verify_answer(client, **more):
    answer = client.post("/api/v1/verify", json={"text": ANSWER, "sources": SOURCES, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def assert_refused(answer, status, kind, *words):
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert error["kind"] == kind
    for word in words:
        assert word in error["message"]


def test_a_chat_judges_a_run_between_two_calls(client):
    run = verify_answer(client)
    at = f"/api/v1/runs/{run['id']}/handoff"
    questions = client.get(at, params={"part_chars": 8000}).json()
    keys = re.findall(r'<question key="([^"]+)">', "".join(questions["parts"]))
    assert len(keys) == 2
    said = {"key": keys[0], "label": "supported", "confidence": 0.9, "rationale": "So it says.",
            "quotes": ["120 metres long"], "missing": [], "reasoning": ""}  # fmt: skip
    answers = json.dumps({"judgments": [said, said | {"key": "0000-00000000"}]})
    taken = client.post(at, json={"answers": f"Here: {answers}", "name": "chat"}).json()
    assert (taken["taken"], len(taken["refused"]), len(taken["open"])) == (1, 1, 1)
    assert_refused(client.post(at, json={"answers": "I cannot."}), 422, "invalid", "JSON")
    assert_refused(client.get("/api/v1/runs/none/handoff"), 404, "not_found", "none")


def test_a_matrix_is_read_estimated_and_filled(client, documented):
    run = verify_answer(client)
    at = f"/api/v1/runs/{run['id']}/matrix"
    known = client.get(at).json()
    assert_described(documented, "Matrix", known)
    assert known["load"]["open"] > 0 and known["sources"][0]["number"] == 0
    guess = client.post(at, json={"estimate": True}).json()
    assert_described(documented, "JudgingCost", guess)
    assert guess["cost_usd"] == 0 and client.get(at).json() == known
    one = client.post(at, json={"max_calls": 1}).json()
    assert 0 < known["load"]["open"] - one["load"]["open"] <= guess["items"]
    filled = client.post(at, json={"judge": "local"}).json()
    assert filled["load"]["open"] == 0 and client.get(at).json() == filled
    lines = client.get(at, params={"format": "csv"}).text.splitlines()
    assert lines[0].startswith("statement,start,end") and len(lines) == len(filled["cells"]) + 1
    page = client.get(at, params={"format": "html"})
    assert page.headers["content-type"].startswith("text/html") and "<table" in page.text
    assert_refused(client.post(at, json={"judge": "handoff:chat"}), 422, "invalid", "judge")
    assert_refused(client.get("/api/v1/runs/none/matrix"), 404, "not_found", "none")


@pytest.fixture(scope="module")
def documented(server):
    import httpx

    return httpx.get(server.url + "/openapi.json", trust_env=False).json()


def assert_described(documented, name, value):
    """Assert that a value has the keys that the OpenAPI document requires, and none that it does not know."""
    components = documented["components"]
    schema = {"$ref": f"#/components/schemas/{name}", "components": components}
    Draft202012Validator(schema).validate(value)
    described = components["schemas"][name]
    assert set(described["required"]) <= set(value) <= set(described["properties"])


def test_the_document_is_valid_openapi(documented):
    validate(documented)
    assert documented["openapi"].startswith("3.1")
    assert {path.split("/")[3] for path in documented["paths"] if path.startswith("/api/v1/")} == {
        "extract", "verify", "claims", "references", "runs", "labels", "comments", "exports", "gateway",
        "sentences",
    }  # fmt: skip


def test_the_schemas_of_records_are_their_json(client, documented):
    run = verify_answer(client)
    assert_described(documented, "Run", run)
    for citation in run["citations"]:
        assert_described(documented, "CitationResult", citation)
    assert_described(documented, "Judgment", run["citations"][0]["judgment"])
    assert_described(documented, "Source", run["citations"][0]["source"])
    extraction = extract(ANSWER).to_dict()
    assert_described(documented, "Extraction", extraction)
    assert_described(documented, "Reference", extraction["references"][0])
    assert_described(documented, "Claim", extraction["claims"][0])
    assert schemas.ref("Run") == {"$ref": "#/components/schemas/Run"}


def test_extract_gives_what_the_library_gives(client):
    answer = client.post("/api/v1/extract", json={"text": ANSWER})
    assert answer.json() == extract(ANSWER).to_dict()


def test_native_citations_of_a_provider_count(client):
    cited = {"url": "https://bridge.example/a", "title": "A", "start_index": 0, "end_index": 4}
    message = {
        "role": "assistant",
        "content": "Long [1].",
        "annotations": [{"type": "url_citation", "url_citation": cited}],
    }
    native = {"choices": [{"message": message}]}
    extraction = client.post("/api/v1/extract", json={"output": native}).json()
    assert "native" in {citation["kind"] for citation in extraction["citations"]}


@pytest.mark.parametrize(
    "text",
    ["\ud800 [1] \udfff", "\u202eright to left\u202c [1].", "<script>x()</script> [1]", "\x00 [1]"],
)
def test_odd_texts_come_back_as_they_went_in(client, text):
    answer = client.post(
        "/api/v1/verify", content=json.dumps({"text": text}),
        headers={"Content-Type": "application/json"},
    )  # fmt: skip
    assert answer.status_code == 200
    run_id = answer.json()["id"]
    assert client.get(f"/api/v1/runs/{run_id}/output").json()["text"] == text


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (b"", 400, "bad_json"),
        (b"{", 400, "bad_json"),
        (b"\xff\xfe", 400, "bad_json"),
        (b'{"text": NaN}', 400, "bad_json"),
        (b'{"text": "x", "max_cost_usd": 1e999}', 400, "bad_json"),
        (b'{"text": ' + b"[" * 500 + b"]" * 500 + b"}", 400, "bad_json"),
        (b"[" * 200_000, 400, "bad_json"),
        (b"null", 422, "invalid"),
        (b"{}", 422, "invalid"),
        (b'{"text": 3}', 422, "invalid"),
        (b'{"text": ""}', 422, "invalid"),
        (b'{"text": "x", "output": {}}', 422, "invalid"),
        (b'{"output": {"what": "is this"}}', 422, "unreadable_input"),
        (b'{"text": "x", "sources": "/etc"}', 422, "invalid"),
        (b'{"text": "x", "sources": [{"file": "/etc/passwd"}]}', 422, "invalid"),
        (b'{"text": "x", "judge": "scripted:/etc/passwd"}', 422, "invalid"),
        (b'{"text": "x", "judge": "anthropic:claude-haiku-4-5"}', 409, "missing_key"),
        (b'{"text": "x", "policy": "../../secret"}', 422, "invalid"),
        (b'{"text": "x", "policy": "none-such"}', 404, "unknown_policy"),
        (b'{"text": "x", "policy": "legal", "background": true}', 422, "invalid"),
        (b'{"text": "x", "trace_id": "nothing"}', 404, "not_found"),
        (b'{"text": "x", "more": 1}', 422, "invalid"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(client, body, status, kind):
    answer = client.post(
        "/api/v1/verify", content=body, headers={"Content-Type": "application/json"}
    )
    assert_refused(answer, status, kind)
    assert "Traceback" not in answer.text


def test_what_is_not_there_is_told_so(client):
    assert_refused(client.get("/api/v1/none"), 404, "not_found")
    assert_refused(client.get("/api/v1/runs/none"), 404, "not_found", "none")
    assert_refused(client.get("/api/v1/verify/none"), 404, "not_found")
    assert_refused(client.get("/api/v1/verify/none/events"), 404, "not_found")
    assert_refused(client.delete("/api/v1/verify/none"), 404, "not_found")
    assert_refused(client.get("/api/v1/exports/pdf"), 404, "not_found", "jsonl")
    not_allowed = client.put("/api/v1/runs")
    assert_refused(not_allowed, 405, "wrong_method")
    assert not_allowed.headers["allow"] == "GET"
    for query in ("limit=0", "limit=x", "limit=1&limit=2", "more=1", "offset=-1", "limit=1e3"):
        assert_refused(client.get(f"/api/v1/runs?{query}"), 422, "invalid")


@pytest.mark.parametrize(
    "name", ["%00", "a%00b", "..", "%2e%2e%2fb", "a%0Ab", "a%0D%0A", "%ED%A0%80"]
)
@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/api/v1/runs/{}"), ("GET", "/api/v1/runs/{}/output"), ("GET", "/api/v1/exports/{}"),
     ("DELETE", "/api/v1/verify/{}"), ("GET", "/v1/{}")],
)  # fmt: skip
def test_a_name_that_nothing_can_have_is_refused_in_json(server, name, method, path):
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request(method, path.format(name))  # as it is: a client would shorten `..`
    answer = line.getresponse()
    error = json.loads(answer.read())["error"]
    line.close()
    assert (answer.status, error["kind"]) == (404, "not_found")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path",
    ["/mcp/nothing", "/mcp/a/b", "/api/nothing", "/api/v1/nothing", "/v1", "/v1/nothing",
     "/openapi.json/nothing"],
)  # fmt: skip
def test_a_path_that_is_not_known_is_refused_in_json(client, method, path):
    answer = client.request(method, path)
    assert (answer.status_code, answer.json()["error"]["kind"]) == (404, "not_found")
    assert path in answer.json()["error"]["message"]


HALF = "a\ud800"


@pytest.mark.parametrize(
    ("path", "body"),
    [("/api/v1/verify", {"text": "Long [1].", "trace_id": HALF}),
     ("/api/v1/labels", {"run_id": HALF, "citation_id": "c1", "label": "supported", "reviewer": "Ada"}),
     ("/api/v1/labels", {"queue_id": HALF, "label": "supported", "reviewer": "Ada"}),
     ("/api/v1/comments", {"run_id": HALF, "citation_id": "c1", "author": "Ada", "body": "x"}),
     ("/api/v1/comments", {"citation_id": HALF, "author": "Ada", "body": "x"})],
)  # fmt: skip
def test_an_id_with_half_a_character_is_not_found(client, path, body):
    if path != "/api/v1/verify" and "run_id" not in body:
        run = verify_answer(client)
        body = {"run_id": run["id"], "citation_id": run["citations"][0]["id"], **body}
    answer = client.post(
        path, content=json.dumps(body), headers={"Content-Type": "application/json"}
    )
    assert_refused(answer, 404, "not_found", "half a character")


def test_a_run_is_kept_where_the_pages_see_it(client, server):
    run = verify_answer(client, name="Bridges", max_citations=1)
    assert client.get(f"/api/v1/runs/{run['id']}").json() == run
    listed = client.get("/api/v1/runs", params={"limit": 1}).json()
    assert (listed["runs"][0]["id"], listed["runs"][0]["name"]) == (run["id"], "Bridges")
    assert listed["next_offset"] == 1
    assert Store(server.data / "workbench.duckdb").get_run(run["id"]).to_dict() == run
    assert run["config"]["max_cost_usd"] == 1.0
    assert verify_answer(client, max_cost_usd=50)["config"]["max_cost_usd"] == 1.0


def test_nothing_is_fetched_where_the_settings_do_not_allow_it(client):
    text = "Long [1].\n\nReferences\n[1] https://elsewhere.example/a"
    run = client.post("/api/v1/verify", json={"text": text, "allow_fetch": True}).json()
    assert run["errors"] == {"fetch_disabled": 1}
    assert not run["config"]["allow_fetch"]


def test_a_policy_decides_about_a_run(client):
    text = "The old bridge is 120 metres long."
    run = client.post("/api/v1/verify", json={"text": text, "policy": "legal"}).json()
    assert run["policy"]["action"] in ("flag", "redact", "block")


def events_of(client, path):
    with client.stream("GET", path) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        lines = "".join(answer.iter_text()).split("\n\n")
    return [
        (event.split("\n")[0].removeprefix("event: "), json.loads(event.split("\ndata: ")[1]))
        for event in lines
        if event.startswith("event: ")
    ]


def test_a_run_in_the_background_tells_how_far_it_is(client, documented):
    body = {"text": ANSWER, "sources": SOURCES, "background": True}
    answer = client.post("/api/v1/verify", json=body)
    assert answer.status_code == 202
    job = answer.json()
    assert_described(documented, "Job", job)
    assert answer.headers["location"] == job["url"]
    events = events_of(client, job["events"])
    assert [name for name, _ in events[:-1]] == ["progress"] * (len(events) - 1)
    name, last = events[-1]
    assert (name, last["state"], last["error"]) == ("done", "done", None)
    assert client.get(job["url"]).json()["state"] == "done"
    assert client.get(job["run"]).json()["total_resolved"] == 2
    # nothing is left to stop
    assert_refused(client.delete(job["url"]), 409, "conflict")
    # a late subscriber gets the final event at once
    assert [name for name, _ in events_of(client, job["events"])] == ["done"]


def test_a_job_that_cannot_begin_is_refused_at_once(client):
    body = {"text": ANSWER, "judge": "openai:gpt-4o-mini", "background": True}
    assert_refused(client.post("/api/v1/verify", json=body), 409, "missing_key", "OPENAI_API_KEY")


def label(client, run, **more):
    fields = {
        "run_id": run["id"], "citation_id": run["citations"][0]["id"], "label": "contradicted",
        "reviewer": "Ada", **more,
    }  # fmt: skip
    return client.post("/api/v1/labels", json=fields)


def test_a_label_answers_the_fields_of_its_queue(client, documented, server):
    run = verify_answer(client)
    items = [(run["id"], run["citations"][0]["id"])]
    fields = [
        {"name": "severity", "question": "How bad?", "kind": "score", "required": True},
        {"name": "causes", "question": "Why?", "kind": "choices", "options": ["typo", "old"]},
    ]
    queue = Queues(Store(server.data / "workbench.duckdb")).build(
        "to do", created_by="Zoe", items=items, fields=parse_fields(fields)
    )
    missing = label(client, run, queue_id=queue.id, answers={"causes": ["old"]})
    assert_refused(missing, 422, "invalid", "'severity' needs an answer: How bad?")
    given = label(client, run, queue_id=queue.id, answers={"severity": 4, "causes": ["old"]})
    assert given.status_code == 201
    assert_described(documented, "Label", given.json())
    assert given.json()["queue_id"] == queue.id
    assert [(answer["name"], answer["value"]) for answer in given.json()["answers"]] == [
        ("severity", 4), ("causes", ["old"]),
    ]  # fmt: skip
    unnamed = label(client, run, answers={"severity": 4})
    assert_refused(unnamed, 422, "invalid", "specify the queue")


def test_a_run_is_renamed_and_called_what_it_was_again(client):
    run = verify_answer(client)
    address = f"/api/v1/runs/{run['id']}"
    first = client.patch(address, json={"title": " My  run ", "reviewer": "Ada"})
    assert (first.status_code, first.json()["name"]) == (200, "My run")
    again = client.patch(address, json={"title": "", "reviewer": "Ada"}).json()
    assert again["name"] != "My run"
    gone = client.patch("/api/v1/runs/none", json={"title": "x", "reviewer": "Ada"})
    assert_refused(gone, 404, "not_found", "no run 'none'")
    assert_refused(client.patch(address, json={"title": "x"}), 422, "invalid", "reviewer")


def test_comments_are_added_and_listed(client, documented):
    run = verify_answer(client)
    comment = {"run_id": run["id"], "citation_id": run["citations"][0]["id"], "author": "Ada"}
    added = client.post("/api/v1/comments", json=comment | {"body": "See <b>page 2</b>"})
    assert added.status_code == 201
    assert_described(documented, "CitationComment", added.json())
    client.post("/api/v1/comments", json=comment | {"body": "And 3."})
    page = client.get("/api/v1/comments", params={"run_id": run["id"], "limit": 1}).json()
    assert (page["comments"], page["next_offset"]) == ([added.json()], 1)
    other = comment | {"citation_id": "none", "body": "x"}
    assert_refused(client.post("/api/v1/comments", json=other), 422, "invalid", "no citation")
    nowhere = comment | {"run_id": "none", "body": "x"}
    assert_refused(client.post("/api/v1/comments", json=nowhere), 404, "not_found", "no run")


def test_a_label_is_added_and_never_changed(client, documented):
    run = verify_answer(client)
    first = label(client, run, note="No.", evidence=[{"start": 4, "end": 14}], fault="judge")
    assert first.status_code == 201
    assert_described(documented, "Label", first.json())
    assert first.json()["evidence"][0]["quote"] == "old bridge"
    assert first.json()["saw_judge"]
    same = label(client, run, note="No.", evidence=[{"start": 4, "end": 14}], fault="judge")
    assert (same.status_code, same.json()["id"]) == (200, first.json()["id"])
    second = label(client, run, label="supported").json()
    assert second["replaces"] == first.json()["id"]
    blind = label(client, run, reviewer="Bob", blind=True).json()
    assert (blind["saw_judge"], blind["judge_label"]) == (False, None)
    listed = client.get("/api/v1/labels", params={"run_id": run["id"]}).json()["labels"]
    assert listed == [second, blind]
    page = client.get("/api/v1/labels", params={"run_id": run["id"], "limit": 1}).json()
    assert (page["labels"], page["next_offset"]) == ([second], 1)
    bobs = client.get("/api/v1/labels", params={"run_id": run["id"], "reviewer": "Bob"}).json()
    assert (bobs["labels"], bobs["next_offset"]) == ([blind], None)


def test_a_sentence_is_corrected_and_an_uncited_one_is_compared(client, documented):
    text = ANSWER.replace("See [9].", "The old bridge is blue.")
    source = SOURCES[0] | {"content": "The old bridge is 120 metres long. The old bridge is blue."}
    run = client.post("/api/v1/verify", json={"text": text, "sources": [source]}).json()
    start = text.index("The old bridge is blue")
    report = client.post(f"/api/v1/runs/{run['id']}/uncited", json={"judge": "local"}).json()
    assert report["total_claims"] == 1
    (found,) = report["suggestions"]
    assert_described(documented, "SentenceSuggestion", found)
    body = {"run_id": run["id"], "start": start, "kind": "cited", "reviewer": "Ada",
            "stated_in": found["citation_id"]}  # fmt: skip
    taken = client.post("/api/v1/sentences", json=body)
    assert taken.status_code == 201
    assert_described(documented, "SentenceChange", taken.json())
    assert client.post("/api/v1/sentences", json=body).status_code == 200
    stored = client.get(f"/api/v1/runs/{run['id']}").json()
    assert stored["coverage"] == taken.json()["coverage"]
    assert stored["coverage"]["cited_elsewhere"] == 1
    assert_refused(
        client.post("/api/v1/sentences", json=body | {"start": 1}), 404, "not_found", "begins at 1"
    )
    assert_refused(
        client.post("/api/v1/sentences", json=body | {"kind": "claim"}), 422, "invalid", "kind"
    )


def test_a_label_needs_its_author_and_its_place(client):
    run = verify_answer(client)
    assert_refused(label(client, run, reviewer=""), 422, "invalid", "reviewer")
    assert_refused(label(client, run, reviewer="  "), 422, "invalid")
    assert_refused(label(client, run, run_id="none"), 404, "not_found")
    assert_refused(label(client, run, citation_id="none"), 404, "not_found")
    assert_refused(label(client, run, label="wrong"), 422, "invalid")
    assert_refused(label(client, run, evidence=[{"start": 0, "end": 10**6}]), 422, "invalid")
    missing = {"run_id": run["id"], "citation_id": "c1", "label": "supported"}
    assert_refused(client.post("/api/v1/labels", json=missing), 422, "invalid", "reviewer")


def test_every_export_is_a_file(client):
    run = verify_answer(client)
    label(client, run)
    for export in client.get("/api/v1/exports").json()["exports"]:
        plain = {"Accept-Encoding": "identity"}
        parameters = {"run_id": run["id"], "labelled": "false"}
        plan = client.get(export["plan_url"], params=parameters).json()
        with client.stream("GET", export["url"], params=parameters, headers=plain) as answer:
            assert answer.status_code == 200
            assert "attachment" in answer.headers["content-disposition"]
            body = answer.read()
        assert int(answer.headers["content-length"]) == len(body)
        assert int(answer.headers["x-workbench-rows"]) == plan["total"]
        parts = ", ".join(f"{part}={number}" for part, number in plan["rows"].items())
        assert answer.headers["x-workbench-rows-by-part"] == parts
        if export["format"] == "jsonl":
            rows = [json.loads(line) for line in body.splitlines()]
            assert len(rows) == plan["total"]
            # the labelled one may stand in the locked test set
            assert plan["total"] + plan["locked_test_items"] == 4
        if export["format"] == "parquet":
            assert parquet.read_table(io.BytesIO(body)).num_rows == plan["total"]
        if export["format"] == "huggingface":
            assert "README.md" in zipfile.ZipFile(io.BytesIO(body)).namelist()
    plan = client.get("/api/v1/exports/jsonl/plan", params={"run_id": run["id"]}).json()
    assert plan["total"] + plan["locked_test_items"] == 1
    assert_refused(client.get("/api/v1/exports/jsonl?run_id=none"), 404, "not_found")
    assert_refused(client.get("/api/v1/exports/pdf/plan"), 404, "not_found", "jsonl")
    assert_refused(client.get("/api/v1/exports/jsonl?part=all"), 422, "invalid")


GROUNDED = "The old bridge is 120 metres long [1]."
MADE_UP = "The old bridge is 120 metres long [1]. It is painted purple every spring [2]."
CONTEXT = "The old bridge is 120 metres long. It was opened to traffic in 1931."
STRICT = """
policy:
  citation-verifier:
    require_source_match: true
    output_action: {unverified_action: ACTION}
"""


@pytest.mark.parametrize("name", ["documents", "context"])
@pytest.mark.parametrize(
    "context", [CONTEXT, [CONTEXT], [{"content": CONTEXT, "title": "Bridges"}]]
)
def test_the_gateway_takes_context_in_any_form(client, name, context):
    result = client.post("/api/v1/gateway", json={"response": GROUNDED, name: context}).json()
    assert (result["action"], result["text"]) == ("pass", GROUNDED)
    assert result["report"]["citations"][0]["status"] == "verified"
    assert client.get(f"/api/v1/runs/{result['run_id']}").status_code == 200


@pytest.mark.parametrize("action", ["flag", "redact", "block"])
def test_the_gateway_does_what_the_policy_says(client, action, documented):
    body = {
        "response": MADE_UP,
        "context": CONTEXT,
        "policy_yaml": STRICT.replace("ACTION", action),
    }
    answer = client.post("/api/v1/gateway", json=body)
    assert answer.status_code == 200
    result = answer.json()
    assert result["action"] == action
    assert ("purple" in result["text"]) == (action == "flag")
    assert ("120 metres" in result["text"]) == (action != "block")
    assert ("error" in result) == (action == "block")
    assert result["report"]["unverified"] == 1


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("policy: {citation-verifier: {min_confidense: 1}}", "line 1"),
        ("policy:\n  citation-verifier:\n    external_resolver: {endpoint: 'https://a.example'}",
         "resolver"),
        ("policy:\n  citation-verifier:\n    external_resolver:\n      endpoint: https://a.example\n"
         "      api_key: ${HOME}", "line 5"),
        ("[" * 3000, "policy"),
    ],
)  # fmt: skip
def test_a_policy_that_is_sent_along_gets_no_secret(client, policy, message):
    answer = client.post("/api/v1/gateway", json={"response": "x", "policy_yaml": policy})
    assert_refused(answer, 422, "invalid_policy", message)
    assert "/root" not in answer.text


def test_a_policy_of_the_operators_own_is_called_by_its_name(client, server):
    (server.data / "policies").mkdir(exist_ok=True)
    (server.data / "policies" / "ours.yaml").write_text(STRICT.replace("ACTION", "block"))
    body = {"response": MADE_UP, "documents": [CONTEXT], "policy": "ours"}
    assert client.post("/api/v1/gateway", json=body).json()["action"] == "block"


def test_agents_are_served_by_the_same_process(client, server):
    run = verify_answer(client)

    async def call_agent():
        async with Client(server.url + "/mcp") as agent:
            listed = await agent.list_tools()
            response = await agent.call_tool("get_run", {"run_id": run["id"]})
            return {tool.name for tool in listed.tools}, response.structured_content

    names, stored = asyncio.run(call_agent())
    assert "verify_citations" in names
    assert stored == run


def documented_calls(name):
    call = r"/api/v1/(\w+) -H 'Content-Type: application/json' \\\n  -d '(.+)'"
    return dict(re.findall(call, (PROJECT / name).read_text("utf-8")))


def test_the_documented_calls_give_what_is_said(client):
    calls = documented_calls("data/docs/http.md")
    assert documented_calls("README.md").items() <= calls.items()
    run = client.post("/api/v1/verify", json=json.loads(calls["verify"])).json()
    assert run["total_citations_found"] == 1
    decided = client.post("/api/v1/gateway", json=json.loads(calls["gateway"])).json()
    assert (decided["action"], decided["report"]["verified"]) == ("pass", 1)
    assert decided["report"]["citations"][0]["matched_source"] == "[1]"
