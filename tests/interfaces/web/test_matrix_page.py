"""The Matrix view of a run: what it shows, a cell's dialog, and asking a judge from it."""

import time

import pytest

from tests.fakes.app_page import cell_texts, component, open_app, send, shown_html
from tests.services.test_matrix import BUILT, LATER, TEXT, said, start
from workbench.interfaces.web import judging_tasks
from workbench.services.matrix import run_matrix

PATIENCE_S = 60


@pytest.fixture
def run(store):
    return start(store)


def open_matrix(run, **params):
    at = open_app(run=run.id, view="matrix", **params)
    assert not at.error, [box.value for box in at.error]
    return at


def test_the_view_shows_signs_by_statement_and_source(store, run):
    said(store, run, BUILT, 1, "supported", "The ferry was built in Turku in 1988.")
    said(store, run, BUILT, 2, "contradicted", "The ferry was built in Turku in 1991.")
    at = open_matrix(run)
    rows = cell_texts(at, "matrix-table")
    assert rows[0] == ["1. The ferry was built in Turku in 1988 [1].", "[●]", "✕", "·"]
    assert len(rows) == 4
    contradiction = cell_texts(at, "matrix-contradictions")[0]
    assert contradiction[1] == "“The ferry was built in Turku in 1988.”"
    assert "1 of 4 statements is supported by a source" in shown_html(at)
    assert "Nobody was asked yet about" in shown_html(at)


def test_a_filter_leaves_the_statements_that_are_like_that(store, run):
    said(store, run, BUILT, 1, "supported", "The ferry was built in Turku in 1988.")
    said(store, run, LATER, 2, "supported", "The ferry was built in Turku in 1991.")
    at = open_matrix(run)
    at.session_state["matrix-filter"] = "Said where not cited"
    at.run()
    assert [row[0] for row in cell_texts(at, "matrix-table")] == [
        "4. It was built in Turku in 1991."
    ]
    at.session_state["matrix-filter"] = "Contradicted"
    at.run()
    assert [box.value for box in at.info] == ["No statement is like that."]


def test_a_cell_opens_its_statement_and_its_quote_in_the_source(store, run):
    said(store, run, BUILT, 2, "contradicted", "The ferry was built in Turku in 1991.")
    at = open_matrix(run)
    link = component(at, "matrix-table")["rows"][0][2]
    assert link["said"] == "1, [2]: Contradicted" and "cell=1.2" in link["href"]
    send(at, "matrix-table", "followed", link["n"])
    html = shown_html(at)
    assert "<mark>The ferry was built in Turku in 1991.</mark>" in html
    assert "The lighthouse shows a green lamp at night. <mark>" in html
    assert "characters 44 to 81" in html


def test_an_address_opens_a_cell_and_one_that_is_gone_says_so(run):
    assert "Nobody was asked yet." in shown_html(open_matrix(run, cell="2.1"))
    at = open_matrix(run, cell="99.x")
    assert "no such statement and source" in at.info[0].value


def test_a_judge_is_asked_after_an_estimate(store, run):
    at = open_matrix(run)
    at.button(key="matrix-ask").click().run()
    (words,) = [block.value for block in at.markdown if "open pairs" in block.value]
    assert "at no cost" in words.replace("\\", "")
    at.button(key="matrix-start").click().run()
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        job = judging_tasks.find(store.path, f"matrix-{run.id}")
        if job and job.ended.is_set():
            break
        time.sleep(0.1)
    assert job.error == ""
    assert run_matrix(store, run.id).load.open == 0
    assert (
        at.button(key="matrix-ask").disabled or open_matrix(run).button(key="matrix-ask").disabled
    )


def test_a_text_without_statements_or_sources_has_no_table(store):
    bare = start(store, text="# Ferries\n\n## Lamps")
    assert "no sentence that asserts something" in shown_html(open_matrix(bare))
    none = start(store, text=TEXT, sources=[])
    at = open_matrix(none)
    assert "Ask a judge" in [button.label for button in at.button]
