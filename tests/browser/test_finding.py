"""Finding, jumping and erasing in the real app."""

import zipfile

import pytest

from tests.fakes import records as make
from tests.fakes.desk import fill
from workbench.presentation.verdicts import STYLES

HOSTILE = "Quellwasserin <img src=x onerror='window.broken=1'>"


def command(desk):
    """The dialog of the command search, opened by its keys."""
    desk.page.locator(".st-key-command button", has_text="Go to…").wait_for()
    desk.press("Control+k")
    dialog = desk.page.locator("dialog.command")
    # the names come from the server once it is open
    dialog.locator(".group", has_text="Runs").wait_for()
    return dialog


def listed(desk, words):
    """Wait until the list shows an entry."""
    desk.page.locator("dialog.command [role=option]", has_text=words).first.wait_for()


def test_from_a_text_field_to_a_run_by_keyboard(desk):
    run = desk.demo("Heat pumps")
    desk.open()
    answer_field = desk.page.get_by_label("Answer to check")
    desk.click(answer_field)
    desk.page.keyboard.type("k 1 j")
    dialog = command(desk)
    desk.page.keyboard.type("heat pumps k1")
    dialog.locator("[role=status]").filter(has_text="0 found").wait_for()
    for _ in range(3):
        desk.press("Backspace")
    desk.press("ArrowDown", "ArrowUp")
    chosen = dialog.locator("[role=option][aria-selected=true]")
    assert "Heat pumps" in chosen.inner_text()
    assert dialog.locator("input").get_attribute("aria-activedescendant") == chosen.get_attribute(
        "id"
    )
    desk.press("Escape")
    dialog.wait_for(state="hidden")
    assert answer_field.evaluate("node => node === document.activeElement"), "the focus is back"
    assert answer_field.input_value() == "k 1 j"
    command(desk)
    desk.page.keyboard.type("heat pumps")
    listed(desk, "Heat pumps")
    desk.press("Enter")
    desk.ready()
    assert desk.run_id == run.id
    # a citation of this run, from the desk; no key that is typed labels or moves anything
    position, labels = desk.place(), desk.site.store.labels(run.id)
    command(desk)
    desk.page.keyboard.type("j1 a k")
    desk.press("Control+a")
    desk.page.keyboard.type("[2]")
    # also while the names are still loading
    assert desk.place() == position and desk.site.store.labels(run.id) == labels
    desk.press("Enter")
    desk.page.wait_for_url("**c=*")
    desk.ready()
    assert desk.run_id == run.id and "[2]" in desk.card.locator(".head").inner_text()
    command(desk)
    desk.page.keyboard.type("keys")
    desk.press("Enter")
    desk.page.get_by_text("Keyboard shortcuts and symbols").wait_for()
    desk.page.get_by_text("from anywhere").wait_for()
    # over another dialog it could not receive keys, so it does not open
    desk.press("Control+k")
    desk.settle()
    assert desk.page.locator("dialog.command[open]").count() == 0


def test_the_tour_begins_from_the_command_search(desk):
    desk.open()
    desk.press("Control+k")
    desk.page.keyboard.type("take the tour")
    desk.press("Enter")
    desk.page.get_by_text("(1 of 4).").wait_for()
    desk.shows(".card .head", "Citation 1 of")


def test_from_a_search_to_the_citation(desk):
    run = desk.demo("Heat pumps")
    desk.open("runs")
    dialog = command(desk)
    desk.page.keyboard.type('"purchased energy"')
    listed(desk, "Search all texts")
    desk.press("Enter")
    dialog.wait_for(state="hidden")
    hits = desk.page.locator(".hits")
    hits.locator(".hit").first.wait_for()
    assert "search" in desk.page.url
    claims = hits.locator("section", has_text="Claims")
    assert "purchased energy" in claims.locator("mark").first.inner_text()
    desk.click(desk.page.get_by_text("Filters", exact=True))
    desk.click(desk.page.locator(".st-key-search-verdict input"))
    verdict_words = {
        result.citation.claim.text: STYLES[result.verdict].word
        for result in desk.site.store.get_run(run.id).citations
        if result.citation.claim
    }
    word = next(word for text, word in verdict_words.items() if "purchased energy" in text)
    desk.page.keyboard.type(word)
    desk.press("Enter")
    desk.page.wait_for_url("**verdict=*")
    desk.page.locator(".st-key-search-clear button").wait_for()
    desk.press("Escape")
    desk.settle()
    desk.reload()
    hits.locator(".hit").first.wait_for()
    desk.page.get_by_text(f"Filters: {word.lower()}", exact=True).wait_for()
    queue = desk.page.get_by_role(
        "link", name="Create a queue of the citations whose claim or rationale contains these words"
    )
    assert "words" in queue.get_attribute("href")
    with desk.page.context.expect_page() as second:
        claims.locator("a").first.click(modifiers=["Control"])
    second.value.close()
    desk.click(claims.locator("a").first)
    desk.ready()
    assert desk.run_id == run.id and "c=" in desk.page.url
    assert "purchased energy" in desk.card.inner_text()


@pytest.mark.parametrize("desk", [900], indirect=True)
def test_an_output_is_erased_after_its_word_was_typed(desk, tmp_path):
    store = desk.site.store
    fill(store, 2, "gone")
    store.add_label(make.label("gone-1", run_id="gone", citation_id="c0", note=HOSTILE))
    desk.open("search?q=Quellwasserin")
    desk.page.locator(".hits .hit").first.wait_for()
    assert HOSTILE in desk.page.locator(".hits .text").first.inner_text()
    desk.click(desk.page.locator(".st-key-command button"))
    desk.page.locator("dialog.command[open]").wait_for()
    desk.page.keyboard.type("backup")
    desk.press("Enter")
    desk.page.get_by_role("heading", name="Backup", exact=True).wait_for()
    with desk.page.expect_download() as waiting:
        desk.click(desk.page.get_by_role("button", name="Download a backup"))
    waiting.value.save_as(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert {"manifest.json", "workbench.duckdb"} <= set(archive.namelist())
    desk.open("data?erase=gone")
    desk.page.get_by_text("2 verdicts").wait_for()
    erase = desk.page.locator(".st-key-erase button")
    assert erase.is_disabled()
    desk.page.get_by_label("This cannot be undone").fill("delete")
    desk.press("Enter")
    desk.click(desk.page.locator(".st-key-erase button:not([disabled])"))
    desk.page.get_by_text("1 run, 2 verdicts, 1 label").wait_for()
    assert "gone" not in {run.id for run in store.list_runs()}
    desk.open("?run=gone")
    desk.page.get_by_text("There is no run").wait_for()
    desk.open("search?q=Quellwasserin")
    desk.page.get_by_text("No results for").wait_for()
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= 900
    assert desk.page.evaluate("window.broken") is None
