"""A queue that asks more than the label, answered by keyboard 50 ms a key, and settled side by side."""

from playwright.sync_api import expect

from tests.browser.conftest import at_widths
from tests.browser.test_queue_browser import Seat
from workbench.records.fields import parse_fields
from workbench.store.queues.queues import Queues

FIELDS = parse_fields(
    [
        {"name": "severity", "question": "How <b>bad</b>?", "kind": "score", "low": 1, "high": 5,
         "required": True},
        {"name": "causes", "question": "Why?", "kind": "choices", "options": ["Typo", "Outdated"],
         "required": True},
        {"name": "domain", "question": "Of which field?", "kind": "choice",
         "options": ["Law", "Health"]},
        {"name": "remark", "question": "In your words?", "kind": "text"},
    ]
)  # fmt: skip


def asking_queue(store, run, name, **plan):
    judged = [result for result in run.citations if result.status == "ok" and result.judgment]
    items = [(run.id, result.citation.id) for result in judged[:3]]
    return Queues(store).build(name, created_by="Zoe", items=items, fields=FIELDS, **plan).id


def answers(store, run, queue):
    return [
        (label.reviewer, label.label, label.answers_to(queue))
        for label in store.labels(run.id)
        if label.queue_id == queue
    ]


def test_each_key_counts_at_50_ms_and_nothing_is_sent_before_the_last_answer(
    desk, reviewers_browser
):
    store = desk.site.store
    run = store.get_run(desk.demo("ParkLine").id)
    queue = asking_queue(store, run, "Asking", blind=True, reviews=2)
    mia = Seat(desk.page, desk.site, "Mia", queue)
    mia.at(1)
    # all four questions: score, both causes, law, a text with every shortcut's letter in it
    mia.page.keyboard.type("64", delay=50)
    mia.page.keyboard.type("12", delay=50)
    mia.page.keyboard.press("Enter")
    mia.page.keyboard.type("1", delay=50)
    mia.page.keyboard.type("hj 16 uas", delay=50)
    mia.page.keyboard.press("Enter")
    assert answers(store, run, queue) == [], "answers alone are no label"
    mia.press("4", 2)
    # the label opens all four; Enter passes those that are not required
    mia.page.keyboard.type("25", delay=50)
    expect(mia.keys.locator(".field.open")).to_have_attribute("data-field", "causes")
    mia.page.keyboard.press("ArrowUp")
    mia.page.keyboard.type("32", delay=50)
    mia.page.keyboard.press("Enter")
    expect(mia.keys.locator(".field.open")).to_have_attribute("data-field", "domain")
    mia.page.keyboard.press("Enter")
    mia.press("Enter", 3)
    assert answers(store, run, queue) == [
        ("Mia", "contradicted",
         {"severity": 4, "causes": ("Typo", "Outdated"), "domain": "Law", "remark": "hj 16 uas"}),
        ("Mia", "partially_supported", {"severity": 3, "causes": ("Outdated",)}),
    ]  # fmt: skip
    # Escape keeps the label back, a reload keeps the answers
    mia.page.keyboard.type("12", delay=50)
    mia.page.keyboard.press("Escape")
    expect(mia.keys.locator(".field.open")).to_have_count(0)
    mia.traffic.forget()
    mia.page.reload()
    mia.ready()
    pressed = mia.keys.locator("[data-value='severity=2']")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    assert len(answers(store, run, queue)) == 2
    # a decided item answers more, and takes it back
    mia.press("k", 2)
    mia.page.keyboard.type("6", delay=50)
    mia.page.keyboard.press("Enter")
    mia.page.keyboard.press("Enter")
    mia.page.keyboard.type("2", delay=50)
    mia.page.keyboard.press("Enter")
    mia.at(2)
    assert answers(store, run, queue)[-1][2] == {
        "severity": 3, "causes": ("Outdated",), "domain": "Health",
    }  # fmt: skip
    mia.press("u", 2)
    assert "domain" not in answers(store, run, queue)[-1][2]

    noa = Seat(reviewers_browser.new_page(), desk.site, "Noa", queue)
    noa.page.set_viewport_size({"width": 900, "height": 900})
    noa.at(1)
    assert not noa.sent("hj 16 uas"), "the other reviewer's answers stay with them"
    noa.keys.locator("[data-value='severity=1']").click()
    noa.page.keyboard.type("12", delay=50)
    noa.page.keyboard.press("Enter")
    noa.page.keyboard.press("Enter")
    noa.press("Enter", 2)
    expect(noa.card).to_contain_text("Item 2 of")
    noa.page.close()

    settle = asking_queue(store, run, "Settle", role="adjudication")
    zoe = Seat(desk.page, desk.site, "Uma", settle)
    zoe.at(1)
    table = zoe.card.locator(".answers table")
    expect(table.locator("tr").first).to_contain_text("Mia")
    expect(table.locator("tr").first).to_contain_text("Noa")
    expect(table.locator("tr.differ").first).to_contain_text("How <b>bad</b>? · differ")
    expect(table.locator("tr.differ").first.locator("td")).to_have_text(["4", "1"])


