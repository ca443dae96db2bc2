"""One flag on an agent: functions and real SDK clients whose answers carry their grounding."""

import asyncio
import json
from concurrent.futures import Future
from types import SimpleNamespace

import anthropic
import openai
import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench import Store, grounded
from workbench.errors import InvalidPolicy, UnreadableInput, UsageError
from workbench.interfaces.agent import Grounding
from workbench.judging.scripted import ScriptedJudge

BRIDGE = [{"url": "https://bridge.example/a", "content": "The bridge measures 120 metres."}]
CITED = "The bridge measures 120 metres [1].\n\nReferences\n[1] https://bridge.example/a"
PLAIN = "The bridge measures 120 metres. It was painted in a very bright green in 1950."


# -- functions ------------------------------------------------------------------------------------


def test_an_answer_that_cites_is_checked_citation_by_citation():
    @grounded(sources=BRIDGE)
    def agent(question: str) -> str:
        """Answers."""
        return CITED

    answer = agent("How long?")
    assert answer == CITED and isinstance(answer, str) and json.dumps(answer)
    grounding = answer.grounding
    assert grounding.checked and grounding.run.citations[0].verdict == "supported"
    assert grounding.summary == "1/1 citations supported (100%)"
    assert grounding.overall_grounded and grounding.supported_ratio == 1.0
    assert (agent.__name__, agent.__doc__) == ("agent", "Answers.")


def test_an_answer_that_cites_nothing_is_checked_claim_by_claim():
    answer = grounded(lambda: PLAIN, sources=BRIDGE)()
    grounding = answer.grounding
    assert grounding.run is None
    assert [claim.verdict for claim in grounding.report.claims] == ["supported", "unverifiable"]
    assert grounding.summary == "1/2 claims verified (50%)"
    document = json.loads(json.dumps(grounding.to_dict()))
    assert document["claims"]["supported_count"] == 1 and document["run"] is None


@pytest.mark.parametrize(
    ("answer", "options", "reason"),
    [
        (PLAIN, {}, "There are no sources"),
        (CITED, {}, "There are no sources"),
        (PLAIN, {"allow_fetch": True}, "It cites nothing. There are no sources"),
        (PLAIN, {"sources": BRIDGE, "check": "citations"}, "It cites nothing."),
        ("", {"sources": BRIDGE}, "contains no words"),
        ({"tool": 3}, {"sources": BRIDGE}, "contains no words"),
        (CITED, {"sources": []}, "There are no sources"),
        (PLAIN, {"sources": [], "check": "claims"}, "There are no sources"),
        (CITED, {"sources": BRIDGE, "max_total_usd": 0.0}, "Budget reached"),
    ],
)
def test_with_nothing_to_check_it_is_skipped_without_failing(answer, options, reason):
    result = grounded(lambda: answer, **options)()
    assert result == answer
    assert reason in result.grounding.skipped and not result.grounding.checked
    assert result.grounding.summary.startswith("Not checked: ")


def test_what_can_carry_nothing_comes_back_as_it_is():
    groundings = []
    for answer in (None, 7, (1, 2)):
        result = grounded(
            lambda returned=answer: returned,
            sources=BRIDGE,
            on_grounding=lambda call, g: groundings.append(g),
        )()
        assert result is answer
    assert [grounding.skipped for grounding in groundings] == ["The answer contains no words."] * 3


def test_dicts_and_objects_keep_their_shape():
    answer = grounded(lambda: {"answer": CITED, "n": 1}, sources=BRIDGE)()
    assert answer == {"answer": CITED, "n": 1} and json.loads(json.dumps(answer)) == answer
    assert answer.grounding.run.total_supported == 1
    answer = grounded(lambda: SimpleNamespace(output=CITED), sources=BRIDGE)()
    assert answer.output == CITED and answer.grounding.run.total_supported == 1


def test_sources_come_from_an_argument_a_key_or_a_function():
    @grounded(sources_from="documents")
    def agent(question, documents):
        return {"answer": CITED}

    assert agent("q", BRIDGE).grounding.run.total_supported == 1
    assert agent("q", documents=["The bridge measures 120 metres."]).grounding.run is not None
    assert agent("q", []).grounding.skipped == "There are no sources to check it against."
    by_key = grounded(lambda: {"answer": CITED, "used": BRIDGE}, sources_from="used")()
    assert by_key.grounding.run.total_supported == 1
    by_function = grounded(lambda q: CITED, sources_from=lambda call: BRIDGE if call.args else None)
    assert by_function("q").grounding.run.total_supported == 1


