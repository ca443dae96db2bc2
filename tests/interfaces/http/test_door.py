"""Who may call: hosts, origins, tokens, rate and size limits."""

import socket

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.fakes.served import free_port, served

TOKEN = "a-token-of-enough-letters"
TEXT = {"text": "As shown [1]."}
PAGES = "/_stcore/stream"
PATHS = ("/", "/_stcore/health", "/openapi.json", "/api/v1/runs", "/mcp", "/v1/chat/completions")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "localhost:x",
     "2130706433", "localhost.", "[::1].evil.example"],
)  # fmt: skip
def test_a_name_that_was_made_to_point_here_gets_nothing(client, path, host):
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["error"]["kind"] == "forbidden_host"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:1234", "[::1]:80", "LOCALHOST"])
def test_this_machines_names_are_known(client, host):
    assert client.get("/api/v1/runs", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [("LocalHost", "HTTP://LOCALHOST", 200), ("localhost", "http://Localhost", 200),
     ("[::1]", "http://[::1]", 200), ("localhost", "http://localhost.", 403)],
)  # fmt: skip
def test_case_says_nothing_about_who_calls(client, host, origin, status):
    headers = {"Host": host, "Origin": origin, "Accept": "application/json, text/event-stream"}
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "a", "version": "1"}}}  # fmt: skip
    assert client.post("/mcp", headers=headers, json=call).status_code == status
    assert client.get("/api/v1/runs", headers=headers).status_code == status


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost:3000", "http://127.0.0.1"]
)
def test_pages_of_other_sites_get_nothing(client, path, origin):
    for method in ("GET", "POST", "OPTIONS"):
        answer = client.request(method, path, headers={"Origin": origin})
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_page_of_its_own_may_call(client, server):
    answer = client.post("/api/v1/extract", json=TEXT, headers={"Origin": server.url})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_what_a_form_can_send_is_refused(client, kind):
    answer = client.post(
        "/api/v1/extract", content=b'{"text": "As shown [1]."}', headers={"Content-Type": kind}
    )
    assert answer.status_code == 415


def test_a_picture_on_another_site_starts_nothing(client):
    for site in ("cross-site", "same-site"):
        answer = client.get("/api/v1/exports/jsonl", headers={"Sec-Fetch-Site": site})
        assert answer.status_code == 403
    # any site may link to the pages
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=link).status_code == 200


def test_the_websocket_of_the_pages_is_behind_the_same_door(server):
    address = server.url.replace("http", "ws") + PAGES
    with connect(address, origin=server.url, subprotocols=["streamlit"], proxy=None):
        pass
    rebound = address.replace("127.0.0.1", "evil.example")
    for host, origin in ((address, "https://evil.example"), (rebound, rebound[: -len(PAGES)])):
        line = socket.create_connection(("127.0.0.1", server.port), 20)
        with line, pytest.raises(InvalidStatus) as raised:
            connect(host, sock=line, origin=origin, subprotocols=["streamlit"], proxy=None)
        assert raised.value.response.status_code == 403


def test_the_server_listens_on_this_machine_only(server):
    bound = [
        line.split()[1]
        for name in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in _lines(name)
        if line.split()[1].endswith(f":{server.port:04X}") and line.split()[3] == "0A"
    ]
    if not bound:
        pytest.skip("this system does not list its sockets")
    assert {address.split(":")[0] for address in bound} == {"0100007F"}


def _lines(name):
    try:
        with open(name) as table:
            return table.read().splitlines()[1:]
    except OSError:
        return []


def test_nothing_is_read_of_a_body_that_is_too_large(client):
    large = client.post("/api/v1/extract", json={"text": "x" * (17 * 1024 * 1024)})
    assert large.status_code == 413
    chunked = client.post("/api/v1/extract", content=iter([b"x" * (1 << 20)] * 17))
    assert chunked.status_code == 413


