"""Parts of a batch on a cluster: written whole, hashed, merged once; and which worker holds what."""

import asyncio
import json
import os
import shutil
import subprocess
import sys

import pytest

from workbench.__main__ import main
from workbench.errors import JudgeError, UsageError
from workbench.interfaces.batch import entries, load_entry, read_runs, run_batch_on_ray
from workbench.interfaces.batch.ray import engine
from workbench.interfaces.batch.ray.task import (
    BudgetActor,
    HostLimiterActor,
    LedgerPurse,
    SharedHostLimiter,
    rows_of,
)
from workbench.pipeline.options import VerifyOptions
from workbench.pipeline.verification import averify
from workbench.records.review import ERASURE_REASONS, LabelDecision
from workbench.records.source import Fetched
from workbench.records.spending import PricedCall, Spending
from workbench.services.batch.parts import (
    LIST,
    PARTS,
    Writer,
    fault_of,
    finished_parts,
    merge_parts,
    read_rows,
    unfinished_files,
)
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.admin.erasure import Erasures
from workbench.store.labels.repository import LabelRepository
from workbench.store.store import Store


def run_rows(tmp_path, number, text=None):
    """The rows of one output that was really run."""
    path = tmp_path / f"{number}.md"
    url = f"https://bridge.example/{number}"
    path.write_text(text or f"Bridge {number} is {number + 100} m long [1].\n\n[1] {url}\n")
    (entry,) = entries([path])
    source = {"url": url, "content": f"Bridge {number} is {number + 100} m long.", "title": "T"}
    output = path.read_text()
    run = asyncio.run(averify(output, sources=[source]))
    page = Fetched(
        url=url, final_url=url, status=200, content_type="text/plain", body=f"{number}".encode()
    )
    return rows_of(load_entry(entry), output, run, [page])


@pytest.fixture
def batch(tmp_path):
    """A folder with two parts of three outputs."""
    writer = Writer(folder=tmp_path / "out" / PARTS)
    writer.write([run_rows(tmp_path, 1), run_rows(tmp_path, 2)])
    writer.write([run_rows(tmp_path, 3)])
    return tmp_path / "out"


@pytest.fixture
def target(tmp_path):
    return Store(tmp_path / "here.duckdb"), SnapshotFolder(tmp_path / "snapshots")


def test_parts_come_back_as_they_were_written(batch, tmp_path):
    first, second = finished_parts(batch / PARTS)
    assert (first.number, second.number) == (1, 2)
    assert [len(list(read_rows(batch / PARTS, first, kind))) for kind in first.files] == [2, 2, 2]
    assert fault_of(batch / PARTS, first) is None
    (row,) = read_rows(batch / PARTS, second, "runs")
    assert row["output"] == (tmp_path / "3.md").read_bytes()


def test_merging_twice_changes_nothing(batch, target):
    store, snapshots = target
    first = merge_parts(store, snapshots, batch)
    assert (first.imported, first.known, first.snapshots, first.skipped) == (3, 0, 3, ())
    counts, snapshots_before = store.row_counts(), snapshots.list()
    for path in (batch, batch / PARTS, batch / PARTS / LIST):
        merged = merge_parts(store, snapshots, path)
        assert (merged.imported, merged.known, merged.snapshots) == (0, 3, 0)
    assert (store.row_counts(), snapshots.list()) == (counts, snapshots_before)
    for summary in store.list_runs():
        (result,) = store.get_run(summary.id).citations
        source = store.get_source(summary.id, result.citation.id)
        quote = result.judgment.evidence[0]
        assert source.text[quote.start : quote.end] == quote.quote


def test_merging_keeps_what_people_did_with_a_run(batch, target):
    store, snapshots = target
    merge_parts(store, snapshots, batch)
    run = store.get_run(store.list_runs()[0].id)
    citation = run.citations[0].citation.id
    LabelRepository(store).give(run.id, citation, "Ann", LabelDecision(label="supported"))
    merge_parts(store, snapshots, batch)
    assert len(store.labels(run.id)) == 1


