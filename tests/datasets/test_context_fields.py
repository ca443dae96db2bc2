"""What a claim's words refer to, read out of files of every format and written back."""

import csv
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.datasets.entries import (
    ImportEntry,
    InvalidEntryError,
    Skipped,
    before_of,
    context_fields,
    read_context,
)
from workbench.datasets.import_run import compose
from workbench.datasets.read import read_entries
from workbench.datasets.read_csv import sniff_csv
from workbench.records.context import LONGEST_BEFORE, NO_CONTEXT, JudgeContext, SourceFacts

SOURCE = "The baths were opened to the public again in May, after two years of building work there."
FULL = JudgeContext(
    headings=("Harbour", "The pier"),
    before="- Storms came early.\n\nThe pier was damaged [3].",
    table_header="Building | Reopened",
    table_row="Pier",
    question="When did the pier reopen?",
    date="2024-05-01",
    source=SourceFacts(title="City baths", site="City news", author="A. Roe", published="2023"),
)
FIELDS = {
    "context": "- Storms came early.\n\nThe pier was damaged [3].",
    "title": "Harbour > The pier",
    "question": "When did the pier reopen?",
    "table_header": "Building | Reopened",
    "table_row": "Pier",
    "written": "2024-05-01",
    "source_title": "City baths",
    "source_site": "City news",
    "source_author": "A. Roe",
    "source_published": "2023",
}


def pair(**fields):
    return {"id": "p1", "claim": "It reopened in May.", "source": SOURCE, "label": "supported"} | (
        fields
    )


def read(format_name, path, **options):
    results = list(read_entries(format_name, path, **options))
    skipped = [(result.line, result.reason) for result in results if isinstance(result, Skipped)]
    return [result for result in results if isinstance(result, ImportEntry)], skipped


def jsonl(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_fields_and_context_are_each_other():
    assert read_context(FIELDS) == FULL
    assert context_fields(FULL) == FIELDS
    assert context_fields(NO_CONTEXT) == {}


@pytest.mark.parametrize(
    ("fields", "headings", "question"),
    [
        ({"title": "The pier"}, ("The pier",), None),
        ({"title": " Harbour >  The\npier"}, ("Harbour", "The pier"), None),
        ({"title": "When did it reopen?"}, (), "When did it reopen?"),
        ({"title": "何时重新开放？"}, (), "何时重新开放？"),
        ({"title": "When did it reopen?", "question": ""}, ("When did it reopen?",), None),
        ({"title": "Pier", "question": "When?"}, ("Pier",), "When?"),
        ({"title": "Tell me when.", "question": "Tell me when."}, (), "Tell me when."),
        ({"question": "When?"}, (), "When?"),
        ({"title": 1984}, ("1984",), None),
        ({"title": None, "context": None, "question": " "}, (), None),
    ],
)
def test_a_title_is_headings_or_the_question(fields, headings, question):
    context = read_context(fields)
    assert (context.headings, context.question) == (headings, question)
    assert read_context(context_fields(context)) == context


@pytest.mark.parametrize("name", ["context", "title", "source_title", "question"])
@pytest.mark.parametrize("value", [["a"], {"a": 1}, True])
def test_a_field_that_is_no_text_is_told(name, value, tmp_path):
    with pytest.raises(InvalidEntryError, match=f"its {name} is not text"):
        read_context({name: value})
    entries, skipped = read("pairs", jsonl(tmp_path / "a.jsonl", pair(**{name: value}), pair()))
    assert skipped == [(1, f"its {name} is not text")]
    assert [item.line for item in entries] == [2]


@given(st.text(max_size=2000))
def test_text_before_a_claim_is_cut_at_its_beginning_and_once(text):
    text_before = before_of(text)
    assert len(text_before) <= LONGEST_BEFORE
    assert text.rstrip().endswith(text_before)
    assert before_of(text_before) == text_before


def test_a_long_text_before_begins_with_a_whole_word():
    text_before = before_of("word " * 400)
    assert text_before.startswith("word word")
    assert LONGEST_BEFORE - 10 < len(text_before) <= LONGEST_BEFORE


words = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters=">"),
    min_size=1,
    max_size=12,
)
facts = st.none() | words


@given(
    st.builds(
        JudgeContext,
        headings=st.lists(words, max_size=4).map(tuple),
        before=words | st.just(""),
        table_header=facts,
        table_row=facts,
        question=facts,
        date=facts,
        source=st.builds(SourceFacts, title=facts, site=facts, author=facts, published=facts),
    )
)
def test_every_context_comes_back_out_of_its_fields(context):
    again = read_context(context_fields(context))
    # one heading identical to the question is stored once
    same = " > ".join(context.headings) == context.question
    assert again == (replace(context, headings=()) if same else context)


def test_an_item_without_context_keeps_its_key_and_another_context_is_another_item():
    entry = ImportEntry(line=1, id="p1", claim="It reopened.", source=SOURCE)
    # as earlier versions stored it in databases
    assert entry.key == "4f1bd9a156bdaa4a5170fba4c52bcd98"
    titled = replace(entry, context=JudgeContext(source=SourceFacts(title="City baths")))
    assert titled.key == entry.key
    variants = [
        replace(entry, context=context)
        for context in (
            JudgeContext(headings=("The pier",)),
            JudgeContext(headings=("The baths",)),
            JudgeContext(before="The pier"),
            JudgeContext(question="The pier"),
            JudgeContext(table_header="The pier"),
            JudgeContext(table_row="The pier"),
            JudgeContext(date="The pier"),
        )
    ]
    assert len({variant.key for variant in [entry, *variants]}) == 8


