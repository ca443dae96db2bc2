"""An older file is brought to this version, and says the same as a new one."""

import gzip
import re
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from tests.fakes import full_database
from tests.fakes import records as make
from workbench.records.citation import Target
from workbench.records.text import Excerpt, Span
from workbench.store.admin.erasure import Erasures
from workbench.store.evaluation.predictions import RunOutcomeRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.rows import verdict_row
from workbench.store.runs.runs import Traces
from workbench.store.store import Store, read_migrations

pytestmark = pytest.mark.migrates

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OLD_COLUMNS = 14


def results():
    def cited(name, **fields):
        return make.citation(1, id=name, **fields)

    panel = (make.judgment("supported"), make.judgment("not_supported", rationale="No."))
    odd = Excerpt(span=Span(0, 3), text="a\ud800 ")
    smile = Excerpt(span=Span(0, 3), text="a \U0001f600")
    return [
        make.result(1, citation=cited("plain")),
        make.result(1, citation=cited("panel"), judgments=panel),
        make.result(1, citation=cited("odd", claim=odd)),
        make.result(1, citation=cited("smile", claim=smile)),
        make.result(
            1,
            citation=cited("given", claim=None),
            source=make.source(url="", final_url="notes.txt"),
        ),
        *(
            replace(make.failure(2), citation=cited(form, target=Target(form=form, value=value)))
            for form, value in (
                ("url", "HTTPS://u:p@WWW.A.example:8443/x?y"),
                ("doi", "10.1000/1"),
                ("arxiv", "2401.00001"),
                ("pmid", "12"),
                ("file", "a.py:3"),
            )
        ),
        replace(make.failure(2), citation=cited("none", target=None)),
    ]


@pytest.fixture
def old(tmp_path):
    """A file with the first three migrations, two of whose citations were checked again."""
    path = tmp_path / "w.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table migrations (name varchar primary key, applied_at timestamptz)"
        )
        for name, statements in read_migrations()[:3]:
            connection.execute(statements)
            connection.execute("insert into migrations values (?, now())", [name])
        for number, result in enumerate(results()):
            for version in range(1, 1 + (3 if number == 0 else 2 if number == 1 else 1)):
                row = verdict_row("r1", result, NOW, version)[:OLD_COLUMNS]
                connection.execute(
                    f"insert into verdicts values ({', '.join('?' * OLD_COLUMNS)})", list(row)
                )
        connection.execute(
            "insert into labels values ('l1', 'r1', 'plain', 'supported', 'Ada', now(), '', null, "
            "'supported'), ('l2', 'r1', 'plain', 'supported', 'Bob', now(), 'note', null, null)"
        )
    return path


@pytest.mark.reopens
def test_verdicts_get_the_columns_that_new_ones_have(old):
    Store(old).list_runs()
    with duckdb.connect(str(old)) as connection:
        rows = connection.execute(
            "select citation_id, claim, rationale, host, judges_differ from verdicts "
            "where version = 1"
        ).fetchall()
    expected = {
        result.citation.id: verdict_row("r1", result, NOW)[OLD_COLUMNS:-3] for result in results()
    }
    assert {name: tuple(values) for name, *values in rows} == expected
    assert expected["odd"][0] == "a\ufffd "
    assert expected["panel"][3] is True
    assert expected["url"][2] == "a.example"


def test_labels_keep_what_they_were(old):
    first, second = Store(old).labels("r1")
    assert (first.role, first.saw_judge, first.tags, first.evidence) == ("review", True, (), ())
    assert (second.note, second.saw_judge) == ("note", None)


@pytest.mark.reopens
def test_current_verdicts_are_those_with_the_highest_version(old):
    Store(old).list_runs()
    with duckdb.connect(str(old)) as connection:
        versions = connection.execute(
            "select citation_id, version from current_verdicts order by all"
        ).fetchall()
        slow = connection.execute(
            "select citation_id, max(version) from verdicts group by citation_id order by all"
        ).fetchall()
    assert versions == slow
    assert max(version for _, version in versions) == 3


