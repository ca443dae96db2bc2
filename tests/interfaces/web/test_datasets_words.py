"""What the Data sets page says."""

import io
import zipfile

import pytest

from workbench.datasets.entries import Annotation, ImportEntry
from workbench.datasets.line_writers import LINES
from workbench.datasets.read import IMPORT_FORMATS
from workbench.interfaces.web.datasets.text import (
    IMPORT_TEXT,
    LONGEST_PREVIEW,
    column_order,
    default_parts,
    entry_rows,
    file_name,
    import_result_text,
    label_word_rows,
    licence_texts,
    parts_text,
    survey_text,
    unmapped_label_words,
)
from workbench.records.export_formats import (
    CITATION_FORMATS,
    CORRECTION_FORMATS,
    FORMATS,
    REFERENCE_FORMATS,
)
from workbench.services.export import zipped
from workbench.services.imports import Survey


def test_every_format_has_a_name_and_a_writer():
    assert {*CITATION_FORMATS} == {*LINES, "parquet", "huggingface"}
    assert all(
        one.title and one.says.endswith(".") and one.content_type for one in FORMATS.values()
    )
    assert {*CITATION_FORMATS, *REFERENCE_FORMATS, *CORRECTION_FORMATS} == {*FORMATS}
    assert tuple(IMPORT_TEXT) == IMPORT_FORMATS


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((3, 4, 0, 0), "3 new examples with 4 new labels."),
        ((1, 1, 2, 3), "1 new example with 1 new labels; 2 were already present; 3 skipped."),
        ((0, 0, 1, 0), "No new examples, 0 new labels; 1 was already present."),
        ((0, 0, 0, 7), "Nothing was imported: 7 entries were skipped."),
    ],
)
def test_what_an_import_brought(counts, sentence):
    assert import_result_text(*counts) == sentence


def test_terms_name_origin_and_licence():
    assert licence_texts({("WiCE", "CC BY-SA"): 1200, (None, None): 1, ("a", ""): 2}) == [
        "1,200 examples from WiCE: CC BY-SA",
        "1 example from runs of this workbench: licence not stated, sources stay under the terms of "
        "their publishers",
        "2 examples from a: licence not stated",
    ]


def survey(**fields):
    defaults = {"entries": (), "skipped": (), "usable": 0, "excluded": 0, "label_words": {}}
    return Survey(**(defaults | fields))


def test_every_word_of_a_file_is_shown_with_what_it_is_read_as():
    words = {"yes": (None, 3), "supported": ("supported", 2), "entailment": ("supported", 1)}
    assert label_word_rows(survey(label_words=words)) == [
        {"Label in the file": "yes", "Read as": "unknown: skipped", "Entries": 3},
        {"Label in the file": "supported", "Read as": "Supported", "Entries": 2},
        {"Label in the file": "entailment", "Read as": "Supported", "Entries": 1},
    ]
    assert unmapped_label_words(survey(label_words=words)) == ["yes", "entailment"]


def test_a_survey_counts_and_shows_entries():
    entry = ImportEntry(
        line=3, id="", claim="a" * 300, source="s", group="g",
        opinions=(Annotation(annotator="Ada", label="supported"),
                  Annotation(annotator="", label="cannot_tell")),
    )  # fmt: skip
    result = survey(entries=(entry,), usable=1, excluded=1)
    assert survey_text(result) == "Of 2 entries 1 can be used, 1 would be skipped."
    assert survey_text(survey(usable=1)) == "1 entry can be used."
    assert survey_text(survey()) == "The file is empty."
    (row,) = entry_rows(result.entries)
    assert row["Labels"] == "Ada: Supported, Cannot tell"
    assert next(iter(row)) == "Labels"
    assert (len(row["Claim"]), row["Claim"][-1]) == (LONGEST_PREVIEW, "…")


def test_the_parts_of_an_import_in_a_sentence():
    assert parts_text({"test": 1, "train": 1200, "dev": 2}) == (
        "Split: 1,200 train, 2 dev, 1 test. The next calibration makes this final; the test set "
        "stays locked."
    )
    assert parts_text({}) == ""


def test_chosen_columns_of_a_file_come_first():
    assert column_order(["id", "text", "page", "says"], ["says", "text", ""]) == [
        "says", "text", "id", "page",
    ]  # fmt: skip


def test_training_data_leaves_the_test_part_out_unless_asked():
    assert default_parts("chat-openai") == ["train", "dev"]
    assert default_parts("jsonl") == []
    assert file_name("huggingface", "../a b") == "a-b-huggingface.zip"


def test_a_zipped_folder_has_the_same_bytes_each_time(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "data").mkdir(parents=True)
        (tmp_path / name / "README.md").write_text("a")
        (tmp_path / name / "data" / "b").write_text("b")
    assert zipped(tmp_path / "one") == zipped(tmp_path / "two")
    with zipfile.ZipFile(io.BytesIO(zipped(tmp_path / "one"))) as archive:
        assert archive.namelist() == ["README.md", "data/b"]
