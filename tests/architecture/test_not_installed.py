"""The workbench run from its folder, with its requirements installed and itself not."""

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

import workbench

PROJECT = Path(workbench.__file__).parents[1]


@pytest.fixture(scope="module")
def run_python(tmp_path_factory):
    """Runs Python where all packages but the workbench's own are installed."""
    folder = tmp_path_factory.mktemp("bare")
    for package in Path(sysconfig.get_paths()["purelib"]).iterdir():
        # an editable install is a .pth file, and `workbench/installed/app.py` beside it
        is_ours = package.name.startswith(("citation_workbench", "workbench"))
        if not is_ours and package.suffix != ".pth" and package.name != "__pycache__":
            (folder / package.name).symlink_to(package)
    for name in ("workbench", "data", "pages", "app.py"):
        (folder / name).symlink_to(PROJECT / name)

    def run(*arguments, stdin=""):
        environment = {**os.environ, "PYTHONPATH": str(folder), "WORKBENCH_DATA": str(folder / "d")}
        return subprocess.run(
            [sys.executable, "-S", "-P", *arguments],
            input=stdin, cwd="/", env=environment, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    return run


def test_the_api_and_the_tools_for_agents_start_and_a_batch_writes_sarif(run_python, tmp_path):
    (tmp_path / "answer.md").write_text("The bridge is 120 m long [1].")
    sarif = tmp_path / "found.sarif"
    arguments = ["batch", str(tmp_path / "answer.md"), "--out", str(tmp_path / "out"),
                 "--sarif", str(sarif)]  # fmt: skip
    code = (
        "from contextlib import suppress\n"
        "from importlib.metadata import PackageNotFoundError, version\n"
        "with suppress(PackageNotFoundError):\n"
        "    raise SystemExit('installed as ' + version('citation-workbench'))\n"
        "from workbench.__main__ import main\n"
        "from workbench.interfaces.mcp import CALLS_A_MINUTE, build_server\n"
        "from workbench.interfaces.http import describe_api\n"
        "from workbench.settings import load_settings\n"
        "print(describe_api()['info']['version'])\n"
        "print(build_server(load_settings(), calls_a_minute=CALLS_A_MINUTE).version)\n"
        f"main({arguments!r})"
    )
    done = run_python("-c", code)
    assert done.stdout.split()[:2] == [workbench.__version__] * 2, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    driver = json.loads(sarif.read_text())["runs"][0]["tool"]["driver"]
    assert driver["version"] == workbench.__version__


def test_an_agent_is_answered_over_stdio(run_python):
    initialize = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                   "clientInfo": {"name": "test", "version": "1"}},
    }  # fmt: skip
    done = run_python("-m", "workbench", "mcp", stdin=json.dumps(initialize) + "\n")
    answer = json.loads(done.stdout.splitlines()[0])
    assert answer["result"]["serverInfo"]["version"] == workbench.__version__


def test_the_version_stands_in_one_place():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"] == {"path": "workbench/__init__.py"}
