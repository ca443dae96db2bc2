"""What a terminal shows: tables, colors, progress; the only output path for every text.

Output that is piped, or goes to a terminal that knows neither cursor nor UTF-8, contains none of
it. Rich is imported only when something is drawn. What it draws are text nodes: agent output,
sources and
file names are never its markup, and control characters in them never reach the terminal.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from workbench.records.text import replace_surrogates

if TYPE_CHECKING:
    from rich.console import Console, Group, RenderableType
    from rich.table import Table
    from rich.text import Text

_CONTROL = r"\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff"
"""Control characters, those without a width, and those that turn the direction of writing."""
_RUN_OF_CONTROLS = re.compile(f"[{_CONTROL}]+")
_CONTROL_IN_LINES = re.compile(rf"(?![\n\t])[{_CONTROL}]")
_WIDEST = 400
_TABLE_FROM = 80
"""Width in cells from which rows are shown in columns."""
ShowProgress = Callable[[int, int | None, str], None]
"""Takes the amount done, the total (None: unknown), and a message."""


@dataclass(frozen=True, slots=True)
class Styled:
    """A text in a color; the text alone is sufficient."""

    text: str
    color: str = ""
    """As `#RRGGBB`; empty for the terminal's own."""
    dim: bool = False
    bold: bool = False


@dataclass(frozen=True, slots=True)
class TerminalColumn:
    """A column of a table; the last one takes the remaining width and wraps."""

    title: str
    right: bool = False
    most: int | None = None
    """Longer texts are cut to this many cells, with an ellipsis."""


@dataclass(frozen=True, slots=True)
class TerminalTable:
    """Rows under titles; a cell of the last column may have several lines."""

    columns: Sequence[TerminalColumn]
    rows: Sequence[Sequence[str | Styled]]


Block = str | Styled | TerminalTable | Sequence[str | Styled]
"""A line, a line of parts, or a table."""


def plain(text: str, width: int) -> str:
    """One line of untrusted text: no control or direction characters, cut to a width in characters."""
    line = _RUN_OF_CONTROLS.sub(" ", replace_surrogates(text)).strip()
    return line if len(line) <= width else line[: width - 1] + "…"


def without_controls(text: str) -> str:
    """A text of several lines in which each control or direction character is a space."""
    return _CONTROL_IN_LINES.sub(" ", replace_surrogates(text))


def on_terminal(stream: TextIO) -> bool:
    """Whether a stream goes to a terminal that shows tables and moves its cursor."""
    encoding = (stream.encoding or "").lower().replace("-", "")
    return stream.isatty() and os.environ.get("TERM") != "dumb" and encoding == "utf8"


def terminal_width(stream: TextIO) -> int:
    """The width of a stream's terminal in cells, 80 where it is unknown, 400 at most."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return min(columns or 80, _WIDEST)


def say(message: str) -> None:
    """Write a message to standard error."""
    print(without_controls(message) if sys.stderr.isatty() else message, file=sys.stderr)


def ask(question: str, read: Callable[[], str]) -> str:
    """The answer to a question; empty at the end of the input."""
    print(without_controls(question), end="", file=sys.stderr, flush=True)
    try:
        return read()
    except EOFError:
        return ""


def write(text: str) -> None:
    """Write a text to standard output as it is; on a terminal without control characters."""
    _print(without_controls(text) if sys.stdout.isatty() else text)


def draw(blocks: Iterable[Block]) -> None:
    """Draw on standard output, as wide as its terminal; colors only if enabled.

    Costs time linear in the number of rows.
    """
    from io import StringIO

    drawn, width = StringIO(), terminal_width(sys.stdout)
    console = _console(drawn, width)
    for block in blocks:
        if isinstance(block, TerminalTable):
            console.print(_table(block) if width >= _TABLE_FROM else _stacked(block))
        else:
            console.print(_line(block), soft_wrap=True)
    _print(drawn.getvalue().rstrip("\n"))


@contextmanager
def progress(title: str) -> "Iterator[ShowProgress | None]":
    """A line on standard error that is kept up to date and gone at the end.

    Yields the function to call on progress; None if standard error is not a terminal.
    """
    if not on_terminal(sys.stderr):
        yield None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    line = Progress(
        SpinnerColumn("line"),
        BarColumn(bar_width=12),
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
        TimeElapsedColumn(),
        console=_console(sys.stderr),
        expand=True,
        refresh_per_second=4,
        transient=True,
    )
    with line:
        task = line.add_task(plain(title, _WIDEST), total=None)

        def show(done: int, total: int | None, text: str) -> None:
            line.update(task, completed=done, total=total, description=plain(text, _WIDEST))

        yield show


@contextmanager
def told_when_stopped(kept: Callable[[], str]) -> Iterator[None]:
    """Let Ctrl-C end with a sentence on what is stored and how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(kept()) from None


def _print(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))


def _console(stream: TextIO, width: int | None = None) -> "Console":
    from rich.console import Console

    return Console(
        file=stream,
        width=width,
        force_terminal=True,
        # rich's own way of going without color keeps bold and dim, which are escape sequences too
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )


def _line(parts: str | Styled | Sequence[str | Styled]) -> "Text":
    if isinstance(parts, str | Styled):
        return _text(parts)
    from rich.text import Text

    return Text.assemble(*map(_text, parts))


def _table(table: TerminalTable) -> "Table":
    from rich import box
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for number, column in enumerate(table.columns, start=1):
        last = number == len(table.columns)
        drawn.add_column(
            _text(column.title),
            justify="right" if column.right else "left",
            no_wrap=not last,
            overflow="fold" if last else "ellipsis",
            max_width=column.most,
        )
    for row in table.rows:
        drawn.add_row(*map(_text, row))
    return drawn


def _stacked(table: TerminalTable) -> "Group":
    """Rows for narrow terminals: the last cell is below the others."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    parts: list[RenderableType] = []
    for row in table.rows:
        parts.append(Text("  ").join(map(_text, row[:-1])))
        parts.append(Padding(_text(row[-1]), (0, 0, 0, 4)))
    return Group(*parts)


def _text(part: str | Styled) -> "Text":
    from rich.style import Style
    from rich.text import Text

    styled = part if isinstance(part, Styled) else Styled(part)
    style = Style(color=styled.color or None, dim=styled.dim or None, bold=styled.bold or None)
    return Text(without_controls(styled.text), style=style)
