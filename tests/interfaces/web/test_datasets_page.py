"""Data sets exported and imported on their page, without a browser."""

import json
from collections import Counter
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import records as make
from tests.fakes.app_page import component, press_label
from tests.fakes.labelled import Given, add_run
from workbench.interfaces.web.datasets import text as texts
from workbench.interfaces.web.datasets.text import parts_text
from workbench.services.calibration.measurement import current_split, ensure_split
from workbench.store.evaluation.splits import Splits

APP = Path(__file__).parents[3] / "app.py"
SOURCE = "The bridge was opened in 1931."


def open_page(**params):
    at = AppTest.from_file(APP, default_timeout=60)
    at.switch_page("pages/datasets.py")
    at.query_params.update(params)
    at.run()
    assert not at.exception, [box.message for box in at.exception]
    return at


def table(at, column):
    """The one table with this column."""
    (frame,) = [element.value for element in at.dataframe if column in element.value.columns]
    return frame


def shown_text(at):
    kinds = (at.markdown, at.caption, at.info, at.success, at.error, at.warning, at.code)
    return "\n".join(element.value for kind in kinds for element in kind)


def test_an_empty_database_says_what_to_do(store):
    assert (
        "Nothing to export yet. Check a text on the Review page, or import labelled examples."
        in shown_text(open_page())
    )
    assert (
        "No imports yet. Choose a file with claims, sources and labels; you will see a preview "
        "before anything is saved."
    ) in shown_text(open_page(side="in"))


def test_the_address_holds_the_choice_and_the_first_rows_are_shown(store):
    store.add_run(make.run("r1"), make.TEXT, "Bridges")
    store.add_verdicts("r1", [make.result(1)])
    store.add_label(make.label("l1", "contradicted"))
    store.finish_run(make.run("r1"))
    at = open_page(format="preference", run="r1", parts="")
    assert at.selectbox(key="export-format").value == "preference"
    assert at.selectbox(key="export-run").value == "r1"
    assert "licence not stated" in shown_text(at)
    assert "You check whether a source supports a claim" in shown_text(at)
    at.selectbox(key="export-format").set_value("pairs").run()
    at.toggle(key="export-texts").set_value(False).run()
    assert not at.error
    (line,) = at.code
    assert '"source": "", "label": "contradicted"' in line.value
    assert "Source texts and their quotes are left out." in shown_text(at)
    assert texts.MORE_ROWS not in shown_text(at)
    at.toggle(key="export-labelled").set_value(False).run()
    assert texts.MORE_ROWS in shown_text(at)
    for format_name in ("csv", "parquet", "huggingface"):
        at.selectbox(key="export-format").set_value(format_name).run()
        assert not at.code
        (row,) = table(at, "claim").to_dict("records")
        assert (row["label"], row["citation_id"]) == ("contradicted", "c1")
        # the column is named as the page names the choice
        assert "split" in row


