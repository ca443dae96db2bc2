"""The client's own model as the judge, asked through the SDK's clients, new and old, and over stdio."""

import asyncio
import re
import threading

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import (
    CreateMessageResult,
    ErrorData,
    ImageContent,
    InputRequiredResult,
    TextContent,
)

from tests.fakes.launched import launched
from tests.fakes.providers import verdict
from workbench.interfaces.mcp import build_server, sampling
from workbench.services import client_judge
from workbench.settings import load_settings

PLACES = ("Lyon", "Turin", "Basel")
TEXT = "".join(
    f"The station of {place} opened in 1857 [{n}]. " for n, place in enumerate(PLACES, 1)
)
TEXT += "\n\n## References\n" + "".join(f"[{n}] {place}\n" for n, place in enumerate(PLACES, 1))
SOURCES = [
    {"content": f"The station of {place} opened in 1857 and was rebuilt.", "label": str(n)}
    for n, place in enumerate(PLACES, 1)
]
MODES = ["auto", "legacy"]
ASKED = re.compile(r"<claim>\s*The station of (\w+) opened in 1857")


class Model:
    """What a client's model answers, by the place that the claim names."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []

    async def __call__(self, context, params):
        (message,) = params.messages
        (place,) = ASKED.findall(message.content.text)
        self.asked.append((place, params))
        answer = self.answers.get(place, verdict(quote=f"The station of {place} opened in 1857"))
        if isinstance(answer, str):
            answer = CreateMessageResult(
                role="assistant", model="m", content=TextContent(type="text", text=answer)
            )
        return answer


@pytest.fixture
def settings(tmp_path):
    return load_settings({"WORKBENCH_DATA": str(tmp_path)})


def call(server, model, mode="auto", name="verify_citations", **more):
    arguments = {"output": TEXT, "model": "client", "sources": SOURCES, **more}

    async def once():
        async with Client(server, sampling_callback=model, mode=mode) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(once())


def verdicts(result):
    return {
        one["citation"]["identifier"]: one for one in result.structured_content["citations"]
    }  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_the_clients_model_judges_and_its_quotes_are_checked(settings, mode):
    model = Model(Turin=verdict(quote="The station of Turin opened in 1860"))
    server = build_server(settings)
    result = call(server, model, mode)
    assert not result.is_error, result.content
    found = verdicts(result)
    assert found["1"]["judge"]["supported"] is True
    assert found["1"]["judge"]["cost_usd"] == 0
    assert found["2"]["extensions"]["error_kind"] == "unverified_quote"
    assert sorted(place for place, _ in model.asked) == sorted(PLACES)
    _, params = model.asked[0]
    assert params.system_prompt.startswith("You check whether a source supports a claim.")
    assert "<passage" in params.messages[0].content.text
    stored = call(server, None, mode, "get_run")
    assert stored.is_error  # it takes other arguments
    run_id = result.structured_content["id"]

    async def read():
        async with Client(server) as client:
            return await client.call_tool("get_run", {"run_id": run_id})

    run = asyncio.run(read()).structured_content
    assert run["judge"] == ["client"]
    assert {c["judgment"]["judge"] for c in run["citations"] if c["judgment"]} == {"client"}


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        ("I would rather not say.", "malformed_judge_response", "is not a verdict"),
        (CreateMessageResult(role="assistant", model="m", stop_reason="maxTokens",
                             content=TextContent(type="text", text='{"reasoning": "The')),
         "malformed_judge_response", "was cut at"),
        (CreateMessageResult(role="assistant", model="m",
                             content=ImageContent(type="image", data="", mime_type="image/png")),
         "llm_judge_error", "the client's answer is no text"),
        (verdict("sure"), "malformed_judge_response", "its label is 'sure'"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", MODES)
def test_a_broken_answer_is_a_state_of_its_citation(settings, mode, answer, kind, said):
    found = verdicts(call(build_server(settings), Model(Turin=answer), mode))
    assert found["2"]["resolve_error"]["kind"] == kind
    assert said in found["2"]["resolve_error"]["message"]
    assert [found[n]["judge"]["supported"] for n in "13"] == [True] * 2


def test_what_the_client_refuses_is_a_state_of_its_citation(settings):
    model = Model(Turin=ErrorData(code=-1, message="The user said no"))
    found = verdicts(call(build_server(settings), model, "legacy"))
    assert found["2"]["resolve_error"]["kind"] == "llm_judge_error"
    assert (
        "client could not be asked: the client refused (The user said no)"
        in (found["2"]["resolve_error"]["message"])
    )
    assert [found[n]["judge"]["supported"] for n in "13"] == [True] * 2


def rounds(settings, answer_of):
    """The result of a call whose rounds are driven by hand, and how many there were."""

    async def drive():
        async with Client(build_server(settings), sampling_callback=Model()) as client:
            arguments = {"output": TEXT, "model": "client", "sources": SOURCES}
            responses, state, count = None, None, 0
            while True:
                result = await client.session.call_tool(
                    "verify_citations", arguments, input_responses=responses, request_state=state,
                    allow_input_required=True,
                )  # fmt: skip
                if not isinstance(result, InputRequiredResult):
                    return result, count
                count += 1
                model = Model()
                answers = {
                    key: await answer_of(model, request.params)
                    for key, request in result.input_requests.items()
                }
                responses = {key: answer for key, answer in answers.items() if answer}
                state = result.request_state

    return asyncio.run(drive())


def test_all_questions_go_in_one_round_and_one_without_an_answer_is_a_state(settings):
    async def answer(model, params):
        reply = await model(None, params)
        return None if model.asked[-1][0] == "Turin" else reply

    result, count = rounds(settings, answer)
    found = verdicts(result)
    assert count == 1
    assert "the client gave no answer" in found["2"]["resolve_error"]["message"]
    assert [found[n]["judge"]["supported"] for n in "13"] == [True] * 2


def test_a_client_that_goes_away_leaves_a_run_with_states(settings, monkeypatch):
    monkeypatch.setattr(client_judge, "ANSWER_S", 0.3)
    refused = Model(Turin=ErrorData(code=-1, message="The user said no"))
    server = build_server(settings)
    with pytest.raises((MCPError, ExceptionGroup)):  # the SDK's client gives up the whole call
        call(server, refused)
    for thread in [t for t in threading.enumerate() if t.name == "client-run"]:
        thread.join(20)

    async def newest():
        async with Client(server) as client:
            (run,) = (await client.call_tool("list_runs", {})).structured_content["runs"]
            return await client.call_tool("get_run", {"run_id": run["id"]})

    run = asyncio.run(newest()).structured_content
    messages = [one["error"]["message"] for one in run["citations"]]
    assert all("no answer within 0.3 s" in message for message in messages)


@pytest.mark.parametrize("mode", MODES)
def test_calls_are_capped(settings, mode):
    model = Model()
    found = verdicts(call(build_server(settings), model, mode, max_client_calls=2))
    assert len(model.asked) == 2
    (left,) = [one for one in found.values() if "resolve_error" in one]
    assert (
        "the limit of 2 calls is reached: raise max_client_calls"
        in (left["resolve_error"]["message"])
    )


@pytest.mark.parametrize("mode", MODES)
def test_a_client_without_sampling_is_told(settings, mode):
    result = call(build_server(settings), None, mode)
    assert result.is_error
    assert result.content[0].text == sampling.NO_SAMPLING


@pytest.mark.parametrize("name", ["verify_claims", "fact_check"])
def test_other_tools_do_not_ask_it(settings, name):
    given = {"verify_claims": {"text": "A claim."}, "fact_check": {"statement": "A claim."}}[name]

    async def once():
        async with Client(build_server(settings), sampling_callback=Model()) as client:
            return await client.call_tool(name, {"model": "client", "sources": SOURCES, **given})

    result = asyncio.run(once())
    assert result.is_error
    assert "only the tool verify_citations can ask it" in result.content[0].text


def test_its_verdicts_are_not_found_again_by_another_client(settings):
    server = build_server(settings)
    for _ in range(2):
        model = Model()
        call(server, model)
        assert len(model.asked) == 3


def test_many_waiting_runs_are_refused(settings, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_RUNS", 0)
    result = call(build_server(settings), Model())
    assert result.is_error and "try again later" in result.content[0].text


@pytest.mark.parametrize("mode", MODES)
def test_over_standard_input_and_output(tmp_path, mode):
    program, *arguments = launched("mcp")
    server = StdioServerParameters(
        command=program,
        args=arguments,
        env={"WORKBENCH_DATA": str(tmp_path)},
    )
    found = verdicts(call(server, Model(), mode))
    assert [one["judge"]["supported"] for one in found.values()] == [True] * 3
