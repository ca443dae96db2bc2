"""A killed process loses no record of what it may have been billed for."""

import json
import subprocess

import pytest

from tests.fakes.counting import CountingServer, kill_when, report_of
from tests.fakes.launched import launched
from workbench.store.admin.spending import SpendingAccount
from workbench.store.store import Store

COUNT = 40
CAP_USD = 0.012
JUDGE = "openai:gpt-4o-mini"


@pytest.fixture
def server():
    with CountingServer() as running:
        yield running


@pytest.fixture
def answer(tmp_path):
    """A text in which each claim cites another source, and the sources."""
    folder = tmp_path / "sources"
    folder.mkdir()
    numbers = range(1, COUNT + 1)
    urls = {number: f"https://b.example/{number}" for number in numbers}
    sources = [{"url": urls[n], "content": f"Bridge {n} is long."} for n in numbers]
    (folder / "sources.json").write_text(json.dumps(sources))
    lines = "".join(f"Bridge {n} was built by hand [{n}].\n" for n in numbers)
    entries = "".join(f"[{n}] {urls[n]}\n" for n in numbers)
    text = tmp_path / "answer.txt"
    text.write_text(f"{lines}\n## References\n{entries}")
    return text, folder


def kill_after(server, command, environment, calls):
    """Kill a command after so many calls; returns whether it was still running."""
    goal = server.calls + calls
    return kill_when(command, environment, lambda: server.calls >= goal)


def test_five_kills_never_spend_more_than_the_cap(server, answer, tmp_path):
    text, folder = answer
    environment = server.environment(tmp_path / "data")
    verify = [*launched(), "verify", str(text), "--sources", str(folder), "--judge", JUDGE]
    kills = int(kill_after(server, [*verify, "--max-cost-usd", str(CAP_USD)], environment, 3))
    store = Store(tmp_path / "data" / "workbench.duckdb")
    (summary,) = store.list_runs()
    resume = [*launched(), "resume", summary.id, "--json"]
    for _ in range(4):
        kills += kill_after(server, resume, environment, 2)
    assert kills >= 1
    assert server.billed_usd <= CAP_USD
    finished = report_of(resume, environment) if not store.get_run(summary.id).finished else None
    run = store.get_run(summary.id)
    assert server.billed_usd <= CAP_USD
    # every call that was billed is settled, or reserved at its worst case
    assert run.cost_usd + run.reserved_usd >= server.billed_usd
    settled = round(run.cost_usd / server.call_usd)
    assert run.cost_usd == pytest.approx(settled * server.call_usd)
    assert 0 < run.reserved_usd <= CAP_USD
    if finished:
        assert finished["total_cost_usd"] == run.cost_usd
        assert finished["config"]["reserved_usd"] == run.reserved_usd
        refused = [
            citation["error"]["message"] for citation in finished["citations"] if citation["error"]
        ]
        assert refused and all("reserved, outcome unknown" in message for message in refused)


@pytest.mark.slow
def test_two_processes_that_resume_one_run_share_its_cap(server, answer, tmp_path):
    text, folder = answer
    environment = server.environment(tmp_path / "data")
    cap = 0.02
    command = [
        *launched(), "verify", str(text), "--sources", str(folder), "--judge", JUDGE,
        "--max-cost-usd", str(cap),
    ]  # fmt: skip
    assert kill_after(server, command, environment, 1)
    store = Store(tmp_path / "data" / "workbench.duckdb")
    (summary,) = store.list_runs()
    resume = [*launched(), "resume", summary.id]
    processes = [
        subprocess.Popen(
            resume, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(2)
    ]
    for process in processes:
        process.wait(timeout=120)
    assert server.billed_usd <= cap
    run = store.get_run(summary.id)
    assert run.cost_usd + run.reserved_usd >= server.billed_usd


@pytest.mark.slow
def test_a_batch_that_is_killed_holds_the_cap_of_all_its_passes(server, tmp_path):
    environment = server.environment(tmp_path / "data")
    outputs = tmp_path / "outputs.jsonl"
    with outputs.open("w") as file:
        for number in range(COUNT):
            url = f"https://b.example/{number}"
            text = f"Bridge {number} was built by hand [1].\n\n## References\n[1] {url}\n"
            sources = [{"url": url, "content": f"Bridge {number} is long."}]
            file.write(json.dumps({"text": text, "sources": sources}) + "\n")
    out = tmp_path / "out"
    batch = [
        *launched(), "batch", str(outputs), "--out", str(out), "--judge", JUDGE,
        "--max-cost-usd", str(CAP_USD), "--json",
    ]  # fmt: skip
    kill_after(server, batch, environment, 3)
    for _ in range(4):
        kill_after(server, [*batch, "--resume"], environment, 2)
    assert server.billed_usd <= CAP_USD
    summary = report_of([*batch, "--resume"], environment)
    assert server.billed_usd <= CAP_USD
    account = SpendingAccount(Store(out / "judgments.duckdb"), "batch").spending()
    assert summary["total_cost_usd"] == pytest.approx(account.settled_usd, abs=1e-6)
    assert account.settled_usd + account.reserved_usd >= server.billed_usd - 1e-9
    assert summary["reserved_usd"] > 0


@pytest.mark.slow
def test_claims_that_are_checked_again_after_a_kill_count_what_was_spent(server, tmp_path):
    environment = server.environment(tmp_path / "data")
    claims = tmp_path / "claims.txt"
    claims.write_text("".join(f"Bridge {number} was built by hand.\n" for number in range(COUNT)))
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "sources.json").write_text(
        json.dumps([{"content": "The bridges were built by machines."}])
    )
    command = [
        *launched(), "claims", str(claims), "--lines", "--sources", str(folder), "--judge", JUDGE,
        "--max-cost-usd", str(CAP_USD), "--json",
    ]  # fmt: skip
    assert kill_after(server, command, environment, 2)
    for _ in range(3):
        kill_after(server, command, environment, 2)
    report = report_of(command, environment)
    assert server.billed_usd <= CAP_USD
    assert report["cost_usd"] + report["reserved_usd"] >= server.billed_usd - 1e-6
