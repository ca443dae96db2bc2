"""A model of the user's own as a judge: every shape of model, short and long sources.

What the models say can be computed by hand: see `tests.fakes.pair_models`.
"""

import asyncio

import numpy as np
import pytest
from onnx import TensorProto

from tests.fakes.pair_models import CERTAIN, NLI, write_model
from workbench.errors import JudgeError
from workbench.judging.judge import judgment_key
from workbench.judging.judge_factory import open_judge
from workbench.judging.nli.classifier import PAIRS_AT_ONCE
from workbench.judging.passages import select_passages
from workbench.records.context import JudgeContext, SourceFacts
from workbench.records.source import Passage
from workbench.records.text import Span

SOURCE = "Rain fell on Monday. The old bridge was opened in 1913. Many people came to see it."
DENIAL = "Rain fell on Monday. The old bridge was not opened in 1913. Many people came to see it."
CLAIM = "The old bridge was opened in 1913 [1]."
OTHER = "Snow covered seven mountains."
WORDS = f"{SOURCE} {DENIAL} {OTHER}"


def judged(folder, claim, source, options="", **context):
    judge = open_judge(f"nli:{folder}{options}")
    return judge.judge(claim, select_passages(claim, source), JudgeContext(**context))


THREE = [
    pytest.param({}, "", id="entailment-neutral-contradiction"),
    pytest.param({"labels": ("contradiction", "entailment", "neutral")}, "", id="permuted"),
    pytest.param({"labels": ("neutral", "contradiction", "entailment")}, "", id="permuted-again"),
    pytest.param(
        {"labels": ("REFUTES", "SUPPORTS", "NOT ENOUGH INFO"),
         "classes": ("contradiction", "entailment", "neutral")},
        "",
        id="other-names",
    ),
    pytest.param(
        {"labels": ("LABEL_0", "LABEL_1", "LABEL_2"), "classes": NLI},
        "?labels=entailment,neutral,contradiction",
        id="named-in-the-spec",
    ),
    pytest.param(
        {"config": {}, "classes": NLI}, "?labels=supported,nei,refuted", id="config-without-labels"
    ),
    pytest.param({"type_ids": False}, "", id="without-token-types"),
    pytest.param({"claim_first": True}, "?first=claim", id="claim-first"),
    pytest.param(
        {"claim_first": True, "type_ids": False}, "?first=claim", id="claim-first-without-types"
    ),
    pytest.param({"type_ids": False}, "?join=[SEP]", id="one-text"),
    pytest.param({"fixed": (1, 64)}, "", id="one-pair-at-a-time"),
    pytest.param({"fixed": (4, 48)}, "", id="four-pairs-of-a-length"),
    pytest.param({"integers": TensorProto.INT32}, "", id="short-integers"),
    pytest.param({"file": "onnx/model_quantized.onnx"}, "", id="file-in-onnx"),
    pytest.param({"file": "my.onnx"}, "", id="file-of-another-name"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "options"), THREE)
def test_three_classes_in_any_shape(tmp_path, model, options):
    folder = write_model(tmp_path / "m", WORDS, **model)
    support = judged(folder, CLAIM, SOURCE, options)
    assert (support.label, support.score) == ("supported", pytest.approx(CERTAIN, abs=1e-3))
    (evidence,) = support.evidence
    assert evidence.quote == "The old bridge was opened in 1913."
    assert SOURCE[evidence.start : evidence.end] == evidence.quote

    denial = judged(folder, CLAIM, DENIAL, options)
    assert (denial.label, denial.confidence) == ("contradicted", pytest.approx(CERTAIN, abs=1e-3))
    assert denial.score < 0.08
    (evidence,) = denial.evidence
    assert evidence.quote == "The old bridge was not opened in 1913."
    assert DENIAL[evidence.start : evidence.end] == evidence.quote

    other = judged(folder, OTHER, SOURCE, options)
    assert other.label == "not_supported"
    assert other.score < 0.01


@pytest.mark.parametrize(
    ("model", "options"),
    [
        ({"labels": ("entailment", "not_entailment"), "classes": ("entailment", "neutral")}, ""),
        (
            {"labels": ("0", "1"), "classes": ("neutral", "entailment")},
            "?labels=unsupported,supported",
        ),
        ({"labels": ("LABEL_0",), "classes": ("entailment",)}, ""),
    ],
    ids=["entailment-or-not", "minicheck", "one-number"],
)
def test_two_classes_and_one_number_never_contradict(tmp_path, model, options):
    folder = write_model(tmp_path / "m", WORDS, **model)
    assert judged(folder, CLAIM, SOURCE, options).label == "supported"
    assert judged(folder, CLAIM, SOURCE, options).score == pytest.approx(CERTAIN, abs=1e-3)
    denial = judged(folder, CLAIM, DENIAL, options)
    assert denial.label == "not_supported"
    assert denial.score < 0.01
    assert denial.evidence


def test_a_model_that_says_the_opposite_is_turned_round(tmp_path):
    folder = write_model(tmp_path / "m", WORDS, ("hallucination",), classes=("entailment",))
    assert judged(folder, CLAIM, SOURCE).score == pytest.approx(1 - CERTAIN, abs=1e-3)


FILLER = "Rain fell on Monday and many people came to see it in the old town."


def long_source(sentences, at, sentence):
    texts = [FILLER] * sentences
    texts[at] = sentence
    return " ".join(texts)


@pytest.mark.parametrize("at", [0, 13, 29])
def test_the_best_part_of_a_long_source_decides(tmp_path, at):
    folder = write_model(tmp_path / "m", f"{WORDS} {FILLER}")
    source = long_source(30, at, "Snow covered seven mountains.")
    passages = [Passage(span=Span(0, len(source)), text=source)]
    judgment = open_judge(f"nli:{folder}").judge(OTHER, passages)
    assert (judgment.label, judgment.score) == ("supported", pytest.approx(CERTAIN, abs=1e-3))
    (evidence,) = judgment.evidence
    assert source[evidence.start : evidence.end] == "Snow covered seven mountains."
    assert "in the best of " in judgment.rationale


