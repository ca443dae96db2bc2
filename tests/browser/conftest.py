"""One server with the demo in it, one Chromium; skipped where there is none."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fakes.page_traffic import TWICE, WATCH, Traffic
from tests.fakes.providers import Answer, FakeProvider, verdict
from tests.fakes.served import served
from workbench.store.store import Store

PROJECT = Path(__file__).parents[2]
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

FAILED = pytest.StashKey[bool]()
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


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    """Where the browsers of all files keep the scripts of the page, compiled: loading it takes half."""
    return tmp_path_factory.mktemp("profile")


@pytest.fixture(scope="module")
def reviewers_browser(profile):
    """A reviewer's browser for one file: its driver's event loop must not outlive it in this thread."""
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect.set_options(timeout=PATIENCE_MS)
    with playwright.sync_playwright() as playwright_driver:
        context = playwright_driver.chromium.launch_persistent_context(
            profile,
            executable_path=CHROMIUM,
            # what moves by the clock is painted sixty times a second, a quarter of the browser's work
            reduced_motion="reduce",
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield context
        context.close()


@pytest.fixture(scope="module")
def chromium(reviewers_browser):
    """The same program, for windows of others, which share nothing with the reviewer's."""
    return reviewers_browser.browser


class Desk:
    """A page of the workbench and what can be seen on it."""

    def __init__(self, page, site):
        self.page, self.site = page, site
        self.traffic = Traffic(page)
        self.card = page.locator(".card").first
        self.text = page.locator(".text").first

    def open(self, address=""):
        self.traffic.forget()
        self.page.goto(self.site.url + "/" + address)
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


def remembered(page, site, name):
    """Forget what the browser has stored, and let it remember the reviewer's name."""
    page.context.clear_cookies()
    page.goto(f"{site.url}/_stcore/health")
    page.evaluate("localStorage.clear()")
    page.evaluate("name => localStorage.setItem('wb-reviewer', name)", name)


@pytest.fixture
def desk(site, reviewers_browser, request):
    """A fresh page; at the end there was no script error and no request to another host."""
    width = getattr(request, "param", 1440)
    page = reviewers_browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    remembered(page, site, REVIEWER)
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
