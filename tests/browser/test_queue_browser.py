"""Reviewers at a queue in a real browser: by keyboard alone, blind, in disagreement, then adjudicated."""

import json

from playwright.sync_api import expect

from tests.fakes.page_traffic import Traffic
from workbench.records.queue import ItemFilter
from workbench.store.queues.queues import Queues


class Seat:
    """One reviewer's page on a queue, and every byte that the server sent to it."""

    def __init__(self, page, site, name, queue):
        self.page, self.wire, self.traffic = page, [], Traffic(page)
        page.on("websocket", lambda socket: socket.on("framereceived", self._received))
        page.goto(f"{site.url}/queues?who={name}&queue={queue}")
        self.keys = page.locator(".desk-keys")
        self.card = page.locator(".card")
        self.ready()

    def _received(self, frame):
        self.wire.append(frame if isinstance(frame, bytes) else frame.encode())

    def sent(self, words):
        encodings = [
            json.dumps(words, ensure_ascii=plain)[1:-1].encode() for plain in (True, False)
        ]
        return any(form in frame for frame in self.wire for form in encodings)

    def ready(self):
        expect(self.keys.locator("[data-label]")).to_have_count(6)
        self.traffic.wait_until_idle()

    def at(self, number):
        """Wait until item `number`, counted from 1, is on the card and accepts keys."""
        expect(self.card.locator(".head")).to_contain_text(f"Item {number} of")
        expect(self.page.locator(f".desk-keys[data-at='{number - 1}']:not(.busy)")).to_have_count(1)

    def press(self, key, number):
        """Press a key, and wait for the item that it brings."""
        self.page.keyboard.press(key)
        self.at(number)

    def says(self, words):
        expect(self.keys.locator(".said")).to_contain_text(words)


def blind_queue(store, run, name):
    judged = [result for result in run.citations if result.status == "ok" and result.judgment]
    items = [(run.id, result.citation.id) for result in judged[:3]]
    queue = Queues(store).build(
        name, created_by="Zoe", items=items, blind=True, reviews=2, reviewers=("Ada", "Bob")
    )
    return queue.id, judged[:3]


def run_items(store, queue_id):
    with store.transaction() as connection:
        rows = connection.execute(
            "select citation_id from queue_items where queue_id = ? order by position", [queue_id]
        ).fetchall()
    return [citation_id for (citation_id,) in rows]


def test_two_decide_blind_by_keyboard_and_a_third_settles(desk, reviewers_browser):
    store = desk.site.store
    run = store.get_run(desk.demo("Heat pumps").id)
    queue, judged = blind_queue(store, run, "Blind pair")

    ada = Seat(desk.page, desk.site, "Ada", queue)
    ada.at(1)
    expect(ada.card).to_contain_text("The judge's verdict is hidden until you label")
    ada.page.keyboard.press("n")
    expect(ada.keys.locator("textarea")).to_be_focused()
    ada.page.keyboard.type("hj 1 rcs of Ada")
    ada.traffic.forget()
    ada.page.reload()
    ada.ready()
    ada.at(1)
    expect(ada.keys.locator("textarea")).to_have_value("hj 1 rcs of Ada")
    assert not any(ada.sent(result.judgment.rationale) for result in judged), "blind on the wire"
    assert not any(
        ada.sent(result.judgment.reason) for result in judged if result.judgment.reason
    ), "nor the reason"
    assert not any(map(ada.sent, ("very sure", "fairly sure", "leaning"))), "nor how sure it is"
    ada.press("1", 2)
    ada.page.keyboard.press("s")
    expect(ada.keys.locator(".why input")).to_be_focused()
    ada.page.keyboard.type("Needs an expert")
    ada.press("Enter", 3)
    ada.press("u", 2)
    ada.says("Undone on item 2")
    ada.press("2", 3)

    bob = Seat(reviewers_browser.new_page(), desk.site, "Bob", queue)
    bob.page.set_viewport_size({"width": 900, "height": 900})
    bob.at(1)
    bob.press("4", 2)
    bob.press("4", 3)
    assert not bob.sent("of Ada"), "the other reviewer's word stays with them"
    bob.page.keyboard.press("4")
    expect(bob.page.get_by_text("Nothing is left for you here")).to_be_visible()
    bob.page.close()

    ada.press("b", 2)
    ada.says("The judge's verdict on your last item")
    assert ada.sent(judged[1].judgment.rationale)
    assert not ada.sent(judged[2].judgment.rationale), "the item that waits stays blind"
    ada.press("j", 3)
    ada.page.keyboard.press("3")
    expect(ada.page.get_by_text("Every item of this queue has all its reviews")).to_be_visible()

    labels = [label for label in store.labels(run.id) if label.queue_id == queue]
    assert [(label.reviewer, label.label, label.note) for label in labels] == [
        ("Ada", "supported", "hj 1 rcs of Ada"),
        ("Ada", "partially_supported", ""),
        ("Bob", "contradicted", ""),
        ("Bob", "contradicted", ""),
        ("Bob", "contradicted", ""),
        ("Ada", "not_supported", ""),
    ]
    assert {label.saw_judge for label in labels} == {False}

    settle = Queues(store).build(
        "Settle", created_by="Zoe", role="adjudication", reviewers=("Cy",),
        items=[(run.id, result.citation.id) for result in judged],
    )  # fmt: skip
    cy = Seat(desk.page, desk.site, "Cy", settle.id)
    cy.at(1)
    expect(cy.card.locator(".people li")).to_have_count(2)
    expect(cy.card.locator(".people")).to_contain_text("hj 1 rcs of Ada")
    expect(cy.card.locator(".rationale")).not_to_be_empty()
    cy.press("1", 2)
    row = next(
        row
        for row in store.labelled_citations(run.id)
        if row.result.citation.id == judged[0].citation.id
    )
    assert (row.gold.reviewer, row.gold.role, row.gold.label) == ("Cy", "adjudication", "supported")


