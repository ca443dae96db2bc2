"""`streamlit run` by hand: the pages come with the same access checks, or not at all."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest
import streamlit
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from tests.fakes.served import PROJECT, free_port, messages_of, wait_for
from workbench.interfaces.http import page_middleware
from workbench.settings import load_settings

STREAM = "/_stcore/stream"


def command(script, *options):
    return [sys.executable, "-m", "streamlit", "run", script, *options]


def environment(data, **more):
    return {**os.environ, "WORKBENCH_DATA": str(data), "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
            **more}  # fmt: skip


@contextmanager
def streamlit_run(script, data):
    """The address of a server that was started by hand, once it answers."""
    port = free_port()
    process = subprocess.Popen(
        command(script, "--server.port", str(port)),
        cwd=PROJECT, env=environment(data), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with streamlit_run("app.py", tmp_path_factory.mktemp("data")) as address:
        yield address


def page_bytes(address):
    """What a browser receives of the first page, as the bytes of its messages."""
    return b"".join(messages_of(address))


def test_the_pages_are_served(app):
    assert b"Citation workbench" in page_bytes(app)


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/review", "/media/x"])
def test_another_hosts_name_gets_nothing(app, path):
    response = httpx.get(app + path, headers={"Host": "evil.example"}, trust_env=False)
    assert response.status_code == 403
    assert response.json()["error"]["kind"] == "forbidden_host"


@pytest.mark.parametrize(
    ("host", "origin"),
    [("127.0.0.1", "https://evil.example"), ("evil.example", "http://evil.example")],
)
def test_another_sites_websocket_gets_nothing(app, host, origin):
    port = app.rsplit(":", 1)[1]
    with socket.create_connection(("127.0.0.1", int(port)), 20) as raw:
        with pytest.raises(InvalidStatus) as raised:
            connect(
                f"ws://{host}:{port}{STREAM}", sock=raw, origin=origin if host == "127.0.0.1"
                else f"{origin}:{port}", subprotocols=["streamlit"], proxy=None,
            )  # fmt: skip
        assert raised.value.response.status_code == 403


def test_it_starts_on_this_machine_only(tmp_path):
    done = subprocess.run(
        command("app.py", "--server.address", "0.0.0.0"),
        cwd=PROJECT, env=environment(tmp_path), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "this machine only" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("address", "settings", "told"),
    [
        ("::", "", "this machine only"),
        ("", "", "this machine only"),
        ("127.0.0.1", "[server]\nhosts = 3\n", "server.hosts"),
    ],
)
def test_what_cannot_be_served_is_told_before_anything_listens(
    monkeypatch, capsys, address, settings, told
):
    monkeypatch.setattr(streamlit, "get_option", {"server.address": address}.get)
    load_settings().data_dir.joinpath("settings.toml").write_text(settings)
    with pytest.raises(SystemExit) as raised:
        page_middleware()
    assert raised.value.code == 2
    assert told in capsys.readouterr().err


def test_a_single_page_that_is_started_shows_the_right_command_only(tmp_path):
    with streamlit_run("pages/home.py", tmp_path) as address:
        page = page_bytes(address)
    assert b"python -m workbench serve" in page
    assert b"Calibration" not in page
