"""Sentences of a run as reviewers correct them: one coverage everywhere, and the run's own sources."""

import json
import re
from datetime import timedelta

import pytest

from tests.fakes.desk import Clock
from tests.fakes.uncited import (
    ACCIDENTS,
    BELONGS,
    MARKER,
    SHIPS,
    SOURCE,
    TEXT,
    add_run_with_uncited,
)
from workbench.errors import NotFoundError, UsageError
from workbench.interfaces.web.run_cache import load_review
from workbench.policy.apply import apply_policy
from workbench.policy.fields import Policy
from workbench.presentation.coverage import coverage_text
from workbench.presentation.run_report import annotated_html
from workbench.presentation.run_view import document_data
from workbench.records.queue import SentenceFilter
from workbench.services import cached_views
from workbench.services.export import ExportSelection, export_dataset, plan_export
from workbench.services.runs import stored_run
from workbench.services.sentences import correct_sentence, undo_correction
from workbench.services.uncited import check_uncited, estimate_uncited, judge_of_uncited
from workbench.services.verification import VerifyOptions, verify_and_store
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import ReviewTaskService
from workbench.store.runs.sentences import SentenceKinds
from workbench.store.store import Store


@pytest.fixture
def store(tmp_path):
    cached_views.clear_cached_views()
    return Store(tmp_path / "w.duckdb")


@pytest.fixture
def run(store):
    return add_run_with_uncited(store)


def test_a_correction_counts_until_it_is_taken_back(store, run):
    assert run.coverage.to_dict() == {"needing": 4, "cited": 1, "uncited": 3, "share": 0.25}
    change = correct_sentence(store, run.id, SHIPS, "opinion", "Ada")
    assert change.changed
    assert (change.sentence.kind, change.sentence.corrected_by) == ("opinion", "Ada")
    assert change.coverage.needing == 3
    assert not correct_sentence(store, run.id, SHIPS, "opinion", "Ada").changed
    correct_sentence(store, run.id, SHIPS, "derived", "Bob")
    assert stored_run(store, run.id).sentences[2].corrected_by == "Bob"
    assert undo_correction(store, run.id, "Bob").sentence.corrected_by == "Ada"
    assert undo_correction(store, run.id, "Ada", SHIPS).coverage == run.coverage
    assert not undo_correction(store, run.id, "Ada").changed


def test_what_cannot_be_corrected_is_told(store, run):
    with pytest.raises(NotFoundError, match="No sentence of run .* begins at 1;"):
        correct_sentence(store, run.id, 1, "opinion", "Ada")
    with pytest.raises(UsageError, match="kind is cited, uncited"):
        correct_sentence(store, run.id, SHIPS, "claim", "Ada")
    with pytest.raises(UsageError, match="no citation 'c9'"):
        correct_sentence(store, run.id, SHIPS, "cited", "Ada", stated_in="c9")
    with pytest.raises(UsageError, match="is cited, not opinion"):
        correct_sentence(store, run.id, SHIPS, "opinion", "Ada", stated_in=MARKER)
    with pytest.raises(UsageError, match="reviewer name"):
        correct_sentence(store, run.id, SHIPS, "opinion", " ")
    assert stored_run(store, run.id).coverage == run.coverage


def test_coverage_is_one_on_the_page_in_json_report_and_policy(store, run):
    correct_sentence(store, run.id, SHIPS, "opinion", "Ada")
    correct_sentence(store, run.id, BELONGS, "cited", "Ada", stated_in=MARKER)
    corrected = stored_run(store, run.id)
    expected = {"needing": 3, "cited": 2, "uncited": 1, "share": 0.6667, "cited_elsewhere": 1}
    assert corrected.to_dict()["coverage"] == expected
    review = load_review(store, run.id)
    assert review.run.coverage == corrected.coverage
    pane = document_data(review, 0, None)
    assert {piece["n"] for piece in pane["pieces"] if piece.get("u")} == {ACCIDENTS}
    assert pane["sentences"][str(SHIPS)] == "Opinion, says Ada"
    report = annotated_html(corrected, TEXT)
    words = re.sub(r"<[^>]+>|\s+", " ", report)
    assert "67%" in words and "cited: 2 of 3 sentences, 1 by a source cited elsewhere" in words
    listed = report.split('<ul class="uncited-list">')[1].split("</ul>")[0]
    assert "No accidents" in listed and "The line" not in listed and "two ships" not in listed
    policy = Policy(name="half", min_coverage=0.7, on_uncited="flag")
    assert apply_policy(policy, corrected, TEXT).to_dict()["report"]["coverage"] == expected
    assert coverage_text(corrected.coverage) == (
        "2 of 3 sentences that need a citation have one (67%). 1 of these cites nothing: a reviewer "
        "found it stated in a source that the text cites elsewhere."
    )


