"""Commands on a real pseudo-terminal, and what is then on its screen."""

import os
import re
import signal
import sys
from dataclasses import dataclass

import pexpect

from tests.fakes.launched import launched

_SEQUENCE = re.compile(r"\x1b\[(\??)([\d;]*)([A-Za-z])")

_OF_ANOTHER_TERMINAL = ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES")
"""Variables of the terminal that the tests run on."""


@dataclass(frozen=True)
class Screen:
    """What a terminal shows after a text was written to it."""

    lines: list[str]
    cursor_shown: bool

    @property
    def text(self):
        return "\n".join(self.lines)


def screen_of(written: str) -> Screen:
    """A terminal without an end to its width, which knows what a progress line and colors need."""
    lines, row, column, shown, place = [""], 0, 0, True, 0
    while place < len(written):
        sequence = _SEQUENCE.match(written, place)
        if sequence:
            private, numbers, command = sequence.groups()
            if private:
                assert numbers == "25"
                shown = command == "h"
            elif command == "A":
                row -= int(numbers or 1)
            elif command == "K":
                assert numbers == "2"
                lines[row] = ""
            else:
                assert command == "m", f"unexpected {sequence[0]!r}"
            place = sequence.end()
            continue
        letter = written[place]
        place += 1
        if letter == "\r":
            column = 0
        elif letter == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        else:
            assert letter.isprintable(), f"unexpected {letter!r} after {written[:place][-80:]!r}"
            lines[row] = lines[row][:column].ljust(column) + letter + lines[row][column + 1 :]
            column += 1
    return Screen([line.rstrip() for line in lines], shown)


def start(*arguments, width=100, term="xterm-256color", anew=False, **environment):
    """`workbench` on a terminal of its own; `anew` imports all of it once more."""
    new_process = (sys.executable, "-m", "workbench", *map(str, arguments))
    program, *rest = new_process if anew else launched(*map(str, arguments))
    return pexpect.spawn(
        program,
        rest,
        dimensions=(40, width),
        env={
            **{k: v for k, v in os.environ.items() if k not in _OF_ANOTHER_TERMINAL},
            "TERM": term,
            **environment,
        },
        encoding="utf-8",
        timeout=120,
        maxread=100_000,
        # a suite in the background ignores Ctrl-C, and what it starts would inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def finish(child) -> tuple[int, str]:
    """The exit code of a command, and all that it wrote from now on."""
    child.expect(pexpect.EOF)
    written = child.before
    # a terminal that is closed hangs up on a command that is still ending
    child.wait()
    child.close()
    return child.exitstatus, written


def on_terminal(*arguments, **options) -> tuple[int, str]:
    """The exit code of a command on a terminal, and all that it wrote."""
    return finish(start(*arguments, **options))
