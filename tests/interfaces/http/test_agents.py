"""`/mcp` of `workbench serve`, as the SDK's own client over HTTP sees it."""

import asyncio

import httpx2
import mcp
import pytest
from mcp.client.streamable_http import streamable_http_client

import workbench
from tests.fakes.served import served
from tests.fakes.web_server import fake_web, page
from workbench.interfaces.mcp import list_tools

TOKEN = "a-token-of-enough-letters"
SOURCES = [{"url": "https://bridge.example/a", "content": "The old bridge is 120 metres long."}]


def with_agent(url, work, statuses=None, mode="auto", path="/mcp", **headers):
    """What `work` returns for a connected client; `statuses` collects those of all responses."""

    async def note_status(answer):
        if statuses is not None:
            statuses.add(answer.status_code)

    async def session():
        async with httpx2.AsyncClient(
            headers=headers, trust_env=False, timeout=60, follow_redirects=True,
            event_hooks={"response": [note_status]},
        ) as http:  # fmt: skip
            asking = streamable_http_client(url + path, http_client=http)
            async with mcp.Client(asking, mode=mode) as agent:
                return await work(agent)

    return asyncio.run(session())


def call_tool(url, tool, arguments, **headers):
    result = with_agent(url, lambda agent: agent.call_tool(tool, arguments), **headers)
    assert not result.is_error, result.content
    return result.structured_content


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_is_told_who_serves_and_which_tools_there_are(server, mode):
    """Either by the newer handshake, or by `initialize`."""

    async def inspect(agent):
        return agent.server_info, await agent.list_tools()

    serving, listed = with_agent(server.url, inspect, mode=mode)
    assert (serving.name, serving.version) == ("citation-workbench", workbench.__version__)
    assert [tool.name for tool in listed.tools] == [tool["name"] for tool in list_tools()]


def test_an_address_with_a_slash_at_its_end_serves_the_same(server):
    listed = with_agent(server.url, lambda agent: agent.list_tools(), path="/mcp/")
    assert [tool.name for tool in listed.tools] == [tool["name"] for tool in list_tools()]


def test_a_text_is_checked_claim_by_claim(server):
    text = "The old bridge is 120 metres long. The mayor keeps seven cats."
    report = call_tool(server.url, "verify_claims", {"text": text, "sources": SOURCES})
    assert [(claim["text"], claim["verdict"]) for claim in report["claims"]] == [
        ("The old bridge is 120 metres long.", "supported"),
        ("The mayor keeps seven cats.", "unverifiable"),
    ]
    assert (report["supported_ratio"], report["supported_count"]) == (0.5, 1)


def test_a_wish_to_fetch_is_refused_where_the_operator_does_not_allow_it(server):
    with fake_web() as web:
        web.replies["*"] = page("<html><p>The old bridge is 120 metres long.</p></html>")
        address = f"http://127.0.0.1:{web.port}/length"
        arguments = {
            "output": f"The old bridge is 120 metres long [1].\n\n## References\n[1] {address}\n",
            "model": "local", "allow_fetch": True, "domain_allowlist": ["127.0.0.1"],
        }  # fmt: skip
        report = call_tool(server.url, "verify_citations", arguments)
        assert web.requests == []
    (citation,) = report["citations"]
    assert citation["resolve_error"]["kind"] == "fetch_disabled"
    assert "allow_fetch = true in settings.toml" in citation["resolve_error"]["message"]
    assert (report["total_resolved"], report["passed"]) == (0, True)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    data = tmp_path_factory.mktemp("guarded")
    (data / "token").write_text(TOKEN)
    with served(data, "--token-file", str(data / "token")) as server:
        yield server


@pytest.mark.parametrize("headers", [{}, {"Authorization": f"Bearer {TOKEN}x"}])
def test_without_the_token_an_agent_does_not_come_in(guarded, headers):
    statuses = set()
    with pytest.raises(ExceptionGroup):
        with_agent(guarded.url, lambda agent: agent.list_tools(), statuses, **headers)
    assert statuses == {401}


@pytest.mark.parametrize(
    "headers", [{"Authorization": f"Bearer {TOKEN}"}, {"X-Workbench-Token": TOKEN}]
)
def test_with_the_token_it_is_served(guarded, headers):
    extraction = call_tool(guarded.url, "extract_citations", {"text": "As shown [1]."}, **headers)
    assert [citation["raw"] for citation in extraction["citations"]] == ["[1]"]
