"""A full disk, a read-only folder, an invalid database: one sentence, and nothing is lost."""

import json
import os
import re
import shutil
import subprocess
import sys

import duckdb
import httpx
import pytest

from tests.fakes import records as make
from tests.fakes.desk import fill
from tests.fakes.disks import PROJECT, full_disk, read_only_disk
from tests.fakes.served import messages_of, served
from workbench.__main__ import main
from workbench.errors import StoreError
from workbench.services.calibration.measurement import ensure_split
from workbench.store.admin.backup import back_up, restore
from workbench.store.store import Store

pytestmark = pytest.mark.reopens

ANSWER = "The bridge is 120 m long [1].\n\nReferences\n[1] https://bridge.example/facts\n"
FULL = "No space left on the disk of"
READ_ONLY = "Cannot write to"
FAULTS = {"full": (full_disk, FULL), "read-only": (read_only_disk, READ_ONLY)}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A data folder with work in it."""
    folder = tmp_path_factory.mktemp("work")
    store = Store(folder / "workbench.duckdb")
    fill(store, 3)
    store.add_label(make.label(citation_id="c0"))
    ensure_split(store, "Ada")
    return folder


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    (folder / "answer.md").write_text(ANSWER)
    (folder / "sources").mkdir()
    (folder / "sources" / "1.txt").write_text("The bridge is 120 m long.")
    (folder / "prompt.txt").write_text("Judge.\n=====\n{{passages}}\n{{claim}}\n")
    labels = {"claim": "It is long.", "source": "It is long.", "label": "supported"}
    (folder / "labels.jsonl").write_text(json.dumps({"id": "1", **labels}) + "\n")
    return folder


@pytest.fixture(scope="module", params=FAULTS)
def faulty(request, data, tmp_path_factory):
    mounted, fault = FAULTS[request.param]
    with mounted(data, tmp_path_factory.mktemp(request.param)) as disk:
        yield disk, fault


def one_sentence(process):
    lines = process.stderr.strip().splitlines()
    assert process.returncode == 2, process.stderr
    messages = [line for line in lines if FULL in line or READ_ONLY in line]
    assert messages == lines[-1:], process.stderr  # an export prints its rows above it
    assert messages[0].startswith("workbench: ")
    assert "Traceback" not in process.stderr
    return lines[-1]


def writing(inputs, disk):
    yield "verify", str(inputs / "answer.md"), "--sources", str(inputs / "sources")
    yield "batch", str(inputs / "answer.md"), "--out", f"{disk}/batch"
    yield "export", "jsonl", "--out", f"{disk}/out.jsonl"
    yield "backup", f"{disk}/all.zip"
    yield "prompts", "add", "mine", str(inputs / "prompt.txt")
    yield "import", "pairs", str(inputs / "labels.jsonl")


@pytest.mark.slow
def test_what_writes_says_why_it_cannot(faulty, inputs):
    disk, fault = faulty
    for arguments in writing(inputs, disk.path):
        assert fault in one_sentence(disk.workbench(*arguments)), arguments


READING = (
    ("search", "bridge"), ("snapshots", "list"), ("snapshots", "verify"), ("prompts", "list"),
    ("erase", "--list"), ("calibrate",), ("verify", "ANSWER", "--sources", "SOURCES", "--no-store"),
    ("extract", "ANSWER"), ("export", "jsonl", "--out", "OUT/out.jsonl"), ("backup", "OUT/all.zip"),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("arguments", READING, ids=lambda arguments: arguments[0])
def test_what_reads_goes_on(faulty, inputs, data, arguments, tmp_path, monkeypatch, capsys):
    disk, _ = faulty
    places = {"ANSWER": str(inputs / "answer.md"), "SOURCES": str(inputs / "sources")}
    command = [places.get(a, a).replace("OUT", str(tmp_path)) for a in arguments]
    process = disk.workbench(*command)
    for path in tmp_path.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    monkeypatch.setenv("WORKBENCH_DATA", str(shutil.copytree(data, tmp_path / "sound")))
    (tmp_path / "sound").exists()
    sound = main([*command])
    output = capsys.readouterr()
    assert (process.returncode, normalized(process.stdout)) == (sound, normalized(output.out)), (
        process.stderr
    )


def normalized(text):
    """An answer without what differs from call to call."""
    return re.sub(r"[0-9a-f-]{32,}|[\d,]+ bytes|[\d.]+ s\b", "…", text)


def test_work_goes_on_when_there_is_room_again(data, inputs, tmp_path):
    verify = ("verify", str(inputs / "answer.md"), "--sources", str(inputs / "sources"))
    counts_before = Store(data / "workbench.duckdb").row_counts()
    count = (
        "import json,sys; from workbench.store.store import Store; "
        "print(json.dumps(Store(sys.argv[1]).row_counts()))"
    )
    with full_disk(data, tmp_path / "mnt") as disk:
        database = str(disk.path / "workbench.duckdb")
        one_sentence(disk.workbench(*verify))
        one_sentence(disk.workbench(*verify))
        assert json.loads(disk.run(sys.executable, "-c", count, database).stdout) == counts_before
        disk.empty()
        assert disk.workbench(*verify).returncode == 0
        counts_after = json.loads(disk.run(sys.executable, "-c", count, database).stdout)
    assert counts_after["runs"] == counts_before["runs"] + 1
    assert counts_after["labels"] == counts_before["labels"]


def test_a_backup_holds_what_was_not_merged_into_the_file_yet(data, tmp_path):
    work = shutil.copytree(data, tmp_path / "work")
    database = work / "workbench.duckdb"
    killed = (
        "import duckdb, os, sys; connection = duckdb.connect(sys.argv[1]); "
        "connection.execute(\"insert into label_withdrawals values ('l0', 'Ada', now())\"); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", killed, str(database)], check=True)
    assert database.with_name("workbench.duckdb.wal").exists()
    with read_only_disk(work, tmp_path / "mnt") as disk:
        assert disk.workbench("backup", str(tmp_path / "all.zip")).returncode == 0
    restored = Store(tmp_path / "other" / "o.duckdb")
    restore(tmp_path / "all.zip", restored)
    assert restored.row_counts()["label_withdrawals"] == 1


def test_a_first_start_on_a_full_disk_leaves_no_empty_database(inputs, tmp_path):
    (tmp_path / "none").mkdir()
    verify = ("verify", str(inputs / "answer.md"), "--sources", str(inputs / "sources"))
    with full_disk(tmp_path / "none", tmp_path / "mnt", "16m") as disk:
        assert FULL in one_sentence(disk.workbench(*verify))
        disk.empty()
        assert disk.workbench(*verify).returncode == 0


def test_a_batch_that_the_disk_stopped_goes_on(inputs, tmp_path):
    (tmp_path / "none").mkdir()
    lines = [json.dumps({"id": str(n), "text": f"It is {n} m long [1]."}) for n in range(40)]
    (inputs / "many.jsonl").write_text("\n".join(lines))
    batch = ("batch", str(inputs / "many.jsonl"), "--sources", str(inputs / "sources"))
    with full_disk(tmp_path / "none", tmp_path / "mnt", "64k") as disk:
        disk.empty()
        out = ("--out", f"{disk.path}/checked")
        message = one_sentence(disk.workbench(*batch, *out))
        assert FULL in message and "--resume" in message
        rows_on_disk = disk.run("cat", f"{disk.path}/checked/runs.jsonl").stdout
        assert rows_on_disk and all(json.loads(line) for line in rows_on_disk.splitlines())


# -- the same over HTTP, MCP and on the pages -----------------------------------------------------

GIVEN = {"text": ANSWER, "sources": [{"label": "1", "content": "The bridge is 120 m long."}]}


# one fault for the server and one for agents; each at both, among the slow tests
at_the_server = pytest.mark.parametrize(
    "faulty", ["full", pytest.param("read-only", marks=pytest.mark.slow)], indirect=True
)
at_agents = pytest.mark.parametrize(
    "faulty", ["read-only", pytest.param("full", marks=pytest.mark.slow)], indirect=True
)


@pytest.fixture(scope="module")
def client(faulty):
    disk, _ = faulty
    with (
        served(disk.path, ready_at="/openapi.json", within=disk.command) as server,
        httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client,
    ):
        yield client


@at_the_server
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/verify", GIVEN),
        ("/api/v1/gateway", {"response": ANSWER, "documents": ["The bridge is 120 m long."]}),
        ("/api/v1/labels", {"run_id": "r1", "citation_id": "c1", "label": "supported",
                            "reviewer": "Ada"}),
    ],
)  # fmt: skip
def test_the_api_says_why_it_cannot_write(faulty, client, path, body):
    _, fault = faulty
    refused = client.post(path, json=body)
    assert refused.status_code == 503, refused.text
    assert fault in refused.json()["error"]["message"]


@at_the_server
@pytest.mark.parametrize(
    "path", ["/api/v1/runs", "/api/v1/runs/r1", "/api/v1/labels?run_id=r1", "/api/v1/exports/jsonl"]
)
def test_the_api_reads_on(faulty, client, path):
    assert client.get(path).status_code == 200


def calls(*tools):
    """What an agent sends: a greeting, then a call of each tool."""
    hello = {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }  # fmt: skip
    yield {"id": 0, "method": "initialize", "params": hello}
    yield {"method": "notifications/initialized"}
    for number, (name, arguments) in enumerate(tools, 1):
        parameters = {"name": name, "arguments": arguments}
        yield {"id": number, "method": "tools/call", "params": parameters}


@at_agents
def test_agents_are_told_and_read_on(faulty):
    disk, fault = faulty
    tools = (
        ("verify_citations", {"output": ANSWER, "model": "local"}),
        ("log_trace", {"input": "x", "output": "y", "name": "z", "model": "m"}),
        ("list_runs", {}),
        ("get_run", {"run_id": "r1"}),
    )
    answers = {}
    with subprocess.Popen(
        disk.command(sys.executable, "-m", "workbench", "mcp"), text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "WORKBENCH_DATA": str(disk.path)},
    ) as process:  # fmt: skip
        for message in calls(*tools):
            print(json.dumps({"jsonrpc": "2.0", **message}), file=process.stdin, flush=True)
        while len(answers) <= len(tools):
            answer = json.loads(process.stdout.readline())
            if "id" in answer:
                answers[answer["id"]] = answer["result"]
        process.stdin.close()
    for number in (1, 2):
        assert answers[number]["isError"], answers[number]
        assert fault in answers[number]["content"][0]["text"]
    for number in (3, 4):
        assert not answers[number].get("isError"), answers[number]


PAGES = sorted(path.stem for path in (PROJECT / "pages").glob("*.py"))
ADDRESSES = ["data" if page == "keep" else page for page in PAGES]


@at_the_server
@pytest.mark.parametrize("page", ADDRESSES)
def test_the_pages_are_drawn(faulty, client, page):
    messages = messages_of(str(client.base_url).rstrip("/"), page)
    for words in (FULL, READ_ONLY, "could not be displayed"):
        assert not [message for message in messages if words.encode() in message]


# -- invalid databases ----------------------------------------------------------------------------


def nothing(path):
    path.write_bytes(b"")


def garbage(path):
    path.write_bytes(b"no database" * 1000)


def cut_off(path):
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def folder(path):
    path.unlink()
    path.mkdir()


def shadowed(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("create macro mine(x) as 1; create macro count(x) as 7")


NO_DATABASE = [
    (nothing, "is empty"),
    (garbage, "may be damaged or not a DuckDB file"),
    (cut_off, "may be damaged or not a DuckDB file"),
    (folder, "is a folder, and the database is a file"),
    (shadowed, "contains macros that replace functions of DuckDB"),
]


@pytest.fixture(params=NO_DATABASE, ids=lambda pair: pair[0].__name__)
def broken(request, data, tmp_path, monkeypatch):
    harm, fault = request.param
    copy = shutil.copytree(data, tmp_path / "broken")
    harm(copy / "workbench.duckdb")
    monkeypatch.setenv("WORKBENCH_DATA", str(copy))
    return copy, fault


def test_a_database_that_is_none_is_told(broken, inputs, capsys):
    _, fault = broken
    verify = ["verify", str(inputs / "answer.md"), "--sources", str(inputs / "sources")]
    for arguments in (["search", "bridge"], verify, ["export", "jsonl", "--out", "x.jsonl"]):
        assert main(arguments) == 2
        output = capsys.readouterr().err
        assert fault in output
        assert output.count("workbench: ") == 1


def test_a_table_that_another_program_changed_is_told(data, tmp_path):
    path = shutil.copytree(data, tmp_path / "altered") / "workbench.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("alter table runs rename to gone; create macro mine(x) as 1")
    with pytest.raises(StoreError, match="another program may have changed its tables"):
        Store(path).list_runs()


def told_once(broken, pages):
    place, fault = broken
    with served(place) as server:
        for page in pages:
            messages = messages_of(server.url, page)
            matching = [message for message in messages if fault.encode() in message]
            # the Claims page reads nothing that was stored, and of half a file some can be read
            assert len(matching) == 1 or page == "claims" or "damaged" in fault and not matching, (
                page
            )
            assert not [message for message in messages if b"could not be displayed" in message]


def test_each_page_tells_it_once(broken, request):
    """Each page gets one of the faults; all of them, among the slow tests."""
    kind = [harm.__name__ for harm, _ in NO_DATABASE].index(request.node.callspec.id)
    told_once(broken, ADDRESSES[kind :: len(NO_DATABASE)])


@pytest.mark.slow
def test_every_page_tells_each_of_them_once(broken):
    told_once(broken, ADDRESSES)


@pytest.mark.slow
def test_a_backup_takes_its_place_and_it_is_kept(broken, data, tmp_path, capsys):
    place, fault = broken
    back_up(Store(data / "workbench.duckdb"), tmp_path / "all.zip")
    arguments = ["restore", str(tmp_path / "all.zip")]
    if main(arguments) == 2:
        assert "--replace" in capsys.readouterr().err
        assert main([*arguments, "--replace"]) == 0
    assert Store(place / "workbench.duckdb").row_counts()["labels"] == 1
    assert list(place.glob("workbench.duckdb.before-restore-*"))
