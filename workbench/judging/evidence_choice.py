"""Which sentences of the passages are shown as evidence, and carry a verdict of our own judges. Pure.

The sentence that the encoder found decisive comes first where it shares about as many words with the
claim as another one, then those that cover the claim best. A
heading, a question or a title in a list is no evidence (`statements`). Of a table the row is shown
that holds most of the claim, with its header row; never the header row alone.
"""

import re
from collections.abc import Sequence

from workbench.judging.claim_features import Sentence
from workbench.judging.evidence_subjects import replacement_of
from workbench.judging.statements import passage_of, why_no_statement
from workbench.judging.tokenization import find_words
from workbench.records import Evidence, Passage, Span

_RULE_ROW = re.compile(r"[\s|:\-–—+=]*\Z")
"""The line of dashes under a header row."""

DECISIVE_SHARE = 0.5
"""What the encoder attends to may be any sentence; the first quote has to speak of the claim."""


def choose_evidence(
    claim: str,
    best: Sequence[Sentence],
    decisive: Span | None,
    sentences: Sequence[Sentence],
    passages: Sequence[Passage],
) -> tuple[Evidence, ...]:
    """The evidence in the order to be shown, in the source's own characters.

    `best` are the sentences that cover the claim best, `decisive` the span of another. Empty where
    none of them states anything.
    """
    spans = [sentence.span for sentence in best]
    if decisive is not None and _shares_words(claim, decisive, best, sentences):
        spans = [decisive, *(span for span in spans if not overlap(span, decisive))]
    chosen: list[Span] = []
    for span in _own_words(claim, spans, sentences, passages):
        passage = passage_of(span, passages)
        if passage is None or why_no_statement(span, passage):
            continue
        row, header = _table_row(claim, span, sentences, passage)
        for part in (row, header):
            if part is not None and part not in chosen:
                chosen.append(part)
    return tuple(_evidence(span, passages) for span in chosen)


def _own_words(
    claim: str, spans: Sequence[Span], sentences: Sequence[Sentence], passages: Sequence[Passage]
) -> list[Span]:
    """The spans, with what the source says itself of the claim's subject in place of the rest."""
    own: list[Span] = []
    for span in spans:
        passage = passage_of(span, passages)
        other = replacement_of(claim, span, sentences, passage) if passage else None
        own += (span,) if other is None else other.spans
    return own


def _shares_words(
    claim: str, decisive: Span, best: Sequence[Sentence], sentences: Sequence[Sentence]
) -> bool:
    """Whether a sentence has `DECISIVE_SHARE` of the claim's words that the best one has."""
    wanted = {word.stem for word in find_words(claim) if not word.stop}
    most = max((len(wanted & sentence.stems) for sentence in best), default=0)
    own = (len(wanted & s.stems) for s in sentences if overlap(s.span, decisive))
    return max(own, default=0) >= DECISIVE_SHARE * most


def _table_row(
    claim: str, span: Span, sentences: Sequence[Sentence], passage: Passage
) -> tuple[Span | None, Span | None]:
    """The row to show for a sentence, and its table's header row, where it is one of a table."""
    rows = _table_around(span, sentences, passage)
    if len(rows) < 2:
        return span, None
    header, body = rows[0], [row for row in rows[1:] if not _RULE_ROW.match(row.text)]
    if not overlap(span, header.span) and not _RULE_ROW.match(_text_of(span, passage)):
        return span, header.span
    if not body:
        return None, None
    wanted = {word.stem for word in find_words(claim) if not word.stop}
    row = max(body, key=lambda row: len(wanted & row.stems))
    return row.span, header.span


def _table_around(span: Span, sentences: Sequence[Sentence], passage: Passage) -> list[Sentence]:
    """The rows of the table that a sentence stands in; empty where it stands in none."""
    inside = [s for s in sentences if passage.start <= s.span.start and s.span.end <= passage.end]
    at = next((n for n, s in enumerate(inside) if overlap(s.span, span)), None)
    if at is None or not _is_row(inside[at].text):
        return []
    first = last = at
    while first and _is_row(inside[first - 1].text):
        first -= 1
    while last + 1 < len(inside) and _is_row(inside[last + 1].text):
        last += 1
    return inside[first : last + 1]


def _is_row(text: str) -> bool:
    return text.count("|") >= 2 or text.count("\t") >= 2


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans share a character."""
    return one.start < other.end and other.start < one.end


def _text_of(span: Span, passage: Passage) -> str:
    return passage.text[span.start - passage.start : span.end - passage.start]


def _evidence(span: Span, passages: Sequence[Passage]) -> Evidence:
    passage = passage_of(span, passages)
    assert passage is not None, "only sentences of the passages are chosen"
    return Evidence(quote=_text_of(span, passage), span=span)
