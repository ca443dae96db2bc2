"""Runs the code in a document: files are written, Python is executed, consoles are compared.

A block whose info string is `LANGUAGE file=NAME` is a file; `python` blocks share one namespace
in a document; `console` blocks hold `$ workbench …` and `$ echo $?` with what they print. Dots
(`…`) stand for anything within a line, and on a line of its own for any lines. Other blocks are
only read.
"""

import contextlib
import gc
import io
import re
import shlex
from pathlib import Path

from workbench.__main__ import main

_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: file=(?P<file>\S+))?\n(?P<body>.*?)^```$", re.M | re.S)


def blocks(text):
    """Kind, file name (None for none) and body of every fenced block, in order."""
    return [(match["kind"], match["file"], match["body"]) for match in _BLOCK.finditer(text)]


def run_document(text, folder, only=("python", "console")):
    """How many blocks were run in a folder, which must be the working directory.

    Raises AssertionError where a console prints something else, and whatever a Python block raises.
    """
    names, number, last = {}, 0, [0]
    # an SDK's client that nobody closes is picked up at any time, with a warning for its socket
    gc.disable()
    try:
        for kind, file, body in blocks(text):
            if file:
                path = Path(folder) / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(body, "utf-8")
            elif kind in only:
                number += 1
                if kind == "python":
                    exec(compile(body, f"<block {number}>", "exec"), names)
                elif kind == "console":
                    _console(body, last)
    finally:
        _close_clients()
        gc.enable()
    return number


def _close_clients():
    import anthropic
    import openai

    for candidate in gc.get_objects():
        if type(candidate) in (anthropic.Anthropic, openai.OpenAI):
            candidate.close()


def _console(body, last):
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
        if command == "echo $?":
            printed = f"{last[0]}\n"
        else:
            program, *arguments = shlex.split(command)
            assert program == "workbench", f"only workbench is run, not {program}"
            last[0], printed = run_command(arguments)
        assert matches(expected, printed), f"$ {command}\nprinted\n{printed}\nnot\n{expected}"


def run_command(arguments):
    """The exit code of a command, and what it printed on both streams."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
    return code, out.getvalue()


def matches(expected, printed):
    """Whether the text is what is expected, `…` standing for anything in a line."""
    pattern = ""
    for line in expected.splitlines():
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            parts = (re.escape(" ".join(part.split())) for part in line.split("…"))
            pattern += r"\s*" + r".*".join(parts).replace(r"\ ", r"\s+") + r"\s*?\n"
    return re.fullmatch(pattern, printed) is not None
