"""Statements × sources of a run: who says what, contradictions, what rests on what, what is asked."""

import csv
import json
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from workbench import draw, source_matrix
from workbench.errors import NotFoundError, UsageError
from workbench.interfaces.cli import main
from workbench.judging.matrix import build_matrix
from workbench.pipeline.options import VerifyOptions
from workbench.presentation.matrix import (
    FILTERS,
    contradiction_table,
    contradictions_text,
    in_columns,
    load_lines,
    matrix_html,
    matrix_table,
    matrix_text,
    sign_of,
    source_table,
)
from workbench.presentation.run_report import annotated_html
from workbench.records.matrix import CellJudgment, Matrix
from workbench.records.text import Span
from workbench.records.verdict import Evidence, Judgment
from workbench.services.handoff import export_handoff, import_handoff, matrix_questions
from workbench.services.matrix import (
    estimate_matrix,
    fill_matrix,
    matrix_columns,
    matrix_csv,
    matrix_source,
    open_cells,
    run_matrix,
)
from workbench.services.verification import verify_and_store
from workbench.store.evaluation.offline_judgments import MatrixCells
from workbench.store.store import Store

TEXT = """\
# Ferries of the Boats line

The ferry was built in Turku in 1988 [1]. The lighthouse has a green lamp [2].

The ferry carries 80 cars and 300 people. It was built in Turku in 1991.

[1] https://boats.example/ferry
[2] https://lamp.example/green
[3] https://gone.example/x
"""
FERRY = "The ferry was built in Turku in 1988. It carries 80 cars and 300 people."
LAMP = "The lighthouse shows a green lamp at night. The ferry was built in Turku in 1991."
SOURCES = [
    {"url": "https://boats.example/ferry", "content": FERRY},
    {"url": "https://lamp.example/green", "content": LAMP},
]
BUILT, GREEN, CARS, LATER = 1, 2, 3, 4
"""The statements by their numbers."""


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "w.duckdb")


def start(store, judge="handoff:chat", text=TEXT, sources=SOURCES):
    options = VerifyOptions.from_keywords(judge=judge, sources=sources)
    return verify_and_store(store, text, "boats", options)


@pytest.fixture
def run(store):
    return start(store)


def said(store, run, statement, source, label, quote="", *, sure=True, judge="local"):
    """Keep what a judge says about a statement and a source."""
    matrix = run_matrix(store, run.id)
    place = matrix.statements[statement - 1].span
    text = matrix_source(store, matrix, source)
    at = text.index(quote)
    evidence = (Evidence(quote=quote, span=Span(at, at + len(quote))),) if quote else ()
    judgment = Judgment(
        label=label, confidence=0.9, score=0.9, rationale="As it says.", sure=sure, judge=judge,
        evidence=evidence,
    )  # fmt: skip
    cell = CellJudgment(
        run_id=run.id, start_at=place.start, end_at=place.end, judge=judge, judgment=judgment,
        source_sha256=matrix.sources[source].sha256, created_at=datetime.now(UTC),
    )  # fmt: skip
    MatrixCells(store).add([cell])
    return run_matrix(store, run.id)


def answered(store, run, answers):
    """Carry the questions of the matrix to a chat that answers by claim and address."""
    verdicts = []
    for asked in matrix_questions(store, run, "handoff:chat"):
        key = asked.claim.split()[1], asked.item.source.url
        label, quotes = answers.get(key, ("not_supported", []))
        verdicts.append(
            {"key": asked.question.key, "reasoning": "", "quotes": quotes, "missing": [],
             "label": label, "confidence": 0.9, "rationale": "As it says."}
        )  # fmt: skip
    return import_handoff(store, run.id, json.dumps({"judgments": verdicts}))


def test_statements_are_what_the_text_asserts_and_know_what_they_cite(store, run):
    matrix = run_matrix(store, run.id)
    assert [statement.text for statement in matrix.statements] == [
        "The ferry was built in Turku in 1988 [1].",
        "The lighthouse has a green lamp [2].",
        "The ferry carries 80 cars and 300 people.",
        "It was built in Turku in 1991.",
    ]
    assert [statement.cites for statement in matrix.statements] == [(1,), (2,), (), ()]
    assert all(statement.span.of(TEXT) == statement.text for statement in matrix.statements)
    assert [source.mark for source in matrix.sources] == ["Report", "[1]", "[2]"]
    assert len(matrix.cells) == 12 and matrix.load.open == 12
    assert matrix.cell(GREEN, 2).cited and not matrix.cell(GREEN, 1).cited


