"""Starting the server: what is refused, in one sentence each."""

import socket

import pytest

from workbench.__main__ import main


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
