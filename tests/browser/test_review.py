"""The reviewer's way through the real app in a real browser."""

import re

from fpdf import FPDF

from tests.browser.conftest import at_widths

ANSWER = """# Two bridges

The old bridge is 120 metres long [1]. The new bridge opened in 1931 [2].

## References
[1] The old bridge. https://bridge.example/old
[2] The new bridge. https://bridge.example/new
"""
SOURCES = {
    "1.txt": b"The old bridge is 120 metres long and carries two lanes.",
    "2.html": b"<html><title>New</title><p>The new bridge opened in 1956, after long delays.</p>",
}


def check(desk, text, files=None):
    desk.open()
    answer_field = desk.page.get_by_label("Answer to check")
    answer_field.fill(text)
    answer_field.blur()
    desk.settle()
    if files:
        desk.upload("source-files", files)
    desk.click(desk.page.get_by_role("button", name="Check citations"))
    desk.judged()


def test_an_override_by_keyboard_is_there_after_a_reload_and_another_page(desk):
    check(desk, ANSWER, SOURCES)
    desk.click(desk.text.locator("[data-id]", has_text="[2]").first)
    desk.shows(".card .head", "Citation 2 of 2")
    desk.settle()
    desk.press("4")
    desk.shows(".card .human", "Contradicted")
    desk.reload()
    desk.ready()
    desk.shows(".card .head", "Citation 2 of 2")
    desk.shows(".card .human", "Contradicted")
    mark = desk.text.locator("[data-id]", has_text="[2]").first
    assert "you say contradicted" in mark.get_attribute("aria-label")
    run = desk.run_id
    (label,) = desk.site.store.labels(run)
    assert label.label == "contradicted"
    desk.click(desk.page.get_by_role("link", name="Runs"))
    desk.page.get_by_text(
        "A name opens its run. Select one run to download or rename it, or two to compare."
    ).wait_for()
    desk.click(desk.page.get_by_role("link", name="Review", exact=True))
    desk.ready()
    assert desk.run_id == run


def test_no_key_is_lost_at_fifty_milliseconds_and_a_note_takes_letters_that_are_keys(desk):
    run = desk.demo("Support reply")
    desk.open(f"?run={run.id}")
    desk.ready()
    first = desk.place()
    desk.press("n")
    in_note = "document.activeElement?.shadowRoot?.activeElement?.matches('textarea')"
    desk.page.wait_for_function(in_note)
    desk.page.keyboard.type("jk 14 a")
    desk.press("Escape")
    desk.page.wait_for_function(f"!{in_note}")
    assert desk.place() == first
    desk.press("a")
    desk.shows(".card .head", next_place(first))
    desk.press("k")
    desk.shows(".card .human", "jk 14 a")
    desk.press("u")
    desk.shows(".desk-keys .said", "Undone: label")
    assert [label for label in desk.site.store.labels(run.id) if label.queue_id is None] == []
    desk.settle()
    of = int(first.split()[-1])
    for _ in range(of - 1):
        desk.page.keyboard.press("j")
        desk.page.wait_for_timeout(50)
    desk.shows(".card .head", f"Citation {of} of {of}")
    for _ in range(of - 1):
        desk.page.keyboard.press("k")
        desk.page.wait_for_timeout(50)
    desk.shows(".card .head", first)
    # one key a citation, to the last
    for _ in range(of):
        desk.page.keyboard.press("0")
        desk.page.wait_for_timeout(50)
    desk.shows(".desk-keys .said", f"Cannot tell: citation {of} of {of}.")
    labels = [label for label in desk.site.store.labels(run.id) if label.queue_id is None]
    assert len({label.citation_id for label in labels}) == len(labels) == of
    # the summary has opened by itself: the next key is not lost in it
    summary = desk.page.get_by_role("dialog", name="Summary")
    summary.wait_for()
    desk.page.keyboard.press("u")
    summary.wait_for(state="detached")
    for _ in range(of - 1):
        desk.page.keyboard.press("u")
        desk.page.wait_for_timeout(50)
    desk.shows(".desk-keys .said", f"Undone: label “Cannot tell” on citation 1 of {of}.")
    assert [label for label in desk.site.store.labels(run.id) if label.queue_id is None] == []


