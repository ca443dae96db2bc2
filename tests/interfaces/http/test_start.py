"""Starting the server: what is refused, in one sentence each, and that pages go first."""

import asyncio
import socket
import threading
import time
from contextlib import contextmanager

import pytest
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from workbench.__main__ import main
from workbench.interfaces.http import app as application
from workbench.interfaces.http.app import LateApplication, draws_a_page, let_pages_go_first

FAR = float("inf")


@pytest.fixture
def start(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))

    def start_server(*arguments, settings=""):
        (tmp_path / "settings.toml").write_text(settings)
        try:
            code = main(["serve", *arguments])
        except SystemExit as exit_:
            code = exit_.code
        captured = capsys.readouterr()
        assert (code, captured.out) == (2, "")
        return captured.err

    return start_server


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (["--host", "0.0.0.0"], "", "this machine only"),
        (["--host", "192.168.1.2"], "", "this machine only"),
        (["--port", "99999"], "", "cannot be used"),
        (["--token-file", "/no/such/file"], "", "cannot be read"),
        (["--calls-per-minute", "0"], "", "is below 1"),
        ([], "[server]\nport = 3\n", "server.port"),
        ([], "[server]\ncalls_a_minute = 0\n", "server.calls_a_minute"),
        ([], '[server]\nhosts = "x"\n', "server.hosts"),
        ([], "server = 3\n", "must be a table"),
        ([], '[server]\npolicy = "none-such"\n', "none-such"),
        ([], '[server]\njudge = "oracle"\n', "oracle"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(start, arguments, settings, message):
    assert message in start(*arguments, settings=settings)


def test_a_port_that_is_taken(start):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        message = start("--port", str(other.getsockname()[1]))
    assert "cannot be used" in message
    assert "--port" in message


def test_a_short_token_is_none(start, tmp_path):
    (tmp_path / "token").write_text("short")
    assert "at least 16" in start("--token-file", str(tmp_path / "token"))


def test_a_page_that_streamlit_draws_is_seen():
    def page():
        import streamlit as st

        from workbench.interfaces.http.app import draws_a_page

        st.text(f"drawn: {draws_a_page()}")

    assert not draws_a_page()
    assert AppTest.from_function(page, default_timeout=60).run().text[0].value == "drawn: True"
    assert not draws_a_page()


@contextmanager
def page_being_drawn():
    """What ends the drawing."""
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait, name="ScriptRunner.scriptThread", daemon=True)
    thread.start()
    try:
        yield lambda: (ended.set(), thread.join())
    finally:
        ended.set()


async def has_ended(task):
    """Whether a task ends while the clock goes on for several looks at the pages."""
    await asyncio.wait({task}, timeout=0.3)
    return task.done()


@pytest.fixture
def hurry(monkeypatch):
    monkeypatch.setattr(application, "QUIET_S", 0.02)
    return asyncio.Event()


def test_nothing_waits_where_no_page_is_drawn(hurry):
    asyncio.run(asyncio.wait_for(let_pages_go_first(hurry, FAR), 10))


def test_the_rest_waits_until_a_page_is_drawn(hurry):
    async def begin():
        with page_being_drawn() as end_drawing:
            waiting = asyncio.create_task(let_pages_go_first(hurry, FAR))
            assert not await has_ended(waiting)
            end_drawing()
            await asyncio.wait_for(waiting, 10)

    asyncio.run(begin())


def test_no_page_is_waited_for_beyond_the_limit(hurry):
    async def begin():
        with page_being_drawn():
            await asyncio.wait_for(let_pages_go_first(hurry, time.monotonic() + 0.1), 10)

    asyncio.run(begin())


def test_no_page_is_waited_for_once_a_program_calls(hurry):
    built = LateApplication(Starlette, hurry)

    async def begin():
        with page_being_drawn():
            waiting = asyncio.create_task(let_pages_go_first(hurry, FAR))
            assert not await has_ended(waiting)
            call = asyncio.create_task(built({"type": "http"}, None, None))
            await asyncio.wait_for(waiting, 10)
            call.cancel()

    asyncio.run(begin())