def test_a_contradiction_between_sources_has_both_quotes_in_their_places(store, run):
    said(store, run, BUILT, 1, "supported", "The ferry was built in Turku in 1988.")
    quote = "The ferry was built in Turku in 1991."
    matrix = said(store, run, BUILT, 2, "contradicted", quote)
    (found,) = matrix.contradictions
    assert (found.kind, found.statement) == ("sources", BUILT)
    assert [side.source for side in found.sides] == [1, 2]
    for side, text in zip(found.sides, (FERRY, LAMP), strict=True):
        assert side.span.of(text) == side.quote
    assert "1 contradiction between sources" in contradictions_text(matrix)


def test_two_statements_that_contradict_each_other_are_listed_once(store, run):
    said(store, run, BUILT, 0, "contradicted", "It was built in Turku in 1991.")
    matrix = said(store, run, LATER, 0, "contradicted", "The ferry was built in Turku in 1988")
    (found,) = matrix.contradictions
    assert found.kind == "statements"
    assert [side.span.of(TEXT) for side in found.sides] == [
        "The ferry was built in Turku in 1988 [1].",
        "It was built in Turku in 1991.",
    ]


@pytest.mark.parametrize("label", ["partially_supported", "not_supported"])
def test_what_is_only_partly_said_makes_no_contradiction(store, run, label):
    quote = "" if label == "not_supported" else "The ferry was built in Turku in 1988."
    said(store, run, BUILT, 1, label, quote)
    matrix = said(store, run, BUILT, 2, "contradicted", "The ferry was built in Turku in 1991.")
    assert matrix.contradictions == ()
    assert "No contradiction was found among the pairs that were judged" in contradictions_text(
        matrix
    )


@pytest.mark.parametrize(("pro", "con"), [(False, True), (True, False), (False, False)])
def test_what_a_judge_is_unsure_of_may_contradict_and_counts_as_not_found(store, run, pro, con):
    said(store, run, BUILT, 1, "supported", "The ferry was built in Turku in 1988.", sure=pro)
    quote = "The ferry was built in Turku in 1991."
    matrix = said(store, run, BUILT, 2, "contradicted", quote, sure=con)
    (pair,) = matrix.contradictions
    assert not pair.found
    assert sign_of(matrix.cell(BUILT, 2)).word == ("Contradicted" if con else "Unsure")
    words = contradictions_text(matrix)
    assert words.startswith("No contradiction was found") and "1 pair of sources may" in words
    assert ": may contradict, look" in contradiction_table(matrix).lines[0][0]
    assert "May be a contradiction about statement 1" in matrix_text(matrix)
    assert "1?" in "".join(matrix_csv(matrix))


def test_unsure_pairs_are_left_out_where_the_statement_cites_neither(store, run):
    said(store, run, LATER, 1, "contradicted", "The ferry was built in Turku in 1988.", sure=False)
    matrix = said(store, run, LATER, 2, "supported", "The ferry was built in Turku in 1991.")
    assert matrix.contradictions == ()
    quote = "The ferry was built in Turku in 1988"
    assert said(store, run, LATER, 0, "contradicted", quote, sure=False).contradictions == ()


def test_peoples_decisions_count_before_every_judge(store, run):
    said(store, run, GREEN, 2, "supported", "The lighthouse shows a green lamp")
    (citation,) = [r.citation for r in run.citations if r.citation.raw == "[2]"]
    store.label(run.id, citation.id, "contradicted", author="Ada", note="It is red.")
    cell = run_matrix(store, run.id).cell(GREEN, 2)
    assert (cell.label, cell.basis, cell.by) == ("contradicted", "person", "Ada")
    store.label(run.id, citation.id, "cannot_tell", author="Ada")
    assert run_matrix(store, run.id).cell(GREEN, 2).basis == "judge"


def test_a_runs_sure_verdict_fills_its_cell_and_an_unsure_one_is_asked_again(store):
    run = start(store, "local")
    (citation,) = [r for r in run.citations if r.citation.raw == "[1]"]
    assert citation.judgment.sure and citation.verdict == "supported"
    matrix = run_matrix(store, run.id)
    cell = matrix.cell(BUILT, 1)
    assert (cell.label, cell.basis, cell.citation) == ("supported", "run", citation.citation.id)
    assert cell not in open_cells(matrix, "another")
    unsure = replace(citation, judgment=replace(citation.judgment, sure=False))
    known = replace(store.get_run(run.id), citations=(unsure, *run.citations[1:]))
    again = build_matrix(known, {}, [])
    assert again.cell(BUILT, 1) in open_cells(again, "another")
    assert again.cell(BUILT, 1) not in open_cells(again, "local")


def test_a_statement_is_no_evidence_for_itself(store, run):
    matrix = said(store, run, BUILT, 0, "supported", "The ferry was built in Turku in 1988")
    cell = matrix.cell(BUILT, 0)
    assert (cell.label, cell.evidence) == ("not_supported", ())


