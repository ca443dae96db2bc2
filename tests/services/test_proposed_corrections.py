"""Reviewers take, edit or refuse what a judge proposes; decisions append, and are counted."""

import pytest

from tests.fakes.proposals import CLAIM, CORRECTED, add_proposing_run
from workbench.errors import NotFoundError, UsageError
from workbench.presentation.corrections import counts_text
from workbench.records.text import Span
from workbench.services.claim_corrections import (
    correction_counts,
    correction_decisions,
    own_correction_decisions,
)
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
from workbench.store.store import Store

EDITED = "The bridge opened in May 1912 [1]."


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / "w.duckdb")
    add_proposing_run(store)
    return store


def choices(store):
    return {name: (d.choice, d.text) for name, d in correction_decisions(store, "r1").items()}


def test_a_proposal_is_taken_edited_refused_and_each_replaces_the_one_before(store):
    taken = CorrectionDecisionRepository(store).give("r1", "c1", " Ada ", "taken")
    assert (taken.text, taken.claim, taken.span) == (CORRECTED, CLAIM, Span(0, 30))
    assert (taken.reviewer, taken.judge, taken.replaces) == ("Ada", "local", None)
    edited = CorrectionDecisionRepository(store).give(
        "r1", "c1", "Ada", "edited", text=f"  {EDITED}\n"
    )
    assert (edited.text, edited.replaces) == (EDITED, taken.id)
    refused = CorrectionDecisionRepository(store).give(
        "r1", "c1", "Ada", "refused", reason="It was  1912/13."
    )
    assert (refused.text, refused.reason) == (None, "It was 1912/13.")
    assert choices(store) == {"c1": ("refused", None)}


def test_the_same_decision_twice_is_stored_once(store):
    assert CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken")
    assert CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken") is None
    # an edit that changes nothing takes the proposal
    assert (
        CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "edited", text=CORRECTED)
        is None
    )


def test_undo_brings_the_earlier_decision_back(store):
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken")
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "refused")
    CorrectionDecisionRepository(store).withdraw("r1", "c1", "Ada")
    assert choices(store) == {"c1": ("taken", CORRECTED)}
    CorrectionDecisionRepository(store).withdraw("r1", "c1", "Ada")
    assert choices(store) == {}
    assert CorrectionDecisionRepository(store).withdraw("r1", "c1", "Ada") is None


def test_each_reviewer_decides_and_the_newest_decision_stands(store):
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken")
    CorrectionDecisionRepository(store).give("r1", "c1", "Bob", "refused")
    assert choices(store) == {"c1": ("refused", None)}
    assert own_correction_decisions(store, "r1", "Ada")["c1"].choice == "taken"
    assert len(CorrectionDecisionRepository(store).listed("r1")) == 2


@pytest.mark.parametrize(
    ("citation", "choice", "text", "error", "message"),
    [
        ("c2", "taken", None, UsageError, "No correction is proposed"),
        ("c9", "taken", None, NotFoundError, "no citation 'c9'"),
        ("c1", "edited", "  ", UsageError, "1 to 1,000 characters"),
        ("c1", "edited", "x" * 1001, UsageError, "1 to 1,000 characters"),
        ("c1", "edited", CLAIM, UsageError, "refuse the proposal instead"),
    ],
)
def test_what_cannot_be_decided_is_said(store, citation, choice, text, error, message):
    with pytest.raises(error, match=message):
        CorrectionDecisionRepository(store).give("r1", citation, "Ada", choice, text=text)
    assert choices(store) == {}


def test_proposals_and_decisions_are_counted_by_judge(store):
    (before,) = correction_counts(store)
    assert (before.proposed, before.decided, before.accepted_share) == (1, 0, None)
    add_proposing_run(store, "r2")
    add_proposing_run(store, "r3")
    CorrectionDecisionRepository(store).give("r1", "c1", "Ada", "taken")
    CorrectionDecisionRepository(store).give("r2", "c1", "Ada", "edited", text=EDITED)
    CorrectionDecisionRepository(store).give("r3", "c1", "Ada", "refused")
    (counts,) = correction_counts(store)
    assert (counts.proposed, counts.taken, counts.edited, counts.refused) == (3, 1, 1, 1)
    # Clopper and Pearson, 2 of 3
    assert counts.accepted_ci95 == pytest.approx((0.0943, 0.9916), abs=1e-4)
    assert counts_text(counts) == (
        "local: 3 proposed, 1 taken, 1 edited, 1 refused; accepted 67 % [9, 99]"
    )
    (of_one,) = correction_counts(store, "r1")
    assert (of_one.proposed, of_one.taken, of_one.decided) == (1, 1, 1)
