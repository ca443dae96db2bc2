"""One server with the demo in it, one Chromium; skipped where there is none."""

import json
import shutil
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.page_traffic import TWICE, WATCH, Traffic
from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.served import served
from workbench.store.store import Store

PROJECT = Path(__file__).parents[2]
CHROMIUM = next(
    # without windows it does a quarter less
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))),
    None,
)

FAILED = pytest.StashKey[bool]()
BROWSER = pytest.StashKey()
SHOTS = PROJECT / "screenshots"
PATIENCE_MS = 90_000
"""So long a busy machine may take for what the page has been asked for; nothing waits for it."""
REVIEWER = "Rae"
"""Whose browser it is."""


def pytest_collection_modifyitems(items):
    folder = Path(__file__).parent
    for item in items:
        if folder in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # Told as "rerun" in the summary: a defect of ours fails both times, a machine too
            # busy to draw a page seldom does.
            item.add_marker(pytest.mark.flaky(reruns=1))
            if CHROMIUM is None:
                item.add_marker(
                    pytest.mark.skip(reason="no Chromium here: make browser installs it")
                )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
        site = item.funcargs.get("site")
        if report.failed and isinstance(site, Site):
            log = site.store.path.with_name("server.log")
            if log.exists():
                report.sections.append(("Log of the server", log.read_text("utf-8")[-6000:]))
    return report


@dataclass(frozen=True)
class Site:
    url: str
    store: Store
    provider: FakeProvider


@pytest.fixture(scope="session")
def site(tmp_path_factory, demo_folder):
    data = tmp_path_factory.mktemp("browser-data")
    shutil.copytree(demo_folder, data, dirs_exist_ok=True)
    store = Store(data / "workbench.duckdb")
    slow = FakeProvider(lambda _: Answer(text=verdict("not_supported"), delay_s=1.2))
    with slow as provider:
        environment = {"OPENAI_API_KEY": "not-a-key", "OPENAI_BASE_URL": provider.url + "/v1"}
        with served(data, **environment) as server:
            yield Site(server.url, store, provider)


@pytest.fixture(scope="module")
def reviewers_browser(request, tmp_path_factory):
    """A reviewer's browser for all files, which keeps the scripts of the page, compiled.

    Its driver's event loop must not outlive them in this thread.
    """
    folder = next(
        node for node in request.node.iter_parents() if node.path == Path(__file__).parent
    )
    context = folder.stash.get(BROWSER, None)
    if context is None or not context.browser.is_connected():
        playwright = pytest.importorskip("playwright.sync_api")
        playwright.expect.set_options(timeout=PATIENCE_MS)
        opened = ExitStack()
        folder.addfinalizer(opened.close)
        driver = opened.enter_context(playwright.sync_playwright())
        context = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=CHROMIUM,
            # what moves by the clock is painted sixty times a second, a quarter of the browser's work
            reduced_motion="reduce",
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                # with and without windows letters are as wide
                "--font-render-hinting=none",
            ],
        )
        opened.callback(context.close)
        folder.stash[BROWSER] = context
    return context


