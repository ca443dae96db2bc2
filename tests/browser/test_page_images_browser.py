"""The page of a PDF source as it looks, in a real browser: turned to the quote, words selected on it."""

import json

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import violations
from tests.fakes.pdfs import pdf_of
from workbench.interfaces.web.sources.data import load_sources
from workbench.pipeline.options import VerifyOptions
from workbench.services.verification import verify_and_store
from workbench.settings import Settings

PAGES = (
    "Before it there was a ferry.",
    "The ferry ran until 1930.",
    "The bridge is 120 metres long. It was opened in 1931 by the mayor.",
    "Nobody misses the ferry.",
)
ANSWER = """The bridge is 120 metres long [1].

## References
[1] The bridge. https://bridge.example/history.pdf
"""
SCRIPT = [
    {"if_claim_contains": "120", "label": "supported", "quote": "The bridge is 120 metres long."}
]


@pytest.fixture
def bridge(site, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    given = tmp_path / "given"
    given.mkdir()
    (given / "1.pdf").write_bytes(pdf_of(*PAGES))
    return verify_and_store(
        site.store,
        ANSWER,
        "A bridge in a PDF",
        VerifyOptions(
            judge=f"scripted:{script}",
            sources=given,
            snapshots=Settings(data_dir=site.store.path.parent).snapshots,
        ),
    )


def open_source(desk, run):
    name = next(result.citation.id for result in run.citations if result.citation.raw == "[1]")
    desk.open(f"?run={run.id}&c={name}")
    desk.ready()
    desk.press("o")
    desk.page.locator(".page-sheet img").wait_for()
    desk.settle()


def look(desk, name):
    desk.settle()
    desk.page.locator(".st-key-source-look").get_by_text(name, exact=True).click()
    desk.settle()


def word(desk, text):
    return desk.page.locator(".layer .piece", has_text=text).first


def drag(desk, first, last):
    start, end = word(desk, first).bounding_box(), word(desk, last).bounding_box()
    mouse = desk.page.mouse
    mouse.move(start["x"] + 3, start["y"] + start["height"] / 2)
    mouse.down()
    mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
    mouse.up()


@pytest.mark.parametrize("desk", [900], indirect=True)
def test_a_quote_on_page_three_is_boxed_and_words_on_the_image_become_evidence(desk, bridge):
    page = desk.page
    open_source(desk, bridge)
    expect(page.locator(".picker .parts")).to_contain_text("Page 3 of 4")
    quote = page.locator(".box.quote.chosen")
    expect(quote).to_have_count(1)
    boxed, last = quote.bounding_box(), word(desk, "long").bounding_box()
    assert boxed["x"] < last["x"] < boxed["x"] + boxed["width"]
    assert boxed["width"] < page.locator(".page-sheet").bounding_box()["width"] * 0.6

    drag(desk, "opened", "1931")
    expect(page.locator(".picker .said")).to_contain_text("“opened in 1931”")
    expect(page.locator(".box.selected")).to_have_count(3)
    desk.click(page.locator(".picker .take"))
    expect(page.locator(".box.mine")).to_have_count(1)
    expect(page.locator(".picker .pane .piece.mine")).to_have_count(1)
    desk.settle()
    # the keys select on the image as in the text
    page.locator(".paper").focus()
    desk.press("ArrowUp", "ArrowUp")
    expect(page.locator(".picker .said")).to_contain_text("“The bridge is 120 metres long.”")

    source = desk.site.store.get_source(bridge.id, bridge.citations[0].citation.id)
    desk.press("Escape")
    page.locator("[role=dialog]").wait_for(state="detached")
    desk.settle()
    desk.press("1")
    desk.shows(".card .human", "Supported")
    (label,) = desk.site.store.labels(bridge.id)
    (evidence,) = label.evidence
    assert evidence.quote == "opened in 1931"
    assert evidence.span.of(source.text) == "opened in 1931"


def test_pages_are_turned_in_each_look_without_barriers_and_boxed_on_the_sources_page(desk, bridge):
    page = desk.page
    open_source(desk, bridge)
    for width in (900, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        desk.settle()
        found = violations(page, "[role=dialog]")
        assert [(one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    expect(page.get_by_role("region", name="Page 3 of 4 as an image")).to_be_visible()
    said = page.locator(".picker .parts")
    desk.click(page.get_by_role("button", name="Next page"))
    expect(said).to_contain_text("Page 4 of 4")
    expect(page.locator(".layer")).to_contain_text(PAGES[3])
    desk.settle()
    look(desk, "Page")
    expect(page.locator(".picker .pane:visible")).to_have_count(1)
    expect(said).to_contain_text("Page 4 of 4")
    page.locator(".paper").evaluate("pane => { pane.scrollTop = 0; pane.focus() }")
    desk.press("PageUp")
    expect(said).to_contain_text("Page 3 of 4")
    desk.settle()
    page.get_by_label("Go to page").select_option("1")
    expect(said).to_contain_text("Page 1 of 4")
    look(desk, "Text")
    expect(page.locator(".paper")).to_have_count(0)
    expect(page.locator(".picker .text")).to_contain_text(PAGES[0])
    desk.press("Escape")
    page.locator("[role=dialog]").wait_for(state="detached")

    (row,) = load_sources(Settings(data_dir=desk.site.store.path.parent), bridge.id).rows
    desk.open(f"sources?source={row.id}")
    look(desk, "Page")
    page.locator(".page-sheet img").wait_for()
    page.get_by_label("Go to page").select_option("3")
    expect(page.locator(".quote-box")).to_have_count(1)
