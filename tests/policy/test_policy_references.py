"""What a policy makes of references whose works nobody knows, or that were retracted."""

import dataclasses

import pytest

from workbench import verify
from workbench.errors import InvalidPolicy
from workbench.policy import (
    CitationFact,
    Policy,
    ReferenceFact,
    StoredRun,
    apply_policy,
    read_policy,
    simulate_policy,
    simulate_thresholds,
)
from workbench.records.bibliography import RetractionNotice

TEXT = """Oak beams hold [1]. Tides rise [2].

## References
[1] Novak, J. (2019). Oak beams under load. Journal of Timber, 12(3), 100-110.
[2] Mokri, A. (2020). Rising tides in shallow basins of the north. Journal of Seas, 1(1), 1-2.
"""
FIRST, SECOND = TEXT.splitlines()[3:5]
QUIET = {"require_sources": False, "extract_patterns": ()}


@pytest.fixture(scope="module")
def run():
    """A run whose entries were looked up by nobody."""
    return verify(TEXT)


def with_checks(run, *changes):
    checks = [
        dataclasses.replace(check, **change)
        for check, change in zip(run.reference_checks, changes, strict=True)
    ]
    return dataclasses.replace(run, reference_checks=tuple(checks))


def decided(run, *changes, **policy):
    return apply_policy(Policy(**QUIET, **policy), with_checks(run, *changes), TEXT)


MATCHES = {"status": "matches"}


def test_a_policy_without_the_fields_says_nothing_of_references(run):
    decision = decided(run, {"status": "not_found"}, {"status": "other_work"})
    assert decision.action == "pass"
    assert "references" not in decision.report()


@pytest.mark.parametrize("status", ["not_found", "other_work"])
@pytest.mark.parametrize("action", ["flag", "redact", "block"])
def test_a_work_that_nobody_knows_gets_the_action_on_what_is_unverified(run, status, action):
    decision = decided(
        run, MATCHES, {"status": status}, require_existing_reference=True, unverified_action=action
    )
    assert decision.action == action
    (violation,) = decision.report()["references"]
    assert (violation["position"], violation["status"], violation["action"]) == (1, status, action)
    assert TEXT[violation["start"] : violation["end"]] == SECOND
    assert "1 of 2 references" in decision.reasons[0]


def test_redaction_takes_the_entry_and_the_claims_on_it(run):
    decision = decided(
        run,
        MATCHES,
        {"status": "not_found"},
        require_existing_reference=True,
        unverified_action="redact",
    )
    assert "Oak beams hold [1]." in decision.text
    assert FIRST in decision.text
    assert "Tides rise" not in decision.text
    assert "Mokri" not in decision.text


@pytest.mark.parametrize("status", ["matches", "differs"])
def test_a_work_that_exists_passes_however_it_is_described(run, status):
    decision = decided(run, MATCHES, {"status": status}, require_existing_reference=True)
    assert (decision.action, decision.report()["references"]) == ("pass", [])


@pytest.mark.parametrize(
    ("handling", "action"),
    [("ignore", "pass"), ("flag", "flag"), ("redact", "redact"), ("block", "block")],
)
def test_an_entry_that_was_not_checked_is_handled_as_the_policy_chose(run, handling, action):
    decision = decided(
        run,
        MATCHES,
        {"status": "not_checked"},
        require_existing_reference=True,
        on_unchecked_reference=handling,
        unverified_action="block",
    )
    assert decision.action == action


@pytest.mark.parametrize(
    ("kind", "handling", "action"),
    [
        ("retracted", "ignore", "pass"), ("retracted", "flag", "flag"),
        ("retracted", "redact", "redact"), ("retracted", "block", "block"),
        ("concern", "block", "flag"), ("concern", "ignore", "pass"), ("corrected", "block", "pass"),
    ],
)  # fmt: skip
def test_retracted_works(run, kind, handling, action):
    notice = RetractionNotice(kind=kind, source="retraction_watch")
    decision = decided(run, MATCHES, {**MATCHES, "retraction": notice}, on_retracted=handling)
    assert decision.action == action
    if action == "redact":
        assert "retracted" in decision.text
        assert "Tides rise" not in decision.text


def test_the_fields_are_read_and_mistakes_told_by_line():
    policy = read_policy(
        "policy:\n  citation-verifier:\n    require_existing_reference: true\n"
        "    on_unchecked_reference: ignore\n    on_retracted: redact\n"
    )
    assert policy == Policy(
        require_existing_reference=True, on_unchecked_reference="ignore", on_retracted="redact"
    )
    with pytest.raises(InvalidPolicy, match="line 3: .*flag, redact, block or ignore"):
        read_policy("policy:\n  citation-verifier:\n    on_retracted: delete\n")


def test_a_preview_weighs_references():
    fact = CitationFact("academic", "supported", 0.9, None)
    fine = StoredRun(id="fine", stands=(fact,), references=(ReferenceFact("matches", None),))
    unknown = StoredRun(
        id="unknown", stands=(fact,), references=(ReferenceFact("not_found", None),)
    )
    gone = StoredRun(id="gone", stands=(), references=(ReferenceFact("matches", "retracted"),))
    policy = Policy(
        require_sources=False, require_existing_reference=True, on_retracted="block",
        unverified_action="redact",
    )  # fmt: skip
    outcomes = simulate_policy(policy, [fine, unknown, gone])
    assert [outcome.action for outcome in outcomes] == ["pass", "redact", "block"]
    (outcome,) = simulate_thresholds(policy, [fine, unknown, gone], [0.0])
    assert outcome.runs == 2
