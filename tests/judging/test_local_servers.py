"""Servers of language models on this machine, played by a real HTTP server on a port of its own."""

import asyncio
import json
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from tests.fakes.providers import Answer, FakeProvider, streamed, verdict, wire
from tests.fakes.served import free_port
from workbench.errors import JudgeError, UsageError
from workbench.judging import local_servers
from workbench.judging.batch import intend_batch
from workbench.judging.judge import judgment_key
from workbench.judging.judge_factory import (
    judge_availability,
    open_judge,
    open_provider,
    takes_prompt,
)
from workbench.judging.llm import LlmJudge
from workbench.judging.local_servers import SERVERS, find_servers, loopback, use_local_servers
from workbench.judging.passages import select_passages

SOURCE = "The mill was built in 1841 and burned down in 1907. It ground rye and barley."
CLAIM = "The mill was built in 1841."
GOOD = verdict(quote="built in 1841")
SPECS = {"ollama": "ollama:qwen3:8b", "lmstudio": "lmstudio:qwen/qwen3-8b@q4_k_m",
         "llamacpp": "llamacpp", "vllm": "vllm:Qwen/Qwen3-8B"}  # fmt: skip
HOSTS = {"ollama": "OLLAMA_HOST", "lmstudio": "LMSTUDIO_HOST", "llamacpp": "LLAMA_ARG_HOST",
         "vllm": "VLLM_HOST"}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_found_before(monkeypatch):
    monkeypatch.setattr(local_servers._FINDING, "found", None)
    yield
    use_local_servers(True)


@pytest.fixture
def server(monkeypatch):
    with serving(monkeypatch, "ollama", "qwen3:8b", "llama3.2:latest") as fake:
        yield fake


@contextmanager
def serving(monkeypatch, name, *models):
    with FakeProvider(lambda request: Answer(text=GOOD)) as fake:
        fake.models = list(models)
        monkeypatch.setenv(HOSTS[name], fake.url)
        yield fake


def ask(spec="ollama:qwen3:8b"):
    return open_judge(spec).judge(CLAIM, select_passages(CLAIM, SOURCE))


def refusal(spec="ollama:qwen3:8b"):
    with pytest.raises(JudgeError) as caught:
        ask(spec)
    return str(caught.value)


def port_of(fake):
    return fake.url.rpartition(":")[2]


# -- where it is looked for ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("127.0.0.1", ("127.0.0.1", None)), ("127.0.0.1:9", ("127.0.0.1", 9)),
        ("localhost:9", ("127.0.0.1", 9)), ("http://localhost:9/v1/", ("127.0.0.1", 9)),
        ("127.8.9.1", ("127.8.9.1", None)), ("0.0.0.0:9", ("127.0.0.1", 9)),
        (":9", ("127.0.0.1", 9)), ("::1", ("::1", None)), ("[::1]:9", ("::1", 9)),
        ("[::]:9", ("::1", 9)),
        *((text, None) for text in (
            "", "  ", "10.0.0.1", "192.168.1.4:9", "models.example:9", "127.0.0.1.models.example",
            "http://127.0.0.1@models.example/", "https://127.0.0.1", "file:///127.0.0.1", "[::1",
            "127.0.0.1:99999", "169.254.169.254", "localhost.models.example", "2130706433",
            "::ffff:10.0.0.1",
        )),
    ],
)  # fmt: skip
def test_only_addresses_of_this_machine_count(text, place):
    assert loopback(text) == place


@pytest.mark.parametrize("name", SERVERS)
def test_a_variable_that_leads_elsewhere_is_ignored(monkeypatch, name):
    monkeypatch.setenv(HOSTS[name], "models.example:4444")
    assert SERVERS[name].address == ("127.0.0.1", SERVERS[name].port)


def test_the_usual_ports(monkeypatch):
    for name in HOSTS.values():
        monkeypatch.delenv(name)
    assert {name: server.place for name, server in SERVERS.items()} == {
        "ollama": "127.0.0.1:11434", "lmstudio": "127.0.0.1:1234", "llamacpp": "127.0.0.1:8080",
        "vllm": "127.0.0.1:8000",
    }  # fmt: skip
    monkeypatch.setenv("LLAMA_ARG_PORT", "8123")
    assert SERVERS["llamacpp"].place == "127.0.0.1:8123"


# -- what is found ------------------------------------------------------------------------------


def offers():
    return {judge.spec: judge for judge in judge_availability()}


def test_its_models_are_offered_without_those_that_cannot_answer(server):
    server.models += ["nomic-embed-text:latest", "bge-m3", "two words", "<b>", 7, "qwen3:8b"]
    server.models.append("x" * 300)
    found = find_servers()[0]
    assert found.judges == ["ollama:qwen3:8b", "ollama:llama3.2:latest"]
    offer = offers()["ollama:qwen3:8b"]
    assert offer.available and offer.is_complete
    assert offer.reason == (
        f"Ollama at 127.0.0.1:{port_of(server)}: runs on this machine and costs nothing."
    )