def test_a_pdf_report_is_uploaded_and_checked(desk):
    pdf = FPDF()
    pdf.set_font("helvetica", size=12)
    pdf.add_page()
    for line in ANSWER.splitlines():
        pdf.cell(0, 8, line, new_x="LMARGIN", new_y="NEXT")
    desk.open()
    desk.upload("upload", {"bridges.pdf": bytes(pdf.output())})
    desk.click(desk.page.get_by_role("button", name="Check citations"))
    desk.ready()
    desk.shows(".wb-head", "bridges.pdf")
    assert "120 metres long" in desk.text.inner_text()
    assert desk.site.store.get_run(desk.run_id).total_citations_found == 2


HOSTILE = """<script>window.broken=1</script><img src=x onerror="window.broken=1"> is claimed [1].
A [link](javascript:window.broken=1) and ![](https://evil.example/i.png) and $x^2$ :smile: [1].

## References
[1] <b>Bold</b> <img src=x onerror="window.broken=1">. https://bridge.example/x
"""


def test_hostile_markup_stays_text(desk):
    evil = b"It is claimed: <script>window.broken=1</script><img src=x onerror=window.broken=1>."
    check(desk, HOSTILE, {"1.txt": evil})
    assert desk.text.evaluate("node => node.textContent").strip() == HOSTILE.strip()
    desk.press("o")
    desk.page.get_by_text("Source as judged").wait_for()
    desk.page.locator("[role=dialog] .text").wait_for()
    assert "<script>" in desk.page.locator("[role=dialog] .text").inner_text()
    for pane in (".text", ".card", ".wb-head h1"):
        inner = desk.page.locator(f"{pane} :is(script, img, b, a[href^=javascript])")
        assert inner.count() == 0
    desk.open("runs")
    assert desk.page.evaluate("window.broken") is None


def test_a_hostile_file_name_stays_text_in_an_error(desk):
    name = "[x](javascript:window.broken=1) ![](https://evil.example/i.png) $x^2$ :smile: <b>.pdf"
    desk.open()
    desk.upload("upload", {name: b"%PDF-1.4 nonsense"})
    desk.click(desk.page.get_by_role("button", name="Check citations"))
    alert = desk.page.get_by_role("alert").first
    alert.wait_for()
    assert "smile:" in alert.inner_text()
    assert alert.locator("a, img, .katex, b").count() == 0


def test_the_whole_way_by_keyboard_with_the_keys_of_what_is_folded(desk):
    run = desk.demo("Heat pumps")
    desk.open(f"?run={run.id}")
    desk.ready()
    for _ in range(60):
        desk.press("Tab")
        if desk.text.evaluate("node => Boolean(node.getRootNode().activeElement?.dataset.id)"):
            break
    focused = "node => node.getRootNode().activeElement?.getAttribute('aria-label') ?? ''"
    assert desk.text.evaluate(focused).startswith("Citation")
    for _ in range(30):
        desk.press("ArrowRight")
        chosen = desk.text.evaluate(focused)
        if "[2]" in chosen:
            break
    desk.press("Enter")
    desk.page.wait_for_url("**c=*")
    desk.shows(".card .head", "[2]")
    desk.settle()
    pressed = desk.text.locator("[aria-pressed=true]").first
    assert pressed.get_attribute("aria-label") == chosen
    position = desk.place()
    desk.press("j")
    desk.shows(".card .head", next_place(position))
    desk.settle()
    desk.press("k")
    desk.shows(".card .head", position)
    desk.press("h")
    desk.page.get_by_text("Keyboard shortcuts and symbols").wait_for()
    desk.press("Escape")
    desk.page.get_by_role("dialog").wait_for(state="detached")
    desk.settle()
    assert desk.page.locator(".st-key-details").count() == 0, "nothing is drawn while it is closed"
    desk.press("m")
    desk.page.get_by_role("dialog", name="Correct the claim").wait_for()
    desk.press("Escape")
    desk.page.get_by_role("dialog").wait_for(state="detached")
    desk.settle()
    place = desk.place()
    desk.press("t", "j")
    desk.page.wait_for_function("() => document.activeElement?.closest('.st-key-details-tags')")
    assert desk.place() == place, "no key moves while the field is on its way"
    field = desk.page.locator(".st-key-details-tags").bounding_box()
    keys = desk.page.locator(".st-key-keys-place").bounding_box()
    assert field["y"] + field["height"] <= keys["y"]
    desk.press("Escape")
    desk.press("f")
    desk.page.wait_for_function("() => document.activeElement?.closest('.st-key-details-fault')")


