"""Claim mode by functions of the user's own: embeddings, entailment, thresholds, both sides."""

import asyncio
import threading

import pytest

from workbench import ground, grounded
from workbench.errors import EmbeddingError, UsageError
from workbench.judging.claim_comparison import PASSAGE_CHARS
from workbench.judging.scripted import ScriptedJudge

# vectors that can be computed by hand: the share of each of four words
WORDS = ("bridge", "opened", "zebras", "moon")
BRIDGE = "The bridge opened in 1932."
SOURCES = [
    {"content": "Nothing to see here, move along now.", "title": "Other"},
    {"content": BRIDGE, "title": "Bridge", "url": "https://b.example/1"},
]


def embed(texts):
    return [[float(text.lower().count(word)) for word in WORDS] for text in texts]


async def embed_later(texts):
    await asyncio.sleep(0)
    return embed(texts)


@pytest.mark.parametrize("function", [embed, embed_later], ids=["plain", "coroutine"])
def test_the_cosine_with_the_best_source_decides(function):
    claims = [
        "The bridge opened in 1932.",  # (1,1,0,0)·(1,1,0,0): 1
        "The bridge is a bridge, is a bridge to the moon, the moon.",  # (3,0,0,2): 3/√13√2 = .588
        "The bridge, the moon, the zebras, the moon, the zebras.",  # (1,0,2,2): 1/3√2 = .236
    ]
    report = ground(claims, SOURCES, embed=function)
    assert [claim.verdict for claim in report.claims] == ["supported", "weak", "unverifiable"]
    assert [claim.confidence for claim in report.claims] == [1.0, 0.5883, 0.2357]
    first = report.claims[0].to_dict()
    assert (first["source_index"], first["source_ref"]) == (1, "https://b.example/1")
    assert first["source_snippet"] == BRIDGE
    assert report.claims[2].to_dict()["source_index"] is None
    assert report.summary == "1/3 claims verified (33%)"


def test_one_call_embeds_claims_and_sources_together():
    calls = []

    def counting(texts):
        calls.append((list(texts), threading.get_ident()))
        return embed(texts)

    ground(["The bridge opened."], SOURCES, embed=counting)
    ((texts, thread),) = calls
    assert texts == ["The bridge opened.", *(source["content"] for source in SOURCES)]
    assert thread != threading.get_ident()


def test_a_long_source_is_embedded_in_passages_of_whole_sentences():
    seen = []

    def keeping(texts):
        seen.extend(texts[1:])
        return embed(texts)

    filler = "The weather was fine on that day, as everybody remembers. " * 60
    long = f"{filler}{BRIDGE} {filler}"
    (claim,) = ground(["The bridge opened."], [{"content": long}], embed=keeping).claims
    assert len(seen) > 5
    assert all(len(text) <= PASSAGE_CHARS and text in long for text in seen)
    assert claim.verdict == "supported"
    assert claim.source_snippet in long and len(claim.source_snippet) <= 200
    assert BRIDGE in claim.source_snippet


