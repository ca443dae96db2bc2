"""Runs by their name, and comments, in a real browser."""

from playwright.sync_api import expect

from workbench.services.labels import list_comments


def test_a_name_opens_its_run_by_click_and_by_enter(desk):
    page, runs = desk.page, desk.site.store.list_runs()
    desk.open("runs")
    grid = page.locator(".st-key-runs canvas").first
    grid.wait_for()
    desk.settle()
    box = grid.bounding_box()
    # the first row, beside its box for choosing
    page.mouse.click(box["x"] + 80, box["y"] + 52)
    page.wait_for_url(f"**/*run={runs[0].id}*")
    desk.ready()
    desk.open("runs")
    grid.wait_for()
    desk.settle()
    page.mouse.click(box["x"] + 470, box["y"] + 52)
    first = page.locator(".st-key-runs td#glide-cell-1-0")
    while first.get_attribute("aria-selected") != "true":
        page.keyboard.press("ArrowLeft")
        page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/*run={runs[0].id}*")


def test_a_comment_is_added_by_key_with_each_letter_at_50_ms(desk):
    run = desk.demo("ParkLine")
    desk.open(f"?run={run.id}&who=Rae")
    desk.ready()
    desk.page.keyboard.type("8", delay=50)
    desk.page.keyboard.type("see <b>page 1</b> juk", delay=50)
    desk.page.keyboard.press("Enter")
    expect(desk.card.locator(".comments")).to_contain_text("see <b>page 1</b> juk")
    expect(desk.card.locator(".head")).to_contain_text("1 comment")
    (comment,) = list_comments(desk.site.store, run_id=run.id)
    assert (comment.author, comment.body) == ("Rae", "see <b>page 1</b> juk")
