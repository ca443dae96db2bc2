"""Every page for everybody: axe over all of them, by keyboard alone, at 200 %, in any script."""

import re
from itertools import product

import pytest

from tests.browser.conftest import violations
from tests.fakes import records as make
from workbench.records.text import Excerpt, Span
from workbench.store.queues.queues import Queues

ARABIC = "يبلغ طول الجسر مئة وعشرين مترا [1]. افتتح الجسر في عام 1931 [2]."
CHINESE = "这座桥长一百二十米 [1]。它于一九三一年通车 [2]。"
KNOWN = {
    # the uploader is Streamlit's own: its drop zone has a role and a name; the button in it is fine
    ("presentation-role-conflict", "stFileUploaderDropzone"),
}
"""Findings that cannot be mended here: a rule and what stands in the element."""
OURS = {"exclude": [["[data-testid=stSidebarNavItems]"]]}
"""All but Streamlit's menu for narrow windows, whose list holds headings beside its links."""


def add_run(store, run_id, text, name):
    first, second = (make.citation(n, text, claim=None) for n in (1, 2))
    claim = Excerpt(span=Span(0, first.start), text=text[: first.start])
    results = [
        make.result(1, citation=make.citation(1, text, claim=claim)),
        make.result(1, "contradicted", citation=second),
    ]
    run = make.run(run_id, results, text)
    store.add_run(run, text, name)
    store.finish_run(run)


@pytest.fixture(scope="module")
def queue_id(site):
    """The id of a queue over two answers in other scripts, on which two reviewers disagree."""
    store = site.store
    add_run(store, "arabic", ARABIC, "تقرير الجسر")
    add_run(store, "chinese", CHINESE, "桥梁报告")
    for run in ("arabic", "chinese"):
        for who, value in (("Ada", "supported"), ("Bob", "supported" if run == "arabic" else
                           "contradicted")):  # fmt: skip
            store.add_label(
                make.label(f"{run}-{who}", value, run_id=run, reviewer=who, seconds=9.0)
            )
    return Queues(store).build("Everything", created_by="Ada", reviews=2).id


def pages(desk, queue):
    """Each page by its address, with a text that it shows once drawn."""
    run = desk.demo("Heat").id
    return {
        "": "Check citations",
        "home": "What to do next",
        "agreement?calibration=true&drift=true": "Influence of the judge on reviewers",
        "items": "Create queue from these",
        f"?run={run}": "References",
        f"?view=references&run={desk.demo('eelgrass').id}&ref=7": "Corrected list",
        f"?view=matrix&run={run}": "Said where not cited",
        "queues?who=Ada": "Everything",
        "queues?who=Ada&q=%7B%7D": "Reviews per item",
        f"queues?who=Ada&queue={queue}": "Cannot tell",
        "runs": "A name opens its run. Select one run to download or rename it, or two to compare.",
        f"runs?a={run}": "Open in Review",
        "runs?a=arabic&b=chinese": "Comparison",
        "sources": "on them",
        "guide": "Guide",
        "policy": "Edit the policy",
        "claims": "Claims",
        "search?q=bridge": "bridge",
        "data": "Data",
        "prompts?prompt=strict@3": "System part",
        "prompts?view=write": "Changes",
        "prompts?view=try": "Split",
    }


def visit(desk, address, text):
    desk.open(address)
    desk.page.get_by_test_id("stMain").get_by_text(text).first.wait_for(state="attached")
    desk.settle()
    if address.startswith("?run="):
        desk.ready()


def barriers(desk, place):
    """What stands in the way on the page as it is."""
    overflow = desk.page.get_by_test_id("stMain").evaluate("m => m.scrollWidth - m.clientWidth")
    found = [f"{place}: {overflow} pixels are cut off at the side"] if overflow > 1 else []
    for rule in violations(desk.page, OURS):
        found += [
            f"{place}: {rule['impact']} {rule['id']}: {node['html'][:200]}"
            for node in rule["nodes"]
            if not any(name == rule["id"] and part in node["html"] for name, part in KNOWN)
        ]
    return found


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(list(product((1440, 900, 400), ("light", "dark"))), marks=pytest.mark.slow),
        [(720, "dark"), (400, "light")],
    ],
)
def test_no_page_has_a_barrier_that_can_be_computed(desk, queue_id, shown):
    """Each loaded once; a screen of 1440 pixels at 200 % is as wide as one of 720."""
    found = []
    for address, text in pages(desk, queue_id).items():
        visit(desk, address, text)
        for width, scheme in shown:
            desk.page.set_viewport_size({"width": width, "height": 900})
            desk.page.emulate_media(color_scheme=scheme)
            # half-way between two colors nothing has the contrast that it will have
            desk.page.wait_for_function("() => !document.getAnimations().length")
            found += barriers(desk, f"{address} at {width}, {scheme}")
    assert found == []


def test_numbers_are_followed_to_their_citations_one_by_keyboard_alone(desk, queue_id):
    from playwright.sync_api import expect

    visit(desk, "home?who=Ada", "disagreement")
    link = desk.page.locator(".st-key-totals").get_by_role("link", name="disagreement")
    for _ in range(40):
        desk.press("Tab")
        if link.evaluate("link => link.getRootNode().activeElement === link"):
            break
    outline = link.evaluate("link => getComputedStyle(link).outlineStyle")
    assert outline != "none", "what has the focus shows it"
    desk.press("Enter")
    desk.page.wait_for_url("**/items?**")
    expect(desk.page.get_by_text("Labels disagree, examples left out ·")).to_be_visible()
    claim = desk.page.get_by_role("row").get_by_role("link", name="这座桥长")
    claim.focus()
    desk.press("Enter")
    desk.ready()
    assert "run=chinese" in desk.page.url
    assert desk.place() == "Citation 1 of 2"
    # the session came along: the reviewer is still Ada
    expect(desk.page.get_by_test_id("stPopoverButton").filter(has_text="Ada")).to_be_visible()

    visit(desk, "home", "What to do next")
    desk.click(desk.page.locator(".st-key-home-figures summary"))
    desk.click(desk.page.get_by_role("link", name="not supported by the judge"))
    desk.page.wait_for_url("**/items?**verdicts**")
    expect(desk.page.get_by_text("Judged ")).to_be_visible()
    visit(desk, "agreement", "Influence of the judge on reviewers")
    # other tests may have labelled under the same names
    link_name = re.compile("citations?: Ada says supported, Bob contradicted")
    desk.click(desk.page.get_by_role("link", name=link_name))
    desk.page.wait_for_url("**/items?**said**")
    expect(desk.page.get_by_role("row").filter(has_text="这座桥长")).to_be_visible()


def test_each_script_runs_its_own_way(desk, queue_id):
    for run, direction in (("arabic", "rtl"), ("chinese", "ltr")):
        desk.open(f"?run={run}&c=c1")
        desk.ready()
        for place in (desk.text, desk.page.locator(".wb-head h1"), desk.card.locator(".claim")):
            assert (
                place.first.evaluate("element => getComputedStyle(element).direction") == direction
            )
    desk.press("j")
    # a key after a click must not draw a focus frame around the whole page
    desk.page.mouse.click(1420, 500)
    desk.press("Shift")
    main = desk.page.get_by_test_id("stMain")
    shadow = main.evaluate("main => getComputedStyle(main, '::before').boxShadow")
    assert "0px 0px 0px 3" not in shadow