@pytest.mark.reopens
def test_migrating_twice_changes_nothing(old):
    Store(old).list_runs()
    bytes_before = old.read_bytes()
    Store(old).list_runs()
    with duckdb.connect(str(old)) as connection:
        names = connection.execute("select name from migrations order by name").fetchall()
    assert [name for (name,) in names] == sorted(name for name, _ in read_migrations())
    assert len(bytes_before) == old.stat().st_size


@pytest.fixture
def before_label_origin(tmp_path):
    """A file whose labels have no author type yet, with two versions of the label guide."""
    path = tmp_path / "w.duckdb"
    names = [name for name, _ in read_migrations()]
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table migrations (name varchar primary key, applied_at timestamptz)"
        )
        for name, statements in read_migrations()[: names.index("m011_label_origin")]:
            connection.execute(statements)
            connection.execute("insert into migrations values (?, '2026-01-05')", [name])
        connection.execute(
            "insert into guides values (1, 'a', 'Ada', '', '2026-02-01'), "
            "(2, 'b', 'Ada', '', '2026-03-01')"
        )
        connection.execute(
            "insert into imported_items values ('k', 'r1', 'c1', 'p1', '', 'set', '', '[]', 'i')"
        )
        rows = [
            # id, reviewer, creation time, tags, guide
            ("early", "Ada", "2026-01-01", [], None),
            ("shipped", "Ada", "2026-01-10", [], None),
            ("first", "Ada", "2026-02-01", [], None),
            ("second", "Ada", "2026-03-02", [], None),
            ("kept", "Ada", "2026-03-02", [], 1),
            ("nobody", "set annotators", "2026-03-02", ["imported"], None),
            ("named", "Kim", "2026-03-02", ["imported"], None),
            ("typed", "set annotators", "2026-03-02", [], None),
        ]
        connection.executemany(
            "insert into labels (id, run_id, citation_id, label, reviewer, created_at, note, tags, "
            "guide) values (?, 'r1', 'c1', 'supported', ?, ?, '', ?, ?)",
            [list(row) for row in rows],
        )
    return path


def test_old_labels_get_the_guide_of_their_time_where_it_is_certain(before_label_origin):
    labels = {label.id: label for label in Store(before_label_origin).labels("r1")}
    assert {name: label.guide for name, label in labels.items()} == {
        "early": None, "shipped": 0, "first": 1, "second": 2, "kept": 1,
        "nobody": None, "named": None, "typed": 2,
    }  # fmt: skip


def test_old_labels_that_name_no_annotator_become_nobodys(before_label_origin):
    labels = Store(before_label_origin).labels("r1")
    assert [label.id for label in labels if not label.by_person] == ["nobody"]


# -- every kind of row ---------------------------------------------------------------------------

