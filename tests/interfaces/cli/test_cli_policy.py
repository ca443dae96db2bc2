"""`verify --policy`: what the command line says and answers."""

import json

import pytest

from workbench.__main__ import main

ANSWER = """The old bridge is 120 metres long [1]. The new one floats on air [2].

## References
[1] https://bridge.example/old
[2] https://bridge.example/new
"""
SOURCES = [
    {"url": "https://bridge.example/old", "content": "The old bridge is 120 metres long."},
    {"url": "https://bridge.example/new", "content": "The new bridge rests on ten piers."},
]


@pytest.fixture
def verify(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    (tmp_path / "answer.md").write_text(ANSWER)
    (tmp_path / "sources.json").write_text(json.dumps(SOURCES))

    def run_verify(policy, *more):
        path = tmp_path / "policy.yaml"
        if "\n" in policy:
            path.write_text(policy)
            policy = str(path)
        code = main(["verify", str(tmp_path / "answer.md"), "--sources",
                     str(tmp_path / "sources.json"), "--policy", policy, *more])  # fmt: skip
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_verify


def policy(*lines):
    return "policy:\n  citation-verifier:\n" + "".join(f"    {line}\n" for line in lines)


STRICT = ("extract_patterns: [url]", "require_source_match: true", "min_confidence: 0.99")


def test_a_policy_that_blocks_ends_with_1(verify):
    code, out, _ = verify(policy(*STRICT, "output_action: {unverified_action: block}"), "--json")
    decision = json.loads(out)["policy"]
    assert (code, decision["action"], decision["text"]) == (1, "block", "")
    assert decision["error"].startswith("Blocked by the citation policy")


def test_a_policy_that_redacts_shows_what_may_be_handed_on(verify):
    _, out, _ = verify(policy(*STRICT, "output_action: {unverified_action: redact}"))
    assert "Policy: redact" in out
    assert "[removed: source not confirmed]" in out


def test_the_given_sources_are_the_context(verify):
    lines = ("require_sources: false", "extract_patterns: [case_law]", "min_groundedness: 1.0")
    code, out, _ = verify(policy(*lines), "--json")
    report = json.loads(out)["policy"]["report"]
    assert report["groundedness"] < 1
    assert any("floats on air" in warning["claim"] for warning in report["groundedness_warnings"])
    assert code == 1


def test_a_ready_policy_is_known_by_its_name(verify):
    _, out, _ = verify("research", "--json")
    assert json.loads(out)["policy"]["action"] in ("pass", "flag")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (policy("min_confidence: 3"), "line 3: min_confidence is a number from 0 to 1, not '3'"),
        ("no-such-policy", "cannot be read"),
        (policy("external_resolver:", "  endpoint: https://r.example", "  api_key: ${NOT_SET_XY}"),
         "NOT_SET_XY"),
    ],
)  # fmt: skip
def test_a_mistake_ends_with_2_before_anything_is_judged(verify, text, message):
    code, out, err = verify(text)
    assert (code, out) == (2, "")
    assert message in err