def test_a_server_with_one_model_is_named_alone(monkeypatch):
    with serving(monkeypatch, "llamacpp", "/models/gemma.gguf", "gemma.gguf"):
        assert find_servers()[2].judges == ["llamacpp"]
        assert offers()["llamacpp"].available


def test_what_does_not_run_is_told_with_its_command():
    for name, server in SERVERS.items():
        offer = offers()[server.spec("MODEL")]
        assert not offer.available
        assert offer.reason == (
            f"{server.title} does not run at 127.0.0.1:9: start it with `{server.start}`."
        ), name


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(raw=b'{"object": "list", "data": []}'), "has no model: get one with `ollama pull"),
        (
            Answer(raw=b'{"object": "list", "data": null}'),
            "has no model: get one with `ollama pull",
        ),
        (Answer(raw=b"<!doctype html><title>Jupyter</title>"), "is not Ollama (no list of models"),
        (Answer(status=404, raw=b"{}"), "is not Ollama (HTTP 404 for /v1/models): start it with"),
        (Answer(status=302, raw=b""), "is not Ollama (HTTP 302"),
        (Answer(raw=b'{"models": []}'), "is not Ollama (no list of models"),
        (Answer(raw=b"[" * 5000), "is not Ollama (no list of models"),
        (Answer(raw=b" " * 50_000_000), "is not Ollama (more than 1,000,000 bytes"),
    ],
)
def test_a_list_that_is_none_is_told_for_what_it_is(server, answer, said):
    server.model_list = answer
    found = find_servers(2.0)[0]
    assert found.judges == []
    assert said in found.problem
    assert said in refusal()
    assert server.requests == []


def test_what_speaks_no_http_is_told(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{listener.getsockname()[1]}")

        def answer():
            connection, _ = listener.accept()
            connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
            connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        found = find_servers(2.0)[0]
        thread.join()
    assert "is not Ollama" in found.problem


def test_looking_takes_no_longer_than_it_may_and_goes_on_behind(server):
    server.model_list = Answer(delay_s=0.9, raw=b'{"data": [{"id": "qwen3:8b"}]}')
    begun = time.perf_counter()
    found = find_servers(0.2)[0]
    assert time.perf_counter() - begun < 0.7
    begun = time.perf_counter()
    find_servers(0.2)
    assert time.perf_counter() - begun < 0.15  # it was waited for
    assert found.state == "slow" and "did not list its models within 0.2 s" in found.problem
    assert find_servers(5.0)[0].judges == ["ollama:qwen3:8b"]
    assert server.listed == 1


def test_it_is_looked_for_once_in_a_while(server, monkeypatch):
    for _ in range(3):
        judge_availability()
    assert server.listed == 1
    monkeypatch.setattr(local_servers, "FRESH_S", 0.0)
    judge_availability()
    assert server.listed == 2


def test_where_settings_forbid_nothing_is_looked_for_or_asked(server):
    use_local_servers(False)
    assert find_servers() == []
    assert not any(spec.startswith("ollama") for spec in offers())
    with pytest.raises(UsageError, match="set local_servers = true in settings.toml"):
        open_judge("ollama:qwen3:8b")
    assert server.listed == 0


# -- asking -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SPECS)
def test_a_verdict_costs_nothing_and_is_checked_like_any(monkeypatch, name):
    spec = SPECS[name]
    with serving(monkeypatch, name, spec.partition(":")[2] or "gemma.gguf") as fake:
        judgment = ask(spec)
    assert (judgment.label, judgment.judge) == ("supported", spec)
    assert (judgment.cost_usd, judgment.price_unknown) == (0.0, False)
    (evidence,) = judgment.evidence
    assert SOURCE[evidence.start : evidence.end] == "built in 1841"
    (request,) = fake.requests
    assert request.body["response_format"]["type"] == "json_schema"
    assert request.body["max_tokens"] >= 2000
    assert request.body["model"] == (spec.partition(":")[2] or "gemma.gguf")


def test_it_is_a_language_model_without_batches(server):
    judge = open_judge(" ollama:qwen3:8b ")
    assert takes_prompt(judge.spec) and judge.worst_cost_usd(CLAIM, []) == 0.0
    with pytest.raises(UsageError, match="does not support batches"):
        intend_batch(judge, [])


@pytest.mark.parametrize("spec", ["ollama", "ollama:", "vllm:", "llamacpp:gemma", "llamacpp:"])
def test_a_spec_that_names_too_little_or_too_much(spec):
    with pytest.raises(UsageError, match="ollama:MODEL, lmstudio:MODEL, llamacpp, vllm:MODEL"):
        open_judge(spec)


def test_nothing_of_the_users_goes_along(server, monkeypatch):
    proxy = f"http://127.0.0.1:{free_port()}"
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-secret-0123456789")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Token: secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://models.example/v1")
    ask()
    (request,) = server.requests
    assert "secret" not in json.dumps(request.headers)
    assert set(request.headers) <= local_servers._SENT_HEADERS