def test_whatever_goes_wrong_with_the_check_the_answer_comes_back():
    def broken(call):
        raise RuntimeError("<b>no index</b>")

    answer = grounded(lambda: CITED, sources_from=broken)()
    assert answer == CITED and answer.grounding.error == "RuntimeError: <b>no index</b>"
    answer = grounded(lambda: CITED, sources=BRIDGE, judge="anthropic:claude-haiku-4-5")()
    assert answer == CITED and "key" in answer.grounding.error
    answer = grounded(lambda: CITED, sources="nowhere.json")()
    assert answer == CITED and "nowhere.json" in answer.grounding.error
    answer = grounded(lambda: CITED, sources=BRIDGE, on_grounding=broken)()
    assert answer.grounding.run.total_supported == 1


def test_what_the_function_raises_is_raised():
    @grounded(sources=BRIDGE)
    def agent():
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        agent()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"source": []}, UsageError, "Unknown option source; available: .*judge, sources"),
        ({"check": "all"}, UsageError, "check is auto, citations, claims, not 'all'"),
        ({"where": "later"}, UsageError, "where is inline, background"),
        ({"policy": "no-such-policy"}, UnreadableInput, "no-such-policy"),
    ],
)
def test_the_callers_mistakes_are_told_when_the_flag_is_set(options, error, message):
    with pytest.raises(error, match=message):
        grounded(lambda: "", **options)


def test_a_policy_decides_and_the_answer_stays(tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("policy:\n  citation-verifier:\n    min_confidence: 3\n")
    with pytest.raises(InvalidPolicy, match="line 3"):
        grounded(lambda: "", policy=bad)
    strict = tmp_path / "strict.yaml"
    strict.write_text(
        "policy:\n  citation-verifier:\n    require_source_match: true\n"
        "    output_action:\n      unverified_action: redact\n"
    )
    wrong_answer = CITED.replace("120", "900")
    answer = grounded(lambda: wrong_answer, sources=BRIDGE, policy=strict)()
    assert answer == wrong_answer
    assert answer.grounding.decision.action == "redact"
    assert "900" not in answer.grounding.decision.text
    uncited = grounded(lambda: PLAIN, sources=BRIDGE, policy="legal")()
    assert uncited.grounding.decision.action == "block" and uncited.grounding.report.claims


def test_runs_are_kept_where_a_store_is_named(tmp_path):
    store = Store(tmp_path / "w.duckdb")

    @grounded(sources=BRIDGE, store=store)
    def my_agent():
        return CITED

    run = my_agent().grounding.run
    (summary,) = store.list_runs()
    assert summary.id == run.id and "my_agent" in summary.name
    assert store.get_output(run.output_sha256) == CITED


def test_in_the_background_the_grounding_is_a_future():
    answer = grounded(lambda: CITED, sources=BRIDGE, where="background")()
    assert answer == CITED and isinstance(answer.grounding, Future)
    assert answer.grounding.result(60).run.total_supported == 1


def test_an_asynchronous_function_stays_one():
    @grounded(sources=BRIDGE)
    async def agent():
        return CITED

    assert asyncio.iscoroutinefunction(agent)
    assert asyncio.run(agent()).grounding.run.total_supported == 1

    def later():
        return asyncio.sleep(0, CITED)

    async def call_agent():
        return await grounded(later, sources=BRIDGE)()

    assert asyncio.run(call_agent()).grounding.run.total_supported == 1


def test_a_generator_hands_its_pieces_on_and_is_checked_after_the_last():
    @grounded(sources=BRIDGE)
    def agent():
        yield from (CITED[:10], CITED[10:])

    stream = agent()
    assert next(stream) == CITED[:10] and stream.grounding is None
    assert list(stream) == [CITED[10:]]
    assert stream.grounding.run.total_supported == 1

    @grounded(sources=BRIDGE)
    async def later():
        for piece in (CITED[:10], CITED[10:]):
            yield piece

    async def collect():
        stream = later()
        return [piece async for piece in stream], stream.grounding

    pieces, grounding = asyncio.run(collect())
    assert "".join(pieces) == CITED and grounding.run.total_supported == 1


def test_the_total_cap_holds_over_many_answers(monkeypatch):
    with FakeProvider(lambda request: Answer(text=verdict("not_supported"))) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url + "/v1")
        agent = grounded(lambda: CITED, sources=BRIDGE, judge="openai:gpt-4o", max_total_usd=0.05)
        groundings = [agent().grounding for _ in range(60)]
        request_count = len(server.requests)
    assert 0 < sum(grounding.cost_usd for grounding in groundings) <= 0.05
    assert 0 < request_count < 60
    assert groundings[0].checked and not groundings[-1].cost_usd
    last = groundings[-1].run.citations[0].error
    assert last.kind == "cost_cap_reached"


