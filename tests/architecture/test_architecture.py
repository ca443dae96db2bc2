"""The architecture stays as designed: imports flow one way, files stay small, public names are listed."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

import workbench

ROOT = Path(workbench.__file__).parent
PROJECT = ROOT.parent

FOUNDATION = {"records", "errors"}
MASKED = FOUNDATION | {"masking"}
"""For packages that take in words of others; the pure ones never do."""
BELOW_SERVICES = (
    MASKED
    | {
        "settings",
        "shipped",
        "language",
        "citations",
        "bibliography",
        "policy",
        "calibration",
        "sources",
        "judging",
        "store",
    }
    | {"datasets", "pipeline", "experiments"}
)
ALLOWED = {
    "lazy": set(),
    "shipped": set(),
    "masking": set(),
    "errors": {"masking"},
    "records": {"errors"},
    "settings": FOUNDATION,
    "language": FOUNDATION | {"shipped"},
    "citations": FOUNDATION | {"language"},
    "bibliography": FOUNDATION,
    "policy": FOUNDATION,
    "calibration": FOUNDATION,
    "sources": MASKED,
    "judging": MASKED | {"language", "shipped"},
    "store": MASKED,
    "datasets": FOUNDATION,
    "pipeline": MASKED | {"citations", "bibliography", "sources", "judging", "policy", "language"},
    "experiments": FOUNDATION | {"judging", "calibration", "pipeline", "datasets"},
    "services": BELOW_SERVICES,
    "presentation": FOUNDATION | {"settings", "shipped", "calibration"},
    "interfaces": MASKED | {"settings", "shipped", "services", "presentation"},
}
"""The packages that each may import."""
PURE = ("citations", "bibliography", "policy", "calibration")
IMPURE_MODULES = {
    "os", "io", "pathlib", "socket", "subprocess", "time", "random", "urllib.request", "httpx",
    "duckdb", "requests", "threading", "asyncio", "tempfile", "shutil",
}  # fmt: skip
COMPOSED = {"cli": {"batch", "docs", "http", "mcp", "web"}, "mcp": {"http"}, "http": {"mcp", "web"}}
"""The command line starts the others; the server and the agents' server share one guard."""
ONLY_IN_INTERFACES = {"streamlit", "argparse", "starlette", "uvicorn", "mcp"}
STREAMLIT_ALLOWED = ("interfaces/web/", "interfaces/http/")


def python_files() -> list[Path]:
    return sorted(ROOT.rglob("*.py"))


def imported_modules(path: Path) -> list[str]:
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


def package_of(path: Path) -> str:
    return relative(path).split("/")[0].removesuffix(".py")


def forbidden_imports(path: Path) -> list[str]:
    """The imports of a file that its package does not allow."""
    package = package_of(path)
    if package in ("__init__", "__main__"):
        return []
    allowed = {package, "lazy", *ALLOWED[package]}
    violations = []
    for name in imported_modules(path):
        parts = name.split(".")
        if parts[0] == "workbench" and len(parts) > 1 and parts[1] not in allowed:
            violations.append(f"{relative(path)} imports {name}")
        if parts[0] == "streamlit" and not relative(path).startswith(STREAMLIT_ALLOWED):
            violations.append(f"{relative(path)} imports streamlit")
        if parts[0] in ONLY_IN_INTERFACES and not (
            package == "interfaces" or relative(path).startswith("judging/training/")
        ):
            violations.append(f"{relative(path)} imports {name}, which belongs to an interface")
        if package in PURE and (
            parts[0] in IMPURE_MODULES or ".".join(parts[:2]) in IMPURE_MODULES
        ):
            violations.append(f"{relative(path)} imports {name}, but {package} is pure")
        if package == "interfaces" and parts[:2] == ["workbench", "interfaces"] and len(parts) > 2:
            interface, other = relative(path).split("/")[1].removesuffix(".py"), parts[2]
            if other not in {interface, *COMPOSED.get(interface, set())}:
                violations.append(f"{relative(path)} imports the interface {other}")
        if "training" in parts[2:3] and not relative(path).startswith("judging/training/"):
            violations.append(f"{relative(path)} imports {name}, which is no part of a run")
    return violations


def test_imports_flow_one_way():
    assert [found for path in python_files() for found in forbidden_imports(path)] == []


def test_every_package_has_its_arrows():
    packages = {package_of(path) for path in python_files()} - {"__init__", "__main__"}
    assert packages <= set(ALLOWED)


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("citations", "from workbench.sources import fetch"),
        ("citations", "import os"),
        ("judging", "from workbench.store import Store"),
        ("pipeline", "from workbench.store import Store"),
        ("store", "import streamlit as st"),
        ("services", "from workbench.interfaces.web import session"),
        ("services", "from workbench.presentation import verdicts"),
        ("services", "import argparse"),
        ("presentation", "import streamlit as st"),
        ("presentation", "from workbench.services.drift import drift_report"),
        ("judging", "from workbench.judging.training import train"),
        ("interfaces", "from workbench.judging import open_judge"),
        ("interfaces", "from workbench.store import Store"),
        ("interfaces/notebook.py", "from workbench.interfaces.cli import main"),
    ],
)
def test_a_wrong_arrow_is_seen(package, line, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    file = tmp_path / (package if package.endswith(".py") else f"{package}/wrong.py")
    file.parent.mkdir(parents=True)
    file.write_text(line)
    assert forbidden_imports(file)


def test_no_two_public_classes_share_a_name():
    paths_by_class = defaultdict(list)
    for path in python_files():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                paths_by_class[node.name].append(relative(path))
    assert {name: files for name, files in paths_by_class.items() if len(files) > 1} == {}


def test_files_stay_short_enough_to_read():
    """A file may pass 400 lines where its subject does not end there; `make lint` lists those."""
    files = [*python_files(), *(PROJECT / "pages").glob("*.py"), PROJECT / "app.py"]
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in files}
    assert [path.name for path, count in lines.items() if count > 600] == []


def test_no_junk_packages():
    junk_names = {"utils", "helpers", "common", "manager", "base", "misc"}
    assert [p for p in python_files() if p.stem in junk_names or p.parent.name in junk_names] == []


def packages() -> list[str]:
    return ["workbench"] + [
        f"workbench.{info.name}" for info in pkgutil.iter_modules([str(ROOT)]) if info.ispkg
    ]


@pytest.mark.parametrize("name", packages())
def test_public_names_are_listed_and_sorted(name):
    module = importlib.import_module(name)
    listed = list(getattr(module, "__all__", []))
    assert listed == sorted(listed)
    assert all(hasattr(module, name) for name in listed)
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    bound = {
        (alias.asname or alias.name).split(".")[0]
        for node in tree.body
        if isinstance(node, ast.ImportFrom | ast.Import)
        for alias in node.names
    }
    bound |= {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    public = {n for n in bound if not n.startswith("_")}
    allowed = {"TYPE_CHECKING", "import_module", "lazy_exports"}
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
