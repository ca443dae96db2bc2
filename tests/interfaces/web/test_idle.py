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
OTHER = "import duckdb, sys; print(duckdb.connect(sys.argv[1]).execute('select 42').fetchall())"


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


def draw_page(page, **address):
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params.update(address)
    at.run()
    at.switch_page(f"pages/{page}.py")
    at.query_params.update(address)
    at.run()
    assert not at.exception, [box.message for box in at.exception]


@pytest.mark.parametrize("page", PAGES)
def test_a_drawn_page_leaves_the_database_to_others(store, pulses, page):
    queue = Queues(store).build("all", created_by="Zoe")
    draw_page(page, run="r1", who="Ada", queue=queue.id)
    other = subprocess.run(
        [sys.executable, "-c", OTHER, str(store.path)], capture_output=True, text=True, check=False
    )
    assert other.stdout == "[(42,)]\n", other.stderr
    assert pulses, "the command search is a fragment on every page"
    assert set(pulses) == {None}


def test_a_desk_is_drawn_again_by_itself_while_its_run_goes_on(store, pulses, monkeypatch):
    """Proves that the check above can fail."""
    job = jobs.Job(name="report", output="r1: Fact 0 holds [0].", run_id="r1")
    job.begun = store.get_run("r1")
    monkeypatch.setattr(jobs, "find", lambda run: job if run == "r1" else None)
    draw_page("review", run="r1")
    assert any(pulses)