def test_the_runs_own_sources_are_asked_about_uncited_sentences(store, run):
    assert judge_of_uncited(run) == "local"
    guess = estimate_uncited(store, run.id, "local")
    assert (guess.citations, guess.sources, guess.calls, guess.cost_usd) == (3, 1, 3, 0)
    check = check_uncited(store, run.id, VerifyOptions())
    assert [claim.verdict for claim in check.report.claims] == [
        "supported", "unverifiable", "unverifiable",
    ]  # fmt: skip
    (found,) = check.to_dict()["suggestions"]
    assert (found["start_at"], found["citation_id"], found["label"]) == (
        BELONGS,
        MARKER,
        "supported",
    )
    assert found["quote"] in SOURCE
    (kept,) = SentenceKinds(store).suggestions(run.id)
    said = document_data(load_review(store, run.id), 0, None)["sentences"][str(BELONGS)]
    assert said.startswith(
        "local finds it stated, in the source of [1], which is not cited here: “The line"
    )
    correct_sentence(store, run.id, BELONGS, "uncited", "Ada")  # refused
    assert SentenceKinds(store).suggestions(run.id) == []
    check_uncited(store, run.id, VerifyOptions())
    assert SentenceKinds(store).suggestions(run.id) == [], "the same is not suggested again"
    undo_correction(store, run.id, "Ada")
    assert SentenceKinds(store).suggestions(run.id) == [kept]
    taken = correct_sentence(store, run.id, BELONGS, "cited", "Ada", stated_in=kept.citation_id)
    assert (taken.sentence.citations, taken.sentence.reach) == ((MARKER,), "source")


def test_a_run_without_readable_sources_is_not_compared(store):
    run = verify_and_store(store, TEXT, "Ferry", VerifyOptions())
    with pytest.raises(UsageError, match="None of the sources of run"):
        check_uncited(store, run.id, VerifyOptions())


def test_decided_sentences_are_exported(store, run, tmp_path):
    correct_sentence(store, run.id, SHIPS, "opinion", "Ada")
    correct_sentence(store, run.id, ACCIDENTS, "absence", "Bob")
    assert plan_export(store, "sentences", ExportSelection()).total == 2
    written = export_dataset(
        store, "sentences", tmp_path / "s.jsonl", ExportSelection(run_id=run.id)
    )
    rows = [json.loads(line) for line in written.path.read_text("utf-8").splitlines()]
    assert [(r["text"], r["kind"], r["corrected_kind"], r["author"]) for r in rows] == [
        ("It has two ships.", "uncited", "opinion", "Ada"),
        ("No accidents have been reported since 1990.", "absence", "absence", "Bob"),
    ]
    assert all(TEXT[row["start"] : row["end"]] == row["text"] for row in rows)
    assert "| opinion | 1 |" in written.card.read_text("utf-8")
    csv = export_dataset(store, "sentences-csv", tmp_path / "s.csv", ExportSelection())
    assert csv.path.read_text("utf-8").count("\n") == 3


def test_a_queue_offers_each_uncited_sentence_and_keeps_what_it_is_for(store, run):
    clock = Clock()
    chosen = SentenceFilter(runs=(run.id,))
    assert Queues(store).count_sentences(chosen) == 3
    queue = Queues(store).build("Uncited", created_by="Zoe", sentences=chosen)
    assert Queues(store).get(queue.id).sentences == chosen
    check_uncited(store, run.id, VerifyOptions())
    desk = ReviewTaskService(store, now=lambda: clock() + timedelta(days=365 * 20))
    task = desk.open(queue.id, "Ada")
    assert task.sentence.sentence.span.of(task.text) == "The line belongs to the state of Ahm."
    assert (task.sentence.suggestion.citation_id, task.sentence.cited) == (MARKER, "[1]")
    task = desk.decide_sentence(queue.id, "Ada", 0, "cited", MARKER)
    assert (task.item.position, task.progress.done) == (1, 1)
    task = desk.decide_sentence(queue.id, "Ada", 1, "opinion")
    assert stored_run(store, run.id).coverage.to_dict() == {
        "needing": 3, "cited": 2, "uncited": 1, "share": 0.6667, "cited_elsewhere": 1,
    }  # fmt: skip
    (summary,) = Queues(store).list_queues()
    assert (summary.items, summary.done) == (3, 2)
    task = desk.undo(queue.id, "Ada")
    assert (task.item.position, task.sentence.mine) == (1, None)
    assert stored_run(store, run.id).coverage.uncited == 2
    assert desk.skip(queue.id, "Ada", 1).item.position == 2
    with pytest.raises(UsageError, match="contains sentences, not citations"):
        desk.label_item(queue.id, "Ada", run.id, f"sentence:{SHIPS}-{SHIPS + 17}", None)


def test_an_erased_output_takes_its_sentences_along(store, run):
    from workbench.store.admin.erasure import Erasures

    correct_sentence(store, run.id, SHIPS, "opinion", "Ada")
    check_uncited(store, run.id, VerifyOptions())
    queue = Queues(store).build("Uncited", created_by="Zoe", sentences=SentenceFilter())
    undo_correction(store, run.id, "Ada")
    Erasures(store).erase(run.output_sha256, "Ada", "mistake")
    counts = store.row_counts()
    tables = ("sentence_corrections", "sentence_correction_withdrawals", "sentence_suggestions")
    assert [counts[table] for table in tables] == [0, 0, 0]
    assert ReviewTaskService(store).open(queue.id, "Ada").item is None
