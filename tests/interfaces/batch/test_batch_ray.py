"""The batch on a real Ray cluster of two workers, one of which is killed on the way."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.__main__ import main
from workbench.interfaces.batch import read_runs
from workbench.sources.fetchers import given_text
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.store import Store

PROJECT = Path(__file__).parents[3]
MANY = 16
needs_ray = pytest.mark.skipif(
    find_spec("ray") is None or not Path("/proc/self/environ").exists(),
    reason="needs the extra `ray` and a Linux /proc to find the workers in",
)


def output(number):
    text = f"Bridge {number} is {number + 100} metres long [1].\n\n[1] https://bridge.example/{number}\n"
    return json.dumps({"text": text})


def processes_of_test(mark):
    """The processes that were started with a text in their environment, by id."""
    processes = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                if mark in (folder / "environ").read_bytes():
                    processes[int(folder.name)] = (folder / "cmdline").read_bytes()
            except OSError:
                continue
    return processes


def listening_addresses(pids):
    """The addresses that processes listen on, as the kernel writes them."""
    inodes = set()
    for pid in pids:
        try:
            links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()]
        except OSError:
            continue
        inodes |= {m[1] for link in links if (m := re.fullmatch(r"socket:\[(\d+)\]", link))}
    addresses = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            cells = line.split()
            if cells[3] == "0A" and cells[9] in inodes:
                addresses.add(cells[1].partition(":")[0])
    return addresses


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}


def plain(run):
    """A run without what differs from time to time: ids, moments, waits."""
    run = json.loads(json.dumps(run))
    for name in ("id", "created_at", "timings"):
        run.pop(name)
    for citation in run["citations"]:
        for judgment in [citation["judgment"], *citation["judgments"]]:
            judgment["latency_ms"] = 0
            # a judgment that an attempt had paid for before it died costs nothing a second time
            judgment["cost_usd"] = judgment["input_tokens"] = judgment["output_tokens"] = 0
    run["total_cost_usd"] = 0
    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Outputs, the pages that they cite as fresh snapshots, and a home directory that must stay clean."""
    (tmp_path / "in.jsonl").write_text("".join(output(n) + "\n" for n in range(MANY)) + "{bad\n")
    (tmp_path / "home").mkdir()
    folder = SnapshotFolder(tmp_path / "data" / "snapshots")
    for number in range(MANY):
        text = f"Bridge {number} is {number + 100} metres long."
        folder.put(given_text(text, url=f"https://bridge.example/{number}"))
    return tmp_path


@needs_ray
@pytest.mark.slow
def test_a_cluster_gives_what_one_machine_gives_though_a_worker_is_killed(folder, capsys):
    with FakeProvider(lambda _: Answer(text=verdict("not_supported"), delay_s=0.1)) as provider:
        environment = {
            **os.environ, "OPENAI_API_KEY": "not-a-key", "OPENAI_BASE_URL": f"{provider.url}/v1",
            "WORKBENCH_DATA": str(folder / "data"), "HOME": str(folder / "home"),
        }  # fmt: skip
        command = [
            sys.executable, "-m", "workbench", "batch", str(folder / "in.jsonl"), "--judge",
            "openai:gpt-4o-mini", "--max-cost-usd", "1", "--allow-fetch", "--json",
        ]  # fmt: skip
        batch = subprocess.Popen(
            [*command, "--out", str(folder / "ray"), "--engine", "ray", "--workers", "2"],
            env=environment, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        mark = f"WORKBENCH_DATA={folder / 'data'}".encode()
        killed = None
        deadline = time.monotonic() + 240
        while killed is None and batch.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
            if len(provider.requests) >= 4:
                running = processes_of_test(mark)
                ports = listening_addresses(running)
                workers = [
                    p for p, line in running.items() if line.startswith(b"ray::check_output")
                ]
                if workers:
                    killed = workers[0]
                    os.kill(killed, signal.SIGKILL)
        output, errors = batch.communicate(timeout=300)
        assert killed is not None, errors
        assert ports and ports <= LOOPBACK
        deadline = time.monotonic() + 60
        while processes_of_test(mark) and time.monotonic() < deadline:
            time.sleep(0.1)  # the last workers see that their cluster is gone
        assert processes_of_test(mark) == {}, "processes were left behind"
        assert not list(Path(tempfile.gettempdir()).glob(f"workbench-ray-{batch.pid}-*"))
        assert not (folder / "home" / ".ray").exists()
        asked_on_ray = len(provider.requests)
        subprocess.run(
            [*command, "--out", str(folder / "local")], env=environment, cwd=PROJECT,
            capture_output=True, timeout=300,
        )  # fmt: skip
    summary = json.loads(output)
    assert (summary["done"], summary["failed"]) == (MANY, 1)
    assert MANY <= asked_on_ray <= MANY + 1, "only the call under way may be asked again"
    on_ray, on_one = (
        sorted((plain(run) for run in read_runs(folder / name)), key=lambda run: run["input"])
        for name in ("ray", "local")
    )
    assert len(on_ray) == MANY
    assert on_ray == on_one
    for path in (folder / "ray").rglob("*"):
        assert path.is_dir() or b"not-a-key" not in path.read_bytes()
    assert_merging_twice_adds_nothing(folder, capsys)


def assert_merging_twice_adds_nothing(folder, capsys):
    """The parts come in once, with texts, evidence and snapshots, in another place."""
    elsewhere = folder / "elsewhere"
    os.environ["WORKBENCH_DATA"] = str(elsewhere)  # the fixture puts it back
    assert main(["import", "parts", str(folder / "ray"), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["imported"], first["known"], first["snapshots"]) == (MANY, 0, MANY)
    counts = Store(elsewhere / "workbench.duckdb").row_counts()
    assert main(["import", "parts", str(folder / "ray"), "--json"]) == 0
    repeated = json.loads(capsys.readouterr().out)
    assert (repeated["imported"], repeated["known"], repeated["snapshots"]) == (0, MANY, 0)
    store = Store(elsewhere / "workbench.duckdb")
    assert store.row_counts() == counts
    by_id = {run["id"]: run for run in read_runs(folder / "ray")}
    for summary in store.list_runs():
        run = store.get_run(summary.id)
        assert run.finished
        merged = {**run.to_dict(), "input": summary.name}
        expected = {name: value for name, value in by_id[run.id].items() if name != "input_key"}
        assert merged == expected
        source = store.get_source(run.id, run.citations[0].citation.id)
        assert "metres long" in source.text
    assert SnapshotFolder(elsewhere / "snapshots").verify().to_dict() == {
        "checked": MANY, "broken": [],
    }  # fmt: skip