# -- clients --------------------------------------------------------------------------------------


@pytest.fixture
def server():
    with FakeProvider(lambda request: Answer(text=CITED)) as running:
        yield running


def ask_anthropic(client, **more):
    return client.messages.create(
        model="claude-haiku-4-5",
        max_tokens=100,
        messages=more.pop("messages", [{"role": "user", "content": "How long?"}]),
        **more,
    )


def test_an_anthropic_client_answers_as_ever_and_with_its_grounding(server):
    client = anthropic.Anthropic(api_key="not-a-key", base_url=server.url)
    original_create = client.messages.create
    with grounded(client, sources=BRIDGE) as wrapped:
        assert wrapped is client
        message = ask_anthropic(client)
    assert isinstance(message, anthropic.types.Message) and message.content[0].text == CITED
    assert message.grounding.run.total_supported == 1
    assert "grounding" not in message.model_dump_json() and "grounding" not in message.to_dict()
    assert message.model_copy(deep=True).content == message.content
    assert client.messages.create == original_create
    assert not hasattr(ask_anthropic(client), "grounding")


def native(asked_documents):
    blocks = [
        {"type": "text", "text": "I looked it up. ", "citations": None},
        {
            "type": "text",
            "text": "The bridge measures 120 metres.",
            "citations": [
                {
                    "type": "char_location",
                    "cited_text": "The bridge measures 120 metres.",
                    "document_index": asked_documents,
                    "document_title": None,
                    "start_char_index": 0,
                    "end_char_index": 31,
                    "file_id": None,
                }
            ],
        },
    ]
    return json.dumps(
        {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
            "content": blocks, "stop_reason": "end_turn", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    ).encode()  # fmt: skip


def document(text, title=None):
    return {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": text},
        "citations": {"enabled": True},
        **({"title": title} if title else {}),
    }


@pytest.mark.parametrize(("index", "verdict_"), [(1, "supported"), (0, "not_supported")])
def test_native_citations_are_checked_against_the_documents_of_the_request(index, verdict_):
    content = [
        document("The tower is made of red bricks and has a clock."),
        document("The bridge measures 120 metres."),
        {"type": "text", "text": "How long is the bridge?"},
    ]
    with FakeProvider() as server:
        server.queue(Answer(raw=native(index)))
        client = anthropic.Anthropic(api_key="not-a-key", base_url=server.url)
        with grounded(client):
            message = ask_anthropic(client, messages=[{"role": "user", "content": content}])
    (result,) = message.grounding.run.counted
    assert result.citation.kind == "native" and result.error is None
    assert (result.verdict == "supported") == (verdict_ == "supported")
    assert message.content[1].citations[0].document_title is None


def test_an_asynchronous_anthropic_client(server):
    async def collect():
        async with anthropic.AsyncAnthropic(api_key="not-a-key", base_url=server.url) as client:
            with grounded(client, sources=BRIDGE):
                return await asyncio.gather(*(ask_anthropic(client) for _ in range(3)))

    for message in asyncio.run(collect()):
        assert message.grounding.run.total_supported == 1


def test_an_openai_client_in_both_its_ways(server):
    client = openai.OpenAI(api_key="not-a-key", base_url=server.url + "/v1")
    with grounded(client, sources=BRIDGE):
        chat = client.chat.completions.create(
            model="gpt-4o", messages=[{"role": "user", "content": "How long?"}]
        )
        response = client.responses.create(model="gpt-4o", input="How long?")
    assert chat.choices[0].message.content == CITED
    assert chat.grounding.run.total_supported == 1
    assert response.output_text == CITED and response.grounding.run.total_supported == 1
    assert "grounding" not in chat.model_dump_json() + response.model_dump_json()


def test_file_search_brings_its_own_sources():
    body = {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-4o",
        "status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
        "output": [
            {"id": "fs_1", "type": "file_search_call", "status": "completed", "queries": ["q"],
             "results": [{"file_id": "file-1", "filename": "bridge.txt", "score": 0.9,
                          "text": "The bridge measures 120 metres."}]},
            {"id": "out_1", "type": "message", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "The bridge measures 120 metres.",
                          "annotations": [{"type": "file_citation", "index": 31,
                                           "file_id": "file-1", "filename": "bridge.txt"}]}]},
        ],
    }  # fmt: skip
    with FakeProvider() as server:
        server.queue(Answer(raw=json.dumps(body).encode()))
        client = openai.OpenAI(api_key="not-a-key", base_url=server.url + "/v1")
        with grounded(client):
            response = client.responses.create(model="gpt-4o", input="How long?")
    assert response.grounding.run.total_supported == 1


