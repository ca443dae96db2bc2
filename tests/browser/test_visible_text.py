"""What can be read on every page, empty and filled: words, never markup, keys, ids or bare values.

One server and one walk for each state: every expander, popover and tab of a page is opened, and the
visible text of all of it is read, that in shadow roots and in the cells of tables drawn on a canvas
included. Text that others wrote (an answer, a source, a prompt) is shown as it is and is left out.
"""

import json
import re
import shutil
from contextlib import contextmanager
from itertools import chain

import pytest

from tests.browser.conftest import Desk, Site, remember
from tests.fakes.full_database import counted_ids
from tests.fakes.page_traffic import WATCH
from tests.fakes.served import served
from tests.recorded import assert_recorded, without_values
from workbench.__main__ import main
from workbench.records.queue import ItemFilter
from workbench.records.review import LabelDecision
from workbench.services.database import open_database
from workbench.services.examples import seed_examples
from workbench.services.labelled_judging import judge_missing
from workbench.store.labels.repository import LabelRepository
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.store import Store

NOT_WORDS = {
    "markup": re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>|&(?:[a-z]+|#\d+);"),
    "Markdown": re.compile(r"\*\*|\]\(|`|^#{2,6} \w", re.M),
    "a bare value": re.compile(r"\b(?:None|NaN|nan|True|False|undefined|null)\b|\{\}|\[\]|\{['\"]"),
    "an id": re.compile(
        r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+|(?<!sha256 )\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b"
    ),
    "a key": re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b(?!=)"),
    "a number": re.compile(r"(?<![\w.,/:#-])(?:\d{5,}|\d+\.\d{5,})(?![\w,/-])"),
    "a class": re.compile(r"<class|\bobject at 0x|\b[A-Z]\w+(?:Error|Exception)\b|Traceback"),
}
VISIBLE = """(foreign) => {
  const lines = []
  const isHash = (node) => node.tagName === "TD" && /^(hash|sha-?256)$/i.test(
    node.closest("table").querySelectorAll("thead th")[node.cellIndex]?.textContent.trim() ?? "")
  const read = (node, open) => {
    if (node.nodeType === Node.TEXT_NODE) return lines.push(node.data)
    if (node.nodeType !== Node.ELEMENT_NODE && !node.host) return
    if (node.matches?.(foreign) || isHash(node)) return
    const cells = node.matches?.("canvas table") || open
    if (node.nodeType === Node.ELEMENT_NODE && !cells) {
      if (node.matches("style, script, [data-testid*=Icon]")) return
      const display = getComputedStyle(node).display
      const drawn = node.checkVisibility({ visibilityProperty: true })
      if (!drawn && display !== "contents") return
      if (!display.startsWith("inline")) lines.push("\\n")
    }
    if (cells && node.matches("td, th")) lines.push("\\n\\u2063")
    if (node.shadowRoot) read(node.shadowRoot, cells)
    if (node.tagName === "SLOT") node.assignedNodes().forEach((child) => read(child, cells))
    else node.childNodes.forEach((child) => read(child, cells))
  }
  read(document.querySelector("[data-testid=stApp]"), false)
  document.querySelectorAll("[data-testid=stPopoverBody], [role=dialog]").forEach((n) => read(n, false))
  return lines.join("").replace(/[ \\t\\u2060]+/g, " ").replace(/\\s*\\n\\s*/g, "\\n")
}"""
GRIDS = """() => [...document.querySelectorAll("[data-testid=stDataFrame]")].every(
  (grid) => !grid.checkVisibility() || grid.querySelector("canvas table td"))"""
"""Whether each table on a canvas has written its cells for readers."""
FOREIGN = ", ".join(
    [
        "textarea", "code", "pre", ".text", ".wb-changes",
        # what a policy leaves of an answer; hashes that say what they are in their title
        ".wb-redacted", ".hash",
    ]
)  # fmt: skip
CELL = "\u2063"
"""Begins what stands in a cell of a table on a canvas, where numbers are formatted when drawn."""
OPEN = """() => {
  const closed = [...document.querySelectorAll("[data-testid=stExpander] details:not([open]) > summary")]
    .filter((summary) => summary.checkVisibility() && !summary.dataset.opened)
  closed.forEach((summary) => { summary.dataset.opened = "yes"; summary.click() })
  return closed.length
}"""
"""Opens the expanders that are closed; the number of those."""
CONTROLS = "[data-testid=stPopover] button:not([disabled])"

ANSWER = """# Night trains on the coast

The **line** opened in 1931 [1]. It carried 3,520 riders a night in 2024, as the
[operator's report](https://example.org/report?a=1&b=2) says [2]. A third of them came from
the islands [3]. Fares fell by 44 % [1], and see also <https://example.org/fares>.

## References

[1] Night line history. https://example.org/history
[2] Operator report 2024. https://example.org/report
[3] A leaflet that nobody has.
"""
SOURCES = [
    {"content": "The line opened in 1931. Fares rose by 44 % in that year.", "label": "1",
     "title": "Night line history"},
    {"content": "Ridership reached 3,520 riders a night in 2024.", "label": "2",
     "title": "Operator report & more"},
]  # fmt: skip


def fill(data, tmp, demo_folder):
    """An example workspace with work of one's own: a run, labels, an import, queues, a library."""
    path = data / "workbench.duckdb"
    shutil.copytree(demo_folder, data, dirs_exist_ok=True)
    database = open_database(path)
    seed_examples(database, data / "snapshots")
    store = Store(path)
    examples = {run.id for run in store.list_runs()}
    (tmp / "answer.md").write_text(ANSWER)
    (tmp / "sources.json").write_text(json.dumps(SOURCES))
    pairs = [
        {"id": f"p{n}", "claim": f"Stop {n} has a roof.", "source": f"Stop {n} has a roof and a bench.",
         "label": "supported"}
        for n in range(12)
    ]  # fmt: skip
    (tmp / "stops.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    (tmp / "works.bib").write_text("@book{a, title={Night lines}, author={Ida Holm}, year={2020}}")
    for command in (
        ["verify", str(tmp / "answer.md"), "--sources", str(tmp / "sources.json")],
        ["import", "pairs", str(tmp / "stops.jsonl")],
        ["registry", "import", str(tmp / "works.bib")],
    ):
        main([*command, "--db", str(path)])
    judge_missing(store, "local")
    own = next(run for run in store.list_runs() if run.id not in examples and not run.data_set)
    results = store.get_run(own.id).counted
    for reviewer, label in (("Rae", "supported"), ("Bob", "contradicted")):
        LabelRepository(store).give(
            own.id, results[0].citation.id, reviewer, LabelDecision(label=label, note="see page 2")
        )
    queues = Queues(store)
    both = queues.build(
        "Twice", ItemFilter(runs=(own.id,)), created_by="Rae", reviews=2, blind=True
    )
    settle = queues.build(
        "Settle", ItemFilter(reviewers_differ=True, runs=(own.id,)), created_by="Rae",
        role="adjudication",
    )  # fmt: skip
    finished = queues.build("Done", ItemFilter(runs=(own.id,)), created_by="Rae", limit=1)
    ReviewTaskService(store).decide(finished.id, "Rae", 0, LabelDecision(label="supported"))
    return own.id, (both.id, settle.id, finished.id)


PAGES = [
    "home", "review", "claims", "queues?who=Rae", "runs", "sources", "search?words=line", "items",
    "trust?calibration=true&agreement=true&drift=true", "prompts", "policy", "datasets", "guide", "data",
]  # fmt: skip


@contextmanager
def reading(data, browser):
    """A browser at a server of its own for a data folder, whose path the pages show."""
    with served(data) as server:
        site = Site(server.url, Store(data / "workbench.duckdb"), None)
        page = browser.new_page()
        page.set_viewport_size({"width": 1440, "height": 3000})
        remember(page, "Rae")
        page.add_init_script(f"({WATCH})()")
        page.set_default_timeout(90_000)
        yield Desk(page, site)
        page.close()


def read(desk, address):
    """All that the page at an address says, with everything opened."""
    desk.open(address)
    page = desk.page
    seen = []
    tabs = page.locator("[role=tab]")
    for number in range(max(1, tabs.count())):
        if number:
            tabs.nth(number).click()
            desk.settle()
        while page.evaluate(OPEN):
            desk.settle()
        page.wait_for_function(GRIDS)
        seen.append(page.evaluate(VISIBLE, FOREIGN))
        for control in page.locator(CONTROLS).locator("visible=true").all():
            control.click()
            desk.settle()
            seen.append(page.evaluate(VISIBLE, FOREIGN))
            page.keyboard.press("Escape")
    return seen


def faults(address, texts):
    lines = dict.fromkeys(chain.from_iterable(text.split("\n") for text in texts))
    return [
        f"{address}: {kind} in {line[max(0, found.start() - 60) : found.end() + 60]!r}"
        for line in lines
        for kind, pattern in NOT_WORDS.items()
        if (found := pattern.search(line)) and not (kind == "a number" and line[:1] == CELL)
    ]


def walk(desk, addresses, recording):
    """The faults in what pages say; their trees for screen readers must be the recorded ones."""
    found, trees = [], []
    for address in addresses:
        texts = read(desk, address)
        assert len(texts[0]) > 60, f"{address} shows nothing"
        found += faults(address, texts)
        tree = desk.page.locator("[data-testid=stMain]").aria_snapshot()
        trees.append(f"== {address}\n{tree.replace(str(desk.site.store.path.parent), 'DATA')}\n")
    assert_recorded(recording, without_values("\n".join(trees)))
    return found


def test_pages_of_an_empty_workspace_hold_words_only(reviewers_browser, tmp_path_factory):
    with reading(tmp_path_factory.mktemp("words"), reviewers_browser) as reader:
        assert walk(reader, PAGES, "pages_of_an_empty_workspace.yml") == []


def test_pages_with_examples_and_own_work_hold_words_only(
    reviewers_browser, tmp_path_factory, demo_folder
):
    data = tmp_path_factory.mktemp("words")
    with counted_ids():
        own, queues = fill(data, tmp_path_factory.mktemp("given"), demo_folder)
    with reading(data, reviewers_browser) as reader:
        examples = [
            run.id
            for run in reader.site.store.list_runs()
            if run.name.startswith(("Support reply", "Does telemonitoring"))
        ]
        addresses = [
            *PAGES,
            *(f"?run={run}" for run in (own, *examples)),
            f"?run={own}&view=references",
            *(f"queues?queue={queue}&who=Rae" for queue in queues),
        ]
        assert walk(reader, addresses, "pages_with_work.yml") == []


@pytest.fixture(scope="module")
def blank(reviewers_browser):
    """A page of no server."""
    page = reviewers_browser.new_page()
    yield page
    page.close()


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ('<p class="wb-quiet" dir="auto"># Numbered</p>', "markup"),
        ("Fish &amp; chips", "markup"),
        ("**Abstain band.**", "Markdown"),
        ("the [page](https://a.example)", "Markdown"),
        ("score: None", "a bare value"),
        ("0 of nan", "a bare value"),
        ("In e2596c24", "an id"),
        ("run 123e4567-e89b-12d3-a456-426614174000", "an id"),
        ("not_supported 3", "a key"),
        ("0.333333 of them", "a number"),
        ("3520000 characters", "a number"),
        ("KeyError: 'x'", "a class"),
    ],
)
def test_the_walk_finds_what_is_no_word(blank, shown, kind):
    blank.set_content(
        "<div data-testid=stApp><details><summary>More</summary></details><p id=said></p></div>"
    )
    blank.evaluate("said => { document.getElementById('said').textContent = said }", shown)
    texts = [blank.evaluate(VISIBLE, FOREIGN)]
    assert [fault.split(":")[1].split(" in ")[0].strip() for fault in faults("x", texts)] == [kind]
