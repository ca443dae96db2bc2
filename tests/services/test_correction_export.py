"""What was taken goes out: preference pairs, and the corrected text with its list of changes."""

import json
from datetime import UTC, datetime

import pytest

from tests.fakes.proposals import CLAIM, CORRECTED, TEXT, add_proposing_run
from workbench.citations import document_of, extract
from workbench.datasets.corrections import DecidedCorrection, corrected_output
from workbench.errors import UsageError
from workbench.interfaces.cli.main import main
from workbench.records.corrections import CorrectionDecision
from workbench.records.review import LabelDecision
from workbench.records.text import Span
from workbench.services.export import ExportSelection, export_dataset, plan_export, preview
from workbench.store.labels.repository import LabelRepository
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
from workbench.store.store import Store

EDITED = "The bridge opened in May 1912 [1]."


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    add_proposing_run(store)
    return store


def pairs(store, tmp_path):
    written = export_dataset(store, "correction-pairs", tmp_path / "pairs.jsonl", ExportSelection())
    lines = [json.loads(line) for line in written.path.read_text().splitlines()]
    assert written.rows == len(lines)
    return [(line["chosen"], line["rejected"], line["choice"]) for line in lines]


@pytest.mark.parametrize(
    ("choice", "text", "expected"),
    [
        ("taken", None, [(CORRECTED, CLAIM, "taken")]),
        ("edited", EDITED, [(EDITED, CLAIM, "edited"), (EDITED, CORRECTED, "edited")]),
        ("refused", None, [(CLAIM, CORRECTED, "refused")]),
    ],
)
def test_a_decision_is_a_preference(store, tmp_path, choice, text, expected):
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", choice, text=text)
    assert pairs(store, tmp_path) == expected


def test_a_pair_names_claim_and_source_in_its_prompt(store):
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken")
    (line,) = preview(store, "correction-pairs", ExportSelection(run_id="r1"))
    pair = json.loads(line)
    assert f"Claim: {CLAIM}" in pair["prompt"]
    assert "> 120 metres" in pair["prompt"]
    assert CORRECTED not in pair["prompt"]
    assert (pair["run_id"], pair["citation_id"], pair["judge"]) == ("r1", "c1", "local")


def test_the_corrected_text_comes_with_a_list_of_changes(store, tmp_path):
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken")
    choice = ExportSelection(run_id="r1")
    written = export_dataset(store, "corrected-markdown", tmp_path / "out.md", choice)
    text, _, changes = written.path.read_text().partition("\n\n---\n\n")
    assert text == TEXT.replace("1913", "1912")
    assert changes.startswith("## Changes\n\n1. The bridge opened in ~~1913~~**1912** \\[1\\].")
    assert "proposed by local" in changes
    assert written.card.exists()
    assert plan_export(store, "corrected-markdown", choice).total == 1


def test_a_refused_correction_changes_nothing(store):
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "refused")
    lines = preview(store, "corrected-markdown", ExportSelection(run_id="r1"), 10)
    assert "".join(lines) == f"{TEXT}\n\n---\n\n## Changes\n\nNo correction was taken.\n"


def test_a_corrected_output_is_that_of_one_run(store):
    with pytest.raises(UsageError, match="name it"):
        preview(store, "corrected-markdown", ExportSelection())


def test_the_command_line_writes_both(store, tmp_path, capsys):
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken")
    out = tmp_path / "out.md"
    arguments = ["export", "corrected-markdown", "--run", "r1", "--out", str(out)]
    assert main([*arguments, "--db", str(store.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 1
    assert "opened in 1912" in out.read_text()


# -- exact places --------------------------------------------------------------------------------


def decided(span, claim, text, minute=0, name="d", places=None):
    return DecidedCorrection(
        decision=CorrectionDecision(
            id=name, run_id="r", citation_id=name, choice="taken", span=span, claim=claim,
            proposed=text, text=text, judge="local", reviewer="Ada",
            created_at=datetime(2026, 1, 1, 0, minute, tzinfo=UTC),
        ),
        name="n", output_sha256="", marker="[1]",
        places=None if claim == "gone" else places or range(span.start, span.end),
    )  # fmt: skip


def test_corrections_are_made_at_exact_places_and_keep_white_space():
    text = "🙂 It opened\nin 1913 [1].  It closed in 1950 [2]."
    first, second = "It opened\nin 1913 [1].", "It closed in 1950 [2]."
    rows = [
        decided(Span(text.index(second), len(text)), second, "It closed in 1951 [2].", name="b"),
        decided(Span(2, 2 + len(first)), first, "It opened in 1912 [1].", name="a"),
    ]
    corrected, made, left_out = corrected_output(text, rows)
    assert corrected == "🙂 It opened\nin 1912 [1].  It closed in 1951 [2]."
    assert [row.decision.id for row in made] == ["a", "b"]
    assert left_out == []


def test_a_correction_leaves_the_markers_in_its_claim():
    text = "It opened in [3] 1913 [1, 2], and it has 3 arches [4]."
    words = document_of(extract(text)).claim_words
    span = Span(0, len(text))
    claim = words.clean(span.start, span.end)
    assert "[" not in claim
    new = claim.replace("1913", "1912").replace("3 arches", "two arches")
    row = decided(span, claim, new, places=words.places(span.start, span.end))
    corrected, made, _ = corrected_output(text, [row])
    assert corrected == "It opened in [3] 1912 [1, 2], and it has two arches [4]."
    assert made == [row]


def test_of_two_decisions_on_the_same_words_the_newest_is_made():
    text = "It opened in 1913 [1, 2]."
    span = Span(0, len(text))
    rows = [
        decided(span, text, "It opened in 1912 [1, 2].", minute=1, name="old"),
        decided(span, text, "It opened in 1911 [1, 2].", minute=2, name="new"),
        decided(Span(0, 4), "gone", "here", minute=3, name="elsewhere"),
    ]
    corrected, made, left_out = corrected_output(text, rows)
    assert corrected == "It opened in 1911 [1, 2]."
    assert [row.decision.id for row in made] == ["new"]
    assert {row.decision.id for row in left_out} == {"old", "elsewhere"}


@pytest.mark.parametrize(
    ("choice", "text", "expected"),
    [(None, None, CORRECTED), ("taken", None, CORRECTED), ("edited", EDITED, EDITED),
     ("refused", None, "")],
)  # fmt: skip
def test_fine_tuning_data_answer_with_what_the_reviewer_decided(
    store, tmp_path, choice, text, expected
):
    decision = LabelDecision(label="contradicted")
    LabelRepository(store).give("r1", "c1", "Ada", decision)
    if choice:
        CorrectionDecisionRepository(store).give("r1", "c1", "Ada", choice, text=text)
    path = tmp_path / "a.jsonl"
    export_dataset(store, "chat-openai", path, ExportSelection())
    (line,) = path.read_text().splitlines()
    reply = json.loads(json.loads(line)["messages"][-1]["content"])
    assert reply["corrected_claim"] == expected
