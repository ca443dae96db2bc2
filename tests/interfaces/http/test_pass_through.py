"""The pass-through as the real OpenAI SDK sees it, with a fake provider behind it."""

import json

import httpx
import openai
import pytest

from tests.fakes.providers import Answer, FakeProvider
from tests.fakes.served import served

KEY = "sk-of-the-server-itself"
CALLERS = "sk-of-the-caller"
TRUE = "The old bridge is 120 metres long [1]."
FALSE = "The old bridge is 120 metres long [1]. It is painted purple every spring [2]."
CONTEXT = ["The old bridge is 120 metres long. It was opened to traffic in 1931."]
ASKED = [{"role": "user", "content": "Tell me of the bridge."}]
POLICY = """
policy:
  citation-verifier:
    require_source_match: true
    output_action: {unverified_action: ACTION}
"""


@pytest.fixture(scope="module")
def provider():
    with FakeProvider() as provider:
        yield provider


@pytest.fixture(scope="module")
def server(tmp_path_factory, provider):
    data = tmp_path_factory.mktemp("passing")
    (data / "policies").mkdir()
    for action in ("flag", "redact", "block"):
        (data / "policies" / f"{action}.yaml").write_text(POLICY.replace("ACTION", action))
    environment = {"OPENAI_BASE_URL": provider.url + "/v1", "OPENAI_API_KEY": KEY}
    with served(
        data, "--calls-per-minute", "100000", ready_at="/openapi.json", **environment
    ) as running:
        yield running


@pytest.fixture
def sdk(server):
    with openai.OpenAI(
        base_url=server.url + "/v1", api_key=CALLERS, max_retries=0,
        http_client=openai.DefaultHttpxClient(trust_env=False),
    ) as client:  # fmt: skip
        yield client


@pytest.fixture
def set_answer(provider):
    def answer(text=FALSE, **more):
        provider._queue.clear()
        provider.queue(Answer(text=text, **more))

    provider.requests.clear()
    return answer


def ask(sdk, **more):
    return sdk.chat.completions.with_raw_response.create(
        model="gpt-4o-mini", messages=more.pop("messages", ASKED), **more
    )


def report_of(completion):
    return completion.model_extra["citation_report"]


def workbench_fields(**fields):
    return {"workbench": fields}


def test_an_answer_comes_with_its_report(sdk, set_answer):
    set_answer(TRUE)
    raw = ask(sdk, extra_body={"documents": CONTEXT})
    completion = raw.parse()
    assert completion.choices[0].message.content == TRUE
    assert raw.headers["x-workbench-action"] == "pass"
    report = report_of(completion)
    assert report["action"] == "pass"
    assert {citation["status"] for citation in report["citations"]} == {"verified"}
    assert report["run_id"] == raw.headers["x-workbench-run"]


def test_the_run_is_kept(sdk, set_answer, client):
    set_answer(TRUE)
    raw = ask(sdk, extra_body={"documents": CONTEXT})
    run = client.get(f"/api/v1/runs/{raw.headers['x-workbench-run']}")
    assert run.json()["total_supported"] == 1


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("action", ["flag", "redact", "block"])
def test_what_the_policy_says_happens_to_the_answer(sdk, set_answer, action, stream):
    set_answer(FALSE)
    raw = ask(sdk, stream=stream, extra_body=workbench_fields(documents=CONTEXT, policy=action))
    if stream:
        chunks = list(raw.parse())
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        refusals = [chunk.choices[0].delta.refusal for chunk in chunks if chunk.choices]
        ends = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices]
        report = report_of(chunks[-1])
    else:
        completion = raw.parse()
        text = completion.choices[0].message.content or ""
        refusals = [completion.choices[0].message.refusal]
        ends = [completion.choices[0].finish_reason]
        report = report_of(completion)
    outcome = "pending" if action == "flag" and stream else action
    assert raw.headers["x-workbench-action"] == outcome
    assert report["action"] == action
    assert ("purple" in text) == (action == "flag")
    assert ("120 metres" in text) == (action != "block")
    assert any("Blocked by the citation policy" in (refusal or "") for refusal in refusals) == (
        action == "block"
    )
    assert [reason for reason in ends if reason] == [
        "content_filter" if action == "block" else "stop"
    ]


