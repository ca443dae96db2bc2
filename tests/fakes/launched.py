"""Processes of `python -m workbench` that need not import it anew, which takes seconds each.

A process that has imported the workbench forks one for each command (`preloaded_process.py`). What a
test starts is a launcher (`launch.py`), small enough to start at once: it hands its arguments,
variables, folder and standard streams over, passes signals on, and ends as the command ended.
"""

import atexit
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

PROJECT = Path(__file__).parents[2]
KILL = signal.SIGUSR1
"""Kills the command, as no signal to its launcher alone would: both have then ended by SIGKILL."""
_LAUNCHER = Path(__file__).with_name("launch.py")


def launched(*arguments: str) -> list[str]:
    """The command line of `workbench` with these arguments."""
    return [sys.executable, "-I", "-S", str(_LAUNCHER), _preloaded(), *arguments]


@cache
def _preloaded() -> str:
    """The socket at which this process's own preloaded one listens until it ends."""
    folder = tempfile.TemporaryDirectory(prefix="preloaded-")
    address = str(Path(folder.name) / "socket")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.preloaded_process", address],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def end() -> None:
        process.communicate(timeout=20)  # its end of input is its end
        folder.cleanup()

    atexit.register(end)
    assert process.stdout.readline() == b"ready\n", "the preloaded process did not start"
    return address
