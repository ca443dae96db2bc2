"""Who labels: asked at the first label, kept in the browser, taken from any page's address."""

import pytest


@pytest.fixture
def name():
    """Nobody has named this browser yet."""
    return ""


def by_reviewer(desk, run):
    return [(label.reviewer, label.label) for label in desk.site.store.labels(run.id)]


def wait_for_name(desk, name):
    """Wait until the page shows the reviewer's name."""
    desk.page.get_by_test_id("stPopoverButton").filter(has_text=name).wait_for()


def test_the_name_is_asked_for_at_the_first_label_and_kept_in_the_browser(desk):
    page = desk.page
    run = desk.demo("telemonitoring")
    labels_before = by_reviewer(desk, run)
    desk.open(f"review?run={run.id}")
    desk.ready()
    assert f"run={run.id}" in page.url, "the address keeps its query"
    desk.press("4")
    field = page.get_by_role("dialog").get_by_label("Your name")
    field.wait_for()
    desk.settle()
    # the field has the focus, so that no key is a label
    page.wait_for_function("document.activeElement?.matches('.st-key-name-asked input')")
    desk.press("Escape")
    field.wait_for(state="detached")
    desk.settle()
    assert by_reviewer(desk, run) == labels_before, "who leaves the question labels nothing"

    desk.press("4")
    field.wait_for()
    desk.settle()
    field.fill("  ")
    desk.press("Enter")
    page.get_by_role("dialog").get_by_text("Enter a reviewer name").wait_for()
    desk.settle()
    field.fill(" Nia  Bell")
    desk.press("Enter")
    desk.shows(".desk-keys .said", "Contradicted: citation 1 of")
    desk.settle()
    assert ("Nia Bell", "contradicted") in by_reviewer(desk, run)
    assert "reviewer" not in {name for name, _ in by_reviewer(desk, run)}

    # another tab of the browser, without a name in its address
    desk.load("agreement")
    wait_for_name(desk, "Nia Bell")
    # the name in a link applies to this visit only; the stored name stays
    desk.load("agreement?who=Olu")
    wait_for_name(desk, "Olu")
    desk.load(f"?run={run.id}")
    wait_for_name(desk, "Nia Bell")
    desk.ready()
    desk.press("3")
    desk.shows(".desk-keys .said", "Not supported: citation")
    assert ("Nia Bell", "not_supported") in by_reviewer(desk, run)


def test_a_name_that_is_taken_away_is_forgotten(desk):
    page = desk.page
    for typed, name in (("Nia", "Nia"), ("", "Reviewer")):
        desk.load("home")
        desk.click(page.get_by_test_id("stPopoverButton").first)
        page.get_by_label("Your name", exact=True).fill(typed)
        desk.press("Enter")
        wait_for_name(desk, name)
        # before the page is left, the browser has been told
        desk.settle()
    desk.load("trust")
    wait_for_name(desk, "Reviewer")
    assert page.evaluate("localStorage.getItem('wb-reviewer')") is None
