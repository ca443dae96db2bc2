"""References and claims in a real browser: jumping between claim, marker and entry."""

import re

import pytest


@pytest.mark.parametrize("desk", [1440, 900], indirect=True)
def test_an_entry_leads_to_its_citations_and_its_place_in_the_text(desk):
    run = desk.demo("Heat pumps")
    desk.open(f"?run={run.id}")
    desk.ready()
    desk.click(desk.page.locator("summary", has_text="References"))
    entries = desk.page.locator(".references .entry")
    entries.first.wait_for()
    # from the entry to a citation
    desk.click(entries.nth(1).locator(".chip").first)
    desk.settle()
    desk.shows(".references .chip.here", "[2]")
    assert re.search(r"[?&]c=", desk.page.url)
    # from the entry to its own lines, brought into view
    desk.click(entries.nth(3).locator("button.label"))
    desk.page.wait_for_selector('.text [data-entry="3"].lit')
    line = desk.text.locator('[data-entry="3"]').first.bounding_box()
    pane = desk.page.locator(".pane").first.bounding_box()
    assert pane["y"] <= line["y"] <= pane["y"] + pane["height"]
    # and from a marker to its entry
    desk.click(desk.text.locator("[data-id]", has_text="[4]").first)
    desk.settle()
    desk.shows(".references .entry.here .label", "4")


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
