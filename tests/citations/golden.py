"""Read the hand-marked lines: a text and the citations that a careful reader marks in it."""

import re
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
_MARK = re.compile(r"⟦(?P<kind>\w+) (?P<names>[^‖]*)‖(?P<raw>[^⟧]*)⟧")


class Marked(NamedTuple):
    """A text and its citations as (start, end, kind, identifier)."""

    line: int
    text: str
    citations: frozenset[tuple[int, int, str, str]]


def read_marked(name: str) -> list[Marked]:
    """The marked texts of a golden file."""
    marked = []
    for number, line in enumerate((HERE / name).read_text("utf-8").splitlines(), start=1):
        if line.strip() and not line.startswith("# "):
            marked.append(_read(number, line))
    return marked


def _read(number: int, line: str) -> Marked:
    line = line.replace("\\n", "\n").replace("\\u0301", "\u0301")
    text, citations, position = "", set(), 0
    for mark in _MARK.finditer(line):
        text += line[position : mark.start()]
        start = len(text)
        text += mark["raw"]
        for name in mark["names"].split(" + "):
            citations.add((start, len(text), mark["kind"], name))
        position = mark.end()
    return Marked(number, text + line[position:], frozenset(citations))


class Claimed(NamedTuple):
    """A text and the claims marked in it as (start, end)."""

    line: int
    text: str
    claims: frozenset[tuple[int, int]]


def read_claimed(name: str) -> list[Claimed]:
    """The texts of a golden file whose claims are marked."""
    claimed = []
    for number, line in enumerate((HERE / name).read_text("utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("# ") and "⟪" not in line:
            continue
        text, claims, start = "", set(), 0
        for piece in re.split("([⟪⟫])", line.replace("\\n", "\n")):
            if piece == "⟪":
                start = len(text)
            elif piece == "⟫":
                claims.add((start, len(text)))
            else:
                text += piece
        claimed.append(Claimed(number, text, frozenset(claims)))
    return claimed
