"""Units of one thread share a connection to their file, and still let other processes in."""

import threading
import time

import pytest

from workbench.store import connection
from workbench.store.connection import keep_open
from workbench.store.store import Store

pytestmark = pytest.mark.reopens


@pytest.fixture
def openings(monkeypatch):
    """Every opened connection to a database in this process, in order."""
    paths, real = [], connection._open
    monkeypatch.setattr(connection, "_open", lambda path: (paths.append(path), real(path))[1])
    return paths


@pytest.fixture
def store(tmp_path, openings):
    store = Store(tmp_path / "w.duckdb")
    store.row_counts()
    openings.clear()
    return store


def test_units_within_share_one_opening_and_it_is_closed_at_the_end(store, openings, monkeypatch):
    monkeypatch.setattr(connection, "RELAY_S", 60.0)  # on a busy machine too
    with keep_open():
        for _ in range(3):
            store.row_counts()
        assert len(openings) == 1
    assert connection._LINE.passed_on is None
    store.row_counts()
    assert len(openings) == 2


def test_each_unit_within_is_a_transaction_of_its_own(store):
    with keep_open():
        with store.transaction() as unit:
            unit.execute("create table kept (n integer)")
        with pytest.raises(ZeroDivisionError), store.transaction() as unit:
            unit.execute("create table lost (n integer)")
            raise ZeroDivisionError
        with store.transaction() as unit:
            names = {
                name
                for (name,) in unit.execute("select table_name from duckdb_tables()").fetchall()
            }
    assert "kept" in names
    assert "lost" not in names


def test_a_thread_that_is_busy_with_something_else_lets_the_file_go(store, monkeypatch):
    monkeypatch.setattr(connection, "RELAY_S", 2.0)
    with keep_open():
        store.row_counts()
        assert connection._LINE.passed_on is not None
        deadline = time.monotonic() + 20
        while connection._LINE.passed_on is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert connection._LINE.passed_on is None
        assert store.row_counts()


def test_a_file_is_closed_after_its_time_even_while_units_follow_one_another(
    store, openings, monkeypatch
):
    monkeypatch.setattr(connection, "RELAY_S", 0.0)
    with keep_open():
        for _ in range(3):
            store.row_counts()
    assert len(openings) == 3


def test_other_threads_and_other_files_work_within(store, tmp_path):
    other = Store(tmp_path / "other.duckdb")
    counts = []
    with keep_open():
        store.row_counts()
        thread = threading.Thread(target=lambda: counts.append(store.row_counts()))
        thread.start()
        thread.join(20)
        counts.append(other.row_counts())
        counts.append(store.row_counts())
    assert len(counts) == 3


def test_one_within_another_closes_at_the_outer_end(store, openings, monkeypatch):
    monkeypatch.setattr(connection, "RELAY_S", 60.0)
    with keep_open():
        with keep_open():
            store.row_counts()
        store.row_counts()
    assert len(openings) == 1
    assert connection._LINE.passed_on is None


def test_at_its_end_the_file_is_complete_even_while_another_thread_is_closing_it(
    store, monkeypatch
):
    closed, close = [], connection._OpenDatabase.close

    def slowly(opening):
        time.sleep(1.0)
        close(opening)
        closed.append(opening.path)

    monkeypatch.setattr(connection, "RELAY_S", 2.0)
    monkeypatch.setattr(connection._OpenDatabase, "close", slowly)
    with keep_open():
        store.row_counts()
        time.sleep(2.1)  # the timer is closing it now
    assert len(closed) == 1


def test_kept_for_the_next_it_is_open_at_the_end_and_closed_by_the_next(
    store, openings, monkeypatch
):
    monkeypatch.setattr(connection, "RELAY_S", 60.0)
    with keep_open(for_next=True):
        store.row_counts()
    assert connection._LINE.passed_on is not None
    with keep_open():
        store.row_counts()
    assert len(openings) == 1
    assert connection._LINE.passed_on is None


def test_kept_for_the_next_it_is_closed_in_time_where_none_follows(store, monkeypatch):
    monkeypatch.setattr(connection, "RELAY_S", 0.05)
    with keep_open(for_next=True):
        store.row_counts()
    deadline = time.monotonic() + 20
    while connection._LINE.passed_on is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert connection._LINE.passed_on is None
