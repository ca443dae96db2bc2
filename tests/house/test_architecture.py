"""The house stays as designed: imports flow one way, files stay small, public names are listed."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import workbench

ROOT = Path(workbench.__file__).parent
PROJECT = ROOT.parent

FOUNDATION = {"records", "errors"}
MASKED = FOUNDATION | {"masking"}
"""For rooms that take in words of others; the pure ones never do."""
ROOMS_BELOW = {
    "masking": set(),
    "errors": {"masking"},
    "records": {"errors"},
    "settings": FOUNDATION,
    "citations": FOUNDATION,
    "policy": FOUNDATION,
    "calibration": FOUNDATION,
    "sources": MASKED,
    "judging": MASKED,
    "store": MASKED,
    "datasets": FOUNDATION,
    "pipeline": MASKED | {"citations", "sources", "judging", "policy"},
    "experiments": FOUNDATION | {"judging", "calibration", "pipeline", "datasets"},
    "fronts": MASKED
    | {"settings", "citations", "policy", "calibration", "sources", "judging", "store"}
    | {"datasets", "pipeline", "experiments"},
}
PURE = ("citations", "policy", "calibration")
IMPURE_MODULES = {
    "os", "io", "pathlib", "socket", "subprocess", "time", "random", "urllib.request", "httpx",
    "duckdb", "requests", "threading", "asyncio", "tempfile", "shutil",
}  # fmt: skip
DOORS = ("agent", "cli", "mcp_server", "notebook", "server")
STREAMLIT_ALLOWED = ("fronts/ui/", "fronts/server")


def python_files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def imported(path: Path) -> list[str]:
    """Every module a file imports, at its top or inside a function."""
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> str:
    return relative(path).split("/")[0].removesuffix(".py")


def breaches(path: Path) -> list[str]:
    """The imports of a file that its room does not allow."""
    room = room_of(path)
    if room in ("__init__", "__main__"):
        return []
    found = []
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "workbench" and len(parts) > 1 and parts[1] not in {
            room, *ROOMS_BELOW[room]
        }:  # fmt: skip
            found.append(f"{relative(path)} imports {name}")
        if parts[0] == "streamlit" and not relative(path).startswith(STREAMLIT_ALLOWED):
            found.append(f"{relative(path)} imports streamlit")
        if room in PURE and (parts[0] in IMPURE_MODULES or ".".join(parts[:2]) in IMPURE_MODULES):
            found.append(f"{relative(path)} imports {name}, but {room} is pure")
        if room == "fronts" and parts[:2] == ["workbench", "fronts"] and len(parts) > 2:
            own, other = relative(path).split("/")[1].removesuffix(".py"), parts[2]
            if other in DOORS and other != own:
                found.append(f"{relative(path)} imports the front {other}")
    return found


@pytest.mark.parametrize("path", python_files(), ids=relative)
def test_imports_flow_one_way(path):
    assert breaches(path) == []


def test_every_room_has_its_arrows():
    rooms = {room_of(path) for path in python_files()} - {"__init__", "__main__"}
    assert rooms <= set(ROOMS_BELOW)


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("citations", "from workbench.sources import fetch"),
        ("citations", "import os"),
        ("judging", "from workbench.store import Store"),
        ("pipeline", "from workbench.store import Store"),
        ("store", "import streamlit as st"),
        ("fronts/notebook.py", "from workbench.fronts.cli import main"),
    ],
)
def test_a_wrong_arrow_is_seen(room, line, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    file = tmp_path / (room if room.endswith(".py") else f"{room}/wrong.py")
    file.parent.mkdir(parents=True)
    file.write_text(line)
    assert breaches(file)


def test_files_stay_short_enough_to_read():
    """A file may pass 400 lines where its subject does not end there; `make lint` lists those."""
    files = [*python_files(), *(PROJECT / "pages").glob("*.py"), PROJECT / "app.py"]
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in files}
    assert [path.name for path, count in lines.items() if count > 600] == []


def test_no_junk_rooms():
    junk = {"utils", "helpers", "common", "manager", "base", "misc"}
    assert [p for p in python_files() if p.stem in junk or p.parent.name in junk] == []


def packages() -> list[str]:
    return ["workbench"] + [
        f"workbench.{info.name}" for info in pkgutil.iter_modules([str(ROOT)]) if info.ispkg
    ]


@pytest.mark.parametrize("name", packages())
def test_public_names_are_listed_and_sorted(name):
    module = importlib.import_module(name)
    listed = list(getattr(module, "__all__", []))
    assert listed == sorted(listed)
    assert all(hasattr(module, one) for one in listed)
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    bound = {
        (alias.asname or alias.name).split(".")[0]
        for node in tree.body
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    }
    bound |= {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    public = {n for n in bound if not n.startswith("_")}
    allowed = {"TYPE_CHECKING", "import_module"} if name == "workbench" else set()
    modules = {n for n in public if isinstance(getattr(module, n, None), ModuleType)}
    assert public - modules - allowed <= set(listed), "public names that __all__ does not list"


def test_import_is_light():
    """`import workbench` pulls in none of the heavy packages; its time is in tests/bench."""
    heavy = (
        "streamlit", "pandas", "numpy", "duckdb", "anthropic", "openai", "httpx", "trafilatura",
        "pypdf", "altair", "lxml", "pydantic", "eyecite",
    )  # fmt: skip
    code = f"import sys, workbench; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