class Desk:
    """A page of the workbench and what can be seen on it."""

    def __init__(self, page, site):
        self.page, self.site = page, site
        self.traffic = Traffic(page)
        self.card = page.locator(".card").first
        self.text = page.locator(".text").first

    def open(self, address=""):
        """Go to an address: within the app once it is loaded, which takes a third of loading it."""
        if not self.page.url.startswith(self.site.url):
            return self.load(address)
        self.settle()
        self.traffic.forget()
        self.page.evaluate(
            "to => { history.pushState({}, '', to); dispatchEvent(new PopStateEvent('popstate')) }",
            "/" + address,
        )
        self.settle()

    def load(self, address):
        """Load the app anew, as in another tab."""
        self.traffic.forget()
        self.page.goto(f"{self.site.url}/{address}")
        self.settle()

    def reload(self):
        self.traffic.forget()
        self.page.reload()
        self.settle()

    def settle(self):
        """Wait until the page is drawn and no request is pending."""
        self.traffic.wait_until_idle()

    def click(self, element):
        """Click once the page is idle: during a redraw an element may be removed."""
        self.settle()
        element.click()

    def upload(self, place, files):
        """Upload files, `{name: bytes}`, and wait until the server has them."""
        uploads = [{"name": n, "mimeType": "", "buffer": body} for n, body in files.items()]
        with self.page.expect_response(
            lambda response: "upload_file" in response.url and response.ok
        ):
            self.page.locator(f".st-key-{place} input[type=file]").set_input_files(uploads)
        # a long name is cut in its middle: its ending is there
        ending = Path(next(iter(files))).suffix
        self.page.locator(f".st-key-{place}").get_by_text(ending).last.wait_for()
        self.settle()

    def ready(self):
        """Wait until the desk is fully drawn and accepts keys."""
        self.card.locator(".head").wait_for()
        self.page.locator(".jumps .at").filter(has_text=" of ").wait_for(state="attached")
        self.settle()

    def judged(self):
        """Wait until the run on the desk has ended: until then a citation may not be labelled."""
        self.ready()
        self.page.locator(".wb-stages").wait_for(state="detached")
        self.settle()

    def demo(self, name):
        (run,) = [run for run in self.site.store.list_runs() if name in run.name]
        return run

    def place(self):
        """The head of the card: `Citation 2 of 22`."""
        return self.card.locator(".head span").first.inner_text()

    def shows(self, selector, text):
        from playwright.sync_api import expect

        expect(self.page.locator(selector).first).to_contain_text(text)

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def run_id(self):
        self.page.wait_for_url("**run=*")
        return self.page.url.split("run=")[1].split("&")[0]


def remember(page, name):
    """Let a new page begin with a name, or none, and nothing else that the browser has stored."""
    page.context.clear_cookies()
    page.add_init_script(
        f"""if (window === top && location.protocol === "http:" && !sessionStorage.getItem("begun")) {{
          sessionStorage.setItem("begun", "yes")
          localStorage.clear()
          if ({json.dumps(name)}) localStorage.setItem("wb-reviewer", {json.dumps(name)})
        }}"""
    )


def violations(page, within):
    """What axe finds in a part of a page, where it is read once."""
    from axe_playwright_python.base import AXE_SCRIPT

    if page.evaluate("!window.axe"):
        page.evaluate(AXE_SCRIPT)
    run = "part => axe.run(part, { resultTypes: ['violations'] }).then((found) => found.violations)"
    return page.evaluate(run, within)


def at_widths(page, parts):
    """Where parts of the page stand, at each of three widths; it keeps the last."""
    height, found = page.viewport_size["height"], []
    for width in (400, 900, 1440):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((told) => requestAnimationFrame(() => setTimeout(told)))")
        found.append([page.locator(part).bounding_box() for part in parts])
    return found


@pytest.fixture
def name():
    """The name that the browser keeps."""
    return REVIEWER


@pytest.fixture
def desk(site, reviewers_browser, name, request):
    """A fresh page; at the end there was no script error and no request to another host."""
    width = getattr(request, "param", 1440)
    page = reviewers_browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    remember(page, name)
    page.add_init_script(f"({WATCH})()")
    errors, requested_urls, dialogs, drawn_twice = [], [], [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda message: message.text.startswith(TWICE) and drawn_twice.append(message.text),
    )
    page.on("request", lambda request: requested_urls.append(request.url))
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.set_default_timeout(PATIENCE_MS)
    yield Desk(page, site)
    if request.node.stash.get(FAILED, False):
        SHOTS.mkdir(exist_ok=True)
        page.screenshot(path=SHOTS / f"{request.node.name}.png")
    page.close()
    reviewers_browser.clear_permissions()
    assert errors == []
    assert dialogs == []
    assert sorted(set(drawn_twice)) == []
    assert [url for url in requested_urls if not url.startswith((site.url, "data:", "blob:"))] == []
