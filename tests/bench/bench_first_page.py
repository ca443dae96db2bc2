"""How long pages take beside an empty Streamlit page, in one Chromium: from a start, and later.

Run: python tests/bench/bench_first_page.py [ROUNDS] [STARTS]
The workbench with its demo and a script with one text area take turns. "From a start": a new
process and a browser without a cache, from the command to the element on the page. "Cold": a
browser without a cache; "warm": one that opened that page before. Seconds until the element named
below stands on the page, the median of the rounds, with the processor's seconds of the server and
of the browser until the page is drawn: these tell more on a busy machine.
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
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.fakes.served import free_port, served, wait_for
from workbench.services.demo import seed_demo
from workbench.store.store import Store

EMPTY = "import streamlit as st\nst.text_area('Text')\n"
HEADING = "[data-testid=stMainBlockContainer] h1"
PAGES = {
    "start": ("/?who=Ada", "textarea"),
    "home": ("/home?who=Ada", HEADING),
    "trust": ("/trust?who=Ada", HEADING),
    "run": ("/?who=Ada&run={run}", ".card .head"),
}
TICKS = os.sysconf("SC_CLK_TCK")


class Opened(NamedTuple):
    """What one opening of a page took, in seconds."""

    seen: float
    server: float
    browser: float


@contextmanager
def empty_server(folder: Path) -> Iterator[tuple[str, int]]:
    """An empty page's address, and the process that serves it."""
    script = folder / "empty.py"
    script.write_text(EMPTY)
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port),
         "--server.headless", "true", "--server.fileWatcherType", "none"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address + "/_stcore/health", process)
        yield address, process.pid
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def workbench_server(data: Path) -> Iterator[tuple[str, int]]:
    """The workbench's address, and its process, which has imported nothing beforehand."""
    with served(data, within=lambda *command: list(command)) as server:
        yield server.url, server.process.pid


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def browser_seconds(browser: Browser) -> float:
    session = browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return sum(float(process["cpuTime"]) for process in found)


def shown(context: BrowserContext, server: tuple[str, int], path: str, selector: str) -> Opened:
    """Open a page in a new tab, until the element stands on it and it is drawn."""
    address, pid = server
    browser = context.browser
    assert browser
    page = context.new_page()
    before = processor_seconds(pid), browser_seconds(browser)
    began = time.perf_counter()
    page.goto(address + path, wait_until="commit")
    page.locator(selector).first.wait_for(timeout=60_000)
    seen = time.perf_counter() - began
    # what is left to draw belongs to this page, and must not slow the next
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.wait_for_timeout(300)
    after = processor_seconds(pid), browser_seconds(browser)
    page.close()
    return Opened(seen, after[0] - before[0], after[1] - before[1])


def cold(browser: Browser, server: tuple[str, int], path: str, selector: str) -> Opened:
    """Open a page in a browser context that has nothing cached."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        return shown(context, server, path, selector)
    finally:
        context.close()


def from_a_start(
    browser: Browser, serving: "contextmanager[tuple[str, int]]", path: str, selector: str
) -> Opened:
    """Start a server and open a page as soon as it answers; all from the command on."""
    began = time.perf_counter()
    with serving as server:
        answers = time.perf_counter() - began
        by_then = processor_seconds(server[1])
        opened = cold(browser, server, path, selector)
    return opened._replace(seen=answers + opened.seen, server=by_then + opened.server)


def report(rows: dict[str, list[Opened]], kind: str) -> None:
    """Print the figures of each page beside those of the empty page."""
    beside = [statistics.median(column) for column in zip(*rows["empty"], strict=True)]
    for name, opened in rows.items():
        seen, server, browser = (statistics.median(column) for column in zip(*opened, strict=True))
        slowest = max(one.seen for one in opened)
        print(
            f"{kind:12} {name:6} {seen:5.2f} s (to {slowest:5.2f}), {seen / beside[0]:4.2f} times "
            f"an empty page; processor: server {server:.2f} s, browser {browser:.2f} s, "
            f"{(server + browser) / (beside[1] + beside[2]):4.2f} times",
            flush=True,
        )


def main(rounds: int, starts: int) -> None:
    """Print the figures."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        data = folder / "data"
        data.mkdir()
        run = seed_demo(Store(data / "workbench.duckdb"), snapshots=data / "snapshots")[0].id
        pages = {name: (path.format(run=run), element) for name, (path, element) in PAGES.items()}
        print("load:", *os.getloadavg())
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        rows: dict[str, list[Opened]] = {}
        for _ in range(starts):
            rows.setdefault("empty", []).append(
                from_a_start(browser, empty_server(folder), "", "textarea")
            )
            for name, page in pages.items():
                opened = from_a_start(browser, workbench_server(data), *page)
                rows.setdefault(name, []).append(opened)
        if starts:
            report(rows, "from a start")
        empty = stack.enter_context(empty_server(folder))
        workbench = stack.enter_context(workbench_server(data))
        asked = {
            "empty": (empty, "", "textarea"),
            **{name: (workbench, *page) for name, page in pages.items()},
        }
        rows = {}
        for _ in range(rounds):
            for name in ("empty", "start"):
                rows.setdefault(name, []).append(cold(browser, *asked[name]))
        report(rows, "cold")
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        rows = {}
        for number in range(rounds + 1):
            for name, page_of in asked.items():
                opened = shown(context, *page_of)
                if number:  # the first one fills the cache
                    rows.setdefault(name, []).append(opened)
        report(rows, "warm")
        browser.close()
        print("load:", *os.getloadavg())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
