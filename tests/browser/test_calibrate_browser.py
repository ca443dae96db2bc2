"""Measuring a judge, watching it over time, and data sets out and in, in the real app."""

import json

import pytest
from playwright.sync_api import expect

from tests.fakes.labelled import Given, add_run, mixed
from workbench.store.evaluation.reference_sets import ReferenceSetRepository
from workbench.store.labels.imports import Imports

HOSTILE = "<img src=x onerror='window.broken=1'>"


@pytest.fixture(scope="module")
def measured(site):
    """Outputs with labels; one claim holds markup."""
    for number in range(8):
        add_run(site.store, f"cal{number}", mixed(f"cal{number}", 4, wrong=number % 2))
    add_run(site.store, "calx", [Given(people=(("Ada", "contradicted"),))], claim=HOSTILE)
    return site.store


def wide(desk):
    """Nothing overflows the page."""
    width = desk.page.viewport_size["width"]
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= width


def test_from_the_figures_to_the_items_and_the_report(desk, measured, tmp_path):
    page = desk.page
    # the old address leads on, with its parameters
    desk.open("calibrate?calibrate-target=0.9")
    page.wait_for_url("**/trust?**calibration=true**")
    expect(page.get_by_role("spinbutton", name="Target", exact=True)).to_have_value("0.900")
    sentences = page.locator(".wb-sentences li")
    expect(sentences).to_have_count(3)
    expect(sentences.first).to_contain_text("agrees with people")
    desk.click(page.get_by_role("tab", name="Data and report"))
    page.get_by_role("button", name="With charts, HTML").wait_for()
    wide(desk)
    with page.expect_download() as waiting:
        desk.click(page.get_by_role("button", name="With charts, HTML"))
    waiting.value.save_as(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert "<svg" in report and "Support rate" in report

    # the rate of the runs since a day
    desk.click(page.get_by_role("tab", name="Support rate"))
    desk.click(page.get_by_role("spinbutton", name="year, Checked from"))
    page.keyboard.type("20200101")
    # the date applies once its calendar is closed
    desk.press("Escape")
    desk.click(page.get_by_role("heading", name="Support rate of the runs"))
    page.get_by_text("Of all runs from 2020-01-01:").wait_for()
    desk.settle()

    desk.click(page.get_by_role("tab", name="Compared with people"))
    cell = page.locator("table.framed a").first
    number = cell.inner_text()
    desk.click(cell)
    page.wait_for_url("**/items?**")
    page.get_by_text(f"{number} citation").first.wait_for()
    desk.settle()
    page.go_back()
    expect(sentences).to_have_count(3)


@pytest.mark.parametrize("desk", [900], indirect=True)
def test_a_judge_is_asked_twice_about_frozen_items(desk, measured):
    page = desk.page
    desk.open("drift")
    page.wait_for_url("**/trust?**drift=true**")
    page.get_by_label("Name", exact=True).fill("Browser watch")
    desk.click(page.get_by_role("button", name="Create set", exact=True))
    page.get_by_text("Browser watch:").first.wait_for()
    desk.settle()
    reference_set = ReferenceSetRepository(measured).get("Browser watch")
    ask = page.get_by_role("button", name="Run", exact=True)
    table = page.locator("table", has=page.get_by_text("Since the baseline"))
    for number in (1, 2):
        expect(ask).to_be_enabled()
        desk.settle()
        desk.click(ask)
        page.get_by_text(f"{reference_set.size} judged at no cost").wait_for()
        # the chart names it on its axis, too
        table.get_by_text(f"{reference_set.id}.{number}", exact=True).wait_for()
        desk.settle()
        desk.click(page.get_by_role("button", name="Close", exact=True))
        page.get_by_text(f"{reference_set.size} judged at no cost").wait_for(state="detached")
        desk.settle()
    expect(table).to_contain_text("±0.0")
    expect(page.locator(".wb-sentences li")).to_contain_text("since the baseline")
    page.get_by_text("0 have another label").wait_for()
    page.locator("[data-testid=stVegaLiteChart] svg").first.wait_for()
    assert [
        evaluation.answers
        for evaluation in ReferenceSetRepository(measured).evaluations(reference_set.id)
    ] == [reference_set.size] * 2

    # against what the runs said, item by item
    desk.click(page.locator("[class*='st-key-drift-first'] input"))
    desk.click(page.get_by_role("option", name="Verdicts of the runs when the set was created"))
    page.get_by_text("Change", exact=True).wait_for()
    desk.settle()
    first = page.locator("table.prose a").first
    wide(desk)
    desk.click(first)
    desk.ready()
    assert "run=cal" in page.url
    assert page.evaluate("window.broken") is None


def test_a_file_goes_in_once_and_its_items_come_out(desk, site):
    page = desk.page
    pairs = [
        {"id": f"b{n}", "claim": f"Claim {n} {HOSTILE}", "source": f"Source {n} of the bridge.",
         "label": ("supported", "not_supported")[n % 2], "group": f"g{n}"}
        for n in range(4)
    ]  # fmt: skip
    lines = [json.dumps(pair) for pair in pairs]
    body = "\n".join([*lines[:2], '{"claim": 1}', *lines[2:]])
    desk.open("datasets?side=in")
    page.get_by_text("File of labelled examples").wait_for()
    desk.upload("import-file", {"browser-pairs.jsonl": body.encode()})
    take = page.locator(".st-key-import button")
    page.get_by_text("Of 5 entries 4 can be used, 1 would be skipped.").wait_for()
    expect(take).to_be_disabled()
    desk.click(page.get_by_text("Import 4 and skip 1"))
    expect(take).to_be_enabled()
    desk.click(take)
    told = page.get_by_text("4 new examples with 4 new labels; 1 skipped.")
    told.first.wait_for()  # on the page and in a notice
    (imported,) = [
        record for record in Imports(site.store).list(20) if record.name == "browser-pairs"
    ]
    assert (imported.imported, imported.skipped) == (4, 1)
    wide(desk)
    desk.open("datasets?format=pairs&parts=train.dev.test")
    page.get_by_role("button", name="Download").first.wait_for()
    page.get_by_text("First rows").wait_for()
    with page.expect_download() as waiting:
        desk.click(page.locator(".st-key-export-download button"))
    rows = [json.loads(line) for line in waiting.value.path().read_text("utf-8").splitlines()]
    labels = {row["claim"]: row["label"] for row in rows if "bridge" in row["source"]}
    assert labels[f"Claim 1 {HOSTILE}"] == "not_supported"
    assert page.evaluate("window.broken") is None