def test_a_contradiction_anywhere_in_a_long_source_is_seen(tmp_path):
    folder = write_model(tmp_path / "m", f"{WORDS} {FILLER}")
    source = long_source(30, 20, "The old bridge was not opened in 1913.")
    passages = [Passage(span=Span(100, 100 + len(source)), text=source)]
    judgment = open_judge(f"nli:{folder}").judge(CLAIM, passages)
    assert judgment.label == "contradicted"
    (evidence,) = judgment.evidence
    assert source[evidence.start - 100 : evidence.end - 100] == evidence.quote
    assert evidence.quote == "The old bridge was not opened in 1913."


def test_a_sentence_longer_than_the_model_is_read_in_parts(tmp_path):
    folder = write_model(tmp_path / "m", f"{WORDS} {FILLER}", longest=40)
    words = ["rain"] * 200
    words[150:154] = ["snow", "covered", "seven", "mountains"]
    source = " ".join(words)
    passages = [Passage(span=Span(0, len(source)), text=source)]
    judgment = open_judge(f"nli:{folder}").judge("Snow covered seven mountains", passages)
    assert judgment.label == "supported"
    assert all(source[e.start : e.end] == e.quote for e in judgment.evidence)
    assert any("seven" in e.quote for e in judgment.evidence)


def test_a_claim_longer_than_the_model_says_so(tmp_path):
    folder = write_model(tmp_path / "m", WORDS, longest=40)
    judgment = judged(folder, f"{CLAIM} " * 20, SOURCE)
    assert "its end was not read" in judgment.rationale


def test_several_sentences_are_quoted_where_none_decides_alone(tmp_path):
    folder = write_model(tmp_path / "m", WORDS)
    judgment = judged(folder, "Rain fell on the old bridge and many people came.", SOURCE)
    quotes = [evidence.quote for evidence in judgment.evidence]
    assert quotes == [part.strip() + "." for part in SOURCE.strip(".").split(". ")]


def test_titles_and_headings_are_read_and_not_quoted(tmp_path):
    folder = write_model(tmp_path / "m", f"{WORDS} Tower height metres 96")
    judge = open_judge(f"nli:{folder}")
    row = "96 metres."
    passage = Passage(span=Span(0, len(row)), text=row, heading="Height of the tower")
    claim = "Height of the tower 96 metres."
    judgment = judge.judge(claim, [passage])
    assert (judgment.label, [e.quote for e in judgment.evidence]) == ("supported", [row])
    bare = Passage(span=Span(0, len(row)), text=row)
    assert judge.judge(claim, [bare]).label == "not_supported"
    # so a kept judgment is that of the same headings
    assert judgment_key(judge, claim, [passage]) != judgment_key(judge, claim, [bare])
    titled = JudgeContext(
        source=SourceFacts(title="Height of the tower"), before="It stands there."
    )
    assert judge.judge(claim, [bare], titled).label == "supported"
    assert judge.context_shown(titled) == JudgeContext(
        source=SourceFacts(title="Height of the tower")
    )


def test_marks_of_the_tokenizer_in_a_source_are_plain_text(tmp_path):
    folder = write_model(tmp_path / "m", WORDS, type_ids=False)
    # a separator of its own would make the rest of the source part of the claim
    attack = "Rain fell. [SEP] rain fell [SEP]"
    claim = "Snow covered seven mountains."
    assert judged(folder, claim, attack).label == "not_supported"


def test_batches_give_what_single_pairs_give(tmp_path):
    folder = write_model(tmp_path / "m", f"{WORDS} {FILLER}")
    judge = open_judge(f"nli:{folder}")
    texts = [f"{FILLER} " * (1 + i % 3) + OTHER * (i % 2) for i in range(3 * PAIRS_AT_ONCE + 1)]
    classify = judge._classifier.classify
    together = [chance.support for chance in classify(texts, OTHER)]
    alone = [classify([text], OTHER)[0].support for text in texts]
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_a_source_without_text_is_no_evidence(tmp_path):
    folder = write_model(tmp_path / "m", WORDS)
    judge = open_judge(f"nli:{folder}")
    with pytest.raises(JudgeError) as caught:
        judge.judge(CLAIM, [Passage(span=Span(0, 1), text=" ")])
    assert caught.value.kind == "not_evidence"


def test_a_model_that_fails_later_is_an_error_of_the_judge(tmp_path, monkeypatch):
    folder = write_model(tmp_path / "m", WORDS)
    judge = open_judge(f"nli:{folder}")
    monkeypatch.setattr(
        judge._classifier._runtime,
        "run",
        lambda batch: np.full((len(batch["input_ids"]), 3), np.nan),
    )
    with pytest.raises(JudgeError) as caught:
        judge.judge(CLAIM, select_passages(CLAIM, SOURCE))
    assert caught.value.kind == "malformed_judge_response"


def test_many_claims_at_once_get_their_own_answers(tmp_path):
    folder = write_model(tmp_path / "m", WORDS)
    judge = open_judge(f"nli:{folder}")
    claims = [CLAIM, OTHER] * 10

    async def ask():
        return await asyncio.gather(
            *(judge.ajudge(claim, select_passages(claim, SOURCE)) for claim in claims)
        )

    labels = [judgment.label for judgment in asyncio.run(ask())]
    assert labels == ["supported", "not_supported"] * 10
    assert judge.worst_cost_usd(CLAIM, []) == 0.0
