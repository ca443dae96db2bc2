"""A PDF's compatibility characters are read as the letters they stand for, in every comparison."""

import pytest

from workbench.judging.judge_factory import open_judge
from workbench.judging.passages import select_passages
from workbench.judging.quotes import locate_quotes
from workbench.language.tokenization import find_words
from workbench.records.source import Passage
from workbench.records.text import Span

CLAIM = "人工智能在二〇二四年被用于风力发电的长期预测。"
AS_PDF = "⼈⼯智能在⼆〇⼆四年被⽤于⻛⼒发电的⻓期预测。"
FILLER = "本段说明其他事情，与前文没有关系，仅供参考。\n" * 300


@pytest.mark.parametrize("filler", ["", FILLER])
@pytest.mark.parametrize(("claim", "sentence"), [(CLAIM, AS_PDF), (AS_PDF, CLAIM), (CLAIM, CLAIM)])
def test_the_judge_sees_no_difference(claim, sentence, filler):
    source = f"{filler}{sentence}\n该方法由三家公司共同开发。"
    passages = select_passages(claim, source)
    judgment = open_judge("local").judge(claim, passages)
    same = open_judge("local").judge(CLAIM, select_passages(CLAIM, source.replace(AS_PDF, CLAIM)))
    assert (judgment.label, judgment.score) == (same.label, same.score)
    assert judgment.label == "supported"
    assert judgment.uncovered == ()
    assert "Not covered" not in judgment.rationale
    (evidence, *_) = judgment.evidence
    assert evidence.quote == source[evidence.start : evidence.end]
    assert evidence.quote == sentence


def test_a_quote_in_plain_characters_is_found_with_its_place():
    passage = Passage(span=Span(10, 10 + len(AS_PDF)), text=AS_PDF)
    (evidence,) = locate_quotes([CLAIM], [passage]).evidence
    assert (evidence.quote, evidence.span) == (AS_PDF, passage.span)


def test_ligatures_and_full_width_letters_are_words():
    plain = [word.stem for word in find_words("The first AI in 2024 is efficient")]
    assert [word.stem for word in find_words("The ﬁrst ＡＩ in ２０２４ is eﬃcient")] == plain
