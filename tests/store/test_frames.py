"""Tables out of the store, labels into it, and records as tables."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pandas as pd
import pytest

from tests.fakes import records as make
from workbench import extract
from workbench.errors import StoreError, UsageError
from workbench.store.admin import query_process, sql_query
from workbench.store.admin.sql_query import LIMITS, QueryLimits, read_frame
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    run = make.run(results=[make.result(1), make.failure(2)])
    store.add_run(run, make.TEXT, "bridge")
    store.finish_run(run)
    return store


def test_a_query_comes_back_as_a_table(store):
    frame = store.frame("select verdict, count(*) as n from verdicts group by all order by 1")
    assert frame.to_dict("list") == {"verdict": ["supported", "unverifiable"], "n": [1, 1]}
    assert store.frame("select name from runs where id = ?", ["r1"])["name"].tolist() == ["bridge"]
    twice = store.frame("select 1 as a, 2 as a")
    assert list(twice.columns) == ["a", "a"] and twice.to_numpy().tolist() == [[1, 2]]
    none = store.frame("select id, citation_id from labels")
    assert list(none.columns) == ["id", "citation_id"] and len(none) == 0


@pytest.fixture
def here(monkeypatch):
    """Queries are answered without a process of their own, which takes twenty times as long."""
    monkeypatch.setattr(
        sql_query, "_ask", lambda asked, _: query_process.answer(*asked[:3], LIMITS)
    )


@pytest.mark.usefixtures("here")
def test_what_does_not_read_is_refused_with_a_sentence(store, tmp_path):
    counts_before = store.row_counts()
    for sql, message in (
        ("delete from verdicts", "only reads: it takes one SELECT statement, and this is DELETE"),
        ("insert into labels select * from labels", "only reads"),
        ("with x as (insert into runs select * from runs returning 1) select * from x", "only"),
        ("copy runs to 'runs.csv'", "only reads"),
        ("drop table runs", "only reads"),
        ("attach 'other.duckdb'", "only reads"),
        ("set threads = 1", "only reads"),
        ("select 1; delete from runs", "there are 2 statements"),
        ("", "there are 0 statements"),
        ("selec 1", "not valid SQL"),
        ("select * from nowhere", "cannot be run"),
        ("select '\ud800'", "not valid SQL"),
    ):
        with pytest.raises(UsageError, match=message):
            store.frame(sql)
    assert store.row_counts() == counts_before
    assert not list(tmp_path.glob("*.csv")) and not (tmp_path / "other.duckdb").exists()
    store.label("r1", "c1", "supported", author="Ada")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """A store, and a folder with unrelated files."""
    import duckdb

    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "secret.csv").write_text("a\nconfidential\n")
    with duckdb.connect(str(folder / "other.duckdb")) as other:
        other.execute("create table t as select 'confidential' as a")
    store = Store(tmp_path_factory.mktemp("kept") / "w.duckdb")
    store.row_counts()
    return store, folder, sorted(folder.rglob("*"))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("sql", "refused"),
    [
        ("select * from read_csv('{file}')", "this database only"),
        ("select * from '{file}'", "this database only"),
        ("from read_text('/etc/passwd')", "this database only"),
        ("from read_blob('/etc/passwd')", "this database only"),
        ("from glob('{folder}/*')", "this database only"),
        ("from sniff_csv('{file}')", "this database only"),
        ("from read_duckdb('{other}', table_name = 't')", "this database only"),
        ("from query('select * from read_csv(''{file}'')')", "this database only"),
        ("with f as (from read_json('{file}')) from f", "this database only"),
        ("select (select count(*) from read_csv('{file}')) from runs", "this database only"),
        ("from 'http://127.0.0.1:1/a.csv'", "this database only"),
        ("from duckdb_secrets()", "this database only"),
        ("from in_python", "cannot be run"),
        ("select getenv('HOME')", "cannot be run"),
        ("explain analyze copy runs to '{folder}/out.csv'", "this is EXPLAIN"),
        ("explain analyze select 1", "this is EXPLAIN"),
        ("copy (select 1) to '{folder}/out.csv'", "this is COPY"),
        ("export database '{folder}/out'", "this is EXPORT"),
        ("attach '{other}' as o", "this is ATTACH"),
        ("attach '{folder}/out.duckdb'", "this is ATTACH"),
        ("install httpfs", "this is LOAD"),
        ("load '{file}'", "this is LOAD"),
        ("set enable_external_access = true", "this is SET"),
        ("reset memory_limit", "this is SET"),
        ("pragma database_list", "this is PRAGMA"),
        ("call duckdb_settings()", "this is CALL"),
        ("create temp table t as select 1", "this is CREATE"),
        ("prepare q as select 1", "this is PREPARE"),
        ("checkpoint", "this is CALL"),
        ("vacuum", "this is VACUUM"),
        ("begin", "this is TRANSACTION"),
    ],
)
def test_a_query_reaches_nothing_but_the_database(elsewhere, sql, refused):
    store, folder, files_before = elsewhere
    in_python = pd.DataFrame({"a": ["confidential"]})
    query = sql.format(file=folder / "secret.csv", other=folder / "other.duckdb", folder=folder)
    with pytest.raises(UsageError, match=refused) as refusal:
        store.frame(query)
    assert "confidential" not in str(refusal.value) and len(in_python) == 1
    assert sorted(folder.rglob("*")) == files_before


def test_what_a_query_may_do_cannot_be_widened_by_it(store):
    settings = store.frame("select name, value from duckdb_settings()").set_index("name")["value"]
    assert (
        settings["enable_external_access"] == "false" and settings["lock_configuration"] == "true"
    )
    assert settings["autoload_known_extensions"] == "false" and settings["temp_directory"] == ""
    read_only = store.frame("select readonly from duckdb_databases() where not internal")
    assert read_only["readonly"].tolist() == [True]
    with pytest.raises(UsageError, match="this database only"):
        store.frame(f"from read_text('{__file__}')")
    with pytest.raises(UsageError, match="this is DELETE"):
        store.frame("delete from runs")


FOREVER = [
    "select sum(a.range * b.range) from range(10000000) a, range(10000000) b",
    "with recursive r(n) as (select 1 union all select n + 1 from r) select max(n) from r",
    # within one function DuckDB cannot be interrupted
    "select levenshtein(repeat('a', 2000000), repeat('b', 2000000))",
]
TOO_MUCH = [
    ("select range from range(50000000) order by random()", "0.125 GiB of memory"),
    ("select repeat('x', 1000000) from range(5000)", "of memory"),
    ("select range from range(1001)", "1,000 rows"),
    ("select repeat('x', 100000) from range(100)", "1 MiB"),
]
SMALL = {
    "memory_bytes": 128 * 2**20,
    "address_space_bytes": 2 * 2**30,
    "rows": 1000,
    "table_bytes": 2**20,
}


@pytest.mark.parametrize(
    ("seconds", "sql", "refused"),
    [*((1, sql, "stopped after 1 s") for sql in FOREVER), *((50, *case) for case in TOO_MUCH)],
    ids=["join", "recursion", "function", "sort", "long values", "rows", "bytes"],
)
def test_a_query_that_breaks_a_limit_is_stopped_and_the_file_is_free_again(
    store, seconds, sql, refused
):
    limits = QueryLimits(seconds=seconds, **SMALL)
    with pytest.raises(UsageError, match=refused):
        read_frame(store.path, sql, (), limits)
    store.label("r1", "c1", "supported", author="Ada")
    assert len(store.labels("r1")) == 1


def test_a_query_sees_what_a_killed_process_had_written(store):
    """The writer dies with its changes in the log beside the file."""
    code = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); "
        "c.execute(\"insert into label_withdrawals values ('l1', 'Ada', now())\"); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, str(store.path)], check=False)
    assert store.path.with_name(store.path.name + ".wal").exists()
    assert store.frame("select label_id from label_withdrawals")["label_id"].tolist() == ["l1"]


def test_queries_and_labels_of_several_threads_do_not_get_in_each_others_way(store):
    with ThreadPoolExecutor(4) as threads:
        tables = threads.map(lambda _: store.frame("select count(*) as n from labels"), range(4))
        for number in range(8):
            store.label("r1", "c1", "supported", author=f"Reviewer {number}")
    assert all(0 <= table["n"][0] <= 8 for table in tables)
    assert store.frame("select count(*) as n from labels")["n"][0] == 8


def test_values_of_every_type_come_back_as_pythons_own(store):
    frame = store.frame(
        "select 1.5::decimal(4, 2) as d, timestamptz '2026-01-02 03:04:05+00' as t, "
        "[1, 2] as l, {'a': null} as s, uuid '00000000-0000-0000-0000-000000000001' as u, "
        "'\u00e9' as w, ? as v",
        ["caf\ud800"],
    )
    row = frame.iloc[0]
    assert float(row["d"]) == 1.5 and row["t"].year == 2026 and list(row["l"]) == [1, 2]
    assert row["s"] == {"a": None} and str(row["u"]).endswith("1")
    assert (row["w"], row["v"]) == ("\u00e9", "caf\ufffd")


def test_a_label_takes_the_place_of_its_authors_own(store):
    first = store.label("r1", "c1", "supported", author=" Ada ", note=" fits ")
    assert (first.reviewer, first.note, first.judge_label) == ("Ada", "fits", "supported")
    assert store.label("r1", "c1", "supported", author="Ada", note="fits") is None
    store.label("r1", "c1", "not_supported", author="Bo")
    later = store.label("r1", "c1", "contradicted", author="Ada")
    assert later.replaces == first.id
    assert [label.label for label in store.labels("r1")] == ["not_supported", "contradicted"]
    assert len(store.label_history("r1", "c1")) == 3


def test_a_run_that_is_not_kept_is_kept_with_its_first_label(tmp_path):
    store = Store(tmp_path / "new.duckdb")
    run = make.run("fresh", results=[make.result(1)])
    with pytest.raises(StoreError, match="no run 'fresh'"):
        store.label(run, "c1", "supported", author="Ada")  # its text is not available
    store.label(replace(run, text=make.TEXT), "c1", "supported", author="Ada")
    stored = store.get_run("fresh")
    assert stored.text == make.TEXT and stored.to_dict() == run.to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("r1", "c9", "supported", "Ada"), "no citation 'c9'; its citations are c1, c2"),
        (("r9", "c1", "supported", "Ada"), "no run 'r9'"),
        (("r1", "c1", "right", "Ada"), "no label 'right'; give one of supported"),
        (("r1", "c1", "supported", "  "), "Enter a reviewer name"),
    ],
)
def test_a_label_that_cannot_stand_is_refused(store, arguments, message):
    run_id, citation, label, author = arguments
    with pytest.raises(UsageError, match=message):
        store.label(run_id, citation, label, author=author)
    assert store.labels("r1") == []


def test_records_are_tables_with_fixed_types():
    run = make.run(results=[make.result(1), make.failure(2)])
    frame = run.to_frame()
    assert frame["verdict"].tolist() == ["supported", "unverifiable"]
    assert frame.loc[0, "quote"] == "120 metres" and frame.loc[0, "page"] == 2
    assert frame.loc[1, "error"] == "timeout"
    assert make.TEXT[frame.loc[0, "start"] : frame.loc[0, "end"]] == "[1]"
    assert make.run().to_frame().dtypes.to_dict() == frame.dtypes.to_dict()
    tabular = extract("Oak\ud800 [1]. B [2].").to_frame()
    assert tabular["raw"].tolist() == ["[1]", "[2]"] and tabular.loc[0, "claim"].startswith(
        "Oak\ufffd"
    )
