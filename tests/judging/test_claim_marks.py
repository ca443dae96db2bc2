"""`[unverified]` in the text: where it goes, where it never goes, and who bears a claim out."""

import pytest

from workbench import extract_claims, fact_check, ground
from workbench.errors import UsageError
from workbench.judging.ground_report import GroundedClaim, mark_claims
from workbench.judging.scripted import ScriptedJudge
from workbench.records.text import Span

SOURCES = [
    {"content": "The bridge was opened in 1932.", "title": "Bridges", "url": "https://b.example/1"}
]


def judge():
    return ScriptedJudge(
        [{"if_claim_contains": "1932", "label": "supported", "quote": "*", "confidence": 0.9}]
    )


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (
            "The bridge was opened in 1932. Zebras rule the moon.",
            "The bridge was opened in 1932. Zebras rule the moon [unverified].",
        ),
        ("Do zebras rule? Zebras rule the moon!", "Do zebras rule? Zebras rule the moon [unverified]!"),
        ("- Zebras rule the moon\n- Ok\n", "- Zebras rule the moon [unverified]\n- Ok\n"),
        ("The moon is **ruled by zebras.**\nOk", "The moon is **ruled by zebras [unverified].**\nOk"),
        ("Zebras rule (since 1990). Ok.", "Zebras rule (since 1990) [unverified]. Ok."),
        ("Zebras rule the moon [3].", "Zebras rule the moon [3] [unverified]."),
        ("斑马统治着木星的卫星，这一点非常著名。", "斑马统治着木星的卫星，这一点非常著名[unverified]。"),
        ("Zebras rule the moon [unverified].", "Zebras rule the moon [unverified]."),
        ("Zebras rule the moon. [unverified]", "Zebras rule the moon. [unverified]"),
        (
            "```\nZebras rule the moon.\n```\nZebras rule the sun too.",
            "```\nZebras rule the moon.\n```\nZebras rule the sun too [unverified].",
        ),
        ("The zebras call `moon.rule.`", "The zebras call `moon.rule.` [unverified]"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_stays_unverifiable_is_marked_once(text, marked):
    report = ground(text, SOURCES, judge())
    assert report.marked_text == marked
    # marked again it stays as it is
    assert ground(marked, SOURCES, judge()).marked_text == marked


def test_titles_of_sources_are_an_option():
    text = "The bridge was opened in 1932. Zebras rule the moon."
    report = ground(text, SOURCES, judge())
    assert report.mark(cite_sources=True) == (
        "The bridge was opened in 1932 [Bridges](https://b.example/1). "
        "Zebras rule the moon [unverified]."
    )
    untitled = ground(text, [{"content": SOURCES[0]["content"], "title": "A [b](c) *d*"}], judge())
    assert r"in 1932 [A \[b\](c) \*d\*]." in untitled.mark(cite_sources=True)


def test_listed_claims_come_one_a_line():
    report = ground(["It opened in 1932.", "Zebras rule."], SOURCES, judge())
    assert report.marked_text == "It opened in 1932.\nZebras rule [unverified]."


def test_claims_of_one_sentence_are_marked_where_their_words_end_and_never_in_code():
    text = "Zebras, which rule the moon, sleep in `a\nb` and\n```\nrun.\n```\n"

    def claim(words):
        at = text.index(words)
        return GroundedClaim(
            text=words, verdict="unverifiable", confidence=0.0, span=Span(at, at + len(words))
        )

    marked = mark_claims(
        text, [claim("which rule the moon"), claim("rule the moon"), claim("run.")]
    )
    assert marked == text.replace("moon,", "moon [unverified],")


def test_a_single_statement_is_checked_as_it_stands():
    report = fact_check("I think: in 1932?", SOURCES, judge())
    assert [claim.verdict for claim in report.claims] == ["supported"]
    assert report.summary == "1/1 claims verified (100%)"
    assert fact_check("Zebras rule.").claims[0].verdict == "unverifiable"
    with pytest.raises(UsageError, match="no statement"):
        fact_check("  ")


def test_the_claims_of_a_text():
    text = "The bridge was opened in 1932. Is it? Maybe it is closed. Ok."
    assert extract_claims(text) == ["The bridge was opened in 1932."]
