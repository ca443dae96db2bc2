"""The worked notebooks run from top to bottom in IPython, within a running loop."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import workbench

PROJECT = Path(workbench.__file__).parents[1]
NOTEBOOKS = sorted((PROJECT / "data" / "notebooks").glob("*.ipynb"))
RUNNER = """
import asyncio, json, sys
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.displayhook import DisplayHook

shown = []

class Keep(DisplayHook):
    def __call__(self, result=None):
        if result is not None:
            data, _ = self.compute_format_data(result)
            shown.append(data)

InteractiveShell.displayhook_class = Keep
shell = InteractiveShell.instance()
shell.display_formatter.active_types = shell.display_formatter.format_types

async def whole():
    for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            raw = "".join(cell["source"])
            done = await shell.run_cell_async(raw, transformed_cell=shell.transform_cell(raw))
            done.raise_error()

asyncio.run(whole())
shell.history_manager.end_session()
json.dump(shown, open(sys.argv[2], "w", encoding="utf-8"))
"""


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def outputs(request, tmp_path_factory):
    """What the cells of a notebook show, each by media type; run in a process of its own."""
    folder = tmp_path_factory.mktemp("notebook")
    script, answer = folder / "run.py", folder / "shown.json"
    script.write_text(RUNNER)
    done = subprocess.run(
        [sys.executable, str(script),
         str(request.param), str(answer)],
        cwd=folder, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": str(PROJECT), "IPYTHONDIR": str(folder),
             "WORKBENCH_DATA": str(folder / "data")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return request.param.stem, json.loads(answer.read_text("utf-8"))


def html(outputs):
    return [data["text/html"] for data in outputs if "text/html" in data]


def test_there_are_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["check_and_label", "trust_the_judge"]


def test_a_notebook_runs_and_shows_itself(outputs):
    name, cell_outputs = outputs
    pages = " ".join(html(cell_outputs))
    assert "<script" not in pages
    if name == "check_and_label":
        assert "Supported" in pages and "Contradicted" in pages
        assert "The source says third tallest." in pages
        assert "Ada" in pages
    else:
        assert pages.count("<svg") >= 2
        assert "Not established yet" in pages
        assert "Balanced accuracy" in pages


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_well_formed_and_carries_no_outputs(path):
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-zA-Z0-9-_]{1,64}", cell_id) for cell_id in ids)
    for cell in notebook["cells"]:
        assert set(cell) == {"cell_type", "id", "metadata", "source"} | (
            {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        )
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None
        assert all(isinstance(line, str) for line in cell["source"])


def test_verify_works_within_a_running_loop():
    async def verify_in_loop():
        run = workbench.verify("It is so [1].", sources=[{"label": "1", "content": "It is so."}])
        return run.total_citations_found

    assert asyncio.run(verify_in_loop()) == 1
