"""Reading files of labelled items: what comes in, what is left out and why."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.datasets.entries import ImportEntry, Skipped
from workbench.datasets.read import guess_format, read_entries
from workbench.datasets.read_csv import sniff_csv
from workbench.errors import UnreadableInput, UsageError

DATA = Path(__file__).parents[3] / "shared" / "data"
LONG = (
    "The bridge was opened to the public in the spring of 1931 after four years of building work."
)


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def pair(**fields):
    return {
        "id": "p1",
        "claim": "It opened in 1931.",
        "source": LONG,
        "label": "supported",
    } | fields


def read(format_name, path, **options):
    results = list(read_entries(format_name, path, **options))
    return (
        [result for result in results if isinstance(result, ImportEntry)],
        [(result.line, result.reason) for result in results if isinstance(result, Skipped)],
    )


def test_pairs_with_everything_a_line_may_hold(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        pair(group=7, origin="Bridges", licence="CC0", url="https://bridge.example"),
        pair(id="p2", labels=[
            {"annotator": "Ada", "label": "supported", "note": "second sentence"},
            {"annotator": "Bob", "label": "contradicted", "role": "adjudication"},
        ]),
    )  # fmt: skip
    (entry, two), skipped = read("pairs", path)
    assert skipped == []
    assert (entry.group, entry.origin, entry.licence) == ("7", "Bridges", "CC0")
    assert [(o.annotator, o.label) for o in entry.opinions] == [("", "supported")]
    assert [(o.annotator, o.label, o.role) for o in two.opinions] == [
        ("Ada", "supported", "review"),
        ("Bob", "contradicted", "adjudication"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "it is not JSON (Expecting property name enclosed in double quotes)"),
        ("[1]", "it is not a JSON object"),
        ("[" * 100_000, "its JSON is nested too deep"),
        (json.dumps(pair(label="maybe")), "its label is 'maybe', none of supported,"),
        (json.dumps(pair(label=None)), "it has no label"),
        (json.dumps(pair(label=1)), "its label is '1', none of"),
        (json.dumps({"id": 1}), "it has no claim"),
        (json.dumps(pair(source=3)), "its source is not text"),
        (json.dumps(pair(claim=" \n")), "the claim is empty"),
        (json.dumps(pair(claim="a" * 20_001)), "the claim has 20,001 characters, more than 20,000"),
        (json.dumps(pair(labels=[3])), "one of its labels is not an object"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_with_its_number_and_the_rest_goes_in(line, reason, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(f"{json.dumps(pair())}\n\n{line}\n{json.dumps(pair(id='p2'))}\n")
    entries, skipped = read("pairs", path)
    assert [entry.id for entry in entries] == ["p1", "p2"]
    ((number, message),) = skipped
    assert number == 3
    assert message.startswith(reason)


def test_bytes_that_are_no_text_cost_their_line_only(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        json.dumps(pair()).encode() + b"\n"
        + json.dumps(pair(claim="caf\u00e9"), ensure_ascii=False).encode("latin-1") + b"\n"
        + json.dumps(pair(id="p3"), ensure_ascii=False).encode()
    )  # fmt: skip
    entries, skipped = read("pairs", path)
    assert [entry.id for entry in entries] == ["p1", "p3"]
    assert skipped == [(2, "byte 27 of it is not UTF-8 text")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_marked_encodings_and_gzip_are_read(encoding, tmp_path):
    text = json.dumps(pair(claim="Es öffnete 1931 – 桥"), ensure_ascii=False) + "\n"
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(mark + text.encode(encoding)))
    (entry,), skipped = read("pairs", path)
    assert (entry.claim, skipped) == ("Es öffnete 1931 – 桥", [])


def test_long_lines_and_lone_surrogates_come_in(tmp_path):
    source = "word " * 1_000_000 + "\ud800 end"
    (entry,), skipped = read("pairs", lines(tmp_path / "a.jsonl", pair(source=source)))
    assert entry.source == source
    assert skipped == []
    assert len(entry.key) == 32


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "a.jsonl is empty: there is nothing to import."),
        (b"\n \n", "a.jsonl contains only blank lines."),
        (b"PK\x03\x04rest", "a.jsonl is not a text file; use JSON lines, JSON or CSV"),
        (b"\x00\x01\x02", "a.jsonl is not a text file"),
        (gzip.compress(json.dumps(pair()).encode() * 99)[:-20], "a.jsonl is a damaged gzip file"),
        (gzip.compress(b""), "a.jsonl is empty"),
    ],
    ids=["empty", "blank", "zip", "binary", "cut gzip", "empty gzip"],
)
def test_a_file_that_cannot_be_used_gets_one_sentence(data, message, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(data)
    with pytest.raises(UnreadableInput) as caught:
        list(read_entries("pairs", tmp_path / "a.jsonl"))
    assert str(caught.value).startswith(message)


def test_a_missing_file_an_unknown_format_and_a_needless_mapping_are_refused(tmp_path):
    with pytest.raises(UnreadableInput, match="cannot be read: No such file"):
        list(read_entries("pairs", tmp_path / "none"))
    with pytest.raises(UsageError, match="There is no import format 'xml'; choose one of pairs"):
        read_entries("xml", tmp_path / "none")
    with pytest.raises(UsageError, match="has no columns to map"):
        read_entries("wice", tmp_path / "none", columns={"claim": "a"})
    with pytest.raises(UsageError, match="'1' cannot be mapped to 'yes'"):
        read_entries("pairs", tmp_path / "none", labels={"1": "yes"})


@given(st.binary(max_size=300))
def test_no_bytes_break_a_reader(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "a.csv"
    path.write_bytes(data)
    for name in ("pairs", "expertqa", "wice", "label-studio", "csv"):
        try:
            results = list(read_entries(name, path))
        except UsageError as error:
            assert str(error).endswith(".")
        else:
            assert all(isinstance(result, ImportEntry | Skipped) for result in results)


EXPERTQA = {
    "question": "How  long is the bridge?",
    "annotator_id": "e1",
    "metadata": {"field": "Engineering", "question_type": "Fact"},
    "answers": {
        "sys_a": {
            "annotator_id": "e2",
            "claims": [
                {"support": "Complete", "evidence": [LONG, "120 m"],
                 "claim_string": "It is 120 m long."},
                {"claim_string": "It is wide.", "evidence": [LONG], "support": "Partial"},
                {"claim_string": "It is red.", "evidence": [LONG], "support": "Incomplete"},
                {"claim_string": "It is old.", "evidence": [], "support": "Missing"},
                {"claim_string": "It is new.", "evidence": ["short"], "support": "Complete"},
                {"claim_string": "It is.", "evidence": [LONG], "support": None},
                "no claim",
            ],
        }
    },
}  # fmt: skip


def test_expertqa_gives_each_judged_claim_with_its_evidence(tmp_path):
    entries, skipped = read("expertqa", lines(tmp_path / "e.jsonl", EXPERTQA, {"question": "?"}))
    assert [(entry.claim, entry.opinions[0].label) for entry in entries] == [
        ("It is 120 m long.", "supported"),
        ("It is wide.", "partially_supported"),
        ("It is red.", "not_supported"),
    ]
    first = entries[0]
    assert first.source == f"{LONG}\n\n120 m"
    assert first.group == "expertqa:How long is the bridge?"
    assert first.opinions[0].annotator == "ExpertQA e2"
    assert dict(first.slices)["domain"] == "Engineering"
    assert skipped == [
        (1, "4 of 7 claims were left out: 1 with fewer than 15 words of evidence, 1 without a "
            "claim, 2 without a judgement of support"),
        (2, "it has no answers"),
    ]  # fmt: skip


def test_expertqa_reads_incomplete_as_somebody_says(tmp_path):
    path = lines(tmp_path / "e.jsonl", EXPERTQA)
    entries, _ = read("expertqa", path, labels={"Incomplete": "partially_supported"})
    assert entries[2].opinions[0].label == "partially_supported"


def wice(**fields):
    return {
        "label": "partially_supported",
        "claim": "It opened in 1931 and is red.",
        "evidence": ["About the bridge", "It opened in 1931.", "", "It is long."],
        "supporting_sentences": [[1], [1, 3]],
        "meta": {"id": "w1", "claim_title": "Bridge", "claim_section": "History."},
    } | fields


def test_wice_marks_the_supporting_sentences(tmp_path):
    path = lines(tmp_path / "w.jsonl", wice(), wice(evidence="none"), wice(label="not_supported"))
    (entry, other), skipped = read("wice", path)
    assert entry.source == "About the bridge\nIt opened in 1931.\n\nIt is long."
    (opinion,) = entry.opinions
    assert [span.of(entry.source) for span in opinion.evidence] == [
        "It opened in 1931.",
        "It is long.",
    ]
    assert (entry.group, entry.context.headings) == ("wice:Bridge", ("Bridge", "History"))
    assert other.opinions[0].label == "not_supported"
    assert skipped == [(2, "its evidence is not a list of sentences")]


def test_chunks_of_one_article_are_one_item(tmp_path):
    def chunk(evidence, numbers, name="w1"):
        facts = {"id": name, "claim_title": "Bridge", "chunk_idx": numbers, "oracle_idx": [5]}
        return wice(evidence=evidence, meta=facts, supporting_sentences=None)

    path = lines(
        tmp_path / "w.jsonl",
        chunk(["two", "five"], [2, 5]),
        chunk(["five", "nine"], [5, 9]),
        chunk(["else"], [1], name="w2"),
    )
    (first, second), skipped = read("wice", path)
    assert first.source == "two\nfive\nnine"
    assert [span.of(first.source) for span in first.opinions[0].evidence] == ["five"]
    assert (second.id, second.line, skipped) == ("w2", 3, [])


def task(*annotations, **data):
    values = {"id": "t1", "claim": "It opened in 1931.", "source": "🌉 " + LONG}
    return {"id": 1, "data": values | data, "annotations": list(annotations)}


def choice(name, **fields):
    region = {"from_name": "v", "to_name": "claim", "type": "choices", "value": {"choices": [name]}}
    return {"result": [region], "completed_by": {"email": "ada@bridge.example"}} | fields


def test_label_studio_keeps_each_annotator_and_the_evidence(tmp_path):
    marked = choice("Supported")
    # Label Studio's own offsets count UTF-16 units: the bridge before the text takes two
    value = {"start": 31, "end": 37, "text": "public", "labels": ["evidence"]}
    marked["result"].append({"type": "labels", "to_name": "source", "value": value})
    path = tmp_path / "l.json"
    path.write_text(json.dumps([
        task(marked, choice("contradicted", completed_by=4, created_at="2026-01-02T03:04:05Z"),
             choice("supported", was_cancelled=True)),
        task(choice("maybe"), id="t2"),
        task({"result": []}, id="t3"),
        task(id="t4"),
        {"data": {"text": "x"}},
        7,
    ], indent=1))  # fmt: skip
    (entry, unlabelled), skipped = read("label-studio", path)
    ada, four = entry.opinions
    assert (ada.annotator, ada.label) == ("ada@bridge.example", "supported")
    assert [span.of(entry.source) for span in ada.evidence] == ["public"]
    assert (four.annotator, four.label) == ("Label Studio user 4", "contradicted")
    assert four.created_at.isoformat() == "2026-01-02T03:04:05+00:00"
    assert (unlabelled.id, unlabelled.opinions) == ("t4", ())
    assert [number for number, _ in skipped] == [2, 3, 5, 6]
    assert "choose the key that contains the claim" in skipped[2][1]


def test_label_studio_keeps_good_annotations_beside_bad_ones(tmp_path):
    double = choice("supported", completed_by=6)
    double["result"][0]["value"]["choices"].append("contradicted")
    path = lines(
        tmp_path / "l.jsonl",
        task({"result": [], "completed_by": 5}, choice("supported"), double, choice("perhaps")),
        task({"result": [], "completed_by": 5}, id="t2"),
    )
    (entry,), skipped = read("label-studio", path)
    assert [(o.annotator, o.label) for o in entry.opinions] == [("ada@bridge.example", "supported")]
    assert [number for number, _ in skipped] == [1, 1, 1, 2]
    told = " | ".join(reason for _, reason in skipped)
    assert "Label Studio user 5 has no choice" in told
    assert "Label Studio user 6 has 2 choices" in told
    assert "'perhaps'" in told


def result(name, kind, to_name="claim", **value):
    return {"from_name": name, "to_name": to_name, "type": kind, "value": value}


@pytest.mark.parametrize("first", [True, False])
def test_label_studio_reads_the_control_that_carries_the_label(first, tmp_path):
    def labelled(label, clarity):
        own = [
            result("stance", "choices", choices=[label]),
            result("difficulty", "choices", choices=[clarity]),
            result("effort", "rating", rating=4),
            result("topic", "taxonomy", taxonomy=[["roads", "bridges"]]),
            result("names", "labels", "source", start=2, end=6, text="The ", labels=["ORG"]),
            result("evidence", "labels", "source", start=6, end=12, text="bridge", labels=["e"]),
            result("part", "choices", start=0, end=3, choices=["contradicted"]),
        ]
        return {"result": own if first else own[::-1], "completed_by": 1}

    path = lines(
        tmp_path / "l.jsonl",
        task(labelled("supported", "easy")),
        task(labelled("refutes", "unclear"), id="t2"),
        task({"result": [result("difficulty", "choices", choices=["unclear"])]}, id="t3"),
    )
    entries, skipped = read("label-studio", path)
    assert [entry.opinions[0].label for entry in entries] == ["supported", "contradicted"]
    assert [[s.of(e.source) for s in e.opinions[0].evidence] for e in entries] == [["bridge"]] * 2
    assert [reason for _, reason in skipped] == [
        "the annotation of an unnamed annotator has no choice for stance"
    ]
    chosen, _ = read(
        "label-studio", path, columns={"label": "difficulty"}, labels={"easy": "supported"}
    )
    assert [entry.opinions[0].label for entry in chosen] == [
        "supported",
        "cannot_tell",
        "cannot_tell",
    ]


def test_label_studio_keys_can_be_named_and_lists_may_be_cut_off(tmp_path):
    path = tmp_path / "l.json"
    other = {"data": {"statement one": "It is long.", "doc": LONG}, "annotations": [choice("1")]}
    path.write_text(json.dumps([other]))
    (entry,), _ = read(
        "label-studio", path, columns={"claim": "statement one", "source": "doc"},
        labels={"1": "supported"},
    )  # fmt: skip
    assert entry.claim == "It is long."
    path.write_text(json.dumps([other, other])[:-30])
    with pytest.raises(UnreadableInput, match="breaks off at entry 2"):
        list(read_entries("label-studio", path))


@pytest.mark.parametrize(
    ("encoding", "delimiter"),
    [("utf-8", ","), ("utf-8-sig", ";"), ("utf-16", "\t"), ("cp1252", "|"), ("utf-8", "\t")],
)
def test_csv_finds_out_how_it_is_written(encoding, delimiter, tmp_path):
    path = tmp_path / "a.csv"
    rows = [["Claim", "Evidence", "Gold label", "Reviewer"],
            ["Die Brücke öffnete 1931, im Frühling.", f'{LONG} "größer"\nzweite Zeile', "SUPPORTS", "Zoë"]]  # fmt: skip
    quoted = "\r\n".join(
        delimiter.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows
    )
    path.write_bytes(quoted.encode(encoding))
    (entry,), skipped = read("csv", path)
    assert skipped == []
    assert entry.claim == rows[1][0]
    assert entry.source == rows[1][1]
    assert [(opinion.annotator, opinion.label) for opinion in entry.opinions] == [
        ("Zoë", "supported")
    ]


def test_csv_maps_columns_and_counts_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        'nr,what,where,says\n1,"It is\nlong",The bridge is long.,1\n'
        "2,,The bridge is long.,1\n3,It is red,The bridge is long.,\n4,a,b,1,5\n"
    )
    assert sniff_csv(path).mapping == {}
    with pytest.raises(UsageError, match="No column of a.csv contains the claim: choose it with"):
        list(read_entries("csv", path))
    with pytest.raises(UsageError, match="has no column 'wat'; it has nr, what, where, says"):
        list(read_entries("csv", path, columns={"claim": "wat"}))
    with pytest.raises(UsageError, match="'colour' cannot be mapped"):
        list(read_entries("csv", path, columns={"colour": "what"}))
    entries, skipped = read(
        "csv", path, labels={"1": "supported"},
        columns={"id": "nr", "claim": "what", "source": "where", "label": "says"},
    )  # fmt: skip
    assert [(entry.id, entry.line, len(entry.opinions)) for entry in entries] == [
        ("1", 2, 1),
        ("3", 5, 0),
    ]
    assert skipped == [
        (4, "the claim is empty"),
        (6, "it has 5 cells, and the header has 4"),
    ]


def test_a_csv_of_one_column_is_none(tmp_path):
    (tmp_path / "a.csv").write_text("just words\nmore words\n")
    with pytest.raises(UnreadableInput, match="has one column"):
        sniff_csv(tmp_path / "a.csv")


def test_the_format_is_guessed_by_the_first_entry(tmp_path):
    for name, row in (
        ("pairs", pair()), ("expertqa", EXPERTQA), ("wice", wice()), ("label-studio", task()),
        (None, {"other": 1}),
    ):  # fmt: skip
        assert guess_format(lines(tmp_path / "a.jsonl", row)) == name
    (tmp_path / "a.csv").write_text("claim,source\na,b\n")
    assert guess_format(tmp_path / "a.csv") == "csv"
    (tmp_path / "a.md").write_text("# claim\n")
    assert guess_format(tmp_path / "a.md") is None


@pytest.mark.parametrize(
    ("name", "file", "items"),
    [
        ("wice", "wice/articles_dev.jsonl", 349),
        ("wice", "wice/oracle_chunks_dev.jsonl", 349),
        ("expertqa", "expertqa/rand_val.jsonl", 741),
        ("pairs", "pairs/bump.jsonl", 1374),
    ],
)
def test_public_data_comes_in_whole(name, file, items):
    path = DATA / file
    if not path.exists():
        pytest.skip(f"the public data file {file} is not here")
    assert guess_format(path) == name
    entries, skipped = read(name, path)
    assert len(entries) == items
    assert len({entry.key for entry in entries}) == items
    assert all("left out" in reason for _, reason in skipped)
