"""What changed between two versions of a prompt, line by line."""

import difflib

from workbench.records import Prompt
from workbench.records.optimization import DiffLine, PromptDiff

CONTEXT = 3
"""Lines shown before and after what changed."""


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
    lines: list[DiffLine] = []
    for group in difflib.SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(context):
        if all(kind == "equal" for kind, *_ in group):
            continue
        start = (group[0][1], group[0][3])
        if lines or start != (0, 0):
            lines.append(DiffLine(kind="gap", text="", old=None, new=None))
        for kind, a1, a2, b1, b2 in group:
            if kind == "equal":
                lines += [
                    DiffLine(kind="same", text=a[i], old=i + 1, new=b1 + i - a1 + 1)
                    for i in range(a1, a2)
                ]
                continue
            lines += [
                DiffLine(kind="removed", text=a[i], old=i + 1, new=None) for i in range(a1, a2)
            ]
            lines += [DiffLine(kind="added", text=b[i], old=None, new=i + 1) for i in range(b1, b2)]
    return tuple(lines)