def next_place(counter):
    number, of = map(int, re.findall(r"\d+", counter))
    return f"Citation {number + 1} of {of}"


def test_a_run_is_cancelled_and_continued(desk):
    desk.open()
    lines = [f"Claim number {n} about bridges is made here [1]." for n in range(200)]
    answer_field = desk.page.get_by_label("Answer to check")
    answer_field.fill(
        "\n\n".join(lines) + "\n\n## References\n[1] A bridge. https://bridge.example/x\n"
    )
    answer_field.blur()
    desk.click(desk.page.locator(".st-key-options summary").first)
    judge = desk.page.locator(".st-key-judge input")
    desk.click(judge)
    judge.fill("openai:gpt-4o-mini")
    desk.press("Enter")
    desk.press("Escape")
    local = (
        desk.page.locator(".st-key-judge")
        .get_by_role("button", name="local")
        .or_(desk.page.locator(".st-key-judge [aria-label*='local']"))
    )
    desk.click(local.first)
    desk.upload("source-files", {"1.txt": b"Nothing of the kind is said about bridges."})
    desk.click(desk.page.get_by_role("button", name="Check citations"))
    # at once, while the run goes on
    desk.page.get_by_role("button", name="Cancel").click()
    desk.page.get_by_text("Stopped or interrupted").wait_for()
    run = desk.site.store.get_run(desk.run_id)
    assert not run.finished
    assert run.errors.get("cancelled", 0) > 0
    desk.click(desk.page.get_by_role("button", name="Continue the run"))
    desk.page.get_by_role("button", name="Cancel").click()
    desk.page.get_by_text("Stopped or interrupted").wait_for()


def test_what_is_decided_by_stands_above_the_keys_and_at_900_pixels_above_the_text(desk):
    run = desk.site.store.get_run(desk.demo("Heat pumps").id)
    desk.open(f"?run={run.id}")
    desk.ready()

    def in_view():
        keys = desk.page.locator(".st-key-keys-place").bounding_box()["y"]
        card = desk.card.bounding_box()
        assert desk.page.locator(".st-key-desk").bounding_box()["y"] > 0, "nothing was scrolled"
        for part in (".claim", ".decision", ".rationale p", ".evidence mark"):
            box = desk.card.locator(part).bounding_box()
            lowest = min(keys, card["y"] + card["height"])
            assert card["y"] <= box["y"] <= box["y"] + box["height"] <= lowest, (desk.place(), part)

    for width in (1440, 900):
        desk.page.set_viewport_size({"width": width, "height": 900})
        desk.settle()
        in_view()
        for key in ("j", "j", "j", "k"):
            before = desk.place()
            desk.press(key)
            desk.card.locator(".head").filter(has_not_text=before + " ").wait_for()
            desk.settle()
            in_view()
    text, card = desk.text.bounding_box(), desk.card.bounding_box()
    frame = desk.page.locator(".frame").first.bounding_box()
    assert frame["y"] >= card["y"] + card["height"]
    assert abs(card["width"] - frame["width"]) < 4
    assert text["width"] <= 900
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= 900
    desk.click(desk.page.locator(".jumps").get_by_role("button", name="Text"))
    desk.page.wait_for_function(
        "() => document.querySelector('.st-key-reading').getBoundingClientRect().top < 200"
    )


