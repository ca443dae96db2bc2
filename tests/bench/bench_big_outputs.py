"""How long the Review page takes with large and hostile outputs: until it is ready, until the next.

Each figure stands beside that of a small output of the same server, so that what counts is how much
slower the large one is. Needs Chromium.

Run: python tests/bench/bench_big_outputs.py [ROUNDS]
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT))

from playwright.sync_api import Page, sync_playwright  # noqa: E402

from tests.fakes import records as make  # noqa: E402
from workbench.records.text import Excerpt, Span  # noqa: E402
from workbench.store.store import Store  # noqa: E402

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) $\\x$ "
FILLER = "The river council measured the bridge again and again, and found it sound. "


def store_output(store: Store, name: str, citations: int, size: int, filler: str) -> None:
    """Keep a run over a text of about `size` characters with so many citations in it."""
    characters = max(size // max(citations, 1), 60)
    parts, results, place = [], [], 0
    for number in range(citations):
        claim = f"Fact {number} holds "
        marker = f"[{number}]"
        body = claim + marker + ". "
        padding = (filler * (characters // len(filler) + 1))[: max(characters - len(body), 0)]
        citation = make.citation(
            1,
            id=f"c{number}",
            raw=marker,
            identifier=str(number),
            span=Span(place + len(claim), place + len(claim) + len(marker)),
            claim=Excerpt(span=Span(place, place + len(claim)), text=claim),
        )
        label = ("supported", "contradicted", "partially_supported")[number % 3]
        results.append(make.result(1, label, citation=citation))
        parts.append(body + padding)
        place += len(parts[-1])
    text = "".join(parts)
    run = make.run(name, results=results, text=text)
    store.add_run(run, text, f"{name} {HOSTILE if filler is HOSTILE else ''}")
    store.finish_run(run)


OUTPUTS = {
    "small": (20, 4_000, FILLER),
    "hostile": (20, 200_000, HOSTILE),
    "5-megabytes": (200, 5_000_000, FILLER),
    "one-line": (200, 1_000_000, "word" * 250_000),
    "2000-citations": (2_000, 400_000, FILLER),
    "2000-in-5-megabytes": (2_000, 5_000_000, FILLER),
}


def settled(page: Page) -> None:
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


def ready(page: Page, url: str, name: str) -> float:
    since = time.perf_counter()
    page.goto(f"{url}/?run={name}")
    page.locator(".card .head").first.filter(has_text="Citation 1 of").wait_for()
    page.locator(".text [data-id]").first.wait_for()
    settled(page)
    return time.perf_counter() - since


def following(page: Page, at: int) -> float:
    """From the key to the next citation's card on screen."""
    since = time.perf_counter()
    page.keyboard.press("j")
    page.locator(".card .head").first.filter(has_text=f"Citation {at} of").wait_for()
    took = time.perf_counter() - since
    settled(page)
    return took


def main(rounds: int) -> None:
    folder = Path(tempfile.mkdtemp())
    store = Store(folder / "workbench.duckdb")
    for name, plan in OUTPUTS.items():
        store_output(store, name, *plan)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port),
         "--server.fileWatcherType", "none"],
        cwd=PROJECT, env={**os.environ, "WORKBENCH_DATA": str(folder)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=2)
                break
            except OSError:
                time.sleep(0.2)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
                args=["--no-sandbox", "--disable-gpu"],
            )
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.set_default_timeout(120_000)
            ready(page, url, "small")  # what the server loads once does not count against an output
            usual: tuple[float, float] | None = None
            for name, (citations, size, _) in OUTPUTS.items():
                open_seconds = statistics.median(ready(page, url, name) for _ in range(3))
                moved = statistics.median(following(page, 2 + n) for n in range(rounds))
                usual = usual or (open_seconds, moved)
                print(
                    f"{name:22} {citations:5} citations {size / 1e6:5.2f} MB   "
                    f"ready {open_seconds:5.2f} s ({open_seconds / usual[0]:4.1f} times the small one)   "
                    f"next {moved * 1000:5.0f} ms ({moved / usual[1]:4.1f} times)",
                    flush=True,
                )
            browser.close()
    finally:
        server.terminate()
        server.wait(20)
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