BEFORE_JUDGE_COLUMNS = Path(__file__).parent / "data" / "before_m015.duckdb.gz"
"""Written by `tests.fakes.full_database` with the version before `m015_judge_columns`."""


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """The store of a database that the version before wrote, with every kind of row."""
    path = tmp_path_factory.mktemp("migrated") / "w.duckdb"
    path.write_bytes(gzip.decompress(BEFORE_JUDGE_COLUMNS.read_bytes()))
    with duckdb.connect(str(path)) as connection:
        (applied,) = connection.execute("select count(*) from migrations").fetchone()
    assert applied == 14
    store = Store(path)
    store.row_counts()
    return store


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The store of a database with the same rows that is written now."""
    path = tmp_path_factory.mktemp("built") / "w.duckdb"
    full_database.build(path)
    return Store(path)


def test_every_table_of_the_database_has_a_row(built):
    assert [table for table, count in built.row_counts().items() if not count] == []


NEWER = frozenset(
    "active_reference_labels citation_comments correction_decision_withdrawals correction_decisions "
    "current_correction_decisions current_reference_checks current_reference_labels index_answers "
    "reference_checks reference_label_withdrawals reference_labels reference_registries "
    "registry_records registry_terms retractions run_titles examples "
    "counted_active_reference_labels counted_current_reference_labels "
    "matrix_cells "
    "sentence_corrections current_sentence_corrections active_sentence_corrections "
    "sentence_correction_withdrawals sentence_suggestions "
    "real_active_reference_labels real_current_reference_labels".split()
)
"""Tables and views that came after that file was written: empty in it."""


@pytest.mark.reopens
def test_every_row_is_migrated_to_what_is_written_now(migrated, built):
    migrated_data, now = (
        full_database.table_rows(migrated.path),
        full_database.table_rows(built.path),
    )
    assert migrated_data.keys() == now.keys()
    assert not any(migrated_data[table] for table in NEWER)
    for table in now.keys() - NEWER:
        assert uncounted(migrated_data[table]) == uncounted(now[table]), table


def uncounted(rows):
    """The rows of a table without what came after that file: counts, reasons, limits by kind."""
    counts = re.compile(r"(references|reference_problems)(\\?': )\d+")
    newer = re.compile(r'"reason": "[^"]*", "sure": (true|false), |, "kinds": \{\}')
    return {newer.sub("", counts.sub(r"\1\2…", row)): number for row, number in rows.items()}


def test_everything_reads_the_same_after_the_migration(migrated, built):
    migrated_data, now = full_database.readings(migrated), full_database.readings(built)
    assert migrated_data.keys() == now.keys()
    for readings in (migrated_data, now):
        readings["rows"] = {
            table: count for table, count in readings["rows"].items() if table not in NEWER
        }
    for name, reading in now.items():
        assert migrated_data[name] == reading, name


def test_a_migrated_database_is_written_to_erased_from_and_rewritten(migrated, tmp_path):
    store = Store(shutil.copy(migrated.path, tmp_path / "w.duckdb"))
    queue = next(item.queue for item in Queues(store).list_queues() if item.queue.reviewers)
    ReviewTaskService(store).skip(queue.id, "Cy", 0, "later")
    store.withdraw_label("local-0-Ada", "Ada")
    erasures = Erasures(store)
    erased = erasures.erase(erasures.output_of("solo"), "Zoe", "mistake")
    assert erased.trace.run_ids == ("solo",)
    assert "solo" not in {run.id for run in Store(store.path).list_runs()}
    # its trace went with it, the other one stays
    assert [trace.output for trace in Traces(store).newest()] == ["Nobody checked this."]


def test_the_judges_of_runs_stand_in_columns(migrated):
    with migrated.transaction() as connection:
        rows = connection.execute(
            "select id, judge_name, panel, prompt from runs order by id"
        ).fetchall()
    columns = {run_id: values for run_id, *values in rows}
    solo, prompt = full_database.SOLO, full_database.PROMPT
    assert columns["imported"] == ["", "", ""]
    assert columns["bare"] == ["local", "", ""]
    assert columns["single"] == [solo, "unanimous", prompt]
    assert columns["majority"] == [f"{solo} + local", "majority", prompt]
    assert columns["unanimous"] == [f"{solo} + local (unanimous)", "unanimous", prompt]
    # neither escapes nor the content of a threshold is taken for the prompt
    assert columns["odd"] == [solo, "majority", full_database.ODD_PROMPT]
    assert columns["folder"] == [solo, "majority", prompt]


def test_a_run_on_a_folder_whose_name_is_no_text_hides_no_traces(migrated):
    checked, unchecked = sorted(Traces(migrated).newest(), key=lambda trace: not trace.runs)
    assert (checked.runs, unchecked.runs) == (("solo", "folder"), ())


def test_policies_are_tried_on_outputs_with_odd_characters(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    run = make.run("r1", [results()[2]], finished=True)
    store.add_run(run, make.TEXT)
    store.finish_run(run)
    (outcomes,) = RunOutcomeRepository(store).read(None, None)
    assert [stance.form for stance in outcomes.stances] == ["url"]
