"""One field changed in a policy's YAML: that value is read, and nothing else is another."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InvalidPolicy, UsageError
from workbench.policy import (
    ACTIONS,
    EDITABLE,
    FIELDS,
    HANDLINGS,
    PATTERNS,
    STANDINGS,
    edit_policy,
    read_policy,
)
from workbench.services.policies import BUILTIN_POLICIES

READY = {path.stem: path.read_text("utf-8") for path in sorted(BUILTIN_POLICIES.glob("*.yaml"))}
IN_LINES = """\
# Kept: why this policy is there.
policy:
  citation-verifier:
    extract_patterns:   # Kept: what counts
    - url
    # between two items
    - quote   # the last item

    # Kept: how sure
    min_confidence: 0.9 # Kept: beside the number
    require_sources:
    response:
    output_action:
      'unverified_action': "flag"   # Kept: quoted
# Kept: the end."""
DOCUMENTS = {
    **READY,
    "in lines": IN_LINES,
    "indented list": "policy:\n  citation-verifier:\n    extract_patterns:\n      - url\n      - quote\n",
    "on one line": "{policy: {citation-verifier: {min_confidence: 0.5, output_action: {}}}}",
    "empty": "policy:\n  citation-verifier:",
    "null": "policy:\n  citation-verifier: ~ # Kept: all defaults\n",
    "carriage returns": READY["legal"].replace("\n", "\r\n"),
    "in capitals": "policy:\n  citation-verifier:\n    require_sources: Yes\n",
}
VALUES = {
    "switch": [True, False],
    "share": [0, 1, 0.25, 0.875, 1e-05],
    "action": list(ACTIONS),
    "handling": list(HANDLINGS),
    "standing": list(STANDINGS),
    "patterns": [PATTERNS, ("quote",), ()],
}
CHANGES = [
    (field.path, value)
    for field in FIELDS
    if field.path in EDITABLE
    for value in [*VALUES[field.kind], *([None] if field.path == "min_groundedness" else [])]
]


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_value_is_read_and_all_others_stay(document):
    before = read_policy(document)
    comments = [line.partition("# Kept")[2] for line in document.splitlines() if "# Kept" in line]
    for path, value in CHANGES:
        edited = edit_policy(document, path, value)
        expected = replace(before, **{path.rpartition(".")[2]: value})
        assert read_policy(edited) == expected, (path, value)
        kept = [line.partition("# Kept")[2] for line in edited.splitlines() if "# Kept" in line]
        assert kept == comments, (path, value)


@given(changes=st.lists(st.sampled_from(CHANGES), max_size=8))
def test_changes_add_up(changes):
    document, expected = IN_LINES, read_policy(IN_LINES)
    for path, value in changes:
        document = edit_policy(document, path, value)
        expected = replace(expected, **{path.rpartition(".")[2]: value})
    assert read_policy(document) == expected


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_the_value_that_is_there_changes_nothing(document):
    policy = read_policy(document)
    for path in EDITABLE:
        assert edit_policy(document, path, getattr(policy, path.rpartition(".")[2])) == document


def test_only_the_line_of_the_field_changes():
    before = READY["legal"]
    after = edit_policy(before, "output_action.unverified_action", "flag")
    changed = [
        pair
        for pair in zip(before.splitlines(), after.splitlines(), strict=True)
        if len({*pair}) > 1
    ]
    assert changed == [("      unverified_action: block", "      unverified_action: flag")]


def test_a_new_field_is_added_at_the_end_of_its_section():
    after = edit_policy(READY["support-bot"], "min_confidence", 0.9)
    assert after.endswith("      include_verification_report: false\n    min_confidence: 0.9\n")


def test_a_list_in_lines_stays_one():
    after = edit_policy(IN_LINES, "extract_patterns", ("academic", "url"))
    assert "# Kept: what counts\n    - academic\n    - url   # the last item\n" in after


def test_a_resolvers_key_stays_a_variable():
    document = (
        "policy:\n  citation-verifier:\n    external_resolver:\n"
        "      endpoint: https://resolver.example\n      api_key: ${RESOLVER_KEY}\n"
    )
    environment = {"RESOLVER_KEY": "s3cret"}
    edited = edit_policy(document, "min_confidence", 0.9, environment)
    assert edited == document + "    min_confidence: 0.9\n"
    with pytest.raises(InvalidPolicy):
        edit_policy(document, "min_confidence", 0.9)


@pytest.mark.parametrize(
    "document", ["", "policy: [", "policy:\n  citation-verifier:\n    min_confidence: 7\n"]
)
def test_an_invalid_document_is_refused_as_when_it_is_read(document):
    with pytest.raises(InvalidPolicy) as read:
        read_policy(document)
    with pytest.raises(InvalidPolicy) as edited:
        edit_policy(document, "require_sources", False)
    assert edited.value.problems == read.value.problems


def test_a_value_that_the_field_cannot_have_is_refused_with_its_line():
    with pytest.raises(InvalidPolicy) as refused:
        edit_policy(IN_LINES, "min_confidence", 1.5)
    ((line, message),) = refused.value.problems
    assert line == 10
    assert message.startswith("min_confidence is a number from 0 to 1")


@pytest.mark.parametrize("path", ["require_sources", "require_source_match"])
def test_a_value_shared_with_another_field_is_not_changed(path):
    shared = "policy:\n  citation-verifier:\n    require_sources: &x true\n    require_source_match: *x\n"
    with pytest.raises(UsageError):
        edit_policy(shared, path, False)


def test_the_resolver_is_not_changed():
    with pytest.raises(UsageError, match="external_resolver.endpoint"):
        edit_policy(READY["legal"], "external_resolver.endpoint", "https://other.example")
