"""References and claims in a real browser: what is found, decided by key, copied, and led to."""

import re

import pytest

from tests.browser.conftest import PATIENCE_MS, REVIEWER
from workbench.store.bibliography.labels import EntryLabelRepository


def opened(desk):
    """Wait until the view is drawn and accepts keys."""
    desk.page.locator(".references .entry").first.wait_for()
    desk.card.locator(".head").wait_for()
    desk.settle()


def open_entry(desk, label):
    desk.click(desk.page.locator(".references button.label", has_text=label).first)
    desk.shows(".card .head", f"Reference {label} of 11")
    desk.settle()


def decisions(desk):
    """Rae's decisions on the demo's references, by position."""
    labels = EntryLabelRepository(desk.site.store).listed(desk.demo("eelgrass").id, REVIEWER)
    return {label.position: (label.decision, label.reason) for label in labels}


def test_the_demo_shows_its_six_problems_and_takes_decisions_by_key(desk):
    """In the References view of the demo whose list has six problems."""
    page = desk.page
    desk.open(f"?run={desk.demo('eelgrass').id}&view=references")
    opened(desk)
    desk.press("j")
    desk.shows(".card .head", "Reference 2 of 11")
    desk.settle()
    desk.press("k")
    desk.shows(".card .head", "Reference 1 of 11")
    desk.settle()
    desk.press("n")
    page.wait_for_function(
        "document.activeElement.closest('.st-key-entry-note') !== null", timeout=PATIENCE_MS
    )
    # letters typed into the note decide nothing
    page.keyboard.type("a15")
    desk.press("Escape")
    desk.settle()
    assert decisions(desk) == {}
    desk.press("h")
    page.get_by_role("dialog").get_by_text("Agree with the finding").wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    desk.settle()
    desk.shows(".st-key-view", "References 11 · 6 problems")
    desk.click(page.locator(".st-key-entries button", has_text="Problems 6"))
    desk.settle()
    entries = page.locator(".references .entry")
    words = [" ".join(text.split()) for text in entries.locator(".marks").all_inner_texts()]
    assert words == [
        "≠ Described differently",
        "✓ Matches its record ⚑ Retracted",
        "≠ Described differently",
        "⇄ Another work has this identifier",
        "≠ Described differently",
        "∅ Not found in the indexes asked",
    ]
    # the filter's first entry is open: agree by key, on to the last one, override by key
    desk.shows(".card .head", "Reference 4 of 11")
    desk.shows(".card table", "cold brine")
    desk.press("a")
    desk.shows(".card .people", "Described wrongly")
    desk.settle()
    open_entry(desk, "11")
    desk.press("1")
    desk.shows(".card .people", "The work exists")
    desk.shows(".card .people", "exists elsewhere")
    desk.settle()
    assert decisions(desk) == {
        3: ("differs", None),
        10: ("exists", "exists_elsewhere"),
    }
    desk.reload()
    opened(desk)
    desk.shows(".card .people", "exists elsewhere")
    desk.shows(".references .entry .mark.ring", "Described wrongly")
    # and taken back by key
    desk.press("u")
    page.locator(".card .people").get_by_text("exists elsewhere").wait_for(state="detached")
    desk.settle()
    open_entry(desk, "4")
    desk.press("u")
    page.locator(".references .mark.ring").first.wait_for(state="detached")
    desk.settle()
    assert decisions(desk) == {}
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_entry(desk, "10")
    desk.press("y")
    desk.shows(".card .copy", "Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "(2016)" in copied
    assert "Ocean Stewardship Review" in copied
    desk.click(page.get_by_role("button", name="Corrected list"))
    with page.expect_download() as download:
        page.get_by_role("button", name="BibTeX, .bib").click()
    text = download.value.path().read_text("utf-8")
    assert text.count("@") >= 11
    assert "Ocean Stewardship Review" in text


@pytest.mark.parametrize("desk", [900], indirect=True)
def test_an_entry_leads_to_its_citations_and_its_place_in_the_text(desk):
    run = desk.demo("Heat pumps")
    desk.open(f"?run={run.id}&view=references")
    opened(desk)
    # from the entry to a citation
    desk.click(desk.page.locator(".references .entry").nth(1).locator(".chip").first)
    desk.ready()
    assert re.search(r"[?&]c=", desk.page.url)
    assert "view=" not in desk.page.url
    # and back to the list, from an entry to its own lines, brought into view
    desk.click(desk.page.locator(".st-key-view button", has_text="References"))
    opened(desk)
    desk.click(desk.page.locator(".references button.label").nth(3))
    desk.shows(".card .head", "Reference 4 of")
    desk.settle()
    desk.press("t")
    desk.ready()
    desk.page.wait_for_selector('.text [data-entry="3"].lit')
    line = desk.text.locator('[data-entry="3"]').first.bounding_box()
    pane = desk.page.locator(".pane").first.bounding_box()
    assert pane["y"] <= line["y"] <= pane["y"] + pane["height"]


def test_claims_without_citations_are_checked(desk):
    desk.open("claims")
    claims_field = desk.page.get_by_label("Text or claims")
    claims_field.fill("The bridge measures 120 m in length. <b>It is <i>blue</i> all over.</b>")
    claims_field.blur()
    desk.settle()
    desk.upload("claims-files", {"bridge.txt": b"The bridge measures 120 m in length."})
    desk.click(desk.page.get_by_role("button", name="Check claims", exact=False).first)
    desk.shows(".wb-claims", "The bridge measures 120 m in length.")
    assert desk.page.locator(".wb-claims b, .wb-claims i").count() == 0
