"""The Sources page on a store with read, doubted, changed and missing sources."""

import json
import shutil
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fpdf import FPDF
from streamlit.testing.v1 import AppTest

from tests.fakes.web_server import PUBLIC, diverted, fake_web, page
from workbench.interfaces.web.sources import jobs
from workbench.interfaces.web.sources.data import load_sources
from workbench.pipeline.options import VerifyOptions
from workbench.records.source import Fetched
from workbench.services import cached_views
from workbench.services.sources.actions import ActionResult
from workbench.services.verification import verify_and_store
from workbench.settings import Settings, load_settings
from workbench.sources.snapshots import SnapshotFolder
from workbench.store.sources import SourceRepository
from workbench.store.store import Store

APP = Path(__file__).parents[3] / "app.py"
HOSTILE = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) :red[no]"
ANSWER = f"""The bridge is 120 m long [1]. It opened in 1931 [2]. It cost a lot [3]. It is old [4].

References
[1] {HOSTILE}. https://bridge.example/a
[2] The opening. https://bridge.example/b
[3] The cost. https://bridge.example/c
[4] The report. https://bridge.example/d
"""
LONG = "The bridge measures 120 m in length. It is painted blue, and it stands in the north. "
WALL = (
    "<html><head><title>Log in</title></head><body><form><input type=password></form>"
    "<p>The bridge opened in 1931. Please log in to read on.</p></body></html>"
)
SCRIPT = [{"if_source_contains": "1931", "label": "supported", "quote": "*"},
          {"if_source_contains": "120 m", "label": "supported", "quote": "*"}]  # fmt: skip


def html(text, title=HOSTILE):
    escaped = title.replace("<", "&lt;")
    body = f"<h1>{escaped}</h1><p>{text}</p><p>The sign says {escaped}.</p>"
    return f"<html><head><title>{escaped}</title></head><body>{body}</body></html>"


def pdf(*pages):
    document = FPDF()
    document.set_font("Helvetica", size=12)
    for text in pages:
        document.add_page()
        document.multi_cell(0, 8, text)
    return bytes(document.output())


class SeededSources:
    """A data directory with one run of four citations."""

    def __init__(self, settings, script):
        self.settings = settings
        self.store = Store(settings.database)
        self.book = SourceRepository(self.store)
        self.folder = SnapshotFolder(settings.snapshots)
        self.judge = f"scripted:{script}"

    def fill(self):
        self.add_snapshot("a", html(LONG * 6), 1)
        self.add_snapshot("b", WALL, 2)
        self.add_snapshot("d", pdf("The first page is old.", "The second page says 1931."), 3)
        verify_and_store(
            self.store,
            ANSWER,
            "Bridges",
            VerifyOptions(judge=self.judge, snapshots=self.settings.snapshots),
        )

    @property
    def run(self):
        return next(run for run in self.store.list_runs() if run.name == "Bridges")

    def add_snapshot(self, name, body, minute, **facts):
        raw = body.encode() if isinstance(body, str) else body
        defaults = {
            "url": f"https://bridge.example/{name}",
            "final_url": f"https://bridge.example/{name}",
            "status": 200,
            "content_type": "application/pdf" if raw.startswith(b"%PDF") else "text/html",
            "body": raw,
            "fetched_at": datetime(2026, 1, 1, 0, minute, tzinfo=UTC),
        }
        self.folder.put(Fetched(**(defaults | facts)))

    def row(self, name):
        rows = load_sources(self.settings).rows
        return next(row for row in rows if row.address.endswith(f"/{name}"))

    def verdict(self, name):
        (citation,) = self.row(name).citing
        error = citation.result.error
        return citation.result.verdict, error.kind if error else None

    def settle(self, name):
        """Wait until the job on a source has ended."""
        act = jobs.find(self.store.path, self.row(name).id)
        assert act is not None
        assert act.ended.wait(30)


@pytest.fixture(scope="module")
def filled_folder(tmp_path_factory):
    """A data directory that is built once and copied for each test."""
    folder = tmp_path_factory.mktemp("filled")
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT))
    SeededSources(Settings(data_dir=folder / "data"), script).fill()
    return folder


@pytest.fixture
def sources(filled_folder):
    cached_views.clear_cached_views()
    settings = load_settings()
    shutil.copytree(filled_folder / "data", settings.data_dir, dirs_exist_ok=True)
    return SeededSources(settings, filled_folder / "script.json")


