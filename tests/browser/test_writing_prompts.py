"""A prompt in the real app: checked while it is typed, kept, tried in the background, compared."""

from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.fakes.labelled import Given, add_run

MODEL = "openai:gpt-4o-mini"
HOSTILE = "<img src=x onerror='window.broken=1'>"


@pytest.fixture(scope="module")
def labelled(site):
    """Answers with two labelled citations each, enough of them in dev for an interval when alone.

    Their judge calls everything supported.
    """
    for number in range(24):
        truths = ("supported", "not_supported")
        add_run(site.store, f"tried{number}", [Given(people=(("Ada", label),)) for label in truths])


def test_a_prompt_is_written_tried_and_compared(desk, labelled):
    page = desk.page
    main = page.get_by_test_id("stMain")
    # another name each time: a version that is saved stays
    name = f"mild-{uuid4().hex[:6]}"
    desk.open("prompts?view=write&who=Ada")
    page.get_by_role("textbox", name="Name").fill(name)
    field = page.get_by_role("textbox", name="Template")
    desk.click(field)
    desk.press("Control+a")
    page.keyboard.type(f"Judge mildly, {name}. {HOSTILE}\n=====\n{{{{passages}}}}")
    check = page.locator(".wb-check")
    # shown while the cursor is still in the field
    expect(check).to_contain_text("lacks {{claim}} below the line =====")
    assert field.evaluate("node => node === document.activeElement")
    page.keyboard.type("\n{{claim}}")
    expect(check).to_contain_text("Ready to save: 4 lines")
    expect(main.get_by_text("Added:").first).to_be_attached()
    desk.click(page.get_by_role("button", name="Save as new version"))
    expect(main.get_by_text(f"Saved as {name}")).to_be_visible()
    expect(page.locator(".wb-prompt").first).to_have_text(f"Judge mildly, {name}. {HOSTILE}")
    expect(page.locator(".wb-changes .removed").first).to_be_visible()
    assert page.evaluate("window.broken") is None

    desk.click(main.get_by_role("radio", name="Try").or_(main.get_by_role("button", name="Try")))
    page.wait_for_url("**view=try**")
    judges = page.locator(".st-key-prompts-judges")
    desk.click(judges.locator("input"))
    page.keyboard.type(MODEL)
    desk.press("Enter")
    expect(judges.get_by_text(MODEL).first).to_be_visible()
    # the list of judges stays open over the page until it is closed
    desk.press("Escape")
    ask = main.get_by_role("button", name="Run", exact=True)
    expect(ask).to_be_enabled()
    desk.click(ask)
    expect(page.locator(".wb-stages")).to_contain_text(f"{MODEL} with {name}@1")
    expect(main.get_by_text("judged for $")).to_be_visible()

    (mild,) = {judge for judge in judge_names(desk) if name in judge}
    desk.open(f"prompts?view=compare&a=local&b={mild}&part=train&part=dev")
    expect(page.locator(".wb-outcome")).to_contain_text("balanced accuracy")
    desk.click(main.get_by_text("Only first correct", exact=False).first)
    page.wait_for_url("**show=broken**")
    # other tests' labels may be in the set as well
    claim = main.get_by_role("row").get_by_role("link").filter(has_text="Fact ").first
    item = claim.get_attribute("href").removeprefix("./?")
    desk.click(claim)
    desk.ready()
    assert item in page.url


def judge_names(desk):
    """The judges of labelled items as the address names them."""
    from workbench.interfaces.web.prompts.compare import key_of
    from workbench.store.evaluation.evaluation_examples import EvaluationRepository

    return [key_of(judge) for judge, _ in EvaluationRepository(desk.site.store).judges()]