def test_a_label_studio_task_of_an_earlier_version_names_its_source_with_title(tmp_path):
    data = {"id": "t", "claim": "It reopened.", "source": SOURCE, "title": "City baths"}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([
        {"data": data | {"source_sha256": "0"}},
        {"data": data | {"source_sha256": "0", "source_title": ""}},
        {"data": data},
        {"data": data | {"source_sha256": "0", "where": "The pier"}},
    ]))  # fmt: skip
    entries, _ = read("label-studio", path)
    assert [(entry.context.headings, entry.context.source.title) for entry in entries] == [
        ((), "City baths"),
        (("City baths",), None),
        (("City baths",), None),
        ((), "City baths"),
    ]
    entries, _ = read("label-studio", path, columns={"title": "where"})
    assert entries[3].context.headings == ("The pier",)


def write_csv(path, *rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def test_csv_columns_of_the_usual_names_are_the_context(tmp_path):
    path = write_csv(
        tmp_path / "a.csv",
        ["claim", "source", "label", "Context", "Heading", "Source title"],
        ["It reopened.", SOURCE, "supported", "'- The pier\nwas damaged.", "The pier", "Baths"],
        ["It reopened.", SOURCE, "supported", "'twas closed.", "When did it reopen?", ""],
    )
    (first, two), skipped = read("csv", path)
    assert skipped == []
    assert first.context == JudgeContext(
        headings=("The pier",),
        before="- The pier\nwas damaged.",
        source=SourceFacts(title="Baths"),
    )
    assert (two.context.before, two.context.question) == ("'twas closed.", "When did it reopen?")


def test_a_csv_column_context_is_the_source_where_no_other_is(tmp_path):
    path = write_csv(tmp_path / "a.csv", ["claim", "context"], ["It reopened.", SOURCE])
    assert sniff_csv(path).mapping == {"claim": "claim", "source": "context"}
    (entry,), _ = read("csv", path)
    assert (entry.source, entry.context) == (SOURCE, NO_CONTEXT)


def test_csv_columns_can_be_named(tmp_path):
    path = write_csv(
        tmp_path / "a.csv", ["claim", "source", "asked"], ["It reopened.", SOURCE, "Say when"]
    )
    (entry,), _ = read("csv", path, columns={"question": "asked"})
    assert entry.context.question == "Say when"


def test_wice_gives_page_sections_and_the_text_before(tmp_path):
    def row(section, text_before):
        meta = {"id": "w", "claim_title": "Pier", "claim_section": section}
        return {"label": "supported", "claim": "It reopened.", "evidence": [SOURCE],
                "supporting_sentences": [[0]],
                "meta": meta | {"claim_context": text_before}}  # fmt: skip

    path = jsonl(
        tmp_path / "w.jsonl",
        row("History.:Storms (1990–1995).", "\n The pier was damaged. "),
        row("Abstract.", ""),
        row("", None),
    )
    entries, _ = read("wice", path)
    assert [(entry.context.headings, entry.context.before) for entry in entries] == [
        (("Pier", "History", "Storms (1990–1995)"), "The pier was damaged."),
        (("Pier",), ""),
        (("Pier",), ""),
    ]


def test_expertqa_gives_the_question_and_what_precedes_the_claim(tmp_path):
    claims = ["The pier was damaged [1].", " It reopened in May [2].", "Not in the answer."]
    answer = "The pier was damaged [1].\n\nIt reopened in May [2]. More."
    row = {
        "question": "What  of the pier?",
        "answers": {
            "sys": {
                "answer_string": answer,
                "claims": [
                    {"claim_string": claim, "support": "Complete", "evidence": [SOURCE]}
                    for claim in claims
                ],
            }
        },
    }
    entries, _ = read("expertqa", jsonl(tmp_path / "e.jsonl", row))
    assert [entry.context.question for entry in entries] == ["What of the pier?"] * 3
    assert [entry.context.before for entry in entries] == ["", "The pier was damaged [1].", ""]


def entry(claim, context=NO_CONTEXT, line=1):
    return ImportEntry(line=line, id=f"{line}", claim=claim, source=SOURCE, context=context)


def test_the_text_made_of_items_holds_every_piece_at_its_span():
    section = JudgeContext(headings=("Harbour", "The baths"))
    entries = [
        entry("It reopened \ud800 in May.", FULL),
        entry("It is red.", replace(FULL, before=""), 2),
        entry("It is blue.", section, 3),
        entry("It is old.", JudgeContext(headings=("Harbour",)), 4),
        entry("It is new.", JudgeContext(question="Is it new?"), 5),
        entry("It is.", line=6),
    ]
    composed = compose(entries, name="set", now=datetime(2026, 1, 1, tzinfo=UTC))
    text = composed.text
    for result, item in zip(composed.run.citations, entries, strict=True):
        citation, context = result.citation, result.citation.claim_context
        assert text[citation.start : citation.end] == citation.raw
        assert text[citation.claim.start : citation.claim.end] == item.claim
        for piece in (*context.headings, *filter(None, [context.table and context.table.header]),
                      *filter(None, [context.table and context.table.row])):  # fmt: skip
            assert text[piece.start : piece.end] == piece.text
        text_before = context.before.of(text) if context.before else ""
        assert replace(context.for_judge(text_before), source=item.context.source) == item.context
        assert result.source.self_description() == item.context.source
    assert text.count("## Harbour\n") == 2
    assert text.count("### The pier\n") == 1
    assert "## Is it new?\n\nIt is new. [5]" in text
