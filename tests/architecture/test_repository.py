"""The repository speaks of the product alone, and its two commands are where the README says."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import workbench

PROJECT = Path(workbench.__file__).parents[1]


def tracked() -> list[Path]:
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z"], cwd=PROJECT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [PROJECT / name for name in done.stdout.split("\0") if name]


def test_no_machine_paths_in_tracked_files():
    pattern = re.compile(r"(?<![\w.~$}/])/(?:root|home/[a-z]+|Users/[a-z]+)/[\w.]")
    matches = []
    for path in tracked():
        if path.suffix in {".pdf", ".png", ".onnx", ".gz", ".duckdb"} or not path.is_file():
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if pattern.search(line):
                matches.append(f"{path.relative_to(PROJECT)}:{number}")
    assert matches == []


def test_what_the_short_run_leaves_out_is_there():
    tests = PROJECT / "tests"
    named = (tests / "thorough.txt").read_text().split()
    assert [name for name in named if not (tests / name).exists()] == []


def test_requirements_pin_every_package():
    lines = (PROJECT / "requirements.txt").read_text().splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert packages
    assert all(re.fullmatch(r"[\w.\[\],-]+==[\w.]+", line) for line in packages)


def test_requirements_hold_what_the_project_declares():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    declared = project["dependencies"] + project["optional-dependencies"]["test"]
    pinned = {
        line.split("==")[0].split("[")[0].lower().replace("_", "-")
        for line in (PROJECT / "requirements.txt").read_text().splitlines()
    }
    names = {
        re.split(r"[\[><=]", requirement)[0].lower().replace("_", "-") for requirement in declared
    }
    assert names <= pinned


def test_readme_names_the_two_commands():
    readme = (PROJECT / "README.md").read_text("utf-8")
    assert "make run" in readme
    assert "make test" in readme
    assert "make test" in (PROJECT / ".ci" / "run").read_text()


def test_server_is_bound_to_loopback():
    config = tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["address"] == "127.0.0.1"
    assert config["browser"]["gatherUsageStats"] is False