def open_page(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = "Ada"
    at.switch_page("pages/sources.py")
    at.query_params.update(params)
    at.run()
    return assert_no_exception(at)


def assert_no_exception(at):
    assert not at.exception, [box.message for box in at.exception]
    assert not any("could not be displayed" in box.value for box in at.error)
    return at


def component(at, key):
    return json.loads(at.get_by_key(key).proto.json)


def lines(at):
    return {line["path"].rpartition("/")[2]: line for line in component(at, "sources")["rows"]}


def html_of(at):
    bodies = []

    def walk(block):
        for child in block.children.values():
            if hasattr(child, "children"):
                walk(child)
            elif child.type == "html":
                bodies.append(child.proto.body)

    walk(at.main)
    return "\n".join(bodies)


# -- the list ---------------------------------------------------------------------------------


def test_an_empty_store_says_where_to_begin():
    at = open_page()
    assert "No sources yet. Check an answer on the Review page." in at.info[0].value


def test_every_source_has_a_line_with_its_facts(sources):
    rows = lines(open_page())
    assert {name: row["tone"] for name, row in rows.items()} == {
        "a": "read", "b": "not_evidence", "c": "missing", "d": "read",
    }  # fmt: skip
    assert rows["a"]["answer"] == "200"
    assert rows["a"]["type"] == "HTML"
    assert rows["a"]["when"] == "2026-01-01 00:01"
    assert rows["a"]["hash"] == sources.row("a").facts.sha256[:10]
    assert rows["a"]["counts"] == [["supported", 1]]
    assert (rows["d"]["type"], rows["d"]["pages"]) == ("PDF", "2")
    assert (rows["c"]["state"], rows["c"]["size"], rows["c"]["hash"]) == (
        "Fetching is off",
        "–",
        "–",
    )


def test_a_doubted_page_is_named_by_its_reason_and_how_sure_that_is(sources):
    at = open_page()
    deadline = time.monotonic() + 20
    while lines(at)["b"]["more"] == "" and time.monotonic() < deadline:
        at.run()
    row = lines(at)["b"]
    assert row["state"] == "Login required"
    assert row["more"].startswith(("very sure", "fairly sure"))


def test_what_others_wrote_stays_text(sources):
    at = open_page()
    assert lines(at)["a"]["name"] == HOSTILE
    opened_page = open_page(source=sources.row("a").id)
    assert "<img" not in html_of(opened_page)
    assert "&lt;img src=x" in html_of(opened_page)
    pieces = component(opened_page, "source-text")["sheets"][0]["pieces"]
    assert HOSTILE in "".join(piece["t"] for piece in pieces)


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"look": "opening"}, ["b"]),
        ({"look": "PDF bridge.example"}, ["d"]),
        ({"look": "nowhere"}, None),
        ({"state": ["read"]}, ["a", "d"]),
        ({"state": ["read", "missing"]}, ["a", "c", "d"]),
        ({"state": ["nonsense"]}, ["a", "b", "c", "d"]),
        ({"order": "pages"}, ["d", "a", "b", "c"]),
        ({"order": "-fetched"}, ["d", "b", "a", "c"]),
        ({"order": "'; drop table"}, ["a", "b", "c", "d"]),
    ],
)
def test_the_address_says_what_is_listed_and_how(sources, params, names):
    at = open_page(**params)
    if names is None:
        assert "No sources match. Remove a filter or change the search." in at.info[0].value
    else:
        assert list(lines(at)) == names


def test_a_filter_goes_into_the_address(sources):
    at = open_page()
    at.text_input(key="sources-look").set_value("report").run()
    assert list(lines(assert_no_exception(at))) == ["d"]
    assert at.query_params["look"] in ("report", ["report"])


def test_one_run_lists_its_own_sources_and_an_unknown_one_is_told(sources):
    verify_and_store(
        sources.store,
        "It is 9 m wide (https://other.example/x).",
        "Other",
        VerifyOptions(judge=sources.judge),
    )
    assert len(component(open_page(), "sources")["rows"]) == 5
    assert len(component(open_page(run=sources.run.id), "sources")["rows"]) == 4
    assert "There is no run" in open_page(run="nobody").error[0].value


def test_what_nobody_cites_is_listed_among_all(sources):
    sources.add_snapshot("z", "Nobody cites this.", 9, content_type="text/plain")
    assert lines(open_page())["z"]["state"] == "Not cited"
    assert "z" not in lines(open_page(run=sources.run.id))


# -- one source -------------------------------------------------------------------------------


