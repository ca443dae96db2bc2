"""The API's description, the tools, each command's help, and what a filled database gives out."""

import asyncio
import contextlib
import hashlib
import io
import json
import re
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.fakes import full_database
from tests.recorded import assert_recorded, without_times
from workbench import extract
from workbench.__main__ import main
from workbench.interfaces.cli.main import build_parser
from workbench.interfaces.http.app import open_api
from workbench.interfaces.http.upstream import Upstream
from workbench.interfaces.mcp import list_tools
from workbench.records.export_formats import EXPORT_FORMATS
from workbench.services.demo import list_demos
from workbench.services.export import ExportSelection, export_dataset
from workbench.settings import load_settings
from workbench.store.store import Store

REPORTS = Path(__file__).parents[3] / "shared" / "data" / "deep_research_reports.jsonl"
COMMANDS = (
    "runs list",
    "search bridge",
    "calibrate --no-judging",
    "calibrate --no-judging --slices --thresholds --band --with-baseline",
    "calibrate --no-judging --judge openai:gpt-4o-mini --prompt strict@2",
    "calibrate --references",
    "drift list",
    "prompts list",
    "prompts show strict@3",
    "prompts diff strict@2 strict@3",
    "registry list",
    "erase --list",
    "export jsonl --all --dry-run",
    "snapshots list",
)
"""Each printed as text and as JSON."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A database with every kind of row; ids and times are the same each time."""
    path = tmp_path_factory.mktemp("filled") / "workbench.duckdb"
    full_database.build(path)
    return path


def as_json(value):
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def api(database):
    return open_api(
        load_settings({"WORKBENCH_DATA": str(database.parent)}),
        Upstream(base="http://127.0.0.1:9/v1"),
    )


def test_the_description_of_the_api(filled):
    async def description():
        transport = httpx.ASGITransport(api(filled))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get("/openapi.json")).json()

    assert_recorded("openapi.json", as_json(asyncio.run(description())))


def test_the_tools_of_agents():
    assert_recorded("mcp_tools.json", as_json(list_tools()))


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="argparse writes help otherwise in other versions"
)
def test_the_help_of_each_command(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")

    def helps(parser):
        yield parser.format_help()
        for action in parser._actions:
            if isinstance(action.choices, dict):
                for command in dict.fromkeys(action.choices.values()):
                    yield from helps(command)

    assert_recorded("help.txt", "\n".join(helps(build_parser())))


def test_what_the_api_answers_about_a_filled_database(filled):
    async def answers():
        transport = httpx.ASGITransport(api(filled))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            ids = {
                "run_id": [run["id"] for run in (await client.get("/api/v1/runs")).json()["runs"]],
            }
            paths = [
                path
                for path, operations in (await client.get("/openapi.json")).json()["paths"].items()
                if "get" in operations
            ]
            said = {}
            for path in sorted(paths):
                names = re.findall(r"\{(\w+)\}", path)
                if names and names != ["run_id"]:
                    continue
                for value in ids["run_id"] if names else [""]:
                    answer = await client.get(path.replace("{run_id}", value))
                    kind = answer.headers.get("content-type", "")
                    said[path.replace("{run_id}", value)] = [
                        answer.status_code, answer.json() if "json" in kind else answer.text,
                    ]  # fmt: skip
            return said

    assert_recorded("api_answers.json", without_times(as_json(asyncio.run(answers()))))


@pytest.mark.parametrize("ending", ["md", "html"])
def test_the_report_on_a_judge(ending, filled, tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_DATA", str(filled.parent))
    report = tmp_path / f"report.{ending}"
    main(["calibrate", "--no-judging", "--slices", "--report", str(report)])
    assert_recorded(f"calibration_report.{ending}", without_times(report.read_text("utf-8")))


def test_what_commands_print_about_a_filled_database(filled, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("WORKBENCH_DATA", str(filled.parent))
    printed = []
    for command in (f"{line}{how}" for line in COMMANDS for how in ("", " --json")):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            try:
                code = main(command.split())
            except SystemExit as end:
                code = end.code
        text = out.getvalue()
        if text.startswith("{"):
            text = as_json(json.loads(text))
        printed.append(f"$ workbench {command}\n{text}exit {code}\n")
    took = re.compile(r'"seconds": [\d.]+')
    assert_recorded("commands.txt", took.sub('"seconds": 0', without_times("\n".join(printed))))


@pytest.mark.parametrize("format_name", EXPORT_FORMATS)
def test_what_an_export_of_a_filled_database_holds(format_name, filled, tmp_path):
    out = tmp_path / "export"
    one_run = "solo" if format_name == "corrected-markdown" else None
    export_dataset(Store(filled), format_name, out, ExportSelection(labelled=False, run_id=one_run))
    files = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert_recorded(f"exports/{format_name}.txt", without_times("".join(map(_file, files))))


def _file(path):
    data = path.read_bytes()
    if data[:4] == b"PAR1":
        import pandas

        text = pandas.read_parquet(path).to_json(orient="records", lines=True, force_ascii=False)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            text = "\n".join(
                f"{name}\n{archive.read(name).decode()}" for name in archive.namelist()
            )
    else:
        text = data.decode("utf-8", "backslashreplace")
    return f"== {path.name}\n{text}\n"


def test_what_is_found_in_the_demo_outputs():
    found = {demo.title: extract(demo.text).to_dict() for demo in list_demos()}
    assert_recorded("demo_extracts.json", as_json(found))


@pytest.mark.skipif(not REPORTS.exists(), reason="the reports lie beside the project, not in it")
def test_what_is_found_in_real_reports():
    """By the hash of what is found alone: the reports are no part of the project."""
    hashes = {}
    for line in REPORTS.read_text("utf-8").splitlines():
        row = json.loads(line)
        text = next(value for value in row.values() if isinstance(value, str) and len(value) > 1000)
        found = json.dumps(extract(text).to_dict(), sort_keys=True).encode()
        hashes[hashlib.sha256(text.encode()).hexdigest()[:16]] = hashlib.sha256(found).hexdigest()[
            :16
        ]
    assert_recorded("reports.json", as_json(hashes))