def test_an_agent_of_ones_own_names_its_methods():
    class Agent:
        def run(self, question):
            return CITED

    agent = Agent()
    with grounded(agent, sources=BRIDGE, methods=("run",)):
        assert agent.run("q").grounding.run.total_supported == 1
    assert type(agent.run("q")) is str and "run" not in vars(agent)
    with pytest.raises(UsageError, match="has none of the expected methods"):
        grounded(object())


def test_two_blocks_within_each_other_come_apart_again(server):
    client = anthropic.Anthropic(api_key="not-a-key", base_url=server.url)
    with grounded(client, sources=BRIDGE):
        with grounded(client, sources=[{"title": "x", "content": "Nothing of the kind."}]):
            assert ask_anthropic(client).grounding.run.total_supported >= 0
        assert ask_anthropic(client).grounding.run.total_supported == 1
    assert "create" not in vars(client.messages)


def test_a_judge_that_asks_the_same_client_is_not_checked_itself(server):
    client = anthropic.Anthropic(api_key="not-a-key", base_url=server.url)

    class Asking(ScriptedJudge):
        def judge(self, claim, passages):
            return super().judge(claim, passages)

    def sources(call):
        ask_anthropic(client)
        return BRIDGE

    with grounded(client, sources_from=sources):
        assert ask_anthropic(client).grounding.run.total_supported == 1
    assert len(server.requests) == 2


def test_a_stream_of_the_sdk_is_checked_at_its_end():
    events = [
        ("message_start", {"type": "message_start", "message": {
            "id": "m", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
            "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1}}}),
        ("content_block_start", {"type": "content_block_start", "index": 0,
                                 "content_block": {"type": "text", "text": ""}}),
        *[("content_block_delta", {"type": "content_block_delta", "index": 0,
                                   "delta": {"type": "text_delta", "text": part}})
          for part in (CITED[:20], CITED[20:])],
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        ("message_delta", {"type": "message_delta", "delta": {"stop_reason": "end_turn",
                           "stop_sequence": None}, "usage": {"output_tokens": 5}}),
        ("message_stop", {"type": "message_stop"}),
    ]  # fmt: skip
    raw = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events).encode()
    sse = {"content-type": "text/event-stream"}
    with FakeProvider() as server:
        server.queue(*(Answer(raw=raw, headers=sse) for _ in range(2)))
        client = anthropic.Anthropic(api_key="not-a-key", base_url=server.url)
        with grounded(client, sources=BRIDGE):
            with ask_anthropic(client, stream=True) as stream:
                kinds = [event.type for event in stream]
            assert kinds[0] == "message_start" and len(kinds) == len(events)
            assert stream.grounding.run.total_supported == 1
            with client.messages.stream(
                model="claude-haiku-4-5", max_tokens=9,
                messages=[{"role": "user", "content": "How long?"}],
            ) as live:  # fmt: skip
                assert "".join(live.text_stream) == CITED
                final = live.get_final_message()
    assert final.grounding.run.total_supported == 1


def test_chunks_of_a_chat_completion_make_one_answer():
    chunks = [
        {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o",
         "choices": [{"index": 0, "delta": {"content": part}, "finish_reason": None}]}
        for part in (CITED[:20], CITED[20:])
    ]  # fmt: skip
    raw = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    with FakeProvider() as server:
        server.queue(Answer(raw=raw.encode(), headers={"content-type": "text/event-stream"}))
        client = openai.OpenAI(api_key="not-a-key", base_url=server.url + "/v1")
        with grounded(client, sources=BRIDGE):
            stream = client.chat.completions.create(
                model="gpt-4o", messages=[{"role": "user", "content": "q"}], stream=True
            )
            assert len(list(stream)) == 2
    assert stream.grounding.run.total_supported == 1


def test_an_empty_grounding_says_what_it_is():
    assert Grounding(skipped="There is nothing.").to_dict()["summary"] == (
        "Not checked: There is nothing."
    )