def test_a_csv_file_is_mapped_seen_and_taken_in_once(store):
    text = f"what,where,says\nIt opened in 1931.,{SOURCE},yes\nIt is red.,{SOURCE},no\n,x,yes\n"
    at = open_page(side="in")
    at.file_uploader(key="import-file").upload("set.csv", text.encode()).run()
    assert "Choose the column that contains the claim and the source text" in shown_text(at)

    def choose(label, value):
        next(box for box in at.selectbox if box.label == label).set_value(value).run()

    choose("Claim", "what")
    choose("Source text", "where")
    choose("Label", "says")
    suggestions = {box.label: box.value for box in at.selectbox if box.label.startswith("“")}
    assert suggestions == {"“yes”": "supported", "“no”": "not_supported"}
    assert list(table(at, "Read as")["Read as"]) == ["Supported", "Not supported"]
    assert list(table(at, "says")["says"]) == ["yes", "no", "yes"]
    assert "Of 3 entries 2 can be used, 1 would be skipped." in shown_text(at)
    assert at.button(key="import").disabled
    (heads, claims) = (component(at, "import-entries")[part] for part in ("columns", "rows"))
    assert [head["word"] for head in heads][:3] == ["Labels", "Claim", "Source"]
    assert [cell["text"] for cell in claims[0]][:3] == ["Supported", "It opened in 1931.", SOURCE]
    (raw,) = [frame for frame in at.dataframe if "says" in frame.value.columns]
    assert list(raw.proto.column_order) == ["says", "what", "where"]
    (confirmation,) = [box for box in at.checkbox if box.label == "Import 2 and skip 1"]
    confirmation.check().run()
    at.button(key="import").click().run()
    assert "2 new examples with 2 new labels; 1 skipped." in shown_text(at)
    assert "2 new examples with 2 new labels; 1 skipped" in at.toast[0].value
    counts = Counter(part for part in current_split(store)[0].values())
    assert parts_text(counts) in shown_text(at)
    assert parts_text(counts).startswith("Split: ")
    labels = {label.label for label in store.all_labels()}
    assert labels == {"supported", "not_supported"}
    assert not at.button(key="import").disabled
    at.button(key="import").click().run()
    assert "No new examples, 0 new labels; 2 were already present; 1 skipped." in shown_text(at)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b"\x00\x01", "is not a text file"),
        ("a.csv", b"one column\n", "has one column"),
        ("a.jsonl.gz", b"\x1f\x8b\x08\x00cut", "is a damaged gzip file"),
    ],
)
def test_a_file_that_cannot_be_used_gets_a_sentence(name, data, message, store):
    at = open_page(side="in")
    at.file_uploader(key="import-file").upload(name, data).run()
    (error,) = at.error
    assert message in error.value.replace("\\", "")


def test_an_imported_run_is_reviewed_as_not_judged_yet(store):
    row = {"id": "p", "claim": "It opened in 1931.", "source": SOURCE, "label": "supported"}
    at = open_page(side="in")
    at.file_uploader(key="import-file").upload("a.jsonl", json.dumps(row).encode()).run()
    at.button(key="import").click().run()
    (run,) = store.list_runs()
    review = AppTest.from_file(APP, default_timeout=60)
    review.query_params.update({"run": run.id, "c": "c1", "who": "Ada"})
    review.run()
    assert not review.exception
    assert "have not been judged yet" in shown_text(review)
    assert component(review, "run-keys")["agree"] is None
    press_label(review, "supported")
    assert len(store.labels(run.id)) == 2


def test_neutral_is_never_mapped_without_a_word(store):
    text = f"claim,source,label\nIt is red.,{SOURCE},neutral\nIt is old.,{SOURCE},entailment\n"
    at = open_page(side="in")
    at.file_uploader(key="import-file").upload("nli.csv", text.encode()).run()
    suggestions = {box.label: box.value for box in at.selectbox if box.label.startswith("“")}
    assert suggestions == {"“neutral”": "", "“entailment”": "supported"}
    assert "Of 2 entries 1 can be used, 1 would be skipped." in shown_text(at)
    assert at.button(key="import").disabled
    next(box for box in at.selectbox if box.label == "“neutral”").set_value("unverifiable").run()
    assert not at.button(key="import").disabled
    at.button(key="import").click().run()
    assert {label.label for label in store.all_labels()} == {"unverifiable", "supported"}


def test_the_rows_of_each_part_are_shown_before_a_download(store):
    for number in range(6):
        add_run(store, f"r{number}", [Given()])
    at = open_page(format="jsonl")
    assert at.toggle(key="export-labelled").value
    rows = table(at, texts.PLAN_TEXT["none"])
    assert rows["Test"].sum() == 0
    assert "of the test set stay" in shown_text(at).replace("stays", "stay")
    split = ensure_split(store, "Ada")
    Splits(store).open_test(split.id, by="Ada", reason="release", figures="all")
    at.run()
    rows = table(at, texts.PLAN_TEXT["none"])
    assert rows["Test"].sum() > 0
    assert rows.sum(axis=1).sum() == 6
