"""The embedded judge with an encoder beside its features, and what it does where it has none."""

import sys

import pytest

from tests.fakes.tiny_encoder import add_encoder, judge_folder
from workbench.errors import UnknownJudge
from workbench.judging.embedded import LocalJudge, compute_features
from workbench.judging.evidence_choice import choose_evidence
from workbench.judging.pair_reader import MODEL
from workbench.judging.passages import select_passages
from workbench.records.text import Span

CLAIM = "The harbour bridge opened in March 1932."
SOURCE = (
    "Ferries crossed the harbour for decades. The harbour bridge opened in March 1932. "
    "Its toll was abolished much later, after long debates in the council."
)


@pytest.fixture
def folder(tmp_path):
    return judge_folder(tmp_path, reads=True)


def judged(folder, claim=CLAIM):
    return LocalJudge(folder).judge(claim, select_passages(claim, SOURCE))


def features_alone(tmp_path_factory):
    return judged(judge_folder(tmp_path_factory.mktemp("features"), reads=False))


def test_the_encoder_makes_the_score_and_the_rationale_says_so(folder, tmp_path_factory):
    alone = judge_folder(tmp_path_factory.mktemp("words"), reads=False)
    add_encoder(folder)
    reworded = "In March 1932 the bridge opened."
    assert judged(folder, reworded).rationale.startswith("Read together: supported ")
    assert judged(folder, reworded).score != judged(alone, reworded).score


def test_a_claim_in_the_sources_own_words_is_surely_supported_whatever_is_read(folder):
    add_encoder(folder)
    judgment = judged(folder)
    assert (judgment.label, judgment.score, judgment.sure) == ("supported", 0.95, True)
    assert judgment.rationale.startswith("The claim stands in the source in its own words.")
    assert judgment.evidence[0].span.of(SOURCE) == judgment.evidence[0].quote
    assert CLAIM in [evidence.quote for evidence in judgment.evidence]


@pytest.mark.parametrize(
    ("decisive", "first"),
    [
        ("In March 1932 it opened", "In March 1932 it opened, the new harbour bridge."),
        ("Its toll was abolished", "The harbour bridge opened in March 1932."),
    ],
    ids=["speaks of the claim", "speaks of something else"],
)
def test_the_decisive_sentence_leads_where_it_speaks_of_the_claim(decisive, first):
    source = f"{SOURCE} In March 1932 it opened, the new harbour bridge."
    passages = select_passages(CLAIM, source)
    features = compute_features(CLAIM, passages)
    start = source.index(decisive)
    span = Span(start, start + len(decisive))
    evidence = choose_evidence(CLAIM, features.best[:1], span, features.sentences, passages)
    assert evidence[0].quote.startswith(first[:20])


def test_without_the_encoders_file_the_features_judge_alone_and_say_so(folder, tmp_path_factory):
    judgment, alone = judged(folder), features_alone(tmp_path_factory)
    assert (judgment.score, judgment.label) == (alone.score, alone.label)
    assert "Judged by its words alone: encoder.onnx is not in " in judgment.rationale


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_without_a_package_the_features_judge_alone_and_say_how_to_get_it(
    folder, tmp_path_factory, monkeypatch, package
):
    add_encoder(folder)
    monkeypatch.setitem(sys.modules, package, None)
    judgment = judged(folder)
    assert judgment.score == features_alone(tmp_path_factory).score
    assert f"{package} is not installed: run `pip install" in judgment.rationale


def test_a_damaged_encoder_is_named(folder):
    add_encoder(folder)
    (folder / MODEL).write_bytes(b"not a model")
    with pytest.raises(UnknownJudge, match=r"encoder\.onnx.*cannot be read as ONNX"):
        judged(folder)


def test_a_lone_surrogate_is_read_like_any_other_character(folder):
    add_encoder(folder)
    claim = "The harbour \ud800 bridge opened in March 1932."
    assert judged(folder, claim).label
