"""The Sources page in a real browser: by keyboard, by address, and what its acts change."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

import pytest
from fpdf import FPDF

from workbench.interfaces.web.sources.data import load_sources
from workbench.pipeline.options import VerifyOptions
from workbench.records.source import Fetched
from workbench.records.verdict import Run
from workbench.services.verification import verify_and_store
from workbench.settings import Settings
from workbench.sources.snapshots import SnapshotFolder

HOSTILE = "<img src=x onerror=alert(1)> **bold** :red[no]"
ANSWER = """The span is 120 m long [1]. It opened in 1931 [2]. It cost a lot [3].

References
[1] HOSTILE. https://HOST/a
[2] The opening. https://HOST/b
[3] The cost. https://HOST/c
"""
LONG = "The span measures 120 m in length. It is painted blue, and it stands in the north. "
WALL = (
    "<html><head><title>Log in</title></head><body><form><input type=password></form>"
    "<p>Please log in to read on.</p></body></html>"
)
SCRIPT = [
    {"if_source_contains": "1931", "label": "supported", "quote": "*"},
    {"if_source_contains": "120 m", "label": "supported", "quote": "*"},
]


HOSTS = count(1)


@dataclass(frozen=True)
class Spans:
    """A run with three sources: one read, with two snapshots; one behind a login wall; one missing."""

    settings: Settings
    run: Run
    host: str

    def at(self, name):
        return f"{self.host}/{name}"


@pytest.fixture
def spans(site, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    settings = Settings(data_dir=site.store.path.parent)
    host = f"span-{next(HOSTS)}.example"
    escaped = HOSTILE.replace("<", "&lt;")
    page = f"<html><title>{escaped}</title><p>{LONG * 40}</p><p>Signed {escaped}.</p>"
    add_snapshot(settings, f"{host}/a", page, 1)
    add_snapshot(settings, f"{host}/b", WALL, 2)
    run = verify_and_store(
        site.store,
        ANSWER.replace("HOSTILE", HOSTILE).replace("HOST", host),
        f"Spans of {host}",
        VerifyOptions(judge=f"scripted:{script}", snapshots=settings.snapshots),
    )
    closed = "<html><title>Closed</title><p>The span is closed for repairs.</p>"
    add_snapshot(settings, f"{host}/a", closed, 30)
    return Spans(settings, run, host)


def add_snapshot(settings, place, body, minute):
    SnapshotFolder(settings.snapshots).put(
        Fetched(
            url=f"https://{place}",
            final_url=f"https://{place}",
            status=200,
            content_type="text/html",
            body=body.encode(),
            fetched_at=datetime(2026, 1, 1, 0, minute, tzinfo=UTC),
        )
    )


def row(settings, ending):
    return next(row for row in load_sources(settings).rows if row.address.endswith(ending))


def listed(desk, address):
    desk.open(f"sources{address}")
    desk.page.locator("button.open").first.wait_for()
    desk.settle()


def open_source(desk, settings, ending):
    desk.open(f"sources?source={row(settings, ending).id}")
    desk.page.locator(".item").first.wait_for()
    desk.settle()


def focused(desk):
    return desk.page.evaluate(
        """() => {
          let found = document.activeElement
          while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement
          return found.textContent
        }"""
    )


NAMELESS = re.compile(r"^\s*- (button|link|textbox|combobox|switch|checkbox|radio)\s*(\[|:|$)")


def look(desk):
    """Nothing is cut off and everything has a name, at two widths."""
    page = desk.page
    for width in (900, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        desk.settle()
        wide = page.evaluate(
            "document.querySelector('[data-testid=stMain]').scrollWidth - window.innerWidth"
        )
        assert wide <= 0
        names = page.locator("[data-testid=stMain]").aria_snapshot().splitlines()
        assert [line for line in names if NAMELESS.match(line)] == []
        assert sum("heading" in line and "level=1" in line for line in names) == 1


def test_the_list_is_found_sorted_opened_by_keyboard_and_filtered(desk, spans):
    listed(desk, f"?run={spans.run.id}")
    page = desk.page
    look(desk)
    assert page.get_by_role("table", name=re.compile("^Sources")).count() == 1
    assert page.locator("button.open").all_inner_texts() == [HOSTILE, "The opening", "The cost"]
    page.get_by_role("columnheader", name="Source").get_by_role("button").focus()
    desk.press("Enter")
    page.wait_for_url("**order=source*")
    page.locator("th[aria-sort=ascending]").wait_for()
    desk.press("Enter")
    page.wait_for_url("**order=-source*")
    page.locator("th[aria-sort=descending]").wait_for()
    assert focused(desk).startswith("Source")
    names = page.locator("button.open").all_inner_texts()
    page.locator("button.open").first.focus()
    desk.press("ArrowDown", "Enter")
    desk.shows("h1", names[1])
    page.locator(".item").first.wait_for()
    desk.settle()
    desk.press("j")
    desk.shows("h1", names[2])
    page.locator(".item").first.wait_for()
    desk.settle()
    desk.press("b")
    page.locator("button.open").first.wait_for()
    desk.settle()
    assert focused(desk) == names[2]
    assert f"run={spans.run.id}" in page.url and "order=-source" in page.url
    # a filter outlasts a reload
    desk.click(page.get_by_role("button", name=re.compile("^Not usable as evidence")))
    page.wait_for_url("**state=not_evidence*")
    desk.reload()
    page.locator("button.open").first.wait_for()
    assert page.locator("button.open").all_inner_texts() == ["The opening"]
    desk.shows(".state", "Login required")
    page.get_by_role("textbox", name="Find a source").fill("nowhere")
    desk.press("Enter")
    desk.shows("[data-testid=stAlert]", "No sources match")


def test_a_text_stays_text_its_quote_is_found_and_its_drift_and_fetching_are_told(desk, spans):
    open_source(desk, spans.settings, spans.at("a"))
    page = desk.page
    look(desk)
    assert page.get_by_role("region", name=re.compile("^Text of the source")).count() == 1
    pane = page.locator(".pane")
    assert f"Signed {HOSTILE}." in pane.inner_text()
    assert page.locator("img[src=x]").count() == 0
    assert page.locator("h1").inner_text() != ""
    button = page.get_by_role("button", name="Show the quote")
    button.focus()
    desk.press("Enter")
    page.locator(".item.chosen").wait_for()
    page.locator(".sign[aria-pressed=true]").wait_for()
    assert page.get_by_role("button", name="Quoted for [1], supported").is_visible()

    fetch = page.get_by_role("button", name=re.compile("^Fetch"))
    assert fetch.is_disabled()
    page.get_by_text("Fetching is off").wait_for()
    switch = page.get_by_role("switch", name="Fetch from the web").or_(
        page.get_by_role("checkbox", name="Fetch from the web")
    )
    switch.focus()
    desk.press("Space")
    page.get_by_text("Fetching is off").wait_for(state="detached")
    desk.settle()
    assert fetch.is_enabled()

    # between two snapshots
    desk.click(page.get_by_text("Changes", exact=True))
    desk.shows(".ws-drift", "The evidence of 1 citation is not in the later version")
    desk.shows(".ws-drift .new", "The span is closed for repairs.")
    page.wait_for_url("**view=Changes*")


def test_pages_of_a_pdf_are_sheets_that_can_be_gone_to(desk):
    settings = Settings(data_dir=desk.site.store.path.parent)
    open_source(desk, settings, "field-trial-2024.pdf")
    page = desk.page
    sheets = page.locator("section.sheet")
    assert sheets.count() == row(settings, "field-trial-2024.pdf").facts.page_count
    page.get_by_label("Go to page").select_option("3")
    page.wait_for_function(
        """() => {
          for (const host of document.querySelectorAll('*')) {
            const sheet = host.shadowRoot?.querySelector('[data-page="3"]')
            if (!sheet) continue
            const pane = sheet.closest('.pane').getBoundingClientRect()
            const top = sheet.getBoundingClientRect().top
            return top >= pane.top - 2 && top < pane.bottom
          }
        }"""
    )


def test_a_given_file_and_a_pasted_text_are_judged_and_lead_to_review(desk, spans):
    open_source(desk, spans.settings, spans.at("b"))
    page = desk.page
    document = FPDF()
    document.set_font("Helvetica", size=12)
    document.add_page()
    document.cell(text="The span opened in 1931.")
    desk.click(page.get_by_role("button", name="Upload source file"))
    desk.upload(
        f"source-file-{row(spans.settings, spans.at('b')).id}-0",
        {"paper.pdf": bytes(document.output())},
    )
    desk.click(page.get_by_role("button", name="Use this file"))
    desk.shows("[data-testid=stHtml] [role=status]", "1 citation re-judged, 1 changed.")
    desk.shows(".ws-state", "supplied by Rae")
    assert page.locator("section.sheet").count() == 1

    open_source(desk, spans.settings, spans.at("c"))
    desk.click(page.get_by_role("button", name="Paste source text"))
    text_field = page.get_by_label("Source text", exact=True)
    text_field.fill("It cost a lot in 1931, as they say.")
    text_field.blur()
    desk.settle()
    desk.click(page.get_by_role("button", name="Use this text"))
    desk.shows("[role=status]", "1 citation re-judged, 1 changed.")
    desk.click(page.get_by_role("link", name=f"Open [3] of Spans of {spans.host} in Review"))
    page.wait_for_url("**c=*")
    desk.ready()
    desk.shows(".card .decision", "Supported")
    desk.shows(".card .evidence", "It cost a lot in 1931")
    stored = desk.site.store.get_run(spans.run.id)
    assert [result.verdict for result in stored.citations] == ["supported"] * 3
