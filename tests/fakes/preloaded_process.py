"""Imports the workbench, then forks a process for each command that `launch.py` brings."""

import atexit
import gc
import io
import os
import runpy
import selectors
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path

_DIVERTED = Path(__file__).parents[1] / "doors" / "diverted"
PRELOADED = (
    "workbench.__main__",
    "workbench.interfaces.cli.serve",
    "workbench.interfaces.docs",
    "workbench.interfaces.mcp.server",
    "workbench.interfaces.mcp.server",
    "workbench.interfaces.http.app",
    "workbench.interfaces.http.api",
    "workbench.interfaces.http.routes",
    "workbench.judging.nli",
    "workbench.services.library",
    "anthropic",
    "anyio._backends._asyncio",
    "openai",
    "streamlit.web.bootstrap",
    "streamlit.testing.v1",
    "pyarrow",
    "rich.logging",
    "tokenizers",
)


def preload() -> None:
    """Import what commands need; not onnxruntime, whose threads a fork lacks and waits for at its end."""
    # as `workbench.__main__` has it
    sys.modules.setdefault("rfc3987_syntax", None)
    from workbench.interfaces.web.warm_up import PAGES

    for module in (*PRELOADED, *PAGES):
        import_module(module)
    # a collection in a fork would touch, and so copy, all that was imported: two seconds a command
    gc.freeze()


class Preloaded:
    """Starts commands until its input ends."""

    def __init__(self, address: str):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(address)
        self.listener.listen(64)
        self.selector = selectors.DefaultSelector()
        self.callers: dict[int, socket.socket] = {}
        # a child that ends wakes the loop
        self.woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        os.set_blocking(self.woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        self.wakes = wakes
        for place in (sys.stdin.fileno(), self.listener, self.woken):
            self.selector.register(place, selectors.EVENT_READ)

    def next_order(self) -> list[bytes] | None:
        """In a child, what it is to run; None in the process itself, once its input ended."""
        while True:
            for key, _ in self.selector.select():
                if key.fileobj == sys.stdin.fileno():
                    self.kill(*self.callers)
                    return None
                if key.fileobj == self.woken:
                    os.read(self.woken, 4096)
                    self.reap()
                elif key.fileobj is self.listener:
                    order = self.fork()
                    if order is not None:
                        return order
                # a launcher that was killed takes its command along
                elif key.fileobj in self.callers.values():
                    self.selector.unregister(key.fileobj)
                    self.kill(*(pid for pid, at in self.callers.items() if at is key.fileobj))

    def kill(self, *pids: int) -> None:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def reap(self) -> None:
        for pid in list(self.callers):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                caller = self.callers.pop(pid)
                if caller.fileno() in self.selector.get_map():
                    self.selector.unregister(caller)
                code = os.waitstatus_to_exitcode(status)
                with suppress(OSError):  # a launcher that was killed
                    caller.sendall(code.to_bytes(4, "big", signed=True))
                caller.close()

    def fork(self) -> list[bytes] | None:
        caller, _ = self.listener.accept()
        size, streams, _, _ = socket.recv_fds(caller, 4, 3)
        told = b""
        while len(told) < int.from_bytes(size, "big"):
            told += caller.recv(1 << 16)
        pid = os.fork()
        if pid:
            for stream in streams:
                os.close(stream)
            self.callers[pid] = caller
            self.selector.register(caller, selectors.EVENT_READ)
            with suppress(OSError):
                caller.sendall(pid.to_bytes(4, "big"))
            return None
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        for other in (caller, *self.callers.values(), self.listener):
            other.close()
        self.selector.close()
        os.close(self.woken)
        os.close(self.wakes)
        return told.split(b"\0")


def become(folder: bytes, variables: bytes, *rest: bytes) -> None:
    """Take on what a new process would begin with."""
    number = int(variables)
    os.chdir(folder)
    os.environ.clear()
    for pair in rest[:number]:
        name, _, value = pair.partition(b"=")
        os.environb[name] = value
    sys.argv[1:] = map(os.fsdecode, rest[number:])
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(
        io.BufferedReader(io.FileIO(0, closefd=False)), "utf-8"
    )
    for name, number in (("stdout", 1), ("stderr", 2)):
        by_line = number == 2 or os.isatty(number)
        errors = "backslashreplace" if number == 2 else "strict"
        stream = io.TextIOWrapper(
            io.BufferedWriter(io.FileIO(number, "w", closefd=False)),
            "utf-8",
            errors,
            line_buffering=by_line,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    if str(_DIVERTED) in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        sys.path.insert(0, str(_DIVERTED))
        runpy.run_path(str(_DIVERTED / "sitecustomize.py"))


if __name__ == "__main__":
    preload()
    preloaded = Preloaded(sys.argv[1])
    print("ready", flush=True)
    order = preloaded.next_order()
    if order is not None:
        become(*order)
        from workbench.__main__ import run

        try:
            run()
        except SystemExit as ended:
            # as an interpreter ends, which would then take apart all that was imported
            threading._shutdown()
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(int(ended.code or 0))
    gc.unfreeze()