def test_an_erased_output_does_not_come_back(batch, target):
    store, snapshots = target
    merge_parts(store, snapshots, batch)
    erased_run = store.list_runs()[0]
    Erasures(store).erase(erased_run.output_sha256, "Ann", ERASURE_REASONS[0])
    merged = merge_parts(store, snapshots, batch)
    assert (merged.imported, merged.known) == (0, 2)
    assert erased_run.id in merged.skipped[0][1]
    assert erased_run.id not in {run.id for run in store.list_runs()}


def test_a_damaged_part_is_named_and_the_others_come_in(batch, target, capsys):
    path = batch / PARTS / "part-00001.sources.parquet"
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)
    done = merge_parts(*target, batch)
    assert (done.imported, done.damaged) == (1, 1)
    assert done.skipped[0][0] == 1
    assert "part-00001.sources.parquet is damaged" in done.skipped[0][1]
    assert main(["import", "parts", str(batch)]) == 1
    assert "is damaged" in capsys.readouterr().out


def test_a_missing_file_is_named(batch, target):
    (batch / PARTS / "part-00002.runs.parquet").unlink()
    done = merge_parts(*target, batch)
    assert (done.imported, done.damaged) == (2, 1)
    assert "part-00002.runs.parquet is missing" in done.skipped[0][1]


