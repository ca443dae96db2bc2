"""The recipes for build servers and commits, as the documentation shows them."""

import json
import os
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from tests.fakes.documents import blocks, run_command
from workbench.services.documents import DOCS, documents

PROJECT = Path(__file__).parents[3]
FILES = {file: body for _, file, body in blocks((DOCS / "batch.md").read_text("utf-8")) if file}
GOOD = "The bridge is 120 m long [1].\n\n## References\n[1] https://bridge.example/facts\n"
BAD = GOOD.replace("120 m", "150 m")


@pytest.fixture(params=[(GOOD, 0), (BAD, 1)], ids=["holds", "does not hold"])
def repository(request, tmp_path, monkeypatch):
    """A repository with one report and its sources, and the expected exit code."""
    text, code = request.param
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "bridge.md").write_text(text)
    (tmp_path / "sources").mkdir()
    facts = {"url": "https://bridge.example/facts", "content": "The bridge is 120 m long."}
    (tmp_path / "sources" / "sources.json").write_text(json.dumps([facts]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    return code


def commands(recipe):
    """The lines of a recipe that call the workbench."""
    if "jobs" in recipe:
        lines = [step.get("run", "") for job in recipe["jobs"].values() for step in job["steps"]]
    else:
        lines = [line for job in recipe.values() for line in job["script"]]
    return [shlex.split(line)[1:] for line in lines if line.startswith("workbench ")]


@pytest.mark.parametrize("name", [".github/workflows/citations.yml", ".gitlab-ci.yml"])
def test_a_build_fails_by_the_exit_code_and_leaves_its_reports(repository, name):
    (command,) = commands(yaml.safe_load(FILES[name]))
    code, output = run_command(command)
    assert code == repository, output
    for option, value in zip(command, command[1:], strict=False):
        if option == "--junit":
            (suite,) = ET.parse(value).getroot().findall("testsuite")
            assert suite.get("failures") == str(code)
            assert value in FILES[name].partition("script")[2] + FILES[name].partition("run:")[2]
        if option == "--sarif":
            (run,) = json.loads(Path(value).read_text())["runs"]
            assert len(run["results"]) == code
            assert f"sarif_file: {value}" in FILES[name]


def test_a_commit_is_held_back_by_the_hook(repository, tmp_path):
    (repo,) = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"]
    (hook,) = repo["hooks"]
    program = tmp_path / "bin" / "workbench"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m workbench "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(PROJECT),
    }  # fmt: skip
    done = subprocess.run(
        [*shlex.split(hook["entry"]), "reports/bridge.md"], env=environment, timeout=300,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == repository, done.stderr
    assert "score" in done.stdout


@pytest.mark.parametrize("document", documents(), ids=lambda document: document.name)
def test_every_yaml_and_json_example_can_be_read(document):
    for kind, file, body in blocks(document.text):
        if kind == "yaml":
            assert yaml.safe_load(body)
        elif kind == "json":
            for line in body.splitlines() if (file or "").endswith("jsonl") else [body]:
                json.loads(line)
