"""How many clicks and keys three journeys take in a real browser.

Run: python tests/bench/bench_journeys.py
Each begins on a database with the demo runs in it. A click, a key and a field that is
filled (pasted text, a chosen file) count as one each; waiting counts nothing. The figures do not
depend on the machine.
"""

import json
import os
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Locator, Page, expect, sync_playwright

from tests.fakes.page_traffic import WATCH, Traffic
from tests.fakes.served import served
from workbench.services.demo import seed_demo
from workbench.store.store import Store

CITATIONS = 13
ANSWER = "# Bridges of the lower valley\n\n" + " ".join(
    f"Bridge {number} is {100 + number} metres long [{number}]."
    for number in range(1, CITATIONS + 1)
)
SOURCES = [
    {"label": str(number), "content": f"Bridge {number} measures {100 + number} metres."}
    for number in range(1, CITATIONS + 1)
]


EXAMPLES = 12
PAIRS = "".join(
    json.dumps(
        {
            "claim": f"Bridge {number} is {100 + number} metres long.",
            "source": f"Bridge {number} measures {100 + number + number % 2} metres.",
            "label": "supported" if number % 2 == 0 else "contradicted",
        }
    )
    + "\n"
    for number in range(EXAMPLES)
)
LABELS = 5


class Hands:
    """A user at a page, whose clicks, keys and filled fields are counted."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address, self.traffic = page, address, Traffic(page)
        self.used: Counter[str] = Counter()

    def open(self, path: str) -> None:
        """Follow a bookmark."""
        self.traffic.forget()
        self.page.goto(f"{self.address}/{path}")
        self.traffic.wait_until_idle()

    def click(self, element: Locator) -> None:
        """One click on an element, once the page is idle."""
        self.traffic.wait_until_idle()
        element.click()
        self.used["clicks"] += 1
        self.traffic.wait_until_idle()

    def keys(self, *keys: str) -> None:
        """Press keys 50 ms apart."""
        for key in keys:
            self.page.keyboard.press(key)
            self.used["keys"] += 1
            self.page.wait_for_timeout(50)

    def fill(self, element: Locator, text: str) -> None:
        """Put a text into a field."""
        element.fill(text)
        self.used["fields"] += 1

    def choose_file(self, place: str, name: str, content: str) -> None:
        """Choose one file for an uploader."""
        files = [{"name": name, "mimeType": "", "buffer": content.encode()}]
        with self.page.expect_response(lambda answer: "upload_file" in answer.url and answer.ok):
            self.page.locator(f".st-key-{place} input[type=file]").set_input_files(files)
        self.used["fields"] += 1
        self.traffic.wait_until_idle()


def review_a_report(hands: Hands) -> str:
    """From a pasted report with its sources to a label on each of its citations."""
    hands.open("?who=Ada")
    hands.fill(hands.page.locator("textarea").first, ANSWER)
    hands.choose_file("source-files", "sources.json", json.dumps(SOURCES))
    hands.click(hands.page.get_by_role("button", name="Check citations"))
    hands.page.locator(".jumps .at").filter(has_text=f"of {CITATIONS}").wait_for(state="attached")
    hands.page.locator(".wb-stages").wait_for(state="detached")
    hands.traffic.wait_until_idle()
    before = hands.used["keys"]
    hands.keys(*["1"] * CITATIONS)
    expect(hands.page.locator(".desk-keys .said")).to_contain_text(
        f"citation {CITATIONS} of {CITATIONS}"
    )
    return f"{CITATIONS} citations labelled in {hands.used['keys'] - before} keys"


def measure_a_judge(hands: Hands) -> str:
    """From a file of labelled pairs to the judge's agreement with them."""
    hands.open("datasets?who=Ada")
    hands.click(hands.page.get_by_text("Import", exact=True))
    hands.choose_file("import-file", "pairs.jsonl", PAIRS)
    hands.click(hands.page.get_by_role("button", name="Import", exact=True))
    hands.click(hands.page.get_by_role("link", name="Calibrate a judge on these"))
    hands.click(hands.page.get_by_text("not yet judged by this judge").last)
    hands.click(hands.page.get_by_role("button", name="Run the judge"))
    first = hands.page.locator(".wb-sentences li").first
    expect(first).to_contain_text("labels of the data set pairs")
    return first.inner_text().split(";")[0]


def make_a_data_set(hands: Hands) -> str:
    """From a queue over a run to the file of its labelled examples."""
    hands.open("queues?who=Ada")
    hands.click(hands.page.get_by_text("New queue", exact=True))
    hands.click(hands.page.get_by_role("button", name="Create queue"))
    hands.click(hands.page.get_by_role("button", name="Start reviewing"))
    hands.page.locator(".desk-keys").wait_for(state="attached")
    hands.traffic.wait_until_idle()
    for number in range(LABELS):
        before = hands.page.locator(".desk-keys").get_attribute("data-at")
        hands.keys("1")
        if number + 1 < LABELS:
            expect(hands.page.locator(".desk-keys")).not_to_have_attribute("data-at", before or "")
    hands.traffic.wait_until_idle()
    hands.open("datasets?who=Ada")
    with hands.page.expect_download() as download:
        hands.click(hands.page.get_by_role("button", name="Download JSONL"))
    rows = Path(download.value.path()).read_text("utf-8").splitlines()
    return f"{len(rows)} labelled examples in the file"


JOURNEYS = {
    "review a report": review_a_report,
    "measure a judge": measure_a_judge,
    "make a data set": make_a_data_set,
}


def main() -> None:
    """Walk the journeys and print what they took."""
    expect.set_options(timeout=30_000)
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        seed_demo(Store(data / "workbench.duckdb"), snapshots=data / "snapshots")
        address = stack.enter_context(served(data)).url
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        page.add_init_script(f"({WATCH})()")
        page.set_default_timeout(25_000)
        for name, walk in JOURNEYS.items():
            hands = Hands(page, address)
            outcome = walk(hands)
            used = ", ".join(f"{number} {kind}" for kind, number in sorted(hands.used.items()))
            print(f"{name}: {used}; {outcome}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
