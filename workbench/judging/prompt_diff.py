"""What changed between two versions of a prompt, line by line."""

import difflib
from dataclasses import dataclass
from typing import Literal

from workbench.records import JsonDict, Prompt

CONTEXT = 3
"""Lines shown before and after what changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of either version."""

    kind: Literal["same", "added", "removed", "gap"]
    """`gap` stands for lines that are alike in both and left out."""
    text: str
    old: int | None
    """Its number in the first version, from 1; None for a line that is not in it."""
    new: int | None

    def to_dict(self) -> JsonDict:
        """The line as shown."""
        return {"kind": self.kind, "text": self.text, "old": self.old, "new": self.new}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDiff:
    """The second of two versions against the first."""

    first: str
    """Id of the version."""
    second: str
    lines: tuple[DiffLine, ...]
    """Of the templates; with the lines around them, gaps marked."""
    values: tuple[tuple[str, tuple[DiffLine, ...]], ...]
    """The same for each variable whose value changed, by its name."""

    @property
    def added(self) -> int:
        """Lines of the template that are new."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """Lines of the template that are gone."""
        return sum(line.kind == "removed" for line in self.lines)

    @property
    def same(self) -> bool:
        """Whether nothing changed."""
        return not self.lines and not self.values

    @property
    def text(self) -> str:
        """As a unified diff without line numbers; empty where nothing changed."""
        if self.same:
            return ""
        parts = [f"--- {self.first}", f"+++ {self.second}", *map(_marked, self.lines)]
        for name, lines in self.values:
            parts += [f"@@ {{{{{name}}}}} @@", *map(_marked, lines)]
        return "\n".join(parts)

    def to_dict(self) -> JsonDict:
        """The diff as shown, with its text."""
        return {
            "first": self.first,
            "second": self.second,
            "added": self.added,
            "removed": self.removed,
            "lines": [line.to_dict() for line in self.lines],
            "values": {name: [line.to_dict() for line in lines] for name, lines in self.values},
            "text": self.text,
        }


def diff_prompts(first: Prompt, second: Prompt, context: int = CONTEXT) -> PromptDiff:
    """What changed from the first prompt to the second, with `context` lines around it."""
    before, after = dict(first.values), dict(second.values)
    names = sorted(name for name in before | after if before.get(name) != after.get(name))
    return PromptDiff(
        first=first.id,
        second=second.id,
        lines=_lines(first.template, second.template, context),
        values=tuple(
            (name, _lines(before.get(name, ""), after.get(name, ""), context)) for name in names
        ),
    )


def _lines(first: str, second: str, context: int) -> tuple[DiffLine, ...]:
    a = first.split("\n") if first else []
    b = second.split("\n") if second else []
    found: list[DiffLine] = []
    for group in difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(context):
        if all(kind == "equal" for kind, *_ in group):
            continue
        start = (group[0][1], group[0][3])
        if found or start != (0, 0):
            found.append(DiffLine(kind="gap", text="", old=None, new=None))
        for kind, a1, a2, b1, b2 in group:
            if kind == "equal":
                found += [
                    DiffLine(kind="same", text=a[i], old=i + 1, new=b1 + i - a1 + 1)
                    for i in range(a1, a2)
                ]
                continue
            found += [
                DiffLine(kind="removed", text=a[i], old=i + 1, new=None) for i in range(a1, a2)
            ]
            found += [DiffLine(kind="added", text=b[i], old=None, new=i + 1) for i in range(b1, b2)]
    return tuple(found)


def _marked(line: DiffLine) -> str:
    marks = {"same": " ", "added": "+", "removed": "-", "gap": "@@ … @@"}
    return marks[line.kind] + line.text