def test_the_keys_and_questions_stay_at_the_foot_and_the_item_can_be_read_above_them(desk):
    store = desk.site.store
    desk.page.set_viewport_size({"width": 1440, "height": 800})
    run = store.get_run(desk.demo("ParkLine").id)
    sam = Seat(desk.page, desk.site, "Sam", asking_queue(store, run, "Foot", blind=True))
    sam.at(1)

    def boxes():
        return [
            [{side: round(number) for side, number in box.items()} for box in found]
            for found in at_widths(sam.page, (".desk-keys", ".labels", ".acts:not(.rest)"))
        ]

    first = boxes()
    for width, (keys, *_) in zip((400, 900, 1440), first, strict=True):
        sam.page.set_viewport_size({"width": width, "height": 800})
        assert keys["y"] + keys["height"] <= 800
        assert sam.page.evaluate("document.documentElement.scrollWidth") <= width
        claim = sam.card.locator(".claim").first.bounding_box()
        assert claim["y"] + claim["height"] <= keys["y"], "the claim is read without scrolling"
        main = sam.page.locator("[data-testid=stMain]")
        for part in (sam.card.locator(".evidence mark"), sam.page.locator(".st-key-queue-text")):
            part.evaluate("node => node.scrollIntoView({ block: 'end' })")
            box = part.bounding_box()
            main.evaluate(
                "(node, by) => node.scrollBy(0, by)", box["y"] + box["height"] - keys["y"]
            )
            box = part.bounding_box()
            assert box["y"] + box["height"] <= keys["y"] + 1, "what is read ends above the keys"
        main.evaluate("node => node.scrollTo(0, 0)")
    assert boxes() == first, "after scrolling"
    sam.page.keyboard.press("1")
    for answer, field in (("2", "causes"), ("1Enter", "domain"), ("1", "remark")):
        sam.page.keyboard.press(answer[0])
        if answer[1:]:
            sam.page.keyboard.press(answer[1:])
        opened = sam.keys.locator(".field.open")
        expect(opened).to_have_attribute("data-field", field)
        box, keys = opened.bounding_box(), sam.keys.locator(".fields").bounding_box()
        assert keys["y"] - 1 <= box["y"] and box["y"] < keys["y"] + keys["height"], field
        assert boxes() == first, f"while {field} is asked"
    sam.press("Enter", 2)
    assert boxes() == first, "at the next item"
    sam.press("b", 1)
    assert boxes() == first, "with the judge shown"
    sam.press("j", 2)
    sam.page.keyboard.press("s")
    expect(sam.keys.locator(".why input")).to_be_focused()
    assert boxes() == first, "while the reason for a skip is asked"
    sam.press("Enter", 3)
    assert boxes() == first, "after a skip"
