"""A page that was drawn holds no database and asks for nothing by itself."""

import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.services import cached_views, jobs
from workbench.settings import load_settings
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

pytestmark = pytest.mark.reopens

PROJECT = Path(__file__).parents[3]
APP = PROJECT / "app.py"
PAGES = sorted(path.stem for path in (PROJECT / "pages").glob("*.py"))
OTHER = """
import duckdb, sys
for path in sys.stdin:
    try:
        with duckdb.connect(path.strip()) as database:
            print(database.execute("select 42").fetchall(), flush=True)
    except duckdb.Error as error:
        print(repr(error), flush=True)
"""


@pytest.fixture(scope="module")
def read_elsewhere():
    """Reads a database from another process, which goes on between its readings."""
    with subprocess.Popen(
        [sys.executable, "-c", OTHER], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:

        def read(path):
            print(path, file=other.stdin, flush=True)
            return other.stdout.readline()

        yield read
        other.stdin.close()


@pytest.fixture
def store():
    cached_views.clear_cached_views()
    store = Store(load_settings().database)
    fill(store, 3)
    store.add_label(make.label(citation_id="c0"))
    return store


@pytest.fixture
def pulses(monkeypatch):
    """How often each fragment is drawn again by itself, as the pages ask for it."""
    intervals = []
    fragment = st.fragment

    def recorded(*arguments, run_every=None, **more):
        intervals.append(run_every)
        return fragment(*arguments, run_every=run_every, **more)

    monkeypatch.setattr(st, "fragment", recorded)
    return intervals


def draw_page(page=None, **address):
    at = AppTest.from_file(APP, default_timeout=60)
    if page:
        at.switch_page(f"pages/{page}.py")
    at.query_params.update(address)
    at.run()
    assert not at.exception, [box.message for box in at.exception]


@pytest.mark.parametrize("page", [None, *PAGES])
def test_a_drawn_page_leaves_the_database_to_others(store, pulses, page, read_elsewhere):
    queue = Queues(store).build("all", created_by="Zoe")
    draw_page(page, run="r1", who="Ada", queue=queue.id)
    assert read_elsewhere(store.path) == "[(42,)]\n"
    assert page or pulses, "the command search is a fragment of what is around every page"
    assert set(pulses) <= {None}


def test_a_desk_is_drawn_again_by_itself_while_its_run_goes_on(store, pulses, monkeypatch):
    """Proves that the check above can fail."""
    job = jobs.Job(name="report", output="r1: Fact 0 holds [0].", run_id="r1")
    job.begun = store.get_run("r1")
    monkeypatch.setattr(jobs, "find", lambda run: job if run == "r1" else None)
    draw_page("review", run="r1")
    assert any(pulses)