def test_a_source_is_opened_by_its_address_with_its_text_and_quotes(sources):
    row = sources.row("a")
    at = open_page(source=row.id)
    data = component(at, "source-text")
    text = "".join(piece["t"] for sheet in data["sheets"] for piece in sheet["pieces"])
    (citation,) = row.citing
    source = sources.store.get_source(citation.run_id, citation.result.citation.id)
    assert text == source.text
    assert [mark["m"] for mark in data["marks"].values()] == ["supported"]
    (item,) = component(at, "source-uses")["items"]
    assert item["href"] == f"./?run={sources.run.id}&c={citation.result.citation.id}"
    assert item["quotes"] == ["q0"]
    assert row.facts.sha256 in html_of(at)


def test_pages_of_a_pdf_are_pages(sources):
    at = open_page(source=sources.row("d").id)
    data = component(at, "source-text")
    assert [sheet["n"] for sheet in data["sheets"]] == [1, 2]
    assert data["pages"] == [0, 0]
    assert "The second page" in "".join(piece["t"] for piece in data["sheets"][1]["pieces"])


def test_a_source_that_was_not_had_says_why_and_what_to_do(sources):
    at = open_page(source=sources.row("c").id)
    assert "This source could not be retrieved" in html_of(at)
    assert "fetching is off" in html_of(at).lower()
    assert component(at, "source-uses")["items"][0]["why"] == "Fetching is off"


def test_an_unknown_source_leads_back_to_the_list(sources):
    at = open_page(source="000000000000")
    assert "There is no such source" in at.warning[0].value
    assert len(lines(at)) == 4


def test_two_snapshots_are_compared(sources):
    sources.add_snapshot("a", html("The bridge is being repaired."), 30)
    row = sources.row("a")
    assert row.changed
    assert lines(open_page())["a"]["more"] == "a newer snapshot differs"
    at = open_page(source=row.id)
    at.segmented_control(key="view").set_value("changes").run()
    outcome_html = html_of(assert_no_exception(at))
    assert "The evidence of 1 citation is not in the later version" in outcome_html
    assert "The bridge is being repaired." in outcome_html
    assert "<ins>" in outcome_html and "<del>" in outcome_html


def test_another_snapshot_can_be_shown_and_judged_on(sources):
    sources.add_snapshot("a", html("The bridge is being repaired."), 30)
    at = open_page(source=sources.row("a").id)
    at.selectbox(key="source-version").set_value(1).run()
    text = component(assert_no_exception(at), "source-text")["sheets"][0]["pieces"]
    assert "being repaired" in "".join(piece["t"] for piece in text)
    at.button(key="source-judge").click().run()
    sources.settle("a")
    assert sources.verdict("a") == ("not_supported", None)


# -- acts -------------------------------------------------------------------------------------


def test_fetching_waits_for_leave(sources, monkeypatch):
    at = open_page(source=sources.row("b").id)
    assert at.button(key="source-fetch").disabled
    assert any("Fetching is off" in caption.value for caption in at.caption)
    at.toggle(key="fetch").set_value(True).run()
    assert not assert_no_exception(at).button(key="source-fetch").disabled
    monkeypatch.setenv("WORKBENCH_ALLOW_FETCH", "1")
    assert not open_page(source=sources.row("b").id).button(key="source-fetch").disabled


def test_a_page_that_opened_up_is_fetched_again_and_judged(sources, monkeypatch):
    monkeypatch.setenv("WORKBENCH_ALLOW_FETCH", "1")
    url = "http://plain.example/x"
    sources.add_snapshot("", WALL, 5, url=url, final_url=url)
    verify_and_store(
        sources.store,
        f"It opened in 1931 ({url}).",
        "Plain",
        VerifyOptions(judge=sources.judge, snapshots=sources.settings.snapshots),
    )
    assert sources.verdict("x") == ("unverifiable", "not_evidence")
    article = html("The bridge was opened by the mayor in 1931, on a rainy day in May. " * 6)
    names = {"plain.example": [PUBLIC]}
    with fake_web({"/x": page(article)}) as web, diverted(monkeypatch, web, names):
        at = open_page(source=sources.row("x").id)
        at.button(key="source-fetch").click().run()
        sources.settle("x")
        outcome_html = html_of(assert_no_exception(at.run()))
    assert sources.verdict("x") == ("supported", None)
    assert "other bytes than before. 1 citation re-judged, 1 changed." in outcome_html
    assert len(sources.row("x").versions) == 2


def test_what_is_not_on_the_web_is_not_offered_for_fetching(sources):
    text = "As noted, it is 120 m long [1].\n\nReferences\n[1] Notes. file:notes.md\n"
    verify_and_store(
        sources.store,
        text,
        "Notes",
        VerifyOptions(
            judge=sources.judge, sources=[{"content": LONG, "label": "1", "url": "file:notes.md"}]
        ),
    )
    (row,) = [row for row in load_sources(sources.settings).rows if "notes" in row.address]
    at = open_page(source=row.id)
    assert at.button(key="source-fetch").disabled
    assert any("no web address" in caption.value for caption in at.caption)