def test_keys_stay_out_of_fields_and_a_double_press_labels_nothing_unseen(desk):
    store = desk.site.store
    run = desk.demo("Support reply")
    queue = Queues(store).build(
        "Quick", ItemFilter(runs=(run.id,)), created_by="Zoe", order="document"
    )
    dot = Seat(desk.page, desk.site, "Dot", queue.id)
    dot.at(1)
    dot.page.evaluate(
        "() => { for (const type of ['keydown', 'keyup', 'keydown', 'keyup']) "
        "document.body.dispatchEvent(new KeyboardEvent(type, { key: '1', bubbles: true })) }"
    )
    dot.at(2)
    chosen = dot.page.locator(".text [data-id].selected")
    expect(chosen).to_have_attribute("data-id", run_items(store, queue.id)[1])
    assert [label.reviewer for label in store.labels(run.id)].count("Dot") == 1
    dot.page.keyboard.press("o")
    expect(dot.page.get_by_role("dialog")).to_be_visible()
    dot.page.keyboard.press("4")
    dot.page.keyboard.press("Escape")
    expect(dot.page.get_by_role("dialog")).to_be_hidden()
    desk.settle()
    dot.page.keyboard.press("h")
    expect(dot.page.get_by_text("Show the judge's verdict on your last item")).to_be_visible()
    dot.page.keyboard.press("Escape")
    expect(dot.page.get_by_role("dialog")).to_be_hidden()
    assert [label.reviewer for label in store.labels(run.id)].count("Dot") == 1
    dot.press("a", 3)
    second = [label for label in store.labels(run.id) if label.reviewer == "Dot"][-1]
    assert (second.saw_judge, second.label) == (True, second.judge_label)


def test_the_form_for_a_missing_source_keeps_the_keys_in_its_field_and_the_buttons_in_place(desk):
    store = desk.site.store
    run = store.get_run(desk.demo("Bringing eelgrass back").id)
    missing = next(result for result in run.citations if result.error)
    judged = next(result for result in run.citations if result.judgment)
    queue = Queues(store).build(
        "Missing source",
        created_by="Zoe",
        items=[(run.id, result.citation.id) for result in (missing, judged)],
        blind=True,
    )
    eve = Seat(desk.page, desk.site, "Eve", queue.id)
    eve.at(1)
    top = eve.keys.bounding_box()["y"]
    form = eve.page.get_by_role("button", name="Add this source")
    form.click()
    field = eve.page.get_by_label("or its text", exact=True)
    field.press_sequentially("1 js Seeds are stored in the dark")
    expect(field).to_have_value("1 js Seeds are stored in the dark")
    eve.page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    eve.traffic.wait_until_idle()
    eve.at(1)
    assert [label.reviewer for label in store.labels(run.id)].count("Eve") == 0

    eve.press("5", 2)
    expect(form).to_have_count(0)
    assert abs(eve.keys.bounding_box()["y"] - top) < 3, "a label button is where it was"