def test_a_huge_length_is_refused_before_the_body_comes(server):
    with socket.create_connection(("127.0.0.1", server.port), 20) as raw:
        raw.sendall(
            b"POST /api/v1/extract HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n"
        )
        assert b" 413 " in raw.recv(4096)


def test_a_token_where_one_is_set_and_no_way_back_to_itself(tmp_path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    port = free_port()
    more = ["--port", str(port), "--token-file", str(tmp_path / "token")]
    itself = f"http://localhost:{port}/v1"
    with (
        served(tmp_path, *more, OPENAI_BASE_URL=itself, OPENAI_API_KEY=TOKEN) as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=120) as client,
    ):
        for path in ("/openapi.json", "/api/v1/runs", "/v1/chat/completions", "/mcp"):
            unauthorized = client.get(path)
            assert unauthorized.status_code == 401
            assert unauthorized.headers["www-authenticate"] == "Bearer"
        wrong_token = client.get("/api/v1/runs", headers={"Authorization": f"Bearer {TOKEN}x"})
        assert wrong_token.status_code == 401
        for headers in ({"Authorization": f"Bearer {TOKEN}"}, {"X-Workbench-Token": TOKEN}):
            assert client.get("/api/v1/runs", headers=headers).status_code == 200
        assert client.get("/_stcore/health").status_code == 200
        # neither a call nor a judge may loop back to this server
        client.headers["X-Workbench-Token"] = TOKEN
        looped = client.post("/v1/chat/completions", json={"model": "m", "messages": []})
        assert looped.status_code == 508
        assert looped.json()["error"]["kind"] == "upstream_loop"
        body = {"text": "As shown [1].", "judge": "openai:gpt-4o-mini"}
        body["sources"] = [{"label": "1", "content": "As shown."}]
        run = client.post("/api/v1/verify", json=body).json()
        assert run["errors"] == {"llm_judge_error": 1}
        assert TOKEN not in server.log.read_text()


@pytest.fixture(scope="module")
def limited_client(tmp_path_factory):
    """A server behind a reverse proxy, three calls a minute."""
    data = tmp_path_factory.mktemp("tight")
    (data / "settings.toml").write_text(
        '[server]\ncalls_a_minute = 3\nhosts = ["work.example"]\n'
        'origins = ["https://tool.example"]\n'
    )
    with (
        served(data) as server,
        httpx.Client(base_url=server.url, trust_env=False, timeout=30) as client,
    ):
        yield client


def test_a_reverse_proxys_name_is_allowed_by_the_settings(limited_client):
    proxied = {"Host": "work.example", "Origin": "https://work.example"}
    assert limited_client.get("/api/v1/runs", headers=proxied).status_code == 200
    tool = {"Origin": "https://tool.example", "Sec-Fetch-Site": "cross-site"}
    read = limited_client.get("/api/v1/runs", headers=tool)
    assert read.status_code == 200
    assert read.headers["access-control-allow-origin"] == "https://tool.example"
    asks = {**tool, "Access-Control-Request-Method": "POST"}
    preflight = limited_client.options("/api/v1/extract", headers=asks)
    assert preflight.status_code == 204
    assert "content-type" in preflight.headers["access-control-allow-headers"]
    assert limited_client.options("/", headers={**asks, "Host": "evil.example"}).status_code == 403
    assert limited_client.get("/api/v1/runs", headers={"Host": "tool.example"}).status_code == 403


def test_so_many_calls_a_minute_and_no_more(limited_client):
    many = [limited_client.post("/api/v1/extract", json=TEXT) for _ in range(4)]
    assert [answer.status_code for answer in many] == [200, 200, 200, 429]
    assert many[3].json()["error"]["kind"] == "too_many_calls"
    assert 1 <= int(many[3].headers["retry-after"]) <= 60
    # reading still works, and so do the pages
    assert limited_client.get("/api/v1/runs").status_code == 200
    assert limited_client.get("/").status_code == 200
    assert {limited_client.get("/api/v1/exports").status_code for _ in range(30)} == {200, 429}
