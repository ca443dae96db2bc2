"""Evidence and claims by hand in a real browser: by mouse, by key, across emoji and Chinese."""

import json

import pytest
from playwright.sync_api import expect

from workbench.interfaces.web.review.text import FAULT_CHOICES
from workbench.pipeline.options import VerifyOptions
from workbench.services.verification import verify_and_store
from workbench.settings import Settings
from workbench.store.labels.repository import Guides
from workbench.store.runs.claim_corrections import Corrections

SOURCE = (
    "Before it 🙂🙂 nothing was known. The bridge 🌉 is 120 metres long. 它在一九三一年🌉开放。\n"
    "<img src=x onerror='window.broken=1'> <b>bold</b> stays text. Last words."
)
ANSWER = """The bridge 🌉 is 120 metres long and opened in 1956 <b>x</b> [1].

## References
[1] The bridge. https://bridge.example/evidence
"""
SCRIPT = [
    {"if_claim_contains": "1956", "label": "contradicted", "quote": "它在一九三一年🌉开放。"},
    {"if_claim_contains": "120 metres", "label": "supported", "quote": "*"},
]
DRAG = """(text, [words, side]) => {
  let at = text.textContent.indexOf(words)
  if (side) at += words.length
  const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const length = walk.currentNode.length
    if (at < length || (side && at === length)) break
    at -= length
  }
  const range = document.createRange()
  range.setStart(walk.currentNode, at)
  range.setEnd(walk.currentNode, at)
  const box = range.getBoundingClientRect()
  return [box.x, box.y + box.height / 2]
}"""


