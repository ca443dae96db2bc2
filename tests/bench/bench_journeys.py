"""How many clicks and keys three journeys take in a real browser.

Run: python tests/bench/bench_journeys.py
Each journey begins on a fresh database with the demo in it. A click, a key and a field that is
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
from workbench.store import Store

CITATIONS = 13
ANSWER = "# Bridges of the lower valley\n\n" + " ".join(
    f"Bridge {number} is {100 + number} metres long [{number}]."
    for number in range(1, CITATIONS + 1)
)
SOURCES = [
    {"label": str(number), "content": f"Bridge {number} measures {100 + number} metres."}
    for number in range(1, CITATIONS + 1)
]
LABELLED = "\n".join(
    json.dumps(
        {
            "id": f"p{number}",
            "claim": f"Bridge {number} is {100 + number} metres long.",
            "source": f"Bridge {number} measures {100 + number + number % 2} metres.",
            "label": ("supported", "contradicted")[number % 2],
        }
    )
    for number in range(60)
)


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

    def button(self, name: str) -> None:
        """One click on the button of this name."""
        self.click(self.page.get_by_role("button", name=name, exact=True).first)

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
    hands.click(hands.page.get_by_role("radio", name="My files"))
    hands.choose_file("source-files", "sources.json", json.dumps(SOURCES))
    hands.keys("Control+Enter")
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
    """From a labelled file to how far the embedded judge agrees with it."""
    hands.open("datasets?side=in&who=Ada")
    hands.choose_file("import-file", "bridges.jsonl", LABELLED)
    hands.click(hands.page.locator(".st-key-import button"))
    hands.page.get_by_text("60 new examples with 60 new labels").wait_for()
    hands.open("calibrate?who=Ada")
    hands.click(hands.page.locator("[class*='st-key-calibrate-missing-local'] summary").first)
    hands.click(hands.page.locator("[class*='st-key-calibrate-ask-local'] button").first)
    sentences = hands.page.locator(".wb-sentences li")
    expect(sentences.first).to_contain_text("60", timeout=120_000)
    return sentences.first.inner_text().splitlines()[0]


def make_a_data_set(hands: Hands) -> str:
    """From the citations of the demo through a queue to an exported file of labels."""
    hands.open("queues?who=Ada")
    hands.click(hands.page.get_by_text("Create a queue", exact=False).first)
    hands.fill(hands.page.get_by_label("Name", exact=True).first, "Bridges")
    hands.click(hands.page.locator(".st-key-queue-build button"))
    hands.click(hands.page.get_by_role("button", name="Start reviewing").first)
    hands.page.locator(".desk-keys [data-label]").first.wait_for()
    hands.traffic.wait_until_idle()
    hands.keys(*["1"] * 5)
    hands.traffic.wait_until_idle()
    hands.open("datasets?format=jsonl&who=Ada")
    with hands.page.expect_download() as download:
        hands.click(hands.page.locator(".st-key-export-download button"))
    rows = download.value.path().read_text("utf-8").splitlines()
    return f"{len(rows)} labelled rows exported"


JOURNEYS = (review_a_report, measure_a_judge, make_a_data_set)


def main() -> None:
    """Walk the journeys, each on a database of its own, and print what they took."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        for journey in JOURNEYS:
            with ExitStack() as stack:
                data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                seed_demo(Store(data / "workbench.duckdb"), snapshots=data / "snapshots")
                address = stack.enter_context(served(data)).url
                page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
                page.add_init_script(f"({WATCH})()")
                page.set_default_timeout(60_000)
                hands = Hands(page, address)
                outcome = journey(hands)
                used = ", ".join(f"{number} {name}" for name, number in sorted(hands.used.items()))
                print(f"{journey.__name__.replace('_', ' '):18} {used}: {outcome}", flush=True)
                page.context.close()
        browser.close()


if __name__ == "__main__":
    main()
