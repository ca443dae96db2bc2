"""Many outputs: read, run, killed, resumed, reported."""

import json
import os
import subprocess
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.fakes.launched import KILL, launched
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.__main__ import main
from workbench.errors import UnreadableInput, UsageError
from workbench.interfaces.batch import entries, read_entry, read_runs, run_batch
from workbench.judging.budget import Budget
from workbench.pipeline.options import VerifyOptions
from workbench.records.spending import PricedCall, Spending
from workbench.store.admin.spending import SpendingAccount
from workbench.store.store import Store

PROJECT = Path(__file__).parents[3]


def row(number, **more):
    url = f"https://bridge.example/{number}"
    return {
        "text": f"Bridge {number} is {number + 100} metres long [1].\n\n## References\n[1] {url}\n",
        "sources": [{"url": url, "content": f"Bridge {number} is {number + 100} metres long."}],
        **more,
    }


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_files_folders_and_lines_come_in_a_fixed_order(tmp_path):
    folder = tmp_path / "answers"
    (folder / "b").mkdir(parents=True)
    (folder / "b" / "two.md").write_text("As shown [1].")
    (folder / "a.txt").write_text("As shown [2].")
    (folder / "image.png").write_bytes(b"\x89PNG")
    lines = jsonl(folder / "c.jsonl", [row(1), row(2)])
    names = [entry.name for entry in entries([folder, lines])]
    assert names == [
        str(folder / "a.txt"), str(folder / "b" / "two.md"),
        f"{lines}:1", f"{lines}:2", f"{lines}:1", f"{lines}:2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "cites"),
    [
        (b'"As shown [1]."', 1),
        (b'{"output": "As shown [1]."}', 1),
        (b'{"response": "As shown [1].", "context": [{"content": "x", "label": "1"}]}', 1),
    ],
)
def test_a_line_is_a_text_or_an_object(tmp_path, line, cites):
    path = tmp_path / "in.jsonl"
    path.write_bytes(line + b"\n")
    (entry,) = entries([path])
    output = read_entry(entry)
    assert "[1]" in output.text
    assert len(output.sources or []) == (1 if b"context" in line else 0)


@pytest.mark.parametrize("line", [b"{", b"[1, 2]", b'{"text": " "}', b'{"other": 1}', b"\xff\xfe{"])
def test_a_line_that_is_no_output_is_named(tmp_path, line):
    path = tmp_path / "in.jsonl"
    path.write_bytes(line + b"\n")
    (entry,) = entries([path])
    with pytest.raises(UnreadableInput, match="in.jsonl:1"):
        read_entry(entry)


def test_every_output_is_run_and_bad_ones_are_listed(tmp_path):
    path = tmp_path / "in.jsonl"
    rows = [json.dumps(row(number)) for number in range(20)]
    rows[7] = "{broken"
    path.write_text("\n".join(rows) + "\n")
    summary = run_batch([path], tmp_path / "out", VerifyOptions())
    assert (summary.outputs, summary.done, summary.failed) == (20, 19, 1)
    runs = list(read_runs(tmp_path / "out"))
    assert sorted(run["input"] for run in runs) == sorted(
        f"{path}:{n + 1}" for n in range(20) if n != 7
    )
    assert all(run["total_resolved"] == 1 for run in runs)
    (failed,) = (tmp_path / "out" / "failed.jsonl").read_text().splitlines()
    assert json.loads(failed)["input"] == f"{path}:8"


def test_resume_runs_only_what_is_missing(tmp_path):
    path = jsonl(tmp_path / "in.jsonl", [row(n) for n in range(6)])
    out = tmp_path / "out"
    run_batch([path], out, VerifyOptions())
    with pytest.raises(UsageError, match="--resume"):
        run_batch([path], out, VerifyOptions())
    with pytest.raises(UsageError, match="other options"):
        run_batch([path], out, VerifyOptions(judge="scripted:x.json"), resume=True)
    with (out / "runs.jsonl").open("rb+") as file:
        # a kill cut the last line in two
        file.truncate((out / "runs.jsonl").stat().st_size - 40)
    jsonl(path, [row(n) for n in range(8)])
    summary = run_batch([path], out, VerifyOptions(), resume=True)
    assert (summary.outputs, summary.done, summary.resumed) == (8, 8, 5)
    runs = list(read_runs(out))
    assert len({run["input_key"] for run in runs}) == len(runs) == 8