@pytest.fixture
def bridge(site, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    return verify_and_store(
        site.store,
        ANSWER,
        "A bridge by hand",
        VerifyOptions(
            judge=f"scripted:{script}",
            sources=[{"content": SOURCE, "title": "The bridge", "label": "1"}],
            snapshots=Settings(data_dir=site.store.path.parent).snapshots,
        ),
    )


def drag_over(desk, words):
    text = desk.page.locator(".picker .text")
    desk.page.mouse.move(*text.evaluate(DRAG, [words, 0]))
    desk.page.mouse.down()
    desk.page.mouse.move(*text.evaluate(DRAG, [words, 1]), steps=5)
    desk.page.mouse.up()


def open_picker(desk, key):
    desk.press(key)
    desk.page.locator(".picker .piece").first.wait_for()
    desk.settle()
    expect(desk.page.locator(".picker .pane")).to_be_focused()


def close_picker(desk):
    desk.press("Escape")
    desk.page.locator("[role=dialog]").wait_for(state="detached")
    desk.settle()


def tag(desk, words):
    """A field loses what is typed during a redraw: then it is typed again."""
    field = desk.page.locator(".st-key-details-tags input")
    for _ in range(5):
        expect(field).to_be_focused()
        field.fill(words)
        desk.press("Enter")
        desk.settle()
        if desk.page.locator(".st-key-details-tags").get_by_text(words).count():
            return
    raise AssertionError(f"the tag {words!r} was not taken")


@pytest.mark.parametrize("desk", [900], indirect=True)
def test_evidence_a_wrong_quote_a_fault_and_a_tag_are_kept_with_the_label(desk, bridge):
    page = desk.page
    name = next(result.citation.id for result in bridge.citations if result.citation.raw == "[1]")
    desk.open(f"?run={bridge.id}&c={name}")
    desk.ready()
    open_picker(desk, "o")
    selection = page.locator(".picker .said")
    # the keys begin at the judge's quote
    desk.press("ArrowDown")
    expect(selection).to_contain_text("它在一九三一年🌉开放。")
    expect(selection).to_contain_text("11 characters")
    desk.press("ArrowUp")
    expect(selection).to_contain_text("The bridge 🌉 is 120 metres long.")
    # the full stop goes first, then a word
    desk.press("Shift+ArrowLeft", "Shift+ArrowLeft")
    expect(selection).to_contain_text("“The bridge 🌉 is 120 metres”")
    desk.press("Enter")
    rows = page.locator(".picker li")
    expect(rows.filter(has_text="The bridge 🌉 is 120 metres")).to_have_count(1)
    desk.settle()
    drag_over(desk, "🙂 nothing")
    expect(selection).to_contain_text("“🙂 nothing”")
    expect(selection).to_contain_text("9 characters")
    desk.click(page.locator(".picker .take"))
    expect(page.locator(".picker .piece.mine")).to_have_count(2)
    desk.settle()
    desk.click(page.locator(".picker li", has_text="它在").get_by_role("button", name="Wrong"))
    expect(page.locator(".picker .mark[aria-pressed=true]")).to_be_focused()
    desk.settle()
    # keys do not reach the page behind it
    desk.press("h", "m", "4")
    desk.settle()
    expect(page.locator("[role=dialog]")).to_have_count(1)
    assert page.locator(".picker .text").evaluate("node => node.textContent") == SOURCE
    assert page.locator(".picker .text :is(img, b)").count() == 0
    close_picker(desk)

    desk.press("f")
    expect(page.locator(".st-key-details-fault input")).to_be_focused()
    desk.settle()
    page.keyboard.type("passage")
    page.get_by_role("option", name="Passage choice").wait_for()
    desk.press("Enter")
    desk.settle()
    desk.press("Escape", "t")
    tag(desk, "opening year")
    # a reload before there is a label loses nothing
    desk.reload()
    desk.ready()
    desk.click(page.locator(".st-key-card-more summary"))
    page.locator(".st-key-details-pieces button").nth(2).wait_for()
    desk.settle()
    desk.press("1")
    desk.shows(".card .human", "Supported")
    (label,) = desk.site.store.labels(bridge.id)
    assert [evidence.quote for evidence in label.evidence] == [
        "🙂 nothing",
        "The bridge 🌉 is 120 metres",
    ]
    assert all(evidence.span.of(SOURCE) == evidence.quote for evidence in label.evidence)
    assert [span.of(SOURCE) for span in label.wrong_evidence] == ["它在一九三一年🌉开放。"]
    assert (label.label, label.fault, label.tags) == (
        "supported",
        "passage_choice",
        ("opening year",),
    )

    desk.reload()
    desk.ready()
    desk.click(page.locator(".st-key-card-more summary"))
    field = page.locator(".st-key-details-fault input")
    expect(field).to_have_value(FAULT_CHOICES["passage_choice"])
    open_picker(desk, "o")
    expect(page.locator(".picker .piece.mine")).to_have_count(2)
    expect(page.locator(".picker .piece.wrong")).to_have_count(1)
    assert page.evaluate("window.broken") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_a_claim_is_left_by_escape_corrected_by_key_and_judged_again_beside_the_guide(desk, bridge):
    page = desk.page
    name = next(result.citation.id for result in bridge.citations if result.citation.raw == "[1]")
    Guides(desk.site.store).save(
        "# Ours\n\n<img src=x onerror='window.broken=1'> counts.\n\n- *one*", "Ada", "for bridges"
    )
    desk.open(f"?run={bridge.id}&c={name}")
    desk.ready()
    desk.shows(".card .decision", "Contradicted")
    open_picker(desk, "m")
    selection, hint = page.locator(".picker .said"), page.locator(".picker .hint")
    expect(selection).to_contain_text("The bridge 🌉")
    expect(hint).to_contain_text("Escape changes nothing")
    desk.press("ArrowRight")
    expect(hint).to_be_visible()
    # typed at once, while the window still fades
    desk.press("Escape", "n")
    page.keyboard.type("see page 2")
    expect(page.locator("[role=dialog]")).to_have_count(0)
    expect(page.locator(".note textarea")).to_have_value("see page 2")
    expect(page.locator(".wb-claim-state")).to_have_count(0)
    assert Corrections(desk.site.store).history(bridge.id) == []
    assert desk.site.store.labels(bridge.id) == []
    desk.press("Escape")
    desk.settle()
    open_picker(desk, "m")
    expect(selection).to_contain_text("The bridge 🌉")
    drag_over(desk, "The bridge 🌉 is 120 metres long")
    expect(selection).to_contain_text("“The bridge 🌉 is 120 metres long”")
    desk.press("Shift+ArrowRight")
    expect(selection).to_contain_text("long and”")
    desk.press("Shift+ArrowLeft")
    expect(selection).to_contain_text("metres long”")
    desk.press("Enter")
    desk.shows(".wb-claim-state", "still about the original claim")
    page.locator("[role=dialog]").wait_for(state="detached")
    desk.settle()
    desk.press("y")
    desk.shows(".wb-claim-state", "Judged with this correction")
    desk.shows(".card .decision", "Supported")
    claim = "The bridge 🌉 is 120 metres long"
    expect(page.locator(".card .claim")).to_have_text(claim)
    expect(page.locator(".wb-claim-state")).to_contain_text("Contradicted")
    old, new = desk.site.store.verdict_history(bridge.id, name)
    assert (old.verdict, new.verdict) == ("contradicted", "supported")
    assert new.citation.claim.span.of(ANSWER) == new.citation.claim.text == claim
    desk.settle()

    desk.press("g")
    guide = page.locator(".wb-guide")
    expect(guide).to_contain_text("<img src=x")
    assert guide.locator("img").count() == 0
    assert guide.locator("em").inner_text() == "one"
    desk.settle()
    desk.press("g")
    guide.wait_for(state="detached")
    assert page.evaluate("window.broken") is None
