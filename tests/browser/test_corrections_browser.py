"""A judge's suggested correction, decided by key, on a citation's card."""

import uuid

import pytest
from playwright.sync_api import expect

from tests.fakes.proposals import CORRECTED, add_proposing_run
from workbench.services.claim_corrections import correction_decisions

EDITED = "The bridge opened in May 1912 [1]."


@pytest.mark.parametrize("desk", [900], indirect=True)
def test_a_correction_is_taken_undone_refused_and_edited_by_key(desk):
    page, store = desk.page, desk.site.store
    run = add_proposing_run(store, str(uuid.uuid4()))

    def decisions():
        return correction_decisions(store, run.id)

    def pressed(name):
        return page.locator(f".st-key-correction-{name} button[data-testid=stBaseButton-primary]")

    desk.open(f"?run={run.id}&c=c1")
    desk.ready()
    expect(desk.card.locator("del")).to_have_text("1913")
    expect(desk.card.locator("ins")).to_have_text("1912")

    desk.press("d")
    expect(pressed("take").first).to_be_visible()
    assert (decisions()["c1"].choice, decisions()["c1"].text) == ("taken", CORRECTED)
    desk.settle()
    desk.press("z")
    expect(pressed("take")).to_have_count(0)
    assert decisions() == {}
    desk.settle()
    desk.press("q")
    expect(pressed("refuse").first).to_be_visible()
    reason = page.get_by_role("textbox", name="Why it is refused")
    desk.settle()
    desk.click(reason)
    page.keyboard.type("d i z: 1912 or 1913")
    desk.press("Enter")
    desk.settle()
    assert decisions()["c1"].reason == "d i z: 1912 or 1913", "letters in the field are no keys"

    reason.blur()
    desk.press("i")
    words = page.get_by_role("dialog").get_by_role("textbox")
    expect(words).to_have_value(CORRECTED)
    desk.settle()
    words.fill(EDITED)
    desk.press("Control+Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    desk.settle()
    expect(pressed("edit").first).to_be_visible()
    assert (decisions()["c1"].choice, decisions()["c1"].text) == ("edited", EDITED)