def test_nothing_is_embedded_without_claims_or_sources():
    def never(texts):
        raise AssertionError("was called")

    assert ground([], SOURCES, embed=never).summary == "No verifiable claims found."
    assert ground(["The bridge opened."], [], embed=never).claims[0].verdict == "unverifiable"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda texts: [], "gave 0 vectors"),
        (lambda texts: [[1.0]] * (len(texts) - 1) + [[1.0, 2.0]], "of length 1, 2"),
        (lambda texts: None, "TypeError"),
        (lambda texts: [[float("nan")]] * len(texts), "not finite"),
        (lambda texts: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_no_embeddings_is_one_sentence_and_the_flag_skips(function, message):
    with pytest.raises(EmbeddingError, match=message):
        ground(["The bridge opened."], SOURCES, embed=function)

    @grounded(sources=SOURCES, embed=function)
    def agent():
        return "The bridge opened in 1932."

    answer = agent()
    assert answer == "The bridge opened in 1932."
    assert not answer.grounding.checked and not answer.grounding.error
    assert "no embeddings" in answer.grounding.skipped


def test_the_flag_takes_the_same_options():
    @grounded(sources=SOURCES, embed=embed, supported_from=0.2, weak_from=0.1)
    def agent():
        return "The bridge, the moon, the zebras, the moon, the zebras."

    report = agent().grounding.report
    assert report.claims[0].verdict == "supported"


# -- entailment -----------------------------------------------------------------------------------


def contradicts(premise, hypothesis):
    return "contradiction" if "never" in premise else "entailment"


async def contradicts_later(premise, hypothesis):
    return {"entailment": 0.1, "neutral": 0.2, "contradiction": 0.7 if "never" in premise else 0.0}


def as_pipelines_do(premise, hypothesis):
    label = "CONTRADICTION" if "never" in premise else "NEUTRAL"
    return [{"label": label, "score": 0.7}]


NEVER = {"content": "The bridge never opened, since the bridge opened nowhere.", "title": "Never"}


@pytest.mark.parametrize(
    ("nli", "confidence"),
    [(contradicts, 1.0), (contradicts_later, 0.7), (as_pipelines_do, 0.7)],
    ids=["label", "probabilities", "pipeline"],
)
def test_an_entailment_function_turns_a_supported_claim_into_a_contradicted_one(nli, confidence):
    report = ground(["The bridge opened."], [NEVER], embed=embed, nli=nli)
    (claim,) = report.claims
    assert (claim.verdict, claim.confidence) == ("contradicted", confidence)
    assert not report.overall_grounded
    (side,) = claim.sides
    assert (side.stance, side.source_ref, side.quote) == ("contradicts", "Never", NEVER["content"])


def test_it_is_asked_about_supported_claims_alone():
    asked = []

    def nli(premise, hypothesis):
        asked.append(hypothesis)
        return "neutral"

    claims = ["The bridge opened.", "Zebras rule the moon of Jupiter."]
    ground(claims, SOURCES, embed=embed, nli=nli)
    assert asked == ["The bridge opened."]


def test_it_is_asked_beside_a_judge_too():
    judge = ScriptedJudge([{"label": "supported", "quote": "*", "confidence": 0.8}])
    (claim,) = ground(["The bridge opened."], [NEVER], judge, nli=contradicts).claims
    assert claim.verdict == "contradicted"


@pytest.mark.parametrize(
    "nli",
    [lambda p, h: "who knows", lambda p, h: 1 / 0, lambda p, h: None],
    ids=["no label", "an error", "nothing"],
)
def test_one_that_fails_changes_no_verdict_and_is_noted(nli):
    report = ground(["The bridge opened."], SOURCES, embed=embed, nli=nli)
    assert report.claims[0].verdict == "supported"
    assert "nli function failed" in report.notes[0]


# -- both sides -----------------------------------------------------------------------------------


def test_sources_that_contradict_each_other_are_both_shown():
    (claim,) = ground(
        ["The bridge opened."], [SOURCES[1], NEVER], embed=embed, nli=contradicts
    ).claims
    assert claim.verdict == "supported"
    assert [(s.stance, s.source_index, s.quote) for s in claim.sides] == [
        ("supports", 0, BRIDGE),
        ("contradicts", 1, NEVER["content"]),
    ]
    listed = claim.to_dict()["sides"]
    assert set(listed[0]) == {
        "stance", "source_index", "source_ref", "source_snippet", "confidence"
    }  # fmt: skip


def test_a_judge_shows_both_sides_too():
    judge = ScriptedJudge(
        [
            {"if_source_contains": "never", "label": "contradicted", "quote": "*",
             "confidence": 0.9},
            {"if_source_contains": "1932", "label": "supported", "quote": "*", "confidence": 0.8},
        ]
    )  # fmt: skip
    both = ground(["The bridge opened."], [NEVER, SOURCES[1]], judge).claims[0]
    assert both.verdict == "supported"
    assert [side.stance for side in both.sides] == ["supports", "contradicts"]
    alone = ground(["The bridge opened."], [NEVER], judge).claims[0]
    assert (alone.verdict, [side.stance for side in alone.sides]) == (
        "contradicted",
        ["contradicts"],
    )
    plain = ground(["The bridge opened."], [SOURCES[1]], judge).claims[0]
    assert plain.sides == () and "sides" not in plain.to_dict()


# -- thresholds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("supported", "weak", "verdict"),
    [(0.6, 0.3, "weak"), (0.5, 0.3, "supported"), (0.9, 0.6, "unverifiable"),
     (0.5883, 0.1, "supported"), (1, 0.5883, "weak"), (0, 0, "supported")],
)  # fmt: skip
def test_both_thresholds_can_be_set(supported, weak, verdict):
    claims = ["The bridge is a bridge, is a bridge to the moon, the moon."]
    report = ground(claims, SOURCES, embed=embed, supported_from=supported, weak_from=weak)
    assert report.claims[0].verdict == verdict


def test_they_mean_the_same_for_a_judges_score():
    judge = ScriptedJudge([{"label": "supported", "quote": "*", "confidence": 0.5}])  # 0.8
    for supported, verdict in ((0.8, "supported"), (0.81, "weak")):
        report = ground(["It opened."], SOURCES, judge, supported_from=supported)
        assert (report.claims[0].verdict, report.claims[0].confidence) == (verdict, 0.8)


@pytest.mark.parametrize(
    ("supported", "weak"), [(0.3, 0.6), (1.1, 0.3), (0.6, -0.1), ("high", 0.3), (True, 0.3)]
)
def test_thresholds_out_of_order_are_a_mistake(supported, weak):
    with pytest.raises(UsageError, match=r"threshold"):
        ground(["A claim of some length."], SOURCES, supported_from=supported, weak_from=weak)
