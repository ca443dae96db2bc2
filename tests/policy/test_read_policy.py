"""A policy's YAML: every field, every default, every mistake with its line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import InvalidPolicy
from workbench.policy import FIELDS, Policy, read_policy

WHOLE = """\
pack:
  name: legal-desk
  version: 1.2.0
  enabled: true
policies:
  chain: [citation-verifier, audit-log]
policy:
  citation-verifier:
    require_sources: false
    require_source_match: true
    min_confidence: 0.9
    min_groundedness: 0.75
    external_resolver:
      endpoint: https://resolver.example/check
      api_key: "Bearer ${RESOLVER_KEY}"
      timeout_ms: 1500
    extract_patterns: [url, case_law]
    rag_context:
      verify_against_context: false
      min_context_overlap: 0.5
    output_action:
      unverified_action: redact
      hallucination_action: flag
    response:
      include_verification_report: false
"""
SHORT = "policy:\n  citation-verifier:\n"


def test_every_field_is_read():
    policy = read_policy(WHOLE, {"RESOLVER_KEY": "s3cret"})
    assert (policy.name, policy.version, policy.enabled) == ("legal-desk", "1.2.0", True)
    assert not policy.require_sources
    assert policy.require_source_match
    assert (policy.min_confidence, policy.min_groundedness) == (0.9, 0.75)
    assert policy.resolver.endpoint == "https://resolver.example/check"
    assert policy.resolver.api_key == "Bearer s3cret"
    assert policy.resolver.timeout_ms == 1500
    assert policy.extract_patterns == ("case_law", "url")
    assert (policy.verify_against_context, policy.min_context_overlap) == (False, 0.5)
    assert (policy.unverified_action, policy.hallucination_action) == ("redact", "flag")
    assert not policy.include_verification_report


def test_the_published_defaults():
    policy = read_policy(SHORT)
    assert policy == Policy()
    assert (policy.require_sources, policy.require_source_match) == (True, False)
    assert (policy.min_confidence, policy.min_groundedness) == (0.8, None)
    assert policy.resolver is None
    assert policy.extract_patterns == ("case_law", "academic", "url", "quote", "statistic")
    assert (policy.verify_against_context, policy.min_context_overlap) == (True, 0.7)
    assert (policy.unverified_action, policy.hallucination_action) == ("flag", "block")
    assert policy.include_verification_report
    assert read_policy(SHORT + "    external_resolver: {endpoint: 'http://x.example'}\n"
                       ).resolver.timeout_ms == 2000  # fmt: skip


def test_a_key_is_never_shown():
    policy = read_policy(WHOLE, {"RESOLVER_KEY": "s3cret"})
    assert "s3cret" not in repr(policy)
    assert "s3cret" not in str(policy.to_dict())


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("require_source: true", 3, "'require_source' is not a field of a policy; did you mean "
                                    "require_sources?"),
        ("min_confidence: 1.5", 3, "min_confidence is a number from 0 to 1, not '1.5'"),
        ("min_confidence: high", 3, "min_confidence is a number from 0 to 1, not 'high'"),
        ("min_confidence: .nan", 3, "min_confidence is a number from 0 to 1, not '.nan'"),
        ("require_sources: 1", 3, "require_sources is true or false, not '1'"),
        ("min_context_overlap: 0.5", 3, "did you mean rag_context.min_context_overlap?"),
        ("extract_patterns: url", 3, "extract_patterns is a list"),
        ("extract_patterns:\n      - url\n      - urls", 5, "not 'urls'"),
        ("output_action:\n      unverified_action: drop", 4, "flag, redact or block, not 'drop'"),
        ("output_action: block", 3, "output_action has fields of its own"),
        ("external_resolver:\n      timeout_ms: 100", 3, "external_resolver needs an endpoint"),
        ("external_resolver:\n      endpoint: https://x.example\n      timeout_ms: 0", 5,
         "timeout_ms is a whole number from 1 to 60000"),
        ("external_resolver:\n      endpoint: file:///etc/passwd", 4, "an http or https address"),
        ("external_resolver:\n      endpoint: https://me:pw@x.example", 4, "without a user name"),
        ("external_resolver:\n      endpoint: https://x.example\n      api_key: ${NO_SUCH}", 5,
         "needs the environment variable NO_SUCH; set it"),
        ("external_resolver:\n      endpoint: https://x.example\n      api_key: ${A B}", 5,
         "names a variable with an invalid name"),
        ("min_confidence: 0.5\n    min_confidence: 0.6", 4, "'min_confidence' occurs twice"),
        ("min_confidence: [0.5]", 3, "min_confidence is one value"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(text, line, message):
    with pytest.raises(InvalidPolicy) as caught:
        read_policy(SHORT + f"    {text}\n")
    assert line in [number for number, _ in caught.value.problems]
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the document is empty"),
        ("just words", 1, "the document has fields of its own"),
        ("policy: {}", 1, "there is no policy: citation-verifier:"),
        ("polices: {}\npolicy:\n  citation-verifier:\n", 1, "did you mean policies?"),
        ("pack:\n  nam: x\npolicy:\n  citation-verifier:\n", 2, "did you mean name?"),
        ("policy:\n\t citation-verifier:\n", 2, "this is not YAML"),
        ("policy: [unclosed", 1, "this is not YAML"),
        ("a: \x00", 1, "this is not YAML text"),
        (
            "require_sources: true\n" + SHORT,
            1,
            "'require_sources' is not part of a policy document",
        ),
    ],
)
def test_a_document_that_is_no_policy(text, line, message):
    with pytest.raises(InvalidPolicy) as caught:
        read_policy(text)
    assert line in [number for number, _ in caught.value.problems]
    assert message in str(caught.value)


def test_all_mistakes_are_told_at_once():
    with pytest.raises(InvalidPolicy) as caught:
        read_policy(SHORT + "    min_confidence: 2\n    nonsense: 1\n    require_sources: maybe\n")
    assert [line for line, _ in caught.value.problems] == [3, 4, 5]


@pytest.mark.parametrize(
    "head",
    ["pack: {enabled: false}\n", "policies: {chain: [audit-log]}\n", "policies: {chain: []}\n"],
)
def test_a_policy_that_is_switched_off(head):
    assert not read_policy(head + SHORT).enabled


def test_other_policies_of_a_pack_are_left_alone():
    assert read_policy("policy:\n  audit-log: {to: file}\n  citation-verifier:\n") == Policy()


def test_tags_run_nothing():
    text = SHORT + "    min_confidence: !!python/object/apply:os.system ['true']\n"
    with pytest.raises(InvalidPolicy, match="one value"):
        read_policy(text)


def test_a_field_list_names_every_field():
    document = Policy().to_dict()["policy"]["citation-verifier"]
    flat = {
        f"{name}.{inner}" if isinstance(value, dict) else name
        for name, value in document.items()
        for inner in (value if isinstance(value, dict) else [""])
    }
    listed = {field.path for field in FIELDS}
    assert flat - {"external_resolver"} == {
        name for name in listed if not name.startswith("external_resolver")
    }


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    try:
        read_policy(text)
    except InvalidPolicy as error:
        assert all(line >= 1 for line, _ in error.problems)