def test_what_rests_on_what_is_counted(store, run):
    said(store, run, BUILT, 1, "supported", "The ferry was built in Turku in 1988.")
    said(store, run, CARS, 1, "supported", "It carries 80 cars and 300 people.")
    matrix = said(store, run, CARS, 2, "supported", "The ferry")
    load = matrix.load
    assert (load.statements, load.supported, load.on_one_source) == (4, 2, 1)
    assert [(s.supports, s.alone) for s in matrix.sources] == [(0, 0), (2, 1), (1, 0)]
    # the title names Boats, as the host of the first source does
    assert [source.own_page for source in matrix.sources] == ["", "Boats", ""]
    assert load.on_own_pages == 1
    assert [FILTERS["On one source"](matrix.row(n)) for n in (1, 2, 3, 4)] == [True, *[False] * 3]
    assert (
        "2 of 4 statements are supported by a source. 1 rests on one source"
        in load_lines(matrix)[0]
    )
    assert [row[0] for row in source_table(matrix).lines][0].startswith("[1] https://boats.example")


@pytest.mark.parametrize(
    ("host", "text", "name"),
    [
        ("docs.acme-labs.co.uk", "What Acme Labs offers", "Acme Labs"),
        ("acmeinc.com", "Is Acme worth it?", "Acme"),
        ("acme.com", "the acme of the art", ""),
        ("berlin.de", "Cycling in Bern", ""),
        ("abc.org", "ABC of knots", ""),
        ("", "Acme", ""),
    ],
)
def test_an_own_page_is_one_whose_host_is_written_like_a_name(host, text, name):
    from workbench.judging.matrix import _Names

    assert _Names(text).shared(host) == name


def test_a_chat_answers_the_matrix_by_the_same_questions(store, run):
    exported = export_handoff(store, run.id, name="chat", matrix=True)
    # the lamp's page has no word of two statements, and the ferry's none of the lamp
    open_pairs = len(open_cells(run_matrix(store, run.id), "handoff:chat"))
    assert 0 < exported.questions < open_pairs == 12
    taken = answered(
        store,
        run,
        {
            ("ferry", "https://boats.example/ferry"): ("supported", [FERRY[:37]]),
            ("ferry", "https://lamp.example/green"): ("contradicted", [LAMP[44:]]),
        },
    )
    assert taken.taken == exported.questions and not taken.refused
    matrix = run_matrix(store, run.id)
    # two statements about the ferry, one and the same contradiction
    assert [found.kind for found in matrix.contradictions] == ["sources"]
    assert matrix.load.open == 0
    assert matrix.cell(BUILT, 1).by == "handoff:chat"
    with pytest.raises(UsageError, match="Nothing is open"):
        export_handoff(store, run.id, name="chat", matrix=True)


def test_answers_on_citations_still_come_back_where_the_matrix_has_questions_too(store, run):
    before = export_handoff(store, run.id).questions
    answered(store, run, {})
    assert export_handoff(store, run.id).questions == before == 2


def test_a_judge_is_asked_in_steps_within_a_number_of_questions(store, run):
    guess = estimate_matrix(store, run.id, "local")
    first = fill_matrix(store, run.id, "local", max_calls=2)
    assert (first.judged, first.unjudged) == (2, guess.items - 2)
    assert "limit of 2 questions" in first.stop_reason
    told = []
    second = fill_matrix(store, run.id, "local", on_progress=lambda done, cost: told.append(done))
    assert (second.judged, second.unjudged) == (guess.items - 2, 0) and told[-1] == second.judged
    matrix = run_matrix(store, run.id)
    assert matrix.load.open == 0
    words = [cell for cell in matrix.cells if cell.basis == "words"]
    assert len(words) == 12 - guess.items and {cell.label for cell in words} == {"not_supported"}
    assert fill_matrix(store, run.id, "local").judged == 0
    for found in matrix.contradictions:
        for side in found.sides:
            assert side.span.of(matrix_source(store, matrix, side.source)) == side.quote
    assert {found.kind for found in matrix.contradictions if found.found} == {
        "sources",
        "statements",
    }


def test_every_source_is_read_once_however_many_statements_there_are(store, monkeypatch):
    text = TEXT.replace("\n\n[1]", " The ferry was built in Turku in 1988." * 60 + "\n\n[1]", 1)
    run, read = start(store, text=text), []
    get = Store.get_source
    monkeypatch.setattr(Store, "get_source", lambda *asked: read.append(asked[2]) or get(*asked))
    columns = list(matrix_columns(store, run_matrix(store, run.id), "local"))
    assert len(run_matrix(store, run.id).statements) == 64 and len(read) == 2
    # the report comes last: its questions are the most laborious
    assert [column.sha256 for column in columns][-1] == run.output_sha256
    for request in columns[-1].requests(columns[-1].asked[:2]):
        span = request.result.citation.span
        assert not span.of(request.source.text).strip() and len(request.source.text) == len(text)


