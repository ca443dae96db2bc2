"""A page whose server was restarted while it was open."""

import shutil

from tests.browser.conftest import Desk, Site, remember
from tests.fakes.page_traffic import WATCH
from tests.fakes.served import free_port, served
from workbench.store.store import Store


def test_after_a_restart_the_page_knows_its_reviewer_and_takes_keys(
    reviewers_browser, tmp_path, demo_folder
):
    from playwright.sync_api import expect

    shutil.copytree(demo_folder, tmp_path, dirs_exist_ok=True)
    store, port = Store(tmp_path / "workbench.duckdb"), str(free_port())
    (run,) = [run for run in store.list_runs() if "Heat" in run.name]
    page = reviewers_browser.new_page()
    page.set_default_timeout(90_000)
    page.add_init_script(f"({WATCH})()")
    remember(page, "Rae")
    with served(tmp_path, "--port", port) as server:
        desk = Desk(page, Site(server.url, store, None))
        desk.open(f"?run={run.id}")
        desk.ready()
    page.get_by_text("Connection error").wait_for()
    page.keyboard.press("Escape")
    with served(tmp_path, "--port", port):
        page.locator("[data-test-connection-state=CONNECTED]").wait_for()
        desk.settle()
        expect(page.get_by_test_id("stPopoverButton").filter(has_text="Rae")).to_be_visible()
        desk.press("2")
        expect(desk.card.locator(".head")).to_contain_text("Citation 2 of 22")
        labels = [(label.reviewer, label.label) for label in store.labels(run.id)]
        assert labels == [("Rae", "partially_supported")]
    page.close()
