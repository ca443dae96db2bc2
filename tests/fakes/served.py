"""The real server in a process of its own, on a free port."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from tests.fakes.launched import launched

PROJECT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Served:
    url: str
    port: int
    data: Path
    log: Path
    process: subprocess.Popen


@contextmanager
def served(
    data: Path,
    *arguments: str,
    ready_at: str = "/_stcore/health",
    within: Callable[..., list[str]] | None = None,
    **environment: str,
) -> Iterator[Served]:
    """`workbench serve` with its data in a folder, once it answers at a path.

    The pages answer first; `/openapi.json` answers once the API does, seconds later on a busy
    machine. `within` turns its command line into one that runs it elsewhere, as `Disk.command` does;
    without it the process is forked from one that has imported all.
    """
    inherited = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_BASE_URL"))}
    log = data / "server.log"
    options = ("serve", "--port", "0", *arguments)
    command = within(sys.executable, "-m", "workbench", *options) if within else launched(*options)
    with log.open("wb") as written:
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env={
                **inherited, "WORKBENCH_DATA": str(data), "STREAMLIT_SERVER_FILE_WATCHER_TYPE": "none",
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=written,
        )  # fmt: skip
        try:
            first_line = process.stdout.readline().decode()
            assert "http://" in first_line, log.read_text()
            url = first_line.split(" (pages)")[0].split()[-1]
            wait_for(url + ready_at, process)
            yield Served(url, int(url.rsplit(":", 1)[1]), data, log, process)
        finally:
            process.terminate()
            process.wait(20)
            process.stdout.close()


def messages_of(address: str, page: str = "") -> list[bytes]:
    """The messages that a reviewer's browser receives when it opens a page, until it is drawn."""
    message_to_server = BackMsg()
    message_to_server.rerun_script.query_string = "who=Ada"
    message_to_server.rerun_script.page_name = page
    messages = []
    url = address.replace("http", "ws") + "/_stcore/stream"
    with connect(
        url, origin=address, subprotocols=["streamlit"], proxy=None, max_size=1 << 26
    ) as line:
        line.send(message_to_server.SerializeToString())
        finished = False
        while not finished:
            message = line.recv(timeout=60)
            assert isinstance(message, bytes)
            messages.append(message)
            read = ForwardMsg.FromString(message)
            # a page that corrects its address is drawn a second time
            finished = (
                read.WhichOneof("type") == "script_finished"
                and read.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
            )
    return messages


def wait_for(url: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended before it answered"
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not answer")


def free_port():
    """A port of this machine that nobody listened on a moment ago."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
