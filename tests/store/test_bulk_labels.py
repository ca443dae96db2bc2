"""A decision on many citations: one transaction, its cost in proportion to their number."""

import duckdb
import pytest

from tests.fakes.desk import fill
from workbench.errors import NotFoundError
from workbench.records.review import LabelDecision
from workbench.store.labels.repository import LabelRepository
from workbench.store.store import Store

SUPPORTED = LabelDecision(label="supported", note="seen")


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "work.duckdb")
    fill(store, 9)
    return store


def pairs(*numbers):
    return [("r1", f"c{number}") for number in numbers]


def described(label):
    return (
        label.citation_id, label.label, label.note, label.reviewer, label.judge_label,
        label.saw_judge, label.verdict_version, label.guide, label.replaces, label.queue_id,
    )  # fmt: skip


def test_each_label_is_as_one_given_by_itself(store):
    (one,) = LabelRepository(store).give_several(pairs(3), "Ada", SUPPORTED).added
    LabelRepository(store).withdraw("r1", "c3", "Ada")
    assert described(LabelRepository(store).give("r1", "c3", "Ada", SUPPORTED)) == described(one)


def test_a_citation_named_twice_is_labelled_once(store):
    assert len(LabelRepository(store).give_several(pairs(1, 1, 2), "Ada", SUPPORTED).added) == 2
    again = LabelRepository(store).give_several(pairs(1, 2, 3), "Ada", SUPPORTED)
    assert again.unchanged == (("r1", "c1"), ("r1", "c2"))
    assert [label.citation_id for label in again.added] == ["c3"]


def test_a_withdrawn_label_does_not_count_as_the_same(store):
    given = LabelRepository(store).give_several(pairs(1, 2), "Ada", SUPPORTED).added
    assert LabelRepository(store).withdraw_several([label.id for label in given], "Ada") == 2
    assert LabelRepository(store).withdraw_several([label.id for label in given], "Ada") == 0
    assert len(LabelRepository(store).give_several(pairs(1, 2), "Ada", SUPPORTED).added) == 2


def test_nobody_takes_back_labels_of_another(store):
    given = LabelRepository(store).give_several(pairs(1), "Ada", SUPPORTED).added
    assert LabelRepository(store).withdraw_several([given[0].id], "Bob") == 0
    assert len(store.labels("r1")) == 1


def test_all_or_none(store):
    with pytest.raises(NotFoundError, match="nothing was saved"):
        LabelRepository(store).give_several([*pairs(1, 2), ("r1", "gone")], "Ada", SUPPORTED)
    assert store.labels("r1") == []


def test_tables_are_read_once_however_many_citations_are_labelled(store, monkeypatch):
    def reads(*numbers):
        statements = []
        execute = duckdb.DuckDBPyConnection.execute
        LabelRepository(_Counted(store, statements, execute)).give_several(
            pairs(*numbers), "Bob", SUPPORTED
        )
        return sum(
            "from verdicts" in statement or "from (select * from labels" in statement
            for statement in statements
        )

    assert reads(0) == reads(1, 2, 3, 4, 5, 6) == 2


class _Counted:
    """A store that notes the statements it is given."""

    def __init__(self, store, statements, execute):
        self._store, self._statements, self._execute = store, statements, execute

    def transaction(self):
        from contextlib import contextmanager

        outer = self

        class Connection:
            def __init__(self, connection):
                self._connection = connection

            def execute(self, sql, *values):
                outer._statements.append(sql)
                return outer._execute(self._connection, sql, *values)

        @contextmanager
        def opened():
            with outer._store.transaction() as connection:
                yield Connection(connection)

        return opened()
