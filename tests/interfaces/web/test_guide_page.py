"""The label guide's page: versions, editing, restoring; and the guide that a label keeps."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import press_label
from workbench.store.labels.repository import Guides

APP = Path(__file__).parents[3] / "app.py"


def open_page(page="guide", **params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.query_params.update(params)
    if page:
        at.switch_page(f"pages/{page}.py")
    at.run()
    assert not at.exception
    return at


def shown_text(at):
    return " ".join(block.proto.body for block in at.get("html"))


def write(at, text, note=""):
    at.button(key="guide-edit").click().run()
    at.text_area(key="guide-draft").set_value(text).run()
    at.text_input(key="guide-note").set_value(note).run()
    at.button(key="guide-save").click().run()
    assert not at.exception


def test_the_shipped_guide_is_version_0(store):
    at = open_page()
    assert "Version 0, built in" in shown_text(at)
    assert "Which label" in shown_text(at)
    assert Guides(store).history() == []


def test_a_new_version_is_saved_shown_and_restored(store):
    at = open_page()
    write(at, "# Ours\n\nOnly the source counts. <script>x</script>", "shorter")
    (guide,) = Guides(store).history()
    assert (guide.version, guide.note, guide.author) == (1, "shorter", "reviewer")
    assert "&lt;script&gt;" in shown_text(at) and "<script>" not in shown_text(at)
    write(at, "# Ours\n\nOnly the source counts, and nothing else.")
    at.session_state["guide-version-1"] = True
    at.run()
    at.button(key="guide-restore-1").click().run()
    versions = Guides(store).history()
    assert [version.version for version in versions] == [3, 2, 1]
    assert versions[0].body == versions[2].body
    assert versions[0].note == "Version 1 restored"
    at.session_state["guide-version-3"] = True
    at.run()
    assert 'class="removed"' in shown_text(at) and 'class="added"' in shown_text(at)


def test_the_shipped_guide_can_be_restored(store):
    Guides(store).save("# Ours", "Ada")
    at = open_page()
    at.session_state["guide-version-0"] = True
    at.run()
    at.button(key="guide-restore-0").click().run()
    assert Guides(store).current().version == 2
    assert "Which label" in Guides(store).current().body


def test_what_somebody_else_saved_meanwhile_is_not_overwritten(store):
    Guides(store).save("# First", "Ada")
    at = open_page()
    at.button(key="guide-edit").click().run()
    at.text_area(key="guide-draft").set_value("# Mine").run()
    Guides(store).save("# Theirs", "Ben", based_on=1)
    at.button(key="guide-save").click().run()
    assert "Ben" in at.error[0].value
    assert "while you were editing" in at.warning[0].value
    assert at.text_area(key="guide-draft").value == "# Mine"
    at.button(key="guide-rebase").click().run()
    at.button(key="guide-save").click().run()
    assert [version.body for version in Guides(store).history()] == [
        "# Mine",
        "# Theirs",
        "# First",
    ]


def test_an_empty_guide_is_told_in_a_sentence(store):
    at = open_page()
    write(at, "   ")
    assert "empty" in at.error[0].value
    at.button(key="guide-leave").click().run()
    assert Guides(store).history() == []
    assert not at.text_area


def test_a_label_keeps_the_version_that_held(store):
    run = make.run("r1", [make.result(1)])
    store.add_run(run, make.TEXT, "Bridges")
    store.finish_run(run)
    at = open_page(None, run="r1", c="c1", who="Ada")
    press_label(at, "supported")
    Guides(store).save("# Ours", "Ada")
    press_label(at, "contradicted")
    assert [label.guide for label in store.label_history("r1", "c1")] == [0, 1]


def test_the_guide_stands_beside_the_item(store):
    run = make.run("r1", [make.result(1)])
    store.add_run(run, make.TEXT, "Bridges")
    store.finish_run(run)
    Guides(store).save("# Ours\n\nBeside the item.", "Ada")
    at = open_page(None, run="r1", c="c1")
    assert "Beside the item." not in shown_text(at)
    at.button(key="guide-turn").click().run()
    assert "Beside the item." in shown_text(at)
    assert "Version 1, by Ada" in shown_text(at)
    at.button(key="guide-turn").click().run()
    assert "Beside the item." not in shown_text(at)