def test_nothing_that_opens_or_changes_moves_the_label_buttons(desk):
    run = desk.site.store.get_run(desk.demo("Bringing eelgrass back").id)
    missing = next(result for result in run.citations if result.error and not result.judgment)
    desk.open(f"?run={run.id}&c={missing.citation.id}")
    desk.ready()

    def boxes():
        return at_widths(desk.page, (".desk-keys", ".labels"))

    first = boxes()
    for footer, _ in first:
        assert footer["y"] + footer["height"] <= desk.page.viewport_size["height"]
    desk.page.get_by_role("button", name="Add this source").click()
    desk.page.get_by_label("or its text", exact=True).wait_for()
    assert boxes() == first, "with the form for a source"
    desk.press("Escape")
    desk.settle()
    desk.press("n")
    desk.page.keyboard.type("a long note " * 40)
    assert boxes() == first, "with a long note"
    desk.press("Escape")
    desk.click(desk.page.locator(".desk-keys").get_by_role("button", name="More"))
    desk.page.locator(".desk-keys").get_by_role("button", name="Comment").click()
    assert boxes() == first, "with a comment under More"
    desk.press("Escape")
    for key in ("j", "j", "k", "e"):
        desk.press(key)
        desk.settle()
        assert boxes() == first, f"after {key}"


SEEN = """() => {
  const main = document.querySelector("[data-testid=stMain]")
  const controls = [...main.querySelectorAll("button, a, textarea, input, summary")].filter(
    (node) => node.checkVisibility({ visibilityProperty: true }) && node.type !== "file")
  const icons = [...main.querySelectorAll("[data-testid=stIconMaterial]")] // these are no words
  const words = (node) => (node.innerText.match(/[\\p{L}\\d]+/gu) ?? []).length
  return [words(main) - icons.reduce((sum, icon) => sum + words(icon), 0), controls.length]
}"""


def test_text_sources_and_the_button_are_in_sight_and_little_else(desk):
    desk.open("review")
    for width in (1440, 900):
        desk.page.set_viewport_size({"width": width, "height": 900})
        desk.settle()
        for place in ("paste", "upload", "source-files", "run", "options", "demo-legal_memo"):
            box = desk.page.locator(f".st-key-{place}").bounding_box()
            assert box["y"] + box["height"] <= 900, place
        assert not desk.page.locator(".st-key-judge").count(), "options are closed"
        words, controls = desk.page.evaluate(SEEN)
        assert (words < 150, controls < 15) == (True, True), (words, controls)


def test_a_demo_opens_its_stored_run_whose_filter_is_in_the_address_and_set_by_a_bar(desk):
    run, runs = desk.demo("Heat pumps"), desk.site.store.list_runs()
    desk.open()
    desk.click(desk.page.get_by_role("button", name="Heat pumps"))
    desk.ready()
    assert desk.run_id == run.id
    assert desk.site.store.list_runs() == runs
    desk.click(desk.page.locator(".st-key-show button", has_text="Unverifiable"))
    desk.page.wait_for_url("**show=unverifiable*")
    desk.settle()
    desk.press("j")
    desk.shows(".card .decision", "Unverifiable")
    desk.reload()
    desk.ready()
    assert "show=unverifiable" in desk.page.url
    assert desk.text.locator(".mark.off").count() > 0
    desk.click(desk.page.locator(".st-key-run-charts summary"))
    bar = desk.page.locator(".st-key-verdict-chart path[aria-roledescription=bar]").first
    bar.scroll_into_view_if_needed()
    desk.click(bar)
    desk.page.wait_for_url("**show=supported*")
    # the address changes before the buttons are drawn anew
    desk.shows(".st-key-show button[aria-pressed=true]", "Supported")


def test_two_runs_are_compared_and_the_annotated_report_of_one_is_taken_away(desk, tmp_path):
    first, second = desk.demo("Heat pumps"), desk.demo("Support reply")
    desk.open(f"runs?a={first.id}&b={second.id}")
    desk.page.get_by_text("Comparison").wait_for()
    desk.shows(".wb-side", "Heat pumps")
    desk.click(desk.page.get_by_role("link", name="Open B in Review"))
    desk.ready()
    assert desk.run_id == second.id
    desk.open(f"runs?a={first.id}")
    with desk.page.expect_download() as waiting:
        desk.click(desk.page.get_by_role("button", name="Annotated report, HTML"))
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert path.suffix == ".html"
    desk.page.set_content(path.read_text("utf-8"))
    assert "Heat pumps" in desk.page.title()
    assert desk.page.locator("article.card").count() == len(
        desk.site.store.get_run(first.id).citations
    )
