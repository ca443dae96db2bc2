"""An older file is brought to this version, and says the same as a new one."""

from dataclasses import replace
from datetime import UTC, datetime

import duckdb
import pytest

from tests.fakes import records as make
from workbench.records import Excerpt, Span, Target
from workbench.store import Store
from workbench.store.migrations import MIGRATIONS
from workbench.store.row_mapping import verdict_row

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
        for name, statements in MIGRATIONS[:3]:
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


def test_verdicts_get_the_columns_that_new_ones_have(old):
    Store(old).list_runs()
    with duckdb.connect(str(old)) as connection:
        rows = connection.execute(
            "select citation_id, claim, rationale, host, judges_differ from verdicts "
            "where version = 1"
        ).fetchall()
    expected = {
        result.citation.id: verdict_row("r1", result, NOW)[OLD_COLUMNS:] for result in results()
    }
    assert {name: tuple(rest) for name, *rest in rows} == expected
    assert expected["odd"][0] == "a\ufffd "
    assert expected["panel"][3] is True
    assert expected["url"][2] == "a.example"


def test_labels_keep_what_they_were(old):
    first, second = Store(old).labels("r1")
    assert (first.role, first.saw_judge, first.tags, first.evidence) == ("review", True, (), ())
    assert (second.note, second.saw_judge) == ("note", None)


def test_current_verdicts_are_those_with_the_highest_version(old):
    Store(old).list_runs()
    with duckdb.connect(str(old)) as connection:
        found = connection.execute(
            "select citation_id, version from current_verdicts order by all"
        ).fetchall()
        slow = connection.execute(
            "select citation_id, max(version) from verdicts group by citation_id order by all"
        ).fetchall()
    assert found == slow
    assert max(version for _, version in found) == 3


def test_migrating_twice_changes_nothing(old):
    Store(old).list_runs()
    before = old.read_bytes()
    Store(old).list_runs()
    with duckdb.connect(str(old)) as connection:
        names = connection.execute("select name from migrations order by name").fetchall()
    assert [name for (name,) in names] == sorted(name for name, _ in MIGRATIONS)
    assert len(before) == old.stat().st_size


@pytest.fixture
def before_label_origin(tmp_path):
    """A file whose labels do not say yet whose they are, with two versions of the label guide."""
    path = tmp_path / "w.duckdb"
    names = [name for name, _ in MIGRATIONS]
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table migrations (name varchar primary key, applied_at timestamptz)"
        )
        for name, statements in MIGRATIONS[: names.index("m011_label_origin")]:
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
            # id, reviewer, when it was given, tags, guide
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
    labels = {one.id: one for one in Store(before_label_origin).labels("r1")}
    assert {name: one.guide for name, one in labels.items()} == {
        "early": None, "shipped": 0, "first": 1, "second": 2, "kept": 1,
        "nobody": None, "named": None, "typed": 2,
    }  # fmt: skip


def test_old_labels_that_name_no_annotator_become_nobodys(before_label_origin):
    labels = Store(before_label_origin).labels("r1")
    assert [one.id for one in labels if not one.by_person] == ["nobody"]
