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
from workbench.interfaces.web.sources import text as texts
from workbench.interfaces.web.sources.data import load_sources
from workbench.pipeline import VerifyOptions
from workbench.records import Fetched
from workbench.services import cached_views
from workbench.services.sources.actions import ActionResult
from workbench.services.verification import verify_and_store
from workbench.settings import Settings, load_settings
from workbench.sources import SnapshotFolder
from workbench.store import SourceRepository, Store

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
    shown = title.replace("<", "&lt;")
    body = f"<h1>{shown}</h1><p>{text}</p><p>The sign says {shown}.</p>"
    return f"<html><head><title>{shown}</title></head><body>{body}</body></html>"


def pdf(*pages):
    made = FPDF()
    made.set_font("Helvetica", size=12)
    for text in pages:
        made.add_page()
        made.multi_cell(0, 8, text)
    return bytes(made.output())


class Stand:
    """A data directory with one run of four citations."""

    def __init__(self, settings, script):
        self.settings = settings
        self.store = Store(settings.database)
        self.book = SourceRepository(self.store)
        self.folder = SnapshotFolder(settings.snapshots)
        self.judge = f"scripted:{script}"

    def fill(self):
        self.had("a", html(LONG * 6), 1)
        self.had("b", WALL, 2)
        self.had("d", pdf("The first page is old.", "The second page says 1931."), 3)
        verify_and_store(
            self.store,
            ANSWER,
            "Bridges",
            VerifyOptions(judge=self.judge, snapshots=self.settings.snapshots),
        )

    @property
    def run(self):
        return next(one for one in self.store.list_runs() if one.name == "Bridges")

    def had(self, name, body, minute, **facts):
        raw = body.encode() if isinstance(body, str) else body
        given = {
            "url": f"https://bridge.example/{name}",
            "final_url": f"https://bridge.example/{name}",
            "status": 200,
            "content_type": "application/pdf" if raw.startswith(b"%PDF") else "text/html",
            "body": raw,
            "fetched_at": datetime(2026, 1, 1, 0, minute, tzinfo=UTC),
        }
        self.folder.put(Fetched(**(given | facts)))

    def row(self, name):
        rows = load_sources(self.settings).rows
        return next(row for row in rows if row.address.endswith(f"/{name}"))

    def verdict(self, name):
        (use,) = self.row(name).citing
        error = use.result.error
        return use.result.verdict, error.kind if error else None

    def settle(self, name):
        """Wait until the act on a source has ended."""
        act = jobs.find(self.store.path, self.row(name).id)
        assert act is not None
        assert act.ended.wait(30)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A directory that is filled once and copied for each test."""
    folder = tmp_path_factory.mktemp("filled")
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT))
    Stand(Settings(data_dir=folder / "data"), script).fill()
    return folder


@pytest.fixture
def stand(filled):
    cached_views.clear_cached_views()
    settings = load_settings()
    shutil.copytree(filled / "data", settings.data_dir, dirs_exist_ok=True)
    return Stand(settings, filled / "script.json")


def opened(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.session_state["who"] = "Ada"
    at.run()
    at.switch_page("pages/sources.py")
    at.query_params.update(params)
    at.run()
    return sound(at)


def sound(at):
    assert not at.exception, [box.message for box in at.exception]
    assert not any("could not be displayed" in box.value for box in at.error)
    return at


def component(at, key):
    return json.loads(at.get_by_key(key).proto.json)


def lines(at):
    return {line["path"].rpartition("/")[2]: line for line in component(at, "sources")["rows"]}


def html_of(at):
    found = []

    def walk(block):
        for child in block.children.values():
            if hasattr(child, "children"):
                walk(child)
            elif child.type == "html":
                found.append(child.proto.body)

    walk(at.main)
    return "\n".join(found)


# -- the list ---------------------------------------------------------------------------------


def test_an_empty_store_says_where_to_begin():
    at = opened()
    assert texts.NO_SOURCES_YET in at.info[0].value


def test_every_source_has_a_line_with_its_facts(stand):
    rows = lines(opened())
    assert {name: row["tone"] for name, row in rows.items()} == {
        "a": "read", "b": "not_evidence", "c": "missing", "d": "read",
    }  # fmt: skip
    assert rows["a"]["answer"] == "200"
    assert rows["a"]["type"] == "HTML"
    assert rows["a"]["when"] == "2026-01-01 00:01"
    assert rows["a"]["hash"] == stand.row("a").facts.sha256[:10]
    assert rows["a"]["counts"] == [["supported", 1]]
    assert (rows["d"]["type"], rows["d"]["pages"]) == ("PDF", "2")
    assert (rows["c"]["state"], rows["c"]["size"], rows["c"]["hash"]) == (
        "Fetching is off",
        "–",
        "–",
    )


def test_a_doubted_page_is_named_by_its_reason_and_how_sure_that_is(stand):
    at = opened()
    deadline = time.monotonic() + 20
    while lines(at)["b"]["more"] == "" and time.monotonic() < deadline:
        at.run()
    row = lines(at)["b"]
    assert row["state"] == "Login required"
    assert row["more"].startswith(("very sure", "fairly sure"))


def test_what_others_wrote_stays_text(stand):
    at = opened()
    assert lines(at)["a"]["name"] == HOSTILE
    one = opened(source=stand.row("a").id)
    assert "<img" not in html_of(one)
    assert "&lt;img src=x" in html_of(one)
    pieces = component(one, "source-text")["sheets"][0]["pieces"]
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
def test_the_address_says_what_is_listed_and_how(stand, params, names):
    at = opened(**params)
    if names is None:
        assert texts.NO_SOURCES_MATCH in at.info[0].value
    else:
        assert list(lines(at)) == names


def test_a_filter_goes_into_the_address(stand):
    at = opened()
    at.text_input(key="sources-look").set_value("report").run()
    assert list(lines(sound(at))) == ["d"]
    assert at.query_params["look"] in ("report", ["report"])


def test_one_run_lists_its_own_sources_and_an_unknown_one_is_told(stand):
    verify_and_store(
        stand.store,
        "It is 9 m wide (https://other.example/x).",
        "Other",
        VerifyOptions(judge=stand.judge),
    )
    assert len(component(opened(), "sources")["rows"]) == 5
    assert len(component(opened(run=stand.run.id), "sources")["rows"]) == 4
    assert "There is no run" in opened(run="nobody").error[0].value


def test_what_nobody_cites_is_listed_among_all(stand):
    stand.had("z", "Nobody cites this.", 9, content_type="text/plain")
    assert lines(opened())["z"]["state"] == "Not cited"
    assert "z" not in lines(opened(run=stand.run.id))


# -- one source -------------------------------------------------------------------------------


def test_a_source_is_opened_by_its_address_with_its_text_and_quotes(stand):
    row = stand.row("a")
    at = opened(source=row.id)
    data = component(at, "source-text")
    text = "".join(piece["t"] for sheet in data["sheets"] for piece in sheet["pieces"])
    (use,) = row.citing
    source = stand.store.get_source(use.run_id, use.result.citation.id)
    assert text == source.text
    assert [mark["m"] for mark in data["marks"].values()] == ["supported"]
    (item,) = component(at, "source-uses")["items"]
    assert item["href"] == f"./?run={stand.run.id}&c={use.result.citation.id}"
    assert item["quotes"] == ["q0"]
    assert row.facts.sha256 in html_of(at)


def test_pages_of_a_pdf_are_pages(stand):
    at = opened(source=stand.row("d").id)
    data = component(at, "source-text")
    assert [sheet["n"] for sheet in data["sheets"]] == [1, 2]
    assert data["pages"] == [0, 0]
    assert "The second page" in "".join(piece["t"] for piece in data["sheets"][1]["pieces"])


def test_a_source_that_was_not_had_says_why_and_what_to_do(stand):
    at = opened(source=stand.row("c").id)
    assert "This source could not be retrieved" in html_of(at)
    assert "fetching is off" in html_of(at).lower()
    assert component(at, "source-uses")["items"][0]["why"] == "Fetching is off"


def test_an_unknown_source_leads_back_to_the_list(stand):
    at = opened(source="000000000000")
    assert "There is no such source" in at.warning[0].value
    assert len(lines(at)) == 4


def test_two_snapshots_are_compared(stand):
    stand.had("a", html("The bridge is being repaired."), 30)
    row = stand.row("a")
    assert row.changed
    assert lines(opened())["a"]["more"] == "a newer snapshot differs"
    at = opened(source=row.id)
    at.segmented_control(key="view").set_value("changes").run()
    told = html_of(sound(at))
    assert "The evidence of 1 citation is not in the later version" in told
    assert "The bridge is being repaired." in told
    assert "<ins>" in told and "<del>" in told


def test_another_snapshot_can_be_shown_and_judged_on(stand):
    stand.had("a", html("The bridge is being repaired."), 30)
    at = opened(source=stand.row("a").id)
    at.selectbox(key="source-version").set_value(1).run()
    text = component(sound(at), "source-text")["sheets"][0]["pieces"]
    assert "being repaired" in "".join(piece["t"] for piece in text)
    at.button(key="source-judge").click().run()
    stand.settle("a")
    assert stand.verdict("a") == ("not_supported", None)


# -- acts -------------------------------------------------------------------------------------


def test_fetching_waits_for_leave(stand, monkeypatch):
    at = opened(source=stand.row("b").id)
    assert at.button(key="source-fetch").disabled
    assert any("Fetching is off" in caption.value for caption in at.caption)
    at.toggle(key="fetch").set_value(True).run()
    assert not sound(at).button(key="source-fetch").disabled
    monkeypatch.setenv("WORKBENCH_ALLOW_FETCH", "1")
    assert not opened(source=stand.row("b").id).button(key="source-fetch").disabled


def test_a_page_that_opened_up_is_fetched_again_and_judged(stand, monkeypatch):
    monkeypatch.setenv("WORKBENCH_ALLOW_FETCH", "1")
    url = "http://plain.example/x"
    stand.had("", WALL, 5, url=url, final_url=url)
    verify_and_store(
        stand.store,
        f"It opened in 1931 ({url}).",
        "Plain",
        VerifyOptions(judge=stand.judge, snapshots=stand.settings.snapshots),
    )
    assert stand.verdict("x") == ("unverifiable", "not_evidence")
    article = html("The bridge was opened by the mayor in 1931, on a rainy day in May. " * 6)
    names = {"plain.example": [PUBLIC]}
    with fake_web({"/x": page(article)}) as web, diverted(monkeypatch, web, names):
        at = opened(source=stand.row("x").id)
        at.button(key="source-fetch").click().run()
        stand.settle("x")
        told = html_of(sound(at.run()))
    assert stand.verdict("x") == ("supported", None)
    assert "other bytes than before. 1 citation re-judged, 1 changed." in told
    assert len(stand.row("x").versions) == 2


def test_what_is_not_on_the_web_is_not_offered_for_fetching(stand):
    text = "As noted, it is 120 m long [1].\n\nReferences\n[1] Notes. file:notes.md\n"
    verify_and_store(
        stand.store,
        text,
        "Notes",
        VerifyOptions(
            judge=stand.judge, sources=[{"content": LONG, "label": "1", "url": "file:notes.md"}]
        ),
    )
    (row,) = [row for row in load_sources(stand.settings).rows if "notes" in row.address]
    at = opened(source=row.id)
    assert at.button(key="source-fetch").disabled
    assert any("no web address" in caption.value for caption in at.caption)


def test_pasted_text_is_judged_and_the_change_is_told(stand):
    row = stand.row("c")
    at = opened(source=row.id)
    at.text_area(key=f"source-paste-{row.id}-0").set_value("It cost a lot in 1931, they say.")
    at.text_input(key=f"source-paste-note-{row.id}-0").set_value("from the archive")
    at.run()
    at.button(key="source-paste-give").click().run()
    stand.settle("c")
    at.run()
    told = html_of(sound(at))
    assert "1 citation re-judged, 1 changed." in told
    assert "Fetching is off" in told and "Supported" in told
    assert stand.verdict("c") == ("supported", None)
    assert stand.row("c").supplied.note == "from the archive"
    at.button(key="source-seen").click().run()
    assert "judged again" not in html_of(sound(at))


def test_an_uploaded_file_takes_the_place_of_the_source(stand):
    row = stand.row("b")
    at = opened(source=row.id)
    at.file_uploader(key=f"source-file-{row.id}-0").upload(
        "paper.pdf", pdf("The bridge opened in 1931."), "application/pdf"
    )
    at.run()
    at.button(key="source-give").click().run()
    stand.settle("b")
    assert stand.verdict("b") == ("supported", None)
    assert stand.row("b").supplied.name == "paper.pdf"
    assert "supplied by Ada" in html_of(sound(at.run()))


def test_an_unreadable_file_is_refused_in_a_sentence(stand):
    row = stand.row("b")
    at = opened(source=row.id)
    at.file_uploader(key=f"source-file-{row.id}-0").upload("[x](y).pdf", b"%PDF-1.4 no")
    at.run()
    at.button(key="source-give").click().run()
    stand.settle("b")
    at.run()
    assert "cannot be used" in at.error[0].value
    assert stand.verdict("b") == ("unverifiable", "not_evidence")


def test_the_article_is_accepted_and_doubted_again(stand):
    row = stand.row("b")
    at = opened(source=row.id)
    at.text_input(key="who").set_value("Ada").run()
    at.text_input(key=f"source-reason-{row.id}").set_value("It is short").run()
    at.button(key="source-accept-now").click().run()
    stand.settle("b")
    assert stand.verdict("b") == ("supported", None)
    at.run()
    assert "Ada accepted this page: “It is short”" in html_of(sound(at))
    at.button(key="source-doubt").click().run()
    stand.settle("b")
    assert stand.verdict("b") == ("unverifiable", "not_evidence")
    at.run()
    assert "revoked by Ada" in html_of(sound(at))


def test_only_doubted_pages_are_offered_for_acceptance(stand):
    for name, offered in (("a", False), ("b", True), ("c", False)):
        at = opened(source=stand.row(name).id)
        assert ("source-accept-now" in {button.key for button in at.button}) is offered


def test_one_act_at_a_time_and_its_progress_is_shown(stand):
    row = stand.row("a")
    going, done = threading.Event(), threading.Event()

    def work(tell):
        tell(1, 3)
        going.set()
        done.wait(30)
        return ActionResult(did="Done.")

    jobs.start(stand.store.path, row.id, "Judging", work)
    assert going.wait(10)
    at = opened(source=row.id)
    keys = {button.key for button in at.button}
    assert "source-fetch" not in keys
    with pytest.raises(Exception, match="goes on"):
        jobs.start(stand.store.path, row.id, "Judging", work)
    done.set()
    stand.settle("a")
    at.run()
    assert "Done." in html_of(sound(at))
    assert "source-fetch" in {button.key for button in at.button}


def test_several_runs_can_be_judged_again_or_the_latest_alone(stand):
    verify_and_store(
        stand.store,
        "It is 120 m long (https://bridge.example/c).",
        "Second",
        VerifyOptions(judge=stand.judge),
    )
    row = stand.row("c")
    assert len(row.citing) == 2
    at = opened(source=row.id)
    scope = at.radio(key=f"source-scope-{row.id}")
    scope.set_value(scope.options and row.citing[0].run_id).run()
    at.text_area(key=f"source-paste-{row.id}-0").set_value("It cost a lot in 1931, they say.").run()
    at.button(key="source-paste-give").click().run()
    stand.settle("c")
    told = {use.run_name: use.result.verdict for use in stand.row("c").citing}
    assert told == {"Second": "supported", "Bridges": "unverifiable"}
