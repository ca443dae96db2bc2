"""Home and the lists behind its numbers, on an empty file and on one with work in it."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.fakes import records as make
from tests.fakes.app_page import cell_texts, component, open_page
from tests.fakes.desk import fill
from workbench.interfaces.web.filters import filter_of
from workbench.interfaces.web.home.tables import totals
from workbench.interfaces.web.queues.text import time_left_text
from workbench.records.queue import ItemFilter
from workbench.services.imports import import_file
from workbench.store.queues.queues import Queues
from workbench.store.runs.dashboard import DashboardQueries
from workbench.store.runs.items import CitationQuery

APP = Path(__file__).parents[3] / "app.py"
HOSTILE = "<img src=x onerror=alert(1)> [x](javascript:alert(1))"


@pytest.fixture
def worked_store(store):
    """Six citations; Ada and Bob labelled today and disagree on one; a queue; a host that failed."""
    fill(store, 6)
    now = datetime.now(UTC)
    costly_run = make.run("r2", [make.failure(2)], cost_usd=0.5, created_at=now)
    store.add_run(costly_run, make.TEXT, HOSTILE)
    store.finish_run(costly_run)
    queue = Queues(store).build("Morning", created_by="Ada", reviews=2)
    for number, (who, item, value, back) in enumerate(
        [
            ("Ada", "c0", "supported", 0),
            ("Bob", "c0", "contradicted", 0),
            ("Ada", "c1", "contradicted", 3),
        ]
    ):
        store.add_label(
            make.label(
                str(number), value, citation_id=item, reviewer=who, seconds=12.0,
                created_at=now - timedelta(days=back), queue_id=queue.id,
            )
        )  # fmt: skip
    return store


def number_of(text):
    return int(text.replace(",", ""))


def count_behind(store, href):
    """How many items a link to the list of items leads to."""
    parameters = parse_qs(urlsplit(href).query)
    return CitationQuery(store).count(filter_of(parameters.get("filter", [""])[0]))


def open_figures():
    at = open_page("home")
    at.session_state["home-figures"] = True
    at.run()
    assert not at.exception
    return at


def test_home_on_an_empty_file_offers_the_first_step(store):
    at = open_page("home")
    assert at.info[0].value == "No runs yet. Paste an answer or open a demo on the Review page."


def test_every_number_of_home_leads_to_as_many_items(worked_store):
    at = open_figures()
    figures = {figure["word"]: figure for figure in component(at, "totals")["figures"]}
    assert {word: figure["text"] for word, figure in figures.items()} == {
        "runs": "2",
        "citations with a verdict": "7",
        "reviewed": "2",
        "to review": "5",
        "disagreement": "1",
        "spent": "$0.50",
    }
    for figure in figures.values():
        if figure["href"].startswith("items"):
            assert count_behind(worked_store, figure["href"]) == number_of(figure["text"])
    (row,) = component(at, "home-errors")["rows"]
    assert [cell["text"] for cell in row] == [
        "bridge.example",
        "The source did not answer in time",
        "1",
    ]
    assert (
        count_behind(worked_store, row[0]["href"])
        == count_behind(worked_store, row[2]["href"])
        == 1
    )


def test_figures_are_read_only_when_they_are_opened(worked_store):
    with pytest.raises(KeyError):
        component(open_page("home"), "home-reviewers")
    rows = component(open_figures(), "home-reviewers")["rows"]
    assert [[cell["text"] for cell in row][:4] for row in rows] == [
        ["Ada", "2", "1", "12 s"],
        ["Bob", "1", "1", "12 s"],
    ]
    assert count_behind(worked_store, rows[0][1]["href"]) == 2
    assert count_behind(worked_store, rows[0][2]["href"]) == 1


def test_the_list_of_queues_says_how_long_the_rest_takes_and_leads_to_the_citations(worked_store):
    at = open_page("queues")
    (line,) = [box.proto.body for box in at.get("html") if "wb-queue" in box.proto.body]
    assert "1 of 7 items done · 2 of 14 reviews · about 2 min left (2 min–2 min, n = 3)" in line
    (link,) = [one.proto for one in at.get("page_link") if one.proto.label == "Citations"]
    assert count_behind(worked_store, f"items?{link.query_string}") == 7


def test_a_queue_without_a_measured_label_or_without_work_says_nothing_of_time(worked_store):
    for line in Queues(worked_store).list_queues():
        assert time_left_text(replace(line, recent_s=())) == ""
        assert time_left_text(replace(line, reviews_given=line.reviews_needed)) == ""


@pytest.mark.parametrize("table", ["verdicts", "labels", "cost"])
def test_each_number_of_a_table_leads_to_as_many_items(worked_store, table):
    rows = component(open_figures(), f"home-{table}")["rows"]
    assert rows
    for row in rows:
        for cell in row:
            if cell.get("href", "").startswith("items"):
                assert count_behind(worked_store, cell["href"]) == number_of(cell["text"])


def test_the_list_behind_a_number(worked_store):
    at = open_page("items", filter='{"reviewers_differ":true}')
    ((claim, source, judge, people, output),) = component(at, "items")["rows"]
    assert claim["text"] == "Fact 0 holds"
    assert claim["href"] == "./?run=r1&c=c0"
    assert (source["more"], output["text"]) == ("bridge.example", "report r1")
    assert [mark["word"] for mark in people["marks"]] == ["Contradicted", "Supported"]
    assert judge["marks"][0]["word"] == "Supported"


def test_the_list_is_sorted_and_paged_by_its_address(store):
    fill(store, 120, labels=("supported",))
    first = cell_texts(open_page("items", order="certain_first"), "items")
    last = cell_texts(open_page("items", order="certain_first", page="3"), "items")
    beyond_the_last = cell_texts(open_page("items", order="certain_first", page="99"), "items")
    assert [row[0] for row in first][:2] == ["Fact 0 holds", "Fact 1 holds"]
    assert (len(first), len(last)) == (50, 20)
    assert last == beyond_the_last
    assert (
        cell_texts(open_page("items", order="nonsense", page="x"), "items")[0][0] == "Fact 0 holds"
    )


def test_sorting_goes_back_to_the_first_page(store):
    fill(store, 120)
    at = open_page("items", page="2")
    at.selectbox(key="items-order").set_value("newest").run()
    assert at.query_params["order"] == "newest"
    assert "page" not in at.query_params


def test_a_filter_that_is_none_is_told_and_all_is_listed(worked_store):
    at = open_page("items", filter="{")
    assert "cannot be used" in at.warning[0].value
    assert len(cell_texts(at, "items")) == 7


def test_nothing_fits(worked_store):
    at = open_page("items", filter='{"tags":["none"]}')
    assert "No citations match" in at.info[0].value


def test_a_hostile_name_is_a_text(worked_store):
    at = open_page("items", filter='{"runs":["r2"]}')
    assert cell_texts(at, "items")[0][4] == HOSTILE
    (head,) = [box.proto.body for box in at.get("html") if "Citations</h1>" in box.proto.body]
    assert "<img" not in head
    assert "&lt;img" in head


def test_labels_of_a_day_are_found_by_the_moment(worked_store):
    now = datetime.now(UTC)
    since = (now - timedelta(hours=1)).isoformat()
    matches = CitationQuery(worked_store).find(ItemFilter(labelled_from=since))
    assert [item.citation_id for item in matches] == ["c0"]
    assert CitationQuery(worked_store).count(ItemFilter(labelled_before=since)) == 1
    assert (
        CitationQuery(worked_store).count(ItemFilter(labelled_from=since, reviewers=("Cyd",))) == 0
    )


def test_imported_items_that_nobody_judged_are_told_apart(store):
    fill(store, 3)
    glance = DashboardQueries(store).summary()
    figures_before = [(cell.text, words) for cell, words in totals(glance)][1:3]
    assert figures_before == [("3", "citations with a verdict"), ("0", "reviewed")]
    results = [
        make.result(
            1, "unverifiable", citation=make.citation(1, id=f"i{n}"), status="skipped",
            judgment=None, judgments=(),
        )
        for n in range(2)
    ]  # fmt: skip
    run = make.run("in", results=results, judge=())
    store.add_run(run, make.TEXT, "pairs")
    store.finish_run(run)
    figures = [(cell.text, words) for cell, words in totals(DashboardQueries(store).summary())][1:4]
    assert figures == [
        ("5", "citations"), ("3", "with a verdict"), ("2", "not judged yet"),
    ]  # fmt: skip
    open_page("home")


def test_imported_labels_are_told_apart_from_those_of_reviewers(worked_store, tmp_path):
    rows = [
        {"claim": f"Claim {n}", "source": f"Claim {n} holds.", "label": "supported", **annotator}
        for n, annotator in enumerate([{}, {"annotator": "Kim"}, {"annotator": "Ada"}])
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_file(worked_store, "pairs", file, name="pairs")
    at = open_figures()
    assert (
        "Imported: 3 labels in 1 data set; not counted among runs and reviewers."
        in [box.value for box in at.caption]
    )  # fmt: skip
    figures = {figure["word"]: figure for figure in component(at, "totals")["figures"]}
    assert (figures["reviewed"]["text"], figures["to review"]["text"]) == ("2", "5")
    assert count_behind(worked_store, figures["reviewed"]["href"]) == 2
    rows = component(at, "home-reviewers")["rows"]
    assert [(row[0]["text"], row[1]["text"]) for row in rows] == [("Ada", "2"), ("Bob", "1")]
    assert count_behind(worked_store, rows[0][1]["href"]) == 2
    assert count_behind(worked_store, rows[0][2]["href"]) == 1