def test_pasted_text_is_judged_and_the_change_is_told(sources):
    row = sources.row("c")
    at = open_page(source=row.id)
    at.text_area(key=f"source-paste-{row.id}-0").set_value("It cost a lot in 1931, they say.")
    at.text_input(key=f"source-paste-note-{row.id}-0").set_value("from the archive")
    at.run()
    at.button(key="source-paste-give").click().run()
    sources.settle("c")
    at.run()
    outcome_html = html_of(assert_no_exception(at))
    assert "1 citation re-judged, 1 changed." in outcome_html
    assert "Fetching is off" in outcome_html and "Supported" in outcome_html
    assert sources.verdict("c") == ("supported", None)
    assert sources.row("c").supplied.note == "from the archive"
    at.button(key="source-seen").click().run()
    assert "judged again" not in html_of(assert_no_exception(at))


def test_an_uploaded_file_takes_the_place_of_the_source(sources):
    row = sources.row("b")
    at = open_page(source=row.id)
    at.file_uploader(key=f"source-file-{row.id}-0").upload(
        "paper.pdf", pdf("The bridge opened in 1931."), "application/pdf"
    )
    at.run()
    at.button(key="source-give").click().run()
    sources.settle("b")
    assert sources.verdict("b") == ("supported", None)
    assert sources.row("b").supplied.name == "paper.pdf"
    assert "supplied by Ada" in html_of(assert_no_exception(at.run()))


def test_an_unreadable_file_is_refused_in_a_sentence(sources):
    row = sources.row("b")
    at = open_page(source=row.id)
    at.file_uploader(key=f"source-file-{row.id}-0").upload("[x](y).pdf", b"%PDF-1.4 no")
    at.run()
    at.button(key="source-give").click().run()
    sources.settle("b")
    at.run()
    assert "cannot be used" in at.error[0].value
    assert sources.verdict("b") == ("unverifiable", "not_evidence")


def test_the_article_is_accepted_and_doubted_again(sources):
    row = sources.row("b")
    at = open_page(source=row.id)
    at.text_input(key="who").set_value("Ada").run()
    at.text_input(key=f"source-reason-{row.id}").set_value("It is short").run()
    at.button(key="source-accept-now").click().run()
    sources.settle("b")
    assert sources.verdict("b") == ("supported", None)
    at.run()
    assert "Ada accepted this page: “It is short”" in html_of(assert_no_exception(at))
    at.button(key="source-doubt").click().run()
    sources.settle("b")
    assert sources.verdict("b") == ("unverifiable", "not_evidence")
    at.run()
    assert "revoked by Ada" in html_of(assert_no_exception(at))


def test_only_doubted_pages_are_offered_for_acceptance(sources):
    for name, is_offered in (("a", False), ("b", True), ("c", False)):
        at = open_page(source=sources.row(name).id)
        assert ("source-accept-now" in {button.key for button in at.button}) is is_offered


def test_one_act_at_a_time_and_its_progress_is_shown(sources):
    row = sources.row("a")
    may_end, done = threading.Event(), threading.Event()

    def work(report_progress):
        report_progress(1, 3)
        may_end.set()
        done.wait(30)
        return ActionResult(did="Done.")

    jobs.start(sources.store.path, row.id, "Judging", work)
    assert may_end.wait(10)
    at = open_page(source=row.id)
    keys = {button.key for button in at.button}
    assert "source-fetch" not in keys
    with pytest.raises(Exception, match="is still running"):
        jobs.start(sources.store.path, row.id, "Judging", work)
    done.set()
    sources.settle("a")
    at.run()
    assert "Done." in html_of(assert_no_exception(at))
    assert "source-fetch" in {button.key for button in at.button}


def test_several_runs_can_be_judged_again_or_the_latest_alone(sources):
    verify_and_store(
        sources.store,
        "It is 120 m long (https://bridge.example/c).",
        "Second",
        VerifyOptions(judge=sources.judge),
    )
    row = sources.row("c")
    assert len(row.citing) == 2
    at = open_page(source=row.id)
    scope = at.radio(key=f"source-scope-{row.id}")
    scope.set_value(scope.options and row.citing[0].run_id).run()
    at.text_area(key=f"source-paste-{row.id}-0").set_value("It cost a lot in 1931, they say.").run()
    at.button(key="source-paste-give").click().run()
    sources.settle("c")
    verdicts = {citation.run_name: citation.result.verdict for citation in sources.row("c").citing}
    assert verdicts == {"Second": "supported", "Bridges": "unverifiable"}
