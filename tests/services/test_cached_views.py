"""What is kept of a database until somebody writes to it."""

import os
import time

import pytest

from tests.fakes import records as make
from workbench.services.cached_views import cached_view, file_state
from workbench.services.database import keep_open
from workbench.store.store import Store

pytestmark = pytest.mark.reopens


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "workbench.duckdb")
    add_run(store, "r1")
    grow_old(store)
    return store


@pytest.fixture
def view():
    reads = []

    @cached_view(state=file_state)
    def run_ids(database):
        reads.append(database)
        return [run.id for run in database.list_runs()]

    run_ids.reads = reads
    return run_ids


def add_run(store, run_id):
    run = make.run(run_id)
    store.add_run(run, run.text)


def grow_old(store):
    """As if nothing had been written for an hour."""
    before = time.time() - 3600
    os.utime(store.path, (before, before + 0.5))


def test_nothing_is_read_twice_while_nobody_writes(store, view):
    assert view(store) == view(store) == ["r1"]
    assert len(view.reads) == 1


def test_what_another_writes_is_seen_at_once(store, view):
    view(store)
    add_run(Store(store.path), "r2")
    assert sorted(view(store)) == ["r1", "r2"]


def test_what_is_not_yet_in_the_file_itself_is_seen(store, view):
    with keep_open():
        view(store)
        add_run(store, "r2")
        assert sorted(view(store)) == ["r1", "r2"]
        add_run(store, "r3")
        assert sorted(view(store)) == ["r1", "r2", "r3"]


def test_nothing_is_kept_so_soon_after_a_write_that_another_could_look_the_same(store, view):
    now = time.time() + 60.5
    os.utime(store.path, (now, now))
    view(store)
    view(store)
    assert len(view.reads) == 2, "so soon after a write nothing is kept"


@pytest.mark.parametrize(("age_s", "known"), [(1, False), (3, True)])
def test_a_clock_of_whole_seconds_is_given_two(store, age_s, known):
    written = int(time.time()) - age_s
    os.utime(store.path, (written, written))
    assert (file_state(store) is not None) == known


def test_another_file_in_its_place_is_another_state(store, view, tmp_path):
    view(store)
    other = Store(tmp_path / "other.duckdb")
    add_run(other, "r9")
    os.replace(other.path, store.path)
    grow_old(store)
    assert view(store) == ["r9"]
