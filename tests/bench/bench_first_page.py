"""How long pages take beside an empty Streamlit page, in one Chromium, and how long serving takes.

Run: python tests/bench/bench_first_page.py [ROUNDS]
Two servers run side by side: the workbench with its demo, and a script with one text area. A cold
page opens in a browser without a cache; a warm one in a browser that opened that page before. Each
figure is the median of the rounds, in seconds until the named element stands on the page.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.fakes.served import free_port, served, wait_for
from workbench.services.demo import seed_demo
from workbench.store.store import Store

EMPTY = "import streamlit as st\nst.text_area('Text')\n"
PAGES = {
    "first page": ("/?who=Ada", "textarea"),
    "home": ("/home?who=Ada", "[data-testid=stMainBlockContainer] h1"),
    "trust": ("/trust?who=Ada", "[data-testid=stMainBlockContainer] h1"),
    "run": ("/?who=Ada&run={run}", ".card .head"),
}


@contextmanager
def empty_server(folder: Path) -> Iterator[tuple[str, float]]:
    """An empty page's address, and the seconds until its server answered."""
    script = folder / "empty.py"
    script.write_text(EMPTY)
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port),
         "--server.headless", "true", "--server.fileWatcherType", "none"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address + "/_stcore/health", process)
        yield address, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(20)


def shown(context: BrowserContext, address: str, selector: str) -> float:
    """Seconds from the request to the element on the page, in a new tab."""
    page = context.new_page()
    began = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(selector).first.wait_for(timeout=60_000)
    passed = time.perf_counter() - began
    # what is left to draw must not slow the next page
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.wait_for_timeout(300)
    page.close()
    return passed


def cold(browser: Browser, address: str, selector: str) -> float:
    """Seconds in a browser context that has nothing cached."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        return shown(context, address, selector)
    finally:
        context.close()


def main(rounds: int) -> None:
    """Print the figures."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data = folder / "data"
        data.mkdir()
        runs = seed_demo(Store(data / "workbench.duckdb"), snapshots=data / "snapshots")
        run = runs[0].id
        empty, _ = stack.enter_context(empty_server(folder))
        began = time.perf_counter()
        workbench = stack.enter_context(served(data)).url
        print(f"serving answers after {time.perf_counter() - began:.1f} s to its health check")
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        path, selector = PAGES["first page"]
        print(
            f"first page of this server, cold browser: {cold(browser, workbench + path, selector):.2f} s"
        )
        rows: dict[str, list[float]] = {}
        for _ in range(rounds):
            rows.setdefault("empty page, cold", []).append(cold(browser, empty, "textarea"))
            rows.setdefault("first page, cold", []).append(
                cold(browser, workbench + path, selector)
            )
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        for number in range(rounds + 1):
            opened = {"empty page, warm": shown(context, empty, "textarea")}
            for name, (where, element) in PAGES.items():
                opened[f"{name}, warm"] = shown(context, workbench + where.format(run=run), element)
            if number:  # the first one fills the cache
                for name, seconds in opened.items():
                    rows.setdefault(name, []).append(seconds)
        browser.close()
        for name, times in rows.items():
            beside = rows[f"empty page, {name.rsplit(', ', 1)[1]}"]
            middle = statistics.median(times)
            print(
                f"{name:20} {middle:5.2f} s  ({min(times):.2f} to {max(times):.2f})  "
                f"{middle / statistics.median(beside):.2f} times an empty page"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
