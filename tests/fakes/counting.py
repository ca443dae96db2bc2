"""What a provider billed, told apart by whether its answer could reach who asked.

    with CountingServer() as server: …; kill_when(command, environment, lambda: server.calls >= 3)

The fake server bills a call when it takes it up, and answers later: a process that is killed in
between has been billed for an answer that it never saw.
"""

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.fakes.launched import KILL
from tests.fakes.providers import Answer, FakeProvider, ReceivedRequest, verdict

PROJECT = Path(__file__).resolve().parents[2]
PRICE_IN, PRICE_OUT = 0.15e-6, 0.6e-6
"""Of `openai:gpt-4o-mini`, in USD a token."""


class CountingServer:
    """A model server that counts calls and what it bills for them."""

    def __init__(
        self, delay_s: float = 0.4, input_tokens: int = 900, output_tokens: int = 400
    ) -> None:
        self.delay_s, self.tokens = delay_s, (input_tokens, output_tokens)
        self.calls = 0
        self._lock = threading.Lock()
        self._fake = FakeProvider(self._reply)

    def __enter__(self) -> "CountingServer":
        self._fake.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._fake.__exit__(*raised)

    @property
    def call_usd(self) -> float:
        """The bill of one call."""
        return self.tokens[0] * PRICE_IN + self.tokens[1] * PRICE_OUT

    @property
    def billed_usd(self) -> float:
        """Everything billed so far."""
        return self.calls * self.call_usd

    def wait_for_late_calls(self, quiet_s: float = 1.0) -> None:
        """Wait until no call has come in for a while: those of a killed process may still wait."""
        calls, since = self.calls, time.monotonic()
        while time.monotonic() - since < quiet_s:
            time.sleep(0.05)
            if self.calls != calls:
                calls, since = self.calls, time.monotonic()

    def environment(self, data: Path) -> dict[str, str]:
        """For a process that asks this server and keeps its data in a folder."""
        return {
            **os.environ,
            "OPENAI_API_KEY": "not-a-key",
            "OPENAI_BASE_URL": f"{self._fake.url}/v1",
            "WORKBENCH_DATA": str(data),
        }

    def _reply(self, request: ReceivedRequest) -> Answer:
        with self._lock:
            self.calls += 1
        return Answer(
            text=verdict("not_supported"),
            input_tokens=self.tokens[0],
            output_tokens=self.tokens[1],
            delay_s=self.delay_s,
        )


def kill_when(
    command: Sequence[str],
    environment: Mapping[str, str],
    ready: Callable[[], bool],
    timeout_s: float = 60.0,
) -> bool:
    """Whether a launched command was killed when `ready` came true; false where it ended."""
    process = subprocess.Popen(
        list(command), env=dict(environment), cwd=PROJECT,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + timeout_s
    while process.poll() is None and not ready() and time.monotonic() < deadline:
        time.sleep(0.01)
    killed = process.poll() is None
    if killed:
        process.send_signal(KILL)
    process.wait()
    return killed


def report_of(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, object]:
    """The JSON document that a command prints."""
    done = subprocess.run(
        list(command), env=dict(environment), cwd=PROJECT, capture_output=True, check=False
    )
    assert done.stdout, done.stderr.decode()[-2000:]
    document: dict[str, object] = json.loads(done.stdout)
    return document
