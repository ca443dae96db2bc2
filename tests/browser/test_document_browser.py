"""The output as a document in a real browser: rendered, selected to the letter, and raw by key."""

import json

import pytest
from playwright.sync_api import expect

from workbench.pipeline.options import VerifyOptions
from workbench.services.claim_corrections import corrected_claims
from workbench.services.database import open_database
from workbench.services.verification import verify_and_store
from workbench.settings import Settings

ANSWER = """# Two **bridges** 🌉

The *old* bridge is **120 metres** long [1]. See [the page](https://bridge.example/page).

| City | Opened |
|---|---|
| New | It opened in 1931 [2] |

- <img src=x onerror='window.broken=1'> stays text
- [click](javascript:window.broken=1) [[1]](https://bridge.example/old)

## References
1. [The old bridge](https://bridge.example/old)
2. The new bridge. https://bridge.example/new
"""
SCRIPT = [{"if_claim_contains": "bridge", "label": "supported", "quote": "*"}]
SPOT = """(text, [words, side]) => {
  const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const at = walk.currentNode.data.indexOf(words)
    if (at < 0) continue
    const range = document.createRange()
    range.setStart(walk.currentNode, at + (side ? words.length : 0))
    range.collapse(true)
    const box = range.getBoundingClientRect()
    return [box.x, box.y + box.height / 2]
  }
}"""


@pytest.fixture
def bridges(site, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    return verify_and_store(
        site.store,
        ANSWER,
        "Two bridges",
        VerifyOptions(
            judge=f"scripted:{script}",
            sources=[{"content": "The old bridge is 120 metres long.", "label": "1"}],
            snapshots=Settings(data_dir=site.store.path.parent).snapshots,
        ),
    )


@pytest.mark.parametrize("desk", [900], indirect=True)
def test_the_output_is_a_document_whose_selected_span_and_raw_text_are_to_the_letter(desk, bridges):
    desk.open(f"?run={bridges.id}")
    desk.ready()
    text = desk.text
    expect(text.locator("h2")).to_have_text("# Two **bridges** 🌉\n\n")
    assert text.locator("h2").inner_text() == "Two bridges 🌉"
    assert text.locator("tr").nth(1).locator("td").all_inner_texts()[0] == "New"
    assert text.locator("li").first.inner_text().startswith("<img src=x onerror=")
    assert text.locator("ol li").nth(0).inner_text() == "1. The old bridge"
    assert "[click](javascript:" in text.inner_text()
    assert "https://bridge.example/page" not in text.inner_text()
    assert text.locator(":is(img, a)").count() == 0
    # every letter is there, in its place
    assert text.evaluate("node => node.textContent") == ANSWER
    marks = [found.citation.id for found in bridges.citations]
    assert len(marks) == text.locator("[data-id]:visible").count()
    desk.click(text.locator("[data-id]", has_text="[2]").first)
    desk.shows(".card .head", "Citation 3 of")
    desk.settle()

    raw = desk.page.get_by_role("button", name="Raw text")
    desk.press("7")
    expect(raw).to_have_attribute("aria-pressed", "true")
    assert "| New | It opened in 1931" in text.inner_text()
    assert "**120 metres**" in text.inner_text()
    desk.reload()
    desk.ready()
    expect(raw).to_have_attribute("aria-pressed", "true")
    desk.click(raw)
    expect(raw).to_have_attribute("aria-pressed", "false")
    assert "**" not in text.inner_text()
    assert desk.page.evaluate("window.broken") is None
    assert (
        desk.page.evaluate("document.documentElement.scrollWidth")
        <= desk.page.viewport_size["width"]
    )
    desk.press("h")
    expect(desk.page.locator(".wb-keys")).to_contain_text("Switch between formatted and raw text")
    desk.press("Escape")
    desk.page.get_by_role("dialog").wait_for(state="detached")

    page = desk.page
    (first, *_) = [r.citation.id for r in bridges.citations if r.citation.raw == "[1]"]
    desk.page.set_viewport_size({"width": 1440, "height": 900})
    desk.open(f"?run={bridges.id}&c={first}")
    desk.ready()
    desk.press("m")
    text = page.locator(".picker .text")
    text.locator(".piece:visible").first.wait_for()
    desk.settle()
    assert text.evaluate("node => node.textContent") == ANSWER
    assert (
        text.locator("li").first.evaluate("node => getComputedStyle(node).display") == "list-item"
    )
    selection = page.locator(".picker .said")
    expect(selection).to_contain_text("bridge is **120 metres** long")
    page.mouse.move(*text.evaluate(SPOT, ["bridge is", 0]))
    page.mouse.down()
    page.mouse.move(*text.evaluate(SPOT, ["120 metres", 1]), steps=5)
    page.mouse.up()
    expect(selection).to_contain_text("“bridge is **120 metres”")
    # a word by key is what is seen: no syntax is a word
    desk.press("ArrowRight")
    expect(selection).to_contain_text("“long”")
    desk.press("ArrowLeft")
    expect(selection).to_contain_text("“metres”")
    page.mouse.move(*text.evaluate(SPOT, ["It opened", 0]))
    page.mouse.down()
    page.mouse.move(*text.evaluate(SPOT, ["in 1931", 1]), steps=5)
    page.mouse.up()
    expect(selection).to_contain_text("“It opened in 1931”")
    desk.click(page.locator(".picker .take"))
    page.locator("[role=dialog]").wait_for(state="detached")
    desk.settle()
    correction = corrected_claims(open_database(desk.site.store.path), bridges.id)[first]
    assert correction.span.of(ANSWER) == "It opened in 1931"
