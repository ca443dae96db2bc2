"""How many clicks and keys a journey takes in a real browser.

Run: python tests/bench/bench_journeys.py
It begins on a fresh database with the demo in it. A click, a key and a field that is
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
    hands.click(hands.page.get_by_text("My files", exact=True))
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


def main() -> None:
    """Walk the journey and print what it took."""
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
        hands = Hands(page, address)
        outcome = review_a_report(hands)
        used = ", ".join(f"{number} {name}" for name, number in sorted(hands.used.items()))
        print(f"review a report: {used}; {outcome}")
        browser.close()


if __name__ == "__main__":
    main()
