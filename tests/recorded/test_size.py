"""How many lines each package has, and how many of them are imports: the numbers may only fall.

`RECORD=1` records smaller ones. The aims are 98,000 lines in all, and imports under 6 % of them.
"""

import ast
import json
import os
from collections import Counter
from pathlib import Path

from tests.recorded import OUTPUTS

ROOT = Path(__file__).parents[2]
RECORDED = OUTPUTS / "lines.json"
SPLIT = ("interfaces", "judging/training")
"""Packages whose parts are counted one by one, or that are counted apart from the one around them."""


def package_of(path):
    """`judging`, `interfaces/web`, …; files of no package are `.`."""
    parts = path.relative_to(ROOT / "workbench").parts
    if "/".join(parts[:2]) in SPLIT or parts[0] in SPLIT and len(parts) > 2:
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 else "."


def import_lines(text):
    """The lines that import statements take, and those of `__all__`."""
    total = 0
    for node in ast.walk(ast.parse(text)):
        names = [getattr(target, "id", "") for target in getattr(node, "targets", ())]
        if isinstance(node, ast.Import | ast.ImportFrom) or "__all__" in names:
            total += node.end_lineno - node.lineno + 1
    return total


def sizes():
    lines, imports = Counter(), 0
    for path in sorted((ROOT / "workbench").rglob("*.py")):
        text = path.read_text("utf-8")
        lines[package_of(path)] += text.count("\n")
        imports += import_lines(text)
    return {**lines, "imports, per mille": round(1000 * imports / lines.total())}


def test_no_package_grows():
    now = sizes()
    recorded = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else now
    assert {name: size for name, size in now.items() if size > recorded.get(name, 0)} == {}, (
        "these grew past what is recorded in tests/recorded/outputs/lines.json: say it in fewer lines"
    )
    if os.environ.get("RECORD"):
        RECORDED.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", "utf-8")