def test_a_stream_is_held_where_the_policy_can_block(server, set_answer):
    set_answer(FALSE)
    body = {"model": "m", "messages": ASKED, "stream": True,
            **workbench_fields(documents=CONTEXT, policy="block")}  # fmt: skip
    answer = httpx.post(server.url + "/v1/chat/completions", json=body, trust_env=False, timeout=60)
    chunks = [
        json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")
    ]
    assert [chunk["choices"][0]["delta"]["content"] for chunk in chunks if chunk["choices"]] == [
        None
    ]
    assert answer.text.rstrip().endswith("data: [DONE]")


def test_a_stream_passes_word_by_word_where_it_cannot(sdk, set_answer):
    set_answer(FALSE)
    with sdk.chat.completions.create(
        model="m", messages=ASKED, stream=True, stream_options={"include_usage": True},
        extra_body={"context": CONTEXT},
    ) as stream:  # fmt: skip
        chunks = list(stream)
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == FALSE
    assert len(chunks) > 10
    assert chunks[-2].usage is not None
    assert report_of(chunks[-1])["unverified"] >= 1


def test_everything_else_passes_untouched(sdk, set_answer, provider):
    set_answer(TRUE)
    tools = [{"type": "function", "function": {"name": "look_up", "parameters": {}}}]
    more = {"top_k": 3, "deep": {"er": [1, None, "\u2028"]}, "documents": CONTEXT}
    ask(
        sdk,
        temperature=0.25,
        seed=7,
        tools=tools,
        extra_body={**more, **workbench_fields(judge="local")},
    )
    (request,) = provider.requests
    assert request.body == {
        "model": "gpt-4o-mini", "messages": ASKED, "temperature": 0.25, "seed": 7, "tools": tools,
        "top_k": 3, "deep": {"er": [1, None, "\u2028"]},
    }  # fmt: skip
    set_answer(TRUE)
    ask(sdk, extra_body={"documents": CONTEXT, **workbench_fields(forward_documents=True)})
    assert provider.requests[-1].body["documents"] == CONTEXT


