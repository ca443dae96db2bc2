"""Passages are verbatim, in order, within the budget, and hold what the claim needs."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.judging.passages import select_passages
from workbench.records.context import JudgeContext

FILLER = "The committee met on several occasions and discussed a number of routine matters. "
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def holds(passages, text):
    return any(text in passage.text for passage in passages)


def check(passages, text, budget):
    assert all(text[p.start : p.end] == p.text for p in passages)
    assert all(a.end <= b.start for a, b in zip(passages, passages[1:], strict=False))
    assert sum(len(p.text) for p in passages) <= max(budget, 0)


def test_a_source_that_fits_comes_back_whole():
    (passage,) = select_passages("anything", " A short source.\n", 100)
    assert passage.text == " A short source.\n"
    assert (passage.start, passage.end) == (0, 17)


@pytest.mark.parametrize("text", ["", "   \n\t "])
def test_an_empty_source_gives_nothing(text):
    assert select_passages("claim", text) == []


def test_no_budget_gives_nothing():
    assert select_passages("claim", "text", 0) == []


@pytest.mark.parametrize(
    ("claim", "deciding"),
    [
        ("The tunnel cost 4.2 million euros.", "The price came to 4.2 million euros."),
        ("Ms Okonkwo resigned.", "Okonkwo left her post in May."),
        ("It was finished in 1987.", "The work ended in 1987."),
    ],
)
def test_the_sentence_that_decides_is_found_far_into_a_long_source(claim, deciding):
    text = FILLER * 200 + deciding + " " + FILLER * 200
    passages = select_passages(claim, text, 1000)
    assert holds(passages, deciding)
    check(passages, text, 1000)


def test_chinese_is_found_without_spaces():
    deciding = "该桥于1932年通车，全长1149米。"
    text = "委员会多次开会讨论日常事务。" * 300 + deciding + "委员会多次开会讨论日常事务。" * 300
    passages = select_passages("这座桥1932年通车", text, 500)
    assert holds(passages, deciding)
    check(passages, text, 500)


def test_a_claim_without_words_still_gets_the_beginning():
    text = FILLER * 100
    passages = select_passages("???", text, 500)
    assert passages[0].start == 0
    check(passages, text, 500)


def test_a_title_word_does_not_decide():
    title = "The Harbour Bridge"
    text = "The Harbour Bridge is famous. " * 100 + "It opened in March. " + FILLER * 100
    passages = select_passages("The Harbour Bridge opened in March.", text, 400, title=title)
    assert holds(passages, "It opened in March.")


def test_a_source_without_any_sentence_end_is_cut():
    text = "word " * 5000
    passages = select_passages("a word", text, 2000)
    assert passages
    check(passages, text, 2000)


def test_five_megabytes_are_searched_to_the_end():
    filler = "The committee met and discussed a number of routine matters. " * 80_000
    text = filler + "In 1987 the station of Ludlow counted 4200 travellers."
    passages = select_passages("In 1987 the station of Ludlow counted 4200 travellers.", text)
    check(passages, text, 3000)
    assert any("4200" in passage.text for passage in passages)


@settings(max_examples=150, deadline=None)
@given(
    st.text(max_size=60),
    st.text(max_size=800),
    st.integers(min_value=-1, max_value=400),
    st.none() | st.text(max_size=20),
)
def test_offsets_order_and_budget_hold_for_any_unicode(claim, text, budget, title):
    check(select_passages(claim, text, budget, title), text, budget)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab. \n。1\ud800é中", max_size=2000))
def test_surrogates_and_mixed_scripts_keep_their_offsets(text):
    check(select_passages("ab 1 中é", text, 100), text, 100)


@pytest.mark.skipif(not DATA.exists(), reason="the development data is not here")
def test_evidence_recall_on_whole_articles():
    lines = (DATA / "wice" / "articles_dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if any(row["supporting_sentences"])]
    hits = 0
    for row in rows:
        text = "\n".join(row["evidence"])
        selected = "\n".join(p.text for p in select_passages(row["claim"], text))
        hits += any(
            all(row["evidence"][i].strip() in selected for i in group)
            for group in row["supporting_sentences"]
            if group
        )
    assert hits / len(rows) >= 0.90


def test_the_context_finds_the_sentence_about_what_a_pronoun_stands_for():
    """Two houses were opened by the same mayor; the context says which is meant."""
    filler = " ".join(
        f"Filler sentence {n} tells of the weather and of the crops." for n in range(80)
    )
    about = "The {} on the hill has a long history. It was opened in 1913 by the mayor."
    source = f"{about.format('library')} {filler} {filler} {about.format('brewery')}"
    claim = "It was opened in 1913 by the mayor."
    for name in ("library", "brewery"):
        context = JudgeContext(before=f"Everybody in the town knows the {name}.")
        passages = select_passages(claim, source, 2000, context=context)
        assert any(f"The {name} on the hill" in passage.text for passage in passages), name
    assert [passage.text for passage in select_passages(claim, source, 900)] == [
        passage.text for passage in select_passages(claim, source, 900, context=context)
    ]
