"""Tables out of the store, labels into it, and records as tables."""

from dataclasses import replace

import pytest

from tests.fakes import records as make
from workbench import extract
from workbench.errors import StoreError, UsageError
from workbench.store import Store


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


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("delete from verdicts", "only reads, and this is a delete statement"),
        ("insert into labels select * from labels", "only reads"),
        ("with x as (insert into runs select * from runs returning 1) select * from x", "only"),
        ("copy runs to 'runs.csv'", "only reads"),
        ("drop table runs", "only reads"),
        ("attach 'other.duckdb'", "only reads"),
        ("set threads = 1", "only reads"),
        ("select 1; delete from runs", "there are 2 statements"),
        ("", "there are 0 statements"),
        ("selec 1", "no SQL that can be read"),
        ("select * from nowhere", "cannot be run"),
        ("select '\ud800'", "no SQL"),
    ],
)
def test_what_does_not_read_is_refused_with_a_sentence(store, tmp_path, sql, said):
    before = store.row_counts()
    with pytest.raises(UsageError, match=said):
        store.frame(sql)
    assert store.row_counts() == before
    assert not list(tmp_path.glob("*.csv")) and not (tmp_path / "other.duckdb").exists()
    store.label("r1", "c1", "supported", author="Ada")


def test_a_label_takes_the_place_of_its_authors_own(store):
    first = store.label("r1", "c1", "supported", author=" Ada ", note=" fits ")
    assert (first.reviewer, first.note, first.judge_label) == ("Ada", "fits", "supported")
    assert store.label("r1", "c1", "supported", author="Ada", note="fits") is None
    store.label("r1", "c1", "not_supported", author="Bo")
    later = store.label("r1", "c1", "contradicted", author="Ada")
    assert later.replaces == first.id
    assert [one.label for one in store.labels("r1")] == ["not_supported", "contradicted"]
    assert len(store.label_history("r1", "c1")) == 3


def test_a_run_that_is_not_kept_is_kept_with_its_first_label(tmp_path):
    store = Store(tmp_path / "new.duckdb")
    run = make.run("fresh", results=[make.result(1)])
    with pytest.raises(StoreError, match="no run 'fresh'"):
        store.label(run, "c1", "supported", author="Ada")  # its text is not at hand
    store.label(replace(run, text=make.TEXT), "c1", "supported", author="Ada")
    kept = store.get_run("fresh")
    assert kept.text == make.TEXT and kept.to_dict() == run.to_dict()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("r1", "c9", "supported", "Ada"), "no citation 'c9'; its citations are c1, c2"),
        (("r9", "c1", "supported", "Ada"), "no run 'r9'"),
        (("r1", "c1", "right", "Ada"), "no label 'right'; give one of supported"),
        (("r1", "c1", "supported", "  "), "needs a name"),
    ],
)
def test_a_label_that_cannot_stand_is_refused(store, given, said):
    run_id, citation, label, author = given
    with pytest.raises(UsageError, match=said):
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
    found = extract("A\ud800 [1]. B [2].").to_frame()
    assert found["raw"].tolist() == ["[1]", "[2]"] and found.loc[0, "claim"].startswith("A\ufffd")