def test_a_call_of_tools_passes(sdk, set_answer):
    call = {"id": "c", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    set_answer(raw=json.dumps(body).encode())
    completion = ask(sdk, extra_body=workbench_fields(documents=CONTEXT, policy="block")).parse()
    assert completion.choices[0].message.tool_calls[0].function.name == "look_up"
    assert "no text" in report_of(completion)["skipped"]


def test_each_of_several_choices_is_checked(sdk, set_answer):
    choices = [
        {"index": n, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for n, text in enumerate((TRUE, FALSE))
    ]
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}
    set_answer(raw=json.dumps(body).encode())
    raw = ask(sdk, extra_body=workbench_fields(documents=CONTEXT, policy="redact"))
    first, second = raw.parse().choices
    assert first.message.content == TRUE
    assert "purple" not in second.message.content
    report = report_of(raw.parse())
    assert report["action"] == raw.headers["x-workbench-action"] == "redact"
    assert [choice["action"] for choice in report["choices"]] == ["pass", "redact"]


def test_what_tools_gave_back_is_what_the_answer_is_checked_against(sdk, set_answer):
    results = [{"url": "https://a.example", "title": "Bridges", "content": CONTEXT[0]}]
    for content in (CONTEXT[0], json.dumps(results), json.dumps({"results": results})):
        set_answer(TRUE)
        messages = [*ASKED, {"role": "tool", "tool_call_id": "c", "content": content}]
        report = report_of(ask(sdk, messages=messages).parse())
        assert report["citations"][-1]["status"] == "verified"
    # a system message counts where the call says so
    set_answer(TRUE)
    messages = [{"role": "system", "content": CONTEXT[0]}, *ASKED]
    report = report_of(
        ask(sdk, messages=messages, extra_body=workbench_fields(context_from=["system"])).parse()
    )
    assert report["citations"][-1]["status"] == "verified"


def test_without_anything_to_verify_against_it_is_skipped(sdk, set_answer):
    set_answer(TRUE)
    raw = ask(sdk)
    assert raw.parse().choices[0].message.content == TRUE
    assert raw.headers["x-workbench-action"] == "pass"
    assert "nothing to verify" in report_of(raw.parse())["skipped"]
    # a named policy applies all the same: leaving documents out does not bypass it
    set_answer(TRUE)
    assert (
        ask(sdk, extra_body=workbench_fields(policy="block")).headers["x-workbench-action"]
        == "block"
    )


def test_whose_key_is_used(sdk, set_answer, provider, server):
    set_answer(TRUE)
    ask(sdk)
    assert provider.requests[-1].headers["authorization"] == f"Bearer {CALLERS}"
    for headers in ({"Authorization": "Bearer workbench"}, {}):
        set_answer(TRUE)
        httpx.post(
            server.url + "/v1/chat/completions", json={"messages": ASKED}, headers=headers,
            trust_env=False, timeout=60,
        )  # fmt: skip
        assert provider.requests[-1].headers["authorization"] == f"Bearer {KEY}"
    for path in server.data.rglob("*"):
        if path.is_file():
            body = path.read_bytes()
            assert CALLERS.encode() not in body
            assert KEY.encode() not in body


def test_what_is_said_for_this_server_stays_here(sdk, set_answer, provider):
    set_answer(TRUE)
    ask(sdk, extra_headers={"X-Workbench-Token": "x", "Cookie": "a=b", "OpenAI-Project": "p"})
    headers = provider.requests[-1].headers
    assert headers["openai-project"] == "p"
    assert "cookie" not in headers
    assert "x-workbench-token" not in headers


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("status", "error"),
    [(400, openai.BadRequestError), (401, openai.AuthenticationError),
     (429, openai.RateLimitError), (500, openai.InternalServerError)],
)  # fmt: skip
def test_errors_of_the_server_behind_are_handed_back(sdk, set_answer, status, error, stream):
    set_answer(status=status, error="so it said", headers={"retry-after": "7"})
    with pytest.raises(error) as raised:
        ask(sdk, stream=stream, extra_body=workbench_fields(policy="block") if stream else {})
    assert "so it said" in str(raised.value)
    assert raised.value.response.headers["retry-after"] == "7"


@pytest.mark.parametrize("stream", [False, True])
def test_a_server_that_hangs_up_is_told_so(sdk, set_answer, stream):
    set_answer(hang_up=True)
    with pytest.raises(openai.InternalServerError) as raised:
        ask(sdk, stream=stream)
    assert raised.value.status_code == 502
    assert raised.value.body["kind"] == "upstream_failed"


def test_what_is_no_completion_does_not_slip_past_a_policy(sdk, set_answer):
    set_answer(raw=b'"purple"')
    assert ask(sdk).text == '"purple"'
    set_answer(raw=b'"purple"')
    with pytest.raises(openai.InternalServerError):
        ask(sdk, extra_body=workbench_fields(policy="block"))


def test_an_answer_that_cannot_be_checked_is_held_back(sdk, set_answer, provider):
    with pytest.raises(openai.ConflictError) as raised:
        ask(sdk, extra_body=workbench_fields(judge="anthropic:claude-haiku-4-5"))
    assert raised.value.body["kind"] == "missing_key"
    # nothing was requested, so nothing was paid
    assert provider.requests == []


@pytest.mark.parametrize(
    "fields", [{"policy": "none-such"}, {"police": "x"}, {"policy": "../x"}, {"documents": [3]}]
)
def test_a_mistake_is_told_before_anything_is_paid(sdk, provider, set_answer, fields):
    with pytest.raises((openai.UnprocessableEntityError, openai.NotFoundError)):
        ask(sdk, extra_body=workbench_fields(**fields))
    assert provider.requests == []


def test_a_call_that_came_round_is_stopped(server, sdk, set_answer, provider):
    with pytest.raises(openai.InternalServerError) as raised:
        ask(sdk, extra_headers={"X-Workbench-Hop": "1"})
    assert raised.value.status_code == 508
    assert provider.requests == []