def test_a_part_that_a_kill_cut_off_is_named_and_not_read(batch, target, tmp_path, capsys):
    parts = batch / PARTS
    truncated = (parts / "part-00001.runs.parquet").read_bytes()[:100]
    (parts / "part-00003.runs.parquet").write_bytes(truncated)
    with (parts / LIST).open("ab") as file:
        file.write(b'{"part": 3, "files": {"ru')
    assert unfinished_files(parts, finished_parts(parts)) == ["part-00003.runs.parquet"]
    assert main(["import", "parts", str(batch), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["imported"] == 3
    assert "part-00003.runs.parquet was started but not finished" in report["skipped"][0]["reason"]
    # the next pass writes after it and not over it
    Writer(folder=parts).write([run_rows(tmp_path, 4)])
    assert [part.number for part in finished_parts(parts)] == [1, 2, 4]
    assert merge_parts(*target, batch).imported == 4


@pytest.mark.parametrize(
    "line", [b"[]\n", b"nonsense\n", b'{"part": 1}\n', b'{"part": 1, "files": 2}\n']
)
def test_a_list_that_is_none_is_told(batch, target, line):
    (batch / PARTS / LIST).write_bytes(line)
    with pytest.raises(UsageError, match="Line 1 of .* is not the line of a part"):
        merge_parts(*target, batch)


def test_a_list_cannot_lead_out_of_its_folder(batch, target):
    list_ = batch / PARTS / LIST
    shutil.copy(batch / PARTS / "part-00001.runs.parquet", batch / "outside")
    list_.write_text(list_.read_text().replace("part-00001.runs.parquet", "../outside"))
    done = merge_parts(*target, batch)
    assert (done.imported, done.damaged) == (1, 1)
    assert any("../outside is missing" in reason for _, reason in done.skipped)


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_folder_without_parts_is_told(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    assert main(["import", "parts", name]) == 2
    assert "there is no" in capsys.readouterr().err.lower()


def test_texts_of_any_kind_come_through(tmp_path, target):
    odd_text = "It is so [1]. \udc80 ‮right‬ <b>\x00\n\n[1] https://bridge.example/9\n"
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(odd_text))
    (entry,) = entries([path])
    run = asyncio.run(averify(odd_text))
    Writer(folder=tmp_path / "out" / PARTS).write([rows_of(load_entry(entry), odd_text, run, [])])
    assert merge_parts(*target, tmp_path / "out").imported == 1
    assert target[0].get_output(run.output_sha256) == odd_text
    assert target[0].get_run(run.id).to_dict() == run.to_dict()


def test_a_kill_between_a_part_and_its_lines_loses_nothing(batch, monkeypatch):
    """What a finished part holds is finished, whether or not its line was written."""
    monkeypatch.setattr(
        engine, "cluster", lambda *arguments: pytest.fail("nothing is left to be done")
    )
    with pytest.raises(pytest.fail.Exception, match="nothing is left"):
        run_batch_on_ray([batch.parent / "1.md"], batch, VerifyOptions(), resume=True)
    runs = [run["input"] for run in read_runs(batch)]
    assert sorted(runs) == [str(batch.parent / f"{n}.md") for n in (1, 2, 3)]


@pytest.mark.parametrize(
    "more", [[], ["--offline"], ["--allow-fetch", "--allow-domain", "a.example"]]
)
def test_one_engine_goes_on_where_the_other_stopped(tmp_path, monkeypatch, capsys, more):
    (tmp_path / "a.md").write_text("It is so.")
    (tmp_path / "sources.json").write_text('[{"content": "x", "title": "y"}]')
    command = ["batch", str(tmp_path / "a.md"), "--out", str(tmp_path / "out"), "--sources",
               str(tmp_path / "sources.json"), *more]  # fmt: skip
    main(command)
    monkeypatch.setattr(
        engine, "cluster", lambda *arguments: pytest.fail("its options are the same")
    )
    with pytest.raises(pytest.fail.Exception, match="options are the same"):
        main([*command, "--engine", "ray", "--resume"])


# -- what all workers share, without a cluster ---------------------------------------------------


def test_the_cap_holds_over_attempts_and_a_dead_one_counts_at_its_worst(tmp_path):
    async def day():
        ledger = BudgetActor(1.0, 0.25, tmp_path / "paid.duckdb")
        half = PricedCall(worst_usd=0.5)
        first, refused = await ledger.reserve("a", half)
        assert (first.worst_usd, refused) == (0.5, None)
        waiting = asyncio.ensure_future(ledger.reserve("b", half))
        await asyncio.sleep(0)
        assert not waiting.done()
        await ledger.settle("a", first, 0.01)  # it cost less than it might have
        second, refused = await waiting
        assert (second.worst_usd, refused) == (0.5, None)
        await ledger.forget("b")  # the worker died: its call may have been billed
        spending = Spending(settled_usd=pytest.approx(0.26), reserved_usd=0.5)
        assert await ledger.close() == spending
        await ledger.settle("b", second, 0.1)  # its last message came late, and changes nothing
        assert await ledger.close() == spending
        assert (await ledger.reserve("c", half))[1][0] == "cost_cap_reached"
        # another cluster that continues the batch finds all of it
        assert await BudgetActor(1.0, 0.25, tmp_path / "paid.duckdb").close() == spending

    asyncio.run(day())


def test_a_dead_attempt_that_waited_for_money_takes_none(tmp_path):
    async def day():
        ledger = BudgetActor(1.0, 0.0, tmp_path / "paid.duckdb")
        first, _ = await ledger.reserve("a", PricedCall(worst_usd=0.8))
        waiting = asyncio.ensure_future(ledger.reserve("b", PricedCall(worst_usd=0.5)))
        await asyncio.sleep(0)
        await ledger.forget("b")
        await ledger.settle("a", first, 0.1)
        await waiting
        assert (await ledger.reserve("c", PricedCall(worst_usd=0.9)))[1] is None

    asyncio.run(day())


def test_hosts_are_asked_by_so_many_at_once_whoever_asks():
    async def day():
        hosts = HostLimiterActor(per_host=2)
        await hosts.enter("a", "one.example")
        await hosts.enter("b", "one.example")
        await hosts.enter("b", "two.example")
        third = asyncio.ensure_future(hosts.enter("c", "one.example"))
        cancelled = asyncio.ensure_future(hosts.enter("d", "one.example"))
        await asyncio.sleep(0)
        assert not third.done()
        await hosts.leave("a", "one.example")
        await third
        await hosts.forget("d")  # it died while it waited: it takes no place
        await hosts.forget("b")  # it died while it asked: its places are free
        await asyncio.wait_for(cancelled, 5)
        await asyncio.wait_for(hosts.enter("e", "one.example"), 5)
        assert await hosts.most_at_once() == {"one.example": 2, "two.example": 1}
        for token in ("c", "e"):
            await hosts.end(token)
        await hosts.leave("c", "one.example")  # a late message gives nothing back twice
        await hosts.enter("f", "one.example")
        await hosts.enter("g", "one.example")
        last = asyncio.ensure_future(hosts.enter("h", "one.example"))
        await asyncio.sleep(0)
        assert not last.done()
        last.cancel()

    asyncio.run(day())


class Handle:
    """An actor's handle over an object of this process: `.method.remote(…)`."""

    def __init__(self, actor):
        self.actor = actor

    def __getattr__(self, name):
        method = getattr(self.actor, name)

        class Call:
            @staticmethod
            def remote(*arguments):
                return asyncio.ensure_future(method(*arguments))

        return Call


def test_workers_wait_for_one_another_at_a_host():
    async def day():
        hosts = HostLimiterActor(per_host=2)
        now = most = 0

        async def fetch(lanes):
            nonlocal now, most
            async with lanes.use("one.example"):
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now -= 1

        workers = [SharedHostLimiter(Handle(hosts), f"w{n}") for n in range(4)]
        await asyncio.gather(*(fetch(lanes) for lanes in workers for _ in range(5)))
        assert most == 2

    asyncio.run(day())


def test_a_refusal_of_the_ledger_is_that_of_a_budget(tmp_path):
    async def day():
        purse = LedgerPurse(Handle(BudgetActor(0.1, 0.0, tmp_path / "paid.duckdb")), "a")
        with pytest.raises(JudgeError, match=r"could cost up to \$0.50, \$0.10 of \$0.10 is left"):
            await purse.reserve_in_turn(PricedCall(worst_usd=0.5))
        reservation = await purse.reserve_in_turn(PricedCall(worst_usd=0.05))
        assert reservation.worst_usd == 0.05

    asyncio.run(day())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--workers", "2"], "--workers requires --engine ray"),
        (["--engine", "ray", "--workers", "0"], "--workers must be 1 to 256"),
        (["--engine", "ray", "--workers", "2", "--ray-address", "auto"], "not to --ray-address"),
        (["--engine", "ray", "--ray-address", "ray://a:1"], "on a machine of the cluster"),
    ],
)
def test_wrong_usage_of_a_cluster_ends_with_2(tmp_path, capsys, arguments, message):
    (tmp_path / "a.md").write_text("It is so [1].")
    out = ["--out", str(tmp_path / "out")]
    assert main(["batch", str(tmp_path / "a.md"), *out, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_machine_without_ray_is_told_how_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(engine, "find_spec", lambda name: None)
    (tmp_path / "a.md").write_text("It is so [1].")
    out = ["--out", str(tmp_path / "out")]
    assert main(["batch", str(tmp_path / "a.md"), *out, "--engine", "ray"]) == 2
    assert "pip install 'ray==2.60.0'" in capsys.readouterr().err


def test_folders_of_killed_clusters_are_swept(tmp_path, monkeypatch):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    monkeypatch.setattr(engine.tempfile, "gettempdir", lambda: str(tmp_path))
    for name in (
        f"workbench-ray-{ended.pid}-a",
        f"workbench-ray-{os.getpid()}-b",
        "workbench-ray-c",
    ):
        (tmp_path / name).mkdir()
    engine._sweep()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"workbench-ray-{os.getpid()}-b", "workbench-ray-c",
    ]  # fmt: skip