def test_a_kill_in_the_middle_loses_no_verdict_and_pays_for_none_twice(tmp_path):
    many = 16
    path = jsonl(tmp_path / "in.jsonl", [row(n) for n in range(many)])
    slow = FakeProvider(lambda _: Answer(text=verdict("not_supported"), delay_s=0.05))
    with slow as provider:
        environment = {**os.environ, "OPENAI_API_KEY": "not-a-key",
                       "OPENAI_BASE_URL": provider.url + "/v1",
                       "WORKBENCH_DATA": str(tmp_path / "data")}  # fmt: skip
        command = launched("batch", str(path), "--out", str(tmp_path / "out"), "--judge",
                           "openai:gpt-4o-mini", "--at-once", "2", "--json")  # fmt: skip
        first = subprocess.Popen(
            command, env=environment, cwd=PROJECT, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 120
        while len(provider.requests) < 6 and time.monotonic() < deadline:
            time.sleep(0.02)
        first.send_signal(KILL)
        first.wait(20)
        run_count = len(list(read_runs(tmp_path / "out")))
        assert 0 < run_count < many
        resumed = subprocess.run(
            [*command, "--resume"], env=environment, cwd=PROJECT, capture_output=True, text=True,
            timeout=300,
        )  # fmt: skip
        summary = json.loads(resumed.stdout)
        assert (summary["done"], summary["resumed"]) == (many, run_count)
        runs = list(read_runs(tmp_path / "out"))
        assert len({run["input"] for run in runs}) == len(runs) == many
        # only requests in flight at the kill may be repeated
        assert len(provider.requests) <= many + 2
    assert "not-a-key" not in (tmp_path / "out" / "runs.jsonl").read_text()


def test_a_cap_holds_for_the_whole_batch(tmp_path, monkeypatch):
    path = jsonl(tmp_path / "in.jsonl", [row(n) for n in range(12)])
    with FakeProvider(lambda _: Answer(text=verdict("not_supported"))) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")
        summary = run_batch(
            [path],
            tmp_path / "out",
            VerifyOptions(judge="openai:gpt-4o", max_cost_usd=0.02),
            at_once=4,
        )
    assert summary.cost_usd <= 0.02
    assert summary.errors.get("cost_cap_reached", 0) > 0


def test_an_answer_that_was_kept_at_a_kill_and_not_settled_counts_once(tmp_path, monkeypatch):
    path = jsonl(tmp_path / "in.jsonl", [row(n) for n in range(3)])
    out, options = tmp_path / "out", VerifyOptions(judge="openai:gpt-4o")
    with FakeProvider(lambda _: Answer(text=verdict("not_supported"))) as provider:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url + "/v1")
        with monkeypatch.context() as killed:
            killed.setattr(Budget, "settle", lambda *_: None)
            run_batch([path], out, options)
        (out / "runs.jsonl").write_bytes(b"")
        # a call whose answer never came stays reserved
        lost = PricedCall(judge="openai:gpt-4o", key="lost", worst_usd=0.25)
        SpendingAccount(Store(out / "judgments.duckdb"), "batch").write({}, [lost], None)
        resumed = run_batch([path], out, options, resume=True)
        assert len(provider.requests) == 3
    paid = Store(out / "judgments.duckdb").paid_usd()
    assert paid > 0
    assert resumed.spending == Spending(settled_usd=pytest.approx(paid), reserved_usd=0.25)
    account = SpendingAccount(Store(out / "judgments.duckdb"), "batch").spending()
    assert account == resumed.spending


@pytest.fixture
def refuted_file(tmp_path):
    wrong_row = row(3)
    wrong_row["sources"][0]["content"] = "Bridge 3 was never built; <b>nobody</b> & nothing."
    unknown = row(4, text="It is so [7].\x01 \udc80", sources=[])
    return jsonl(tmp_path / "in.jsonl", [row(1), wrong_row, unknown, {"bad": 1}])


def test_build_servers_can_read_the_reports(tmp_path, refuted_file, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    junit, sarif = tmp_path / "junit.xml", tmp_path / "found.sarif"
    code = main(["batch", str(refuted_file), "--out", str(tmp_path / "out"), "--junit", str(junit),
                 "--sarif", str(sarif), "--json"])  # fmt: skip
    assert code == 1
    assert json.loads(capsys.readouterr().out)["failed"] == 1
    suites = ET.parse(junit).getroot().findall("testsuite")
    assert len(suites) == 4
    cases = [case for suite in suites for case in suite.findall("testcase")]
    assert len(cases) == 4
    assert sum(case.find("skipped") is not None for case in cases) == 1
    assert sum(case.find("error") is not None for case in cases) == 1
    log = json.loads(sarif.read_text())
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert run["results"]
    for result in run["results"]:
        assert result["ruleId"] in rules
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == str(refuted_file)
        assert place["region"]["charLength"] == 3


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("1.01", 1)])
def test_the_exit_code_follows_the_score_asked_for(tmp_path, monkeypatch, capsys, least, code):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    path = jsonl(tmp_path / "in.jsonl", [row(1)])
    assert main(["batch", str(path), "--out", str(tmp_path / "o"), "--min-score", least]) == code
    assert "runs.jsonl" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "There is no file or folder nowhere"),
        (["nowhere", "--engine", "ray"], "There is no file or folder nowhere"),
        ([".", "--at-once", "0"], "--at-once must be 1 to 64"),
    ],
)
def test_wrong_usage_ends_with_2(tmp_path, capsys, arguments, message):
    assert main(["batch", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert message in capsys.readouterr().err
