"""Items with context: through every format and back, and in the requests of those who use them."""

import csv
import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from tests.fakes import records as make
from tests.fakes.providers import Answer, FakeProvider, verdict
from workbench.experiments.proposers import ProposalRequest
from workbench.experiments.proposers import question as proposer_question
from workbench.interfaces.cli import main
from workbench.judging.prompts import STRICT
from workbench.judging.reply import read_reply
from workbench.records.context import NO_CONTEXT, ClaimContext, TableCell
from workbench.records.evaluation import JudgeKey
from workbench.records.reference_sets import Prediction
from workbench.records.text import Excerpt, Span
from workbench.records.verdict import Run
from workbench.services.calibration.measurement import ensure_split
from workbench.services.drift import freeze_anchors
from workbench.services.export import PARTS, ExportSelection, export_dataset
from workbench.services.imports import import_file
from workbench.services.prompt_optimization import _disagreement
from workbench.services.prompts import sample_examples
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.labels.examples import Examples
from workbench.store.store import Store

BATHS = "# Reopenings\n\nThe {} reopened in May after two years, as the mayor had promised."
FIELDS = {
    "context": "- Storms came early.\n\nThe pier was damaged.",
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
TOLD = [
    "Question answered: When did the pier reopen?",
    "Written: 2024-05-01",
    "Under the headings: Harbour ⟩ The pier",
    "Table header: Building | Reopened",
    "Table row: Pier",
    "Text before the claim: - Storms came early.",
    "",
    "The pier was damaged.",
]
SOURCE_TOLD = [
    "Title: City baths",
    "Published by: City news",
    "Author: A. Roe",
    "Date: 2023",
    "Address: https://baths.example/1",
]


def pair(number, **fields):
    return {
        "id": f"p{number}",
        "claim": f"House {number} reopened in May.",
        "source": BATHS.format(f"house {number}"),
        "label": "supported" if number % 2 else "not_supported",
        "group": f"g{number}",
        "url": f"https://baths.example/{number}",
        **fields,
    }


def rows():
    """Every kind of context, an item of each group, and items without any."""
    kinds = [
        FIELDS,
        {"title": "When did it reopen?"},
        {"title": "When did it reopen?", "question": ""},
        {"title": "The pier"},
        {"context": "The pier was damaged."},
        {"source_title": "City baths"},
        {},
    ]
    return [pair(number, **kinds[(number - 1) % len(kinds)]) for number in range(1, 15)]


def imported(folder, rows, name="a"):
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = Store(folder / f"{name}.duckdb")
    import_file(store, "pairs", path)
    return store


@pytest.fixture
def store(tmp_path):
    return imported(tmp_path, rows())


def write(store, name, path):
    return export_dataset(store, name, path, ExportSelection(parts=PARTS))


def lines_of(path):
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def contexts(store):
    examples = Examples(store)
    return {
        example.row.result.citation.claim.text: example.context
        for example in examples.read(examples.keys())
    }


def test_an_imported_item_is_told_with_its_context_at_exact_spans(store):
    contexts_by_claim = contexts(store)
    first = contexts_by_claim["House 1 reopened in May."]
    assert first.of_claim.replace(" > ", " ⟩ ").splitlines() == TOLD
    assert first.of_source.splitlines() == SOURCE_TOLD
    assert contexts_by_claim["House 2 reopened in May."].question == "When did it reopen?"
    assert contexts_by_claim["House 3 reopened in May."].headings == ("When did it reopen?",)
    assert contexts_by_claim["House 7 reopened in May."].of_claim == ""
    for example in Examples(store).read(Examples(store).keys()):
        text = store.get_output(example.row.output_sha256)
        context = example.row.result.citation.claim_context
        assert [text[heading.start : heading.end] for heading in context.headings] == [
            heading.text for heading in context.headings
        ]
        assert (context.before.of(text) if context.before else "") == example.before


@pytest.mark.parametrize(
    ("out", "back"), [("pairs", "pairs"), ("csv", "csv"), ("label-studio", "label-studio")]
)
def test_what_is_written_comes_back_with_the_same_context(out, back, store, tmp_path):
    path = tmp_path / f"out.{out}"
    write(store, out, path)
    other = Store(tmp_path / "b.duckdb")
    imported = import_file(other, back, path)
    assert (imported.imported, imported.skipped) == (14, ())
    assert contexts(other) == contexts(store)
    # into its own database nothing new comes: every item is known
    again = import_file(store, back, path)
    assert (again.imported, again.known) == (0, 14)


def test_rows_hold_the_fields_that_are_known_and_no_others(store, tmp_path):
    write(store, "pairs", tmp_path / "p.jsonl")
    rows_by_id = {row["id"]: row for row in lines_of(tmp_path / "p.jsonl")}
    assert {name: rows_by_id["p1"][name] for name in FIELDS} == FIELDS
    assert set(rows_by_id["p7"]) == {
        "id", "claim", "source", "label", "group", "url", "origin", "licence",
    }  # fmt: skip
    assert set(rows_by_id["p6"]) - set(rows_by_id["p7"]) == {"source_title"}
    assert set(rows_by_id["p4"]) - set(rows_by_id["p7"]) == {"title"}
    write(store, "jsonl", tmp_path / "rows.jsonl")
    row = next(row for row in lines_of(tmp_path / "rows.jsonl") if row["id"] == "p1")
    assert row["claim_context"]["before"]["text"] == FIELDS["context"]
    assert (row["source"]["site"], row["source"]["author"]) == ("City news", "A. Roe")


def test_tables_hold_the_context_in_columns_at_the_end(store, tmp_path):
    write(store, "csv", tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.reader(file))
    assert table[0][-10:] == [
        "licence", "context", "title", "question", "table_header", "table_row", "written",
        "source_site", "source_author", "source_published",
    ]  # fmt: skip
    first = dict(zip(table[0], table[1], strict=True))
    # a text that begins with a dash is no formula
    assert first["context"] == "'" + FIELDS["context"]
    assert first["title"] == "Harbour > The pier"
    write(store, "parquet", tmp_path / "a.parquet")
    frame = pd.read_parquet(tmp_path / "a.parquet").set_index("id")
    assert frame.loc["p1", list(FIELDS)].to_dict() == FIELDS
    assert pd.isna(frame.loc["p7", "title"])


def test_label_studio_shows_the_context_beside_the_claim(store, tmp_path):
    write(store, "label-studio", tmp_path / "t.json")
    card = (tmp_path / "t.json.card.md").read_text("utf-8")
    tasks = json.loads((tmp_path / "t.json").read_text())
    for name in re.findall(r'value="\$(\w+)"', card):
        assert all(isinstance(task["data"][name], str) for task in tasks), name
    assert '<Text name="context" value="$context"/>' in card


def test_the_card_says_how_many_items_have_which_field(store, tmp_path):
    write(store, "pairs", tmp_path / "a.jsonl")
    card = (tmp_path / "a.jsonl.card.md").read_text("utf-8")
    assert "| `context` | the text before the claim | 4 |" in card
    assert "| `source_title` | the source's own title | 4 |" in card
    plain = imported(tmp_path / "plain", [pair(1, url=""), pair(2, url="")])
    write(plain, "pairs", tmp_path / "plain.jsonl")
    assert "## Context" not in (tmp_path / "plain.jsonl.card.md").read_text("utf-8")


def part(prompt, tag):
    """The content of the last such tag of a request."""
    return prompt.rsplit(f"<{tag}>", 1)[1].split(f"</{tag}>")[0].strip()


@pytest.fixture
def server(monkeypatch):
    """A model that takes every claim for supported."""

    def reply(request):
        quote = re.search(
            r"<passage id=\"1\">\n.*?(The house .+?)\n</passage>", request.prompt, re.S
        )
        return Answer(text=verdict("supported", quote[1]))

    with FakeProvider(reply) as fake:
        monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
        monkeypatch.setenv("OPENAI_BASE_URL", fake.url + "/v1")
        yield fake


def messages(request):
    return [(message["role"], message["content"]) for message in request.body["messages"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ["calibrate", "--judge", "openai:gpt-4o-mini"],
        ["compare", "--judge", "openai:gpt-4o-mini", "--against", "local"],
        ["drift", "rejudge", "--judge", "openai:gpt-4o-mini", "--against", "local"],
        ["drift", "run", "all of it", "--judge", "openai:gpt-4o-mini"],
    ],
    ids=["calibrate", "compare", "drift rejudge", "drift run"],
)
def test_a_judge_of_imported_items_is_told_their_context(arguments, store, server, capsys):
    freeze_anchors(store, "all of it", by="Ada", parts=("train", "dev"))
    code = main([*arguments, "--db", str(store.path), "--json"])
    assert code in (0, 1), capsys.readouterr().err
    prompts = {part(request.prompt, "claim"): request.prompt for request in server.requests}
    assert len(prompts) >= 10
    first = prompts["House 1 reopened in May."]
    assert part(first, "context").splitlines() == TOLD
    assert part(first, "source").splitlines() == SOURCE_TOLD
    for claim, context in contexts(store).items():
        if claim in prompts:
            expected = context.of_claim.replace(" > ", " ⟩ ") or "nothing is known"
            assert part(prompts[claim], "context") == expected


def test_fine_tuning_asks_exactly_as_the_judge_is_asked(store, server, tmp_path, capsys):
    main(["calibrate", "--judge", "openai:gpt-4o-mini", "--db", str(store.path), "--json"])
    messages_by_claim = {
        part(request.prompt, "claim"): messages(request) for request in server.requests
    }
    assert len(messages_by_claim) > 5
    write(store, "chat-openai", tmp_path / "o.jsonl")
    write(store, "chat-anthropic", tmp_path / "a.jsonl")
    row_pairs = zip(lines_of(tmp_path / "o.jsonl"), lines_of(tmp_path / "a.jsonl"), strict=True)
    for row, preference in row_pairs:
        system, user, answer = row["messages"]
        claim = part(user["content"], "claim")
        if claim in messages_by_claim:
            assert [("system", system["content"]), ("user", user["content"])] == messages_by_claim[
                claim
            ]
        assert read_reply(answer["content"]).label in ("supported", "not_supported")
        assert (preference["system"], preference["messages"]) == (system["content"], [user, answer])


def test_preference_pairs_name_the_context(store, server, tmp_path, capsys):
    main(["calibrate", "--judge", "openai:gpt-4o-mini", "--db", str(store.path), "--json"])
    write(store, "preference", tmp_path / "a.jsonl")
    rows_by_id = {row["id"]: row for row in lines_of(tmp_path / "a.jsonl")}
    row = rows_by_id["p8"]  # labelled not supported, and the model supports all
    assert {name: row[name] for name in FIELDS} == FIELDS
    assert row["url"] == "https://baths.example/8"
    assert part(row["prompt"], "context").splitlines() == TOLD


def checked_run(store):
    """A run of a claim with a marker inside, under a heading; its source says who it is by."""
    text = "## Harbour\n\nThe pier was damaged. It is 120 m [1] long."
    claim = Span(text.index("It is"), len(text))
    mark = Span(text.index("[1]"), text.index("[1]") + 3)
    claim_context = ClaimContext(
        headings=(Excerpt(span=Span(3, 10), text="Harbour"),),
        before=Span(text.index("The pier"), text.index(" It is")),
        table=TableCell(),
    )
    citation = make.citation(
        1, text=text, id="c1", raw="[1]", span=mark, claim=Excerpt(span=claim, text=claim.of(text)),
        context=claim, claim_context=claim_context,
    )  # fmt: skip
    source = make.source(site="Harbour office", author="B. Lee", published="2001")
    result = make.result(1, citation=citation, source=source)
    run: Run = make.run("r1", [result], text=text)
    store.add_run(run, text, "harbour.md")
    store.finish_run(run)
    store.add_label(make.label("l1", "contradicted", run_id="r1", citation_id="c1"))
    return store


def test_a_checked_claim_goes_out_as_it_was_asked(tmp_path):
    store = checked_run(Store(tmp_path / "r.duckdb"))
    (example,) = Examples(store).read(Examples(store).keys())
    assert example.context.of_claim == (
        "Under the headings: Harbour\nText before the claim: The pier was damaged."
    )
    assert (example.context.source.site, example.context.source.author) == (
        "Harbour office", "B. Lee",
    )  # fmt: skip
    write(store, "chat-anthropic", tmp_path / "a.jsonl")
    (row,) = lines_of(tmp_path / "a.jsonl")
    prompt = row["messages"][0]["content"]
    assert part(prompt, "claim") == "It is 120 m long."  # without the marker, as for judges
    assert "Published by: Harbour office" in part(prompt, "source")
    write(store, "pairs", tmp_path / "p.jsonl")
    (row,) = lines_of(tmp_path / "p.jsonl")
    assert (row["context"], row["title"]) == ("The pier was damaged.", "Harbour")
    assert (row["source_site"], row["source_published"]) == ("Harbour office", "2001")


def test_an_item_of_an_older_run_has_no_context(tmp_path):
    store = Store(tmp_path / "r.duckdb")
    run = make.run("r1", [make.result(1)])
    store.add_run(run, make.TEXT, "old.md")
    store.finish_run(run)
    (example,) = Examples(store).read(Examples(store).keys())
    assert example.before == ""
    assert replace(example.context, source=NO_CONTEXT.source) == NO_CONTEXT


def test_few_shot_examples_carry_context_and_source(store, server, capsys):
    main(["calibrate", "--judge", "openai:gpt-4o-mini", "--db", str(store.path), "--json"])
    split = ensure_split(store, "Ada")
    judge = JudgeKey(specs=("openai:gpt-4o-mini",), prompt=STRICT.id)
    examples = sample_examples(store, split.id, judge=judge, many=50, max_chars=50_000)
    of_items = {part(example.text, "claim"): example.text for example in examples.shots}
    for claim, context in contexts(store).items():
        text = of_items.get(claim)
        if text is None:
            continue  # it is in another part
        for tag, expected in (("context", context.of_claim), ("source", context.of_source)):
            if expected:
                assert part(text, tag) == expected.replace(" > ", " ⟩ ")
            else:
                assert f"<{tag}>" not in text
    assert len(of_items) > 4


def test_a_proposer_sees_the_context_of_a_disagreement(store):
    keys = [(key[0], key[1]) for key in Examples(store).keys()]  # noqa: SIM118
    item = next(
        question
        for question in OfflineJudgmentRepository(store).questions(keys)
        if question.result.citation.id == "c1"
    )
    prediction = Prediction(
        item="r/c1", group="g", human="not_supported", label="supported", score=0.9, error=None,
        rationale="",
    )  # fmt: skip
    disagreement = _disagreement(item, prediction, ())
    request = proposer_question(
        ProposalRequest(round=1, prompt=STRICT, disagreements=(disagreement,))
    )
    assert "Its context: Question answered: When did the pier reopen?" in request.message
    assert "Its source: Title: City baths Published by: City news" in request.message
    assert any("The pier was damaged." in text for text in disagreement.texts)
