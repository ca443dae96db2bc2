"""Every page runs without an exception, on an empty store and on one with work in it."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import component, open_options, press, press_label, send
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.interfaces.web.home.tables import totals
from workbench.interfaces.web.places import PLACES
from workbench.judging import local_servers
from workbench.presentation.escape import escape_html
from workbench.presentation.run_desk import NOTHING_TO_UNDO
from workbench.services.demo import list_demos
from workbench.store.runs.dashboard import DashboardQueries

APP = Path(__file__).parents[3] / "app.py"
LISTED = [page for pages in PLACES.values() for page in pages if page.listed]
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) $x$ :red[no]"
ANSWER = (
    "The bridge is 120 metres long [1].\n\n## References\n[1] The bridge. https://b.example/a\n"
)


def add_run(store, run, text=make.TEXT, name="Bridges"):
    store.add_run(run, text, name)
    store.finish_run(run)


@pytest.fixture
def seeded_store(store):
    add_run(store, make.run("r1", [make.result(1), make.failure(2)]))
    add_run(store, make.run("r2", [make.result(1, "contradicted"), make.failure(2)]), name=HOSTILE)
    return store


def open_page(page=None, **params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = "Ada"
    if page:
        at.switch_page(f"pages/{page}.py")
    at.query_params.update(params)
    at.run()
    assert not at.exception, [box.message for box in at.exception]
    assert not any("could not be displayed" in box.value for box in at.error)
    return at


def buttons(at):
    return {button.key: button for button in at.button}


@pytest.mark.parametrize("listed", LISTED, ids=lambda listed: listed.file)
def test_every_page_opens_on_an_empty_store_under_the_name_of_its_link(listed):
    at = open_page(listed.file)
    headings = [box.proto.body for box in at.get("html") if "<h1" in box.proto.body]
    assert [re.sub(r".*<h1[^>]*>(.*?)</h1>.*", r"\1", body) for body in headings] == [
        escape_html(listed.title)
    ]


def test_an_empty_store_offers_the_demos():
    at = open_page()
    assert sum(key.startswith("demo-") for key in buttons(at)) == 3


def test_a_demo_is_loaded_with_its_sources_until_another_text_takes_its_place(store):
    at = open_page()
    assert not at.checkbox
    demo = list_demos()[5]
    open_options(at).selectbox(key="load-demo").set_value(demo.id).run()
    assert at.text_area(key="paste").value == demo.text
    assert at.checkbox(key="demo-sources").value
    at.button(key="run").click().run()
    (run,) = store.list_runs()
    assert run.name == demo.title and store.get_run(run.id).source_matches
    at = open_options(open_page())
    at.selectbox(key="load-demo").set_value(demo.id).run()
    at.text_area(key="paste").set_value(ANSWER).run()
    assert not at.checkbox


def test_nothing_to_check_is_told_in_a_sentence(store):
    at = open_page()
    at.button(key="run").click().run()
    assert "There is no text to check" in at.error[0].value.replace("\\", "")


def test_an_unreadable_upload_is_told_in_a_sentence(store):
    at = open_page()
    at.file_uploader(key="upload").upload("[x](y).pdf", b"%PDF-1.4 nonsense").run()
    at.button(key="run").click().run()
    assert not at.exception
    assert "pdf" in at.error[0].value


def test_a_pasted_answer_is_checked_and_opened(store):
    at = open_page()
    at.text_area(key="paste").set_value(ANSWER).run()
    at.button(key="run").click().run()
    assert not at.exception
    run = at.query_params["run"]
    run = run[0] if isinstance(run, list) else run
    assert store.get_run(run).total_citations_found == 1


def test_an_unknown_judge_is_told_in_a_sentence(store):
    at = open_page()
    at.text_area(key="paste").set_value(ANSWER).run()
    open_options(at).multiselect(key="judge").set_value(["nobody"]).run()
    at.button(key="run").click().run()
    assert "nobody" in at.error[0].value


def test_a_model_on_this_machine_is_offered_and_tried(store, monkeypatch):
    monkeypatch.setattr(local_servers._FINDING, "found", None)
    with FakeProvider() as server:
        server.models = ["qwen3:8b"]
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        at = open_options(open_page())
        judge = at.multiselect(key="judge")
        assert (judge.value, "ollama:qwen3:8b" in judge.options) == (["local"], True)
        judge.set_value(["ollama:qwen3:8b"]).run()
        assert server.requests == []
        server.queue(Answer(text=verdict("supported", "six weeks", corrected_claim="")))
        at.button(key="try-ollama:qwen3:8b").click().run()
        (told,) = [box.value for box in at.warning]
        assert "kept to the schema, and was wrong" in told and "it said supported" in told
        assert len(server.requests) == 1


def test_a_run_is_opened_by_its_address(seeded_store):
    at = open_page(run="r1", c="c2")
    data = component(at, "document")
    assert "".join(piece["t"] for piece in data["pieces"]) == make.TEXT
    assert data["selected"] == "c2"
    assert component(at, "card")["id"] == "c2"


def test_an_unknown_run_is_told_in_a_sentence(seeded_store):
    at = open_page(run="nope")
    assert "There is no run" in at.error[0].value


def test_a_label_is_kept_and_undone(seeded_store):
    at = open_page(run="r1", c="c1")
    press_label(at, "contradicted")
    (label,) = seeded_store.labels("r1")
    assert (label.label, label.judge_label, label.reviewer) == (
        "contradicted",
        "supported",
        "Ada",
    )
    assert component(at, "document")["marks"]["c1"]["h"] == "contradicted"
    press(at, "undo")
    assert seeded_store.labels("r1") == []


def test_a_label_goes_on_to_the_next_citation_of_the_filter(seeded_store):
    at = open_page(run="r1", c="c1")
    press_label(at, "contradicted")
    assert component(at, "card")["id"] == "c2"
    assert component(at, "run-keys")["said"] == "Contradicted: citation 1 of 2."
    press(at, "stay")
    press_label(at, "supported")
    assert component(at, "card")["id"] == "c2"


def test_undo_takes_back_the_last_change_wherever_it_was_and_says_what_it_was(seeded_store):
    at = open_page(run="r1", c="c1")
    press_label(at, "contradicted")
    press_label(at, "supported")
    undone = []
    for _ in range(3):
        press(at, "undo")
        undone.append((component(at, "card")["id"], component(at, "run-keys")["said"]))
    assert undone == [
        ("c2", "Undone: label “Supported” on citation 2 of 2."),
        ("c1", "Undone: label “Contradicted” on citation 1 of 2."),
        ("c1", NOTHING_TO_UNDO),
    ]


def test_a_press_that_is_sent_twice_counts_once(seeded_store):
    at = open_page(run="r1", c="c1")
    sent = {"id": "a1", "verb": "label", "at": 0, "label": "supported", "note": ""}
    for _ in range(2):
        send(at, "run-keys", "act", sent)
    assert [label.citation_id for label in seeded_store.labels("r1")] == ["c1"]


def test_agree_takes_the_judges_verdict(seeded_store):
    at = open_page(run="r2", c="c1")
    press_label(at, component(at, "run-keys")["agree"])
    assert [label.label for label in seeded_store.labels("r2")] == ["contradicted"]


def test_a_note_is_kept_with_the_label(seeded_store):
    at = open_page(run="r1", c="c1")
    press(at, "stay")
    press(at, "note", note="see page 2")
    assert seeded_store.labels("r1") == []
    press_label(at, "supported", note="see page 2")
    assert component(at, "run-keys")["note"] == "see page 2"
    press(at, "note", note="see page 3")
    (label,) = seeded_store.labels("r1")
    assert label.note == "see page 3"
    assert len(seeded_store.label_history("r1", "c1")) == 2


def test_the_reviewer_is_named(seeded_store):
    at = open_page(run="r1", c="c1")
    at.text_input(key="who").set_value("Ada").run()
    press_label(at, "supported")
    assert [label.reviewer for label in seeded_store.labels("r1")] == ["Ada"]


def test_next_and_previous_move_in_the_filter(seeded_store):
    at = open_page(run="r1", c="c1")
    press(at, "next")
    assert component(at, "card")["id"] == "c2"
    press(at, "previous")
    assert component(at, "card")["id"] == "c1"
    at.pills(key="show").set_value(["supported"]).run()
    press(at, "next")
    assert component(at, "card")["id"] == "c1"
    assert component(at, "document")["marks"]["c2"]["off"]


def test_a_text_without_citations_says_so(store):
    add_run(store, make.run("r3", text="Nothing here."), "Nothing here.")
    assert "No citations were found" in open_page(run="r3").info[0].value


def test_runs_are_listed_found_and_sorted(seeded_store):
    at = open_page("runs")
    frame = at.dataframe[0].value
    assert list(frame["Citations"]) == [2, 2]
    at.text_input(key="find").set_value("bridges").run()
    assert list(at.dataframe[0].value["Output"]) == ["Bridges"]
    at.text_input(key="find").set_value("nothing like it").run()
    assert "No run matches" in at.info[0].value


def test_a_link_to_what_was_spent_sorts_by_cost(seeded_store):
    summary = DashboardQueries(seeded_store).summary()
    (link,) = [cell.link for cell, word in totals(summary) if word == "spent"]
    at = open_page("runs", **link.query)
    assert at.selectbox(key="sort").value == "cost"


def test_one_run_of_the_address_is_shown(seeded_store):
    at = open_page("runs", a="r2")
    html = " ".join(box.proto.body for box in at.get("html"))
    assert "&lt;script&gt;" in html and "<script>" not in html


def test_two_runs_of_the_address_are_compared(seeded_store):
    at = open_page("runs", a="r1", b="r2")
    changed = at.dataframe[1].value
    assert list(changed["A"]) == ["● Supported"]
    assert list(changed["B"]) == ["✕ Contradicted"]
    assert component(at, "card-A")["mark"] == "supported"
    assert component(at, "card-B")["mark"] == "contradicted"


def test_an_error_of_our_own_is_told_without_a_traceback(seeded_store, monkeypatch):
    def broken(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr("workbench.interfaces.web.review.overview.load_review", broken)
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params["run"] = "r1"
    at.run()
    assert not at.exception
    assert "could not be displayed" in at.error[0].value
    assert "boom" not in at.error[0].value
