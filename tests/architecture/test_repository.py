"""The repository speaks of the product alone, and its two commands are where the README says."""

import re
import subprocess
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

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


def name_of(requirement: str) -> str:
    return canonicalize_name(re.split(r"[\[><=]", requirement)[0])


def pinned(file: str) -> set[str]:
    """The packages of a file of requirements, each of which is pinned."""
    lines = (PROJECT / file).read_text().splitlines()
    packages = [line for line in lines if line and not line.startswith("#")]
    assert packages
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in packages)
    return {name_of(line) for line in packages}


def needed(requirements: list[str]) -> set[str]:
    """The packages that requirements install, by what is installed here."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement(requirement) for requirement in requirements]
    while waiting:
        requirement = waiting.pop()
        found.add(canonicalize_name(requirement.name))
        for extra in {"", *requirement.extras}:
            if (requirement.name, extra) in seen:
                continue
            seen.add((requirement.name, extra))
            for line in distribution(requirement.name).requires or ():
                below = Requirement(line)
                if below.marker is None or below.marker.evaluate({"extra": extra}):
                    waiting.append(below)
    return found


def test_requirements_are_what_runs_and_nothing_more():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    declared = project["dependencies"] + extras["notebook"] + extras["ray"]
    assert pinned("requirements.txt") == needed(declared)


def test_requirements_of_tests_are_what_they_need_beside_it():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    runs = pinned("requirements.txt")
    assert (
        pinned("tests/requirements.txt") == needed(project["optional-dependencies"]["test"]) - runs
    )


def test_readme_names_the_two_commands():
    readme = (PROJECT / "README.md").read_text("utf-8")
    assert "make run" in readme
    assert "make test" in readme
    assert "make test" in (PROJECT / ".ci" / "run").read_text()


def test_server_is_bound_to_loopback():
    config = tomllib.loads((PROJECT / ".streamlit" / "config.toml").read_text())
    assert config["server"]["address"] == "127.0.0.1"
    assert config["browser"]["gatherUsageStats"] is False