def test_a_redirect_is_not_followed(server):
    with FakeProvider() as elsewhere:
        target = {"location": f"{elsewhere.url}/v1/chat/completions"}
        server.queue(Answer(status=307, headers=target))
        assert "HTTP 307" in refusal()
        assert elsewhere.requests == []


def test_without_support_for_the_schema_the_json_is_found_in_the_text(server):
    no = Answer(status=400, error="response_format json_schema is not supported")
    server.queue(no, Answer(status=500, error="failed to parse grammar"))
    server.reply = lambda request: Answer(text=f"Here it is:\n```json\n{GOOD}\n```\nAnything else?")
    judge = open_judge("ollama:qwen3:8b")
    passages = select_passages(CLAIM, SOURCE)
    for _ in range(2):
        assert judge.judge(CLAIM, passages).label == "supported"
    formats = [request.body.get("response_format", {}).get("type") for request in server.requests]
    assert formats == [
        "json_schema",
        "json_object",
        None,
        None,
    ]  # what is refused is not tried again
    assert '"enum": ["supported"' in server.requests[1].prompt
    assert '"enum": ["supported"' not in server.requests[0].prompt


def test_a_refusal_that_is_not_the_schemas_is_told_as_it_came(server):
    server.reply = lambda request: Answer(status=400, error="prompt is longer than the context")
    assert "HTTP 400, the request was refused (prompt is longer than the context)" in refusal()


def test_a_stream_that_nobody_asked_for_is_read(server):
    def stream(request):
        body = streamed(wire(request, Answer(text=GOOD, input_tokens=70, output_tokens=30)))
        return Answer(raw=b": waiting\n\n" + body)

    server.reply = stream
    judgment = ask()
    assert judgment.label == "supported"
    assert (judgment.input_tokens, judgment.output_tokens) == (70, 30)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"<!doctype html><h1>It works</h1>", "answered with a web page: check that it is Ollama"),
        (b'{"message": "ok"}', "answered with something else than a chat completion"),
        (b"", "answered with something else than a chat completion"),
        (b"x" * 50_000_000, "is longer than 4,000,000 bytes: check what listens there"),
    ],
)
def test_an_answer_that_is_none_is_told_for_what_it_is(server, raw, said):
    server.reply = lambda request: Answer(raw=raw)
    assert said in refusal()
    assert len(server.requests) == 1


def test_a_server_that_stalls_is_given_up_with_its_time_told(server):
    server.reply = lambda request: Answer(text=GOOD, delay_s=0.6)
    spec = "ollama:qwen3:8b"
    judge = LlmJudge(spec, open_provider(spec, timeout_s=0.2), None)
    with pytest.raises(JudgeError, match=r"did not answer within 0\.2 s: try a smaller model"):
        judge.judge(CLAIM, select_passages(CLAIM, SOURCE))
    assert len(server.requests) == 1


def test_one_question_at_a_time_so_that_none_waits_in_the_server(server):
    async def all_of_them():
        judge = open_judge("ollama:qwen3:8b")
        passages = select_passages(CLAIM, SOURCE)
        await asyncio.gather(*(judge.ajudge(CLAIM, passages) for _ in range(4)))
        await judge.aclose()

    server.reply = lambda request: Answer(text=GOOD, delay_s=0.02)
    asyncio.run(all_of_them())
    assert (len(server.requests), server.most_at_once, server.listed) == (4, 1, 1)


def test_a_model_that_is_not_there_is_told_with_those_that_are(server):
    server.models = [f"m{n}" for n in range(14)]
    assert refusal("ollama:gemma9").endswith(
        "has no model 'gemma9'; its models are m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 "
        "and 2 more."
    )
    assert server.requests == []  # LM Studio would answer with whatever is loaded
    server.models = ["gemma9"]
    server.reply = lambda request: Answer(status=404, error="model not loaded")
    assert "HTTP 404" in refusal("ollama:gemma9")
    assert {request.api for request in server.requests} == {"chat"}


def test_the_newest_of_a_name_needs_no_tag(server):
    assert ask("ollama:llama3.2").judge == "ollama:llama3.2"


def test_a_server_that_stopped_is_told_at_once(server, monkeypatch):
    port = free_port()
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{port}")
    assert f"Ollama does not run at 127.0.0.1:{port}: start it with `ollama serve`" in refusal()


def test_a_server_with_a_key_is_told_how_to_use(server):
    server.reply = lambda request: Answer(status=401, error="Unauthorized")
    assert (
        f"use openai:qwen3:8b with OPENAI_BASE_URL set to http://127.0.0.1:{port_of(server)}/v1"
        in refusal()
    )


def test_a_spec_without_a_model_finds_no_verdict_of_another_day(monkeypatch):
    passages = select_passages(CLAIM, SOURCE)
    keys = [judgment_key(open_judge(spec), CLAIM, passages) for spec in ("llamacpp", "llamacpp")]
    assert keys[0] != keys[1]
    named = [judgment_key(open_judge("ollama:a"), CLAIM, passages) for _ in range(2)]
    assert named[0] == named[1]