def test_asking_that_was_cancelled_keeps_what_came(store, run):
    stop = threading.Event()
    stop.set()
    result = fill_matrix(store, run.id, "local", cancel=stop)
    assert result.judged == 0 and result.unjudged > 0
    assert run_matrix(store, run.id).load.open > 0


def test_who_cannot_be_asked_here_is_refused_with_what_to_do(store, run):
    with pytest.raises(UsageError, match="handoff export RUN --matrix"):
        fill_matrix(store, run.id, "handoff:chat")
    with pytest.raises(NotFoundError):
        source_matrix(store, "none")


def test_bad_input_has_its_own_words(store):
    none = start(store, text="The ferry was built in Turku in 1988 [1].", sources=[])
    matrix = run_matrix(store, none.id)
    assert len(matrix.sources) == 1 and "no source" in load_lines(matrix)[0]
    assert fill_matrix(store, none.id, "local").judged == 1  # against the rest of the text: none
    heading = run_matrix(store, start(store, text="# Ferries\n\n## Lamps").id)
    assert heading.statements == () and "no sentence that asserts" in load_lines(heading)[0]
    assert matrix_text(heading) == load_lines(heading)[0]
    gone = start(store, text=f"{TEXT}\nA lamp was lit in Oslo in 1901 [3].")
    sources = run_matrix(store, gone.id).sources
    assert [bool(source.why_unread) for source in sources] == [False, False, False, True]
    cells = [cell for cell in run_matrix(store, gone.id).cells if cell.source == 3]
    assert {cell.label for cell in cells} == {"unverifiable"}


def test_files_hold_no_formula_and_no_markup(store):
    text = TEXT.replace("The lighthouse has", "=SUM(A1) <b>lighthouse</b> has")
    run = start(store, text=text)
    matrix = run_matrix(store, run.id)
    rows = list(csv.DictReader("".join(matrix_csv(matrix)).splitlines()))
    assert len(rows) == len(matrix.cells)
    assert all(not row["text"].startswith("=") for row in rows)
    page = matrix_html(matrix, "<i>x</i>")
    assert "<b>lighthouse" not in page and "<i>x" not in page and "&lt;b&gt;" in page
    assert "Statements and sources" in annotated_html(run, text, matrix=matrix)
    assert 'class="matrix"' not in annotated_html(run, text)


def test_the_same_words_stand_in_terminal_notebook_and_table(store, run):
    matrix = said(store, run, BUILT, 1, "supported", "The ferry was built in Turku in 1988.")
    assert [column.word for column in matrix_table(matrix).columns] == [
        "Statement", "[1]", "[2]", "Report",
    ]  # fmt: skip
    assert matrix_table(matrix).lines[0][1:] == ("[●]", "·", "·")
    assert "[●]   ·      ·  1. The ferry was built" in matrix_text(matrix)
    drawn = draw(matrix)
    assert "[●]" in drawn.html and "[1]" in drawn.markdown.replace("\\", "")
    assert Matrix.from_dict(json.loads(json.dumps(matrix.to_dict()))) == matrix
    assert [source.mark for source in in_columns(matrix)] == ["[1]", "[2]", "Report"]


def test_an_erased_output_takes_its_matrix_along(store, run):
    from workbench.store.admin.erasure import Erasures

    said(store, run, BUILT, 1, "supported", "The ferry was built in Turku in 1988.")
    assert store.row_counts()["matrix_cells"] == 1
    Erasures(store).erase(Erasures(store).output_of(run.id), "Ada", "mistake")
    assert store.row_counts()["matrix_cells"] == 0


def test_the_command_shows_asks_and_writes(capsys, tmp_path, store, run):
    db, out = ["--db", str(store.path)], tmp_path / "m.csv"
    assert main(["matrix", run.id, *db]) == 1
    assert "Nobody was asked yet about" in capsys.readouterr().out
    assert main(["matrix", run.id, *db, "--estimate", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cost_usd"] == 0
    assert main(["matrix", run.id, *db, "--judge", "local", "--out", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["load"]["open"] == 0
    assert out.read_text("utf-8-sig").startswith("statement,start,end")
    assert main(["matrix", run.id, *db, "--out", str(tmp_path / "m.xls")]) == 2
    assert "ends in none of" in capsys.readouterr().err
