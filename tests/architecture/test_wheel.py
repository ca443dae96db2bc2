"""A wheel in a bare environment: all that the program needs is in it, and nothing beside it."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.request
import zipfile
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from tests.fakes.served import free_port
from workbench.services.documents import documents

PROJECT = Path(__file__).resolve().parents[2]
UV = shutil.which("uv", path=str(Path(sys.executable).parent))
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
ANSWER = "The old bridge is 120 metres long [1].\n\n## References\n[1] The old bridge\n"
SOURCES = [{"label": "1", "content": "The old bridge is 120 metres long and carries two lanes."}]

IN_ONE_PROCESS = """
import io, json
from contextlib import redirect_stderr, redirect_stdout
from streamlit.testing.v1 import AppTest
from workbench.__main__ import main
from workbench.shipped import APP

def told(*arguments):
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(list(arguments))
    return code, out.getvalue(), err.getvalue()

page = AppTest.from_file(str(APP), default_timeout=120).run()
assert not page.exception, page.exception
print(json.dumps([
    told("docs", "--json"), told("docs", "limits"), told("docs", "--write"),
    told("demo", "--runs-only"), told("runs", "list", "--json"),
    told("verify", "answer.md", "--sources", "sources.json", "--json"),
    (str(APP), len(page.text_area)),
]))
"""

pytestmark = pytest.mark.skipif(
    UV is None, reason="`make setup` installs uv, which builds the wheel"
)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def declared_versions():
    """The versions of Python that the project declares: `3.11`, …"""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    named = (re.search(r":: (3\.\d+)$", line) for line in project["classifiers"])
    return [match[1] for match in named if match]


def interpreter(version):
    """The interpreter of a version; the test is skipped where there is none."""
    if version == RUNNING:
        return sys.executable
    found = subprocess.run(
        [UV or "false", "python", "find", "--no-python-downloads", version],
        capture_output=True, text=True,
    )  # fmt: skip
    if found.returncode:
        pytest.skip(f"no Python {version} here")
    return found.stdout.strip()


VERSIONS = [RUNNING] + [
    pytest.param(version, marks=pytest.mark.slow)
    for version in declared_versions()
    if version != RUNNING
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel that is built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(UV, "build", "--quiet", "--wheel", "--out-dir", folder, PROJECT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module", params=VERSIONS)
def installed(request, wheel, tmp_path_factory):
    """The folder of the commands of an environment in which only the wheel was installed."""
    folder = tmp_path_factory.mktemp("installed")
    run(UV, "venv", "--quiet", "--python", interpreter(request.param), folder / "env")
    python = folder / "env" / "bin" / "python"
    pinned = ("--constraint", PROJECT / "requirements.txt")
    run(UV, "pip", "install", "--quiet", "--python", python, *pinned, wheel)
    if request.param == RUNNING:
        packages = folder / "env" / "lib" / f"python{RUNNING}" / "site-packages"
        use_compiled(packages)
        compile_alike(packages / "workbench")
    return python.parent


def use_compiled(packages):
    """Point what was installed beside the wheel at this project's copies, which are compiled."""
    for package in packages.iterdir():
        compiled = Path(sysconfig.get_path("purelib")) / package.name
        is_ours = package.name.startswith(("citation_workbench", "workbench"))
        if package.is_dir() and compiled.is_dir() and not is_ours:
            shutil.rmtree(package)
            package.symlink_to(compiled)


def compile_alike(package):
    """Take over what was compiled of the same files of the project."""
    for path in package.rglob("*.py"):
        source = PROJECT / "workbench" / path.relative_to(package)
        compiled = Path(cache_from_source(source))
        if compiled.exists() and source.read_bytes() == path.read_bytes():
            shutil.copystat(source, path)  # its time stands in what was compiled
            target = Path(cache_from_source(path))
            target.parent.mkdir(exist_ok=True)
            shutil.copy(compiled, target)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder that is not the project's, with a data folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def test_the_declared_versions_are_those_that_may_install_it():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    versions = [int(version.split(".")[1]) for version in declared_versions()]
    assert versions == list(range(versions[0], versions[-1] + 1))
    assert project["requires-python"] == f">=3.{versions[0]},<3.{versions[-1] + 1}"
    assert RUNNING in declared_versions()


def test_it_leaves_out_what_only_training_and_generating_documents_need(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    places = {"workbench": "workbench", "data": "workbench/installed/data"}
    left_out = {
        path.relative_to(PROJECT).as_posix()
        for top, place in places.items()
        for path in (PROJECT / top).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and f"{place}/{path.relative_to(PROJECT / top).as_posix()}" not in held
    }
    folders = ("data/contrast/", "workbench/interfaces/docs/", "workbench/judging/training/")
    assert all(any(name.startswith(folder) for name in left_out) for folder in folders)
    assert {name for name in left_out if not name.startswith(folders)} == {
        "data/calculations/lines.jsonl.gz",
        "data/judge/examples.jsonl",
        "data/sentences/lines.jsonl.gz",
    }


def test_its_commands_and_pages_work(installed, elsewhere):
    (elsewhere / "answer.md").write_text(ANSWER)
    (elsewhere / "sources.json").write_text(json.dumps(SOURCES))
    told = json.loads(run(installed / "python", "-c", IN_ONE_PROCESS).splitlines()[-1])
    pages, limits, refused, demo, runs, verified, (app, fields) = told

    assert [page["name"] for page in json.loads(pages[1])] == [page.name for page in documents()]
    assert limits[1].startswith("# ")
    assert refused[0] == 2
    assert "in a checkout of the source code" in refused[2]

    assert "demo" in demo[1]
    assert len(json.loads(runs[1])) == len(list((PROJECT / "data" / "demo").glob("*/sources.json")))

    judgment = json.loads(verified[1])["citations"][-1]["judgment"]
    assert judgment["label"] == "supported"
    assert "Judged by its words alone" not in judgment["rationale"]

    assert Path(app).parent.name == "installed"
    assert fields == 1


def test_serve_answers(installed, elsewhere):
    port = free_port()
    server = subprocess.Popen(
        [installed / "workbench", "serve", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    )
    try:
        described = json.loads(read(f"http://127.0.0.1:{port}/openapi.json", server))
        assert "/api/v1/runs" in described["paths"]
        assert "<title>" in read(f"http://127.0.0.1:{port}/", server)
    finally:
        server.terminate()
        server.communicate(timeout=30)


def read(address, server):
    """What a server that is just starting says."""
    ends = time.monotonic() + 120
    while time.monotonic() < ends:
        assert server.poll() is None, server.stderr.read()
        try:
            with urllib.request.urlopen(address, timeout=30) as response:
                return response.read().decode()
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"{address} does not answer")
