"""From a key press to the next item on the screen, in Chromium, on a large database.

Run: python tests/bench/bench_desk_keys.py [VERDICTS] [LABELS] [FOLDER]
With a folder the database in it is used again, and made there the first time.
"""

import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Page, sync_playwright

from tests.bench.bench_queue import fill
from workbench.store.queues.queues import Queues
from workbench.store.store import Store

PROJECT = Path(__file__).parents[2]
WATCH = """() => {
  const find = (selector, root = document) => {
    const here = root.querySelector(selector)
    if (here) return here
    for (const node of root.querySelectorAll("*")) {
      const found = node.shadowRoot && find(selector, node.shadowRoot)
      if (found) return found
    }
    return null
  }
  // looked for once: a search of the whole page in each frame would be measured along
  const kept = {}
  const known = (selector) => {
    if (!kept[selector]?.isConnected) kept[selector] = find(selector)
    return kept[selector]
  }
  const seen = () => {
    const card = known(".card")?.querySelector(".head span")?.textContent
    const pane = known(".pane")?.dataset
    const keys = known(".desk-keys")
    const text = `${pane?.doc} ${pane?.selected}`
    return { card, text, at: keys?.dataset.at, busy: keys?.classList.contains("busy") }
  }
  window.waits = []
  addEventListener("keydown", () => {
    const since = performance.now()
    const before = seen()
    const look = () => {
      const now = seen()
      const there = now.card !== before.card && now.at !== before.at && now.text !== before.text
      // one frame more, so that what stands in the page is painted as well
      if (there && !now.busy) requestAnimationFrame(() => waits.push(performance.now() - since))
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  }, true)
}"""


@contextmanager
def server(folder: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port),
         "--server.fileWatcherType", "none"],
        cwd=PROJECT, env={**os.environ, "WORKBENCH_DATA": str(folder)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2)
                break
            except OSError:
                time.sleep(0.25)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(20)


def work(page: Page, url: str, queue_id: str, labels: int) -> list[float]:
    """Label items as fast as they come; milliseconds from each press to the next item."""
    generator = random.Random(3)
    page.goto(f"{url}/queues?who=Ada&queue={queue_id}")
    page.locator(".desk-keys button").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    for number in range(labels):
        page.keyboard.press(generator.choice("12340"))
        page.wait_for_function("n => waits.length > n", arg=number, timeout=30_000)
    waits: list[float] = page.evaluate("waits")
    return waits


def report(name: str, waits: list[float], took: float) -> None:
    waits = sorted(waits)
    print(
        f"  {name:28} median {statistics.median(waits):4.0f} ms   "
        f"95 % {waits[int(len(waits) * 0.95)]:4.0f} ms   "
        f"{len(waits) / took * 3600:,.0f} labels an hour without a pause",
        flush=True,
    )


def measure(folder: Path, labels: int) -> None:
    store = Store(folder / "workbench.duckdb")
    queues = Queues(store)
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    with server(folder) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"]
        )
        for name, order, blind in (
            ("uncertain first", "uncertain_first", False),
            ("random, blind", "random", True),
            ("by document", "document", False),
        ):
            queue = queues.build(name, created_by="Zoe", order=order, blind=blind, limit=4 * labels)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            since = time.perf_counter()
            waits = work(page, url, queue.id, labels)
            # loading the page is not labelling
            report(name, waits[3:], min(time.perf_counter() - since, sum(waits) / 1000))
            page.close()
        browser.close()


def main(verdicts: int, labels: int, keep_folder: Path | None) -> None:
    folder = keep_folder or Path(tempfile.mkdtemp())
    try:
        database = folder / "workbench.duckdb"
        if not database.exists():
            folder.mkdir(parents=True, exist_ok=True)
            fill(Store(database), verdicts)
        print(f"{verdicts} verdicts, {database.stat().st_size / 1e6:.0f} MB", flush=True)
        measure(folder, labels)
    finally:
        if keep_folder is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(
        int(arguments[0]) if arguments else 100_000,
        int(arguments[1]) if len(arguments) > 1 else 60,
        Path(arguments[2]) if len(arguments) > 2 else None,
    )
