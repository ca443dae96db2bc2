"""Which sentences of the passages are shown as evidence, and carry a verdict of our own judges. Pure.

The sentence that the encoder found decisive comes first where it shares about as many words with the
claim as another one, then those that cover the claim best. A
heading, a question or a title in a list is no evidence (`quotes`). Of a table the row is shown
that holds most of the claim, with its header row; never the header row alone.

Four kinds of sentence hold a claim's words and bear out nothing: speech that the next sentence
denies; a figure that its own sentence takes back; a row or an entry of another subject than the one
that the claim names; a pull quote that repeats a sentence of the text. The rules are narrow: what
they are not sure of stays evidence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.judging.features import SourceSentence
from workbench.judging.quotes import line_around, passage_of, why_no_statement
from workbench.language.tokenization import content_stems
from workbench.records.source import Passage
from workbench.records.text import Span
from workbench.records.verdict import Evidence

Reason = Literal["denied", "taken back", "another subject", "pull quote"]

LONGEST_TITLE = 60
"""Code points of the line above an entry that names its subject."""
REPEATED = 0.7
"""The share of a pull quote's words that the sentence has which it was taken from."""

_DENIAL = re.compile(
    r"[“\"«„(\s]*(?:(?:but|however|in fact|actually|aber|doch|mais|or|pero)[, ]\s?)?(?:"
    r"(?:this|that|it|these|those|both|(?:the|this|that|these|such) (?:claims?|reports?|statements?|story|stories"
    r"|rumou?rs?|figures?|allegations?|assertions?|accounts?)) (?:is|was|are|were|has been|have been)"
    r"(?: (?:simply|plainly|completely|entirely|also|all))? (?:false|untrue|wrong|incorrect"
    r"|not (?:true|correct|the case|so)"
    r"|an? (?:myth|hoax|lie|error|mistake|fabrication|invention)|baseless|unfounded"
    r"|inaccurate|fabricated|refuted|made up)"
    r"|nothing of the (?:kind|sort) (?:is|was)"
    r"|(?:das|dies|es|beides|(?:die|diese) (?:behauptung|meldung|angabe|aussage|darstellung|zahl)(?:en)?)"
    r" (?:ist|war|sind|waren) (?:schlicht |frei )?(?:falsch|unwahr|nicht (?:wahr|richtig|korrekt|der fall)|erfunden"
    r"|ein (?:irrtum|mythos|gerücht|märchen)|eine (?:lüge|erfindung|falschmeldung)|unzutreffend|haltlos)"
    r"|(?:das|dies) (?:stimmt|trifft) (?:so )?nicht"
    r"|(?:c['’]est|cela est|ceci est|(?:cette|l['’]) ?(?:affirmation|information|rumeur) est|ces \w+ sont)"
    r" (?:faux|fausse|fausses|inexacte?s?|infondée?s?|erronée?s?|mensong\w+|une (?:erreur|rumeur|invention)|un mythe)"
    r"|ce n['’]est pas (?:vrai|exact|le cas)|il n['’]en est rien"
    r"|(?:(?:eso|esto|ello) |(?:la|esta|esa) (?:afirmación|noticia|información|cifra) )?(?:es|era|son) (?:totalmente )?"
    r"(?:fals[oa]s?|mentira|inexact[oa]s?|un (?:mito|bulo|error))"
    r"|(?:(?:eso|esto) )?no es (?:cierto|verdad|así|correcto)"
    r")(?!\w)"
    r"|(?:这|此|该|上述)[^，。！？]{0,8}?(?:是|为|系|纯属|属)?(?:假的|虚假|不实|谣言|错误的?|不正确|不准确|误传|没有根据|子虚乌有)"
    r"|(?:但)?(?:事实)?并非如此|(?:これ|それ)は(?:誤り|事実ではない|デマ)",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:wrote|writes|said|says|claim\w*|report(?:s|ed)|alleg\w+|rumou?r\w*|false\w*|untrue|wrong\w*|denie[sd]"
    r"|behaupte\w*|gerücht\w*|falsch\w*|bestritt\w*|dément\w*|affirm\w+|faux|fausse|rumeur\w*|desm\w+|afirm\w+"
    r"|fals[oa]\w*|bulo)\b|声称|谣言|不实|辟谣|否认",
    re.IGNORECASE,
)
"""Words of a claim that is itself about what was said."""
_VALUE = (
    r"(?:values?|figures?|numbers?|results?|readings?|counts?|estimates?|statements?|reports?|claims?|papers?"
    r"|wert|werte|zahl|zahlen|angaben?|meldung|messung|valeurs?|chiffres?|résultats?|données|mesures?"
    r"|valor(?:es)?|cifras?|datos?|resultados?)"
)
_TAKEN_BACK = re.compile(
    rf"\b{_VALUE}\b[^.;]{{0,24}}\b(?:withdrawn|retracted|rescinded|corrected|revised away|disowned|zurückgezogen"
    r"|widerrufen|korrigiert|berichtigt|retirée?s?|rétractée?s?|corrigée?s?|retirad[oa]s?|corregid[oa]s?|rectificad[oa]s?)\b"
    r"|\b(?:due to|owing to|because of|wegen|aufgrund|infolge|en raison d|à cause d|suite à|debido a|a causa de)"
    r"[ ’'](?:an? |the |eine[smr]? |une? |el |la |e )?(?:[\w-]+ ){0,2}?(?:error|mistake"
    r"|misprint|fault|\w*fehlers?|\w*irrtums?"
    r"|erreur|coquille|errata)\b"
    r"|(?:数据|数字|数值|结果|说法)[^，。]{0,6}(?:撤回|撤销|更正|作废)|因[^，。]{0,8}(?:错误|失误|误差)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"[>\s*_]*([“\"„«「『])[^\n]*[”\"“»」』][.\s*_]*\Z")
_OPENING = {"”": "“", "“": "„", '"': '"', "»": "«", "«": "»", "」": "「", "』": "『"}
_KEY = re.compile(r"[\s*•·|-]*([^\W\d_][^:：|\t\n]{0,40}?)\**\s?(?:[:：]\**\s|：)")
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Why a sentence is no evidence for a claim, and what the source says instead."""

    reason: Reason
    spans: tuple[Span, ...] = ()
    """In the source; empty where it says nothing else."""


def replacement_of(
    claim: str, span: Span, sentences: Sequence[SourceSentence], passage: Passage
) -> Replacement | None:
    """What stands in place of a sentence; None where it is evidence itself.

    Args:
        claim: The claim.
        span: Of the sentence, in the source.
        sentences: Those of the passages, in their order.
        passage: The one that holds the sentence.
    """
    own = [s for s in sentences if passage.start <= s.span.start and s.span.end <= passage.end]
    at = next((n for n, s in enumerate(own) if overlap(s.span, span)), None)
    if at is None:
        return None
    sentence = own[at]
    denial = None if _TOLD.search(claim) else _denial_of(own, at)
    if denial:
        return Replacement("denied", (denial.span,))
    wanted = content_stems(claim)
    found = _TAKEN_BACK.search(sentence.text)
    if found and not content_stems(found[0]) <= wanted:
        return Replacement("taken back")
    if (line := _line_of_subject(wanted, span, passage)) is not None:
        return Replacement("another subject", line)
    if _ALONE.match(line_around(passage.text, span.start - passage.start).of(passage.text)):
        words = content_stems(sentence.text)
        other = max(
            (s for s in sentences if s is not sentence),
            key=lambda s: len(words & s.stems),
            default=None,
        )
        if words and other and len(words & other.stems) >= REPEATED * len(words):
            return Replacement("pull quote", (other.span,))
    return None


def _denial_of(own: Sequence[SourceSentence], at: int) -> SourceSentence | None:
    """The sentence that denies another: the next one, or the one behind the quotation it is in."""
    after = at + 1
    for later in range(at, min(at + 4, len(own))):
        close = own[later].text.rstrip(" .")[-1:]
        if close in _OPENING and any(
            _OPENING[close] in s.text for s in own[max(0, later - 4) : later + 1]
        ):
            is_inside = any(_OPENING[close] in s.text[:-1] for s in own[max(0, later - 4) : at + 1])
            after = later + 1 if is_inside else after
            break
    denial = own[after] if after < len(own) else None
    return (
        denial
        if denial and _DENIAL.match(denial.text) and not _DENIAL.match(own[at].text)
        else None
    )


def _line_of_subject(
    wanted: frozenset[str], span: Span, passage: Passage
) -> tuple[Span, ...] | None:
    """The line that says of the claim's subject what this one says of another; None for no other.

    Rows of a table are told by their first cell; entries of like lines (`Capacity: 900`) by the
    line above them.
    """
    own = line_around(passage.text, span.start - passage.start)
    records = list(_records(passage.text))
    here = next((r for r in records if r.line == own), None)
    if here is None or _is_named(here.subject, wanted):
        return None
    like = [r for r in records if r.group == here.group and r.key == here.key]
    named = [r for r in like if _is_named(r.subject, wanted)]
    words = content_stems(own.of(passage.text))
    if not named or any(content_stems(record.subject) <= words for record in named):
        return None
    at = passage.start
    return tuple(Span(at + record.line.start, at + record.line.end) for record in named)


def _is_named(subject: str, wanted: frozenset[str]) -> bool:
    words = content_stems(subject)
    return bool(words) and words <= wanted


@dataclass(frozen=True, slots=True)
class _Record:
    """A line that says one thing of one subject, among like ones of other subjects."""

    line: Span
    subject: str
    key: str
    """What it says of the subject; empty for a row, which says all."""
    group: int
    """The table that it stands in; -1 for entries."""


def _records(text: str) -> Iterator[_Record]:
    """The rows of the tables of a text, and its lines `key: value` under the title of an entry."""
    title, table, before = "", 0, -1
    for match in _LINE.finditer(text):
        line, words = Span(*match.span()), match[0].strip()
        is_new = text.count("\n", before, match.start()) > 1 if before >= 0 else True
        before = match.end()
        cells = [cell.strip() for cell in re.split(r"\||\t", words.strip("|"))]
        if not words:
            continue
        if len(cells) > 1:
            table += is_new
            if re.search(r"[^\W\d_]", cells[0]):
                yield _Record(line, cells[0], "", table)
        elif key := _KEY.match(words):
            yield _Record(line, title, key[1].casefold().strip(), -1)
        elif (
            (is_new or words.startswith("#"))
            and len(words) <= LONGEST_TITLE
            and words[-1] not in ".!?:;。"
        ):
            title = words.strip("#*_ ")
        elif is_new:
            title = ""


_RULE_ROW = re.compile(r"[\s|:\-–—+=]*\Z")
"""The line of dashes under a header row."""

DECISIVE_SHARE = 0.5
"""What the encoder attends to may be any sentence; the first quote has to speak of the claim."""


def choose_evidence(
    claim: str,
    best: Sequence[SourceSentence],
    decisive: Span | None,
    sentences: Sequence[SourceSentence],
    passages: Sequence[Passage],
    title: str | None = None,
) -> tuple[Evidence, ...]:
    """The evidence in the order to be shown, in the source's own characters.

    `best` are the sentences that cover the claim best, `decisive` the span of another, `title` the
    source's, which is no evidence. Empty where none of them states anything.
    """
    spans = [sentence.span for sentence in best]
    if decisive is not None and _shares_words(claim, decisive, best, sentences):
        spans = [decisive, *(span for span in spans if not overlap(span, decisive))]
    chosen: list[Evidence] = []
    for span in _own_words(claim, spans, sentences, passages):
        passage = passage_of(span, passages)
        if passage is None or why_no_statement(span, passages, title):
            continue
        parts = filter(None, _table_row(claim, span, sentences, passage))
        chosen += (Evidence(quote=passage.words_at(part), span=part) for part in parts)
    return tuple(dict.fromkeys(chosen))


def _own_words(
    claim: str,
    spans: Sequence[Span],
    sentences: Sequence[SourceSentence],
    passages: Sequence[Passage],
) -> list[Span]:
    """The spans, with what the source says itself of the claim's subject in place of the rest."""
    own: list[Span] = []
    for span in spans:
        passage = passage_of(span, passages)
        other = replacement_of(claim, span, sentences, passage) if passage else None
        own += (span,) if other is None else other.spans
    return own


def _shares_words(
    claim: str, decisive: Span, best: Sequence[SourceSentence], sentences: Sequence[SourceSentence]
) -> bool:
    """Whether a sentence has `DECISIVE_SHARE` of the claim's words that the best one has."""
    wanted = content_stems(claim)
    most = max((len(wanted & sentence.stems) for sentence in best), default=0)
    own = (len(wanted & s.stems) for s in sentences if overlap(s.span, decisive))
    return max(own, default=0) >= DECISIVE_SHARE * most


def _table_row(
    claim: str, span: Span, sentences: Sequence[SourceSentence], passage: Passage
) -> tuple[Span | None, Span | None]:
    """The row to show for a sentence, and its table's header row, where it is one of a table."""
    rows = _table_around(span, sentences, passage)
    if len(rows) < 2:
        return span, None
    header, body = rows[0], [row for row in rows[1:] if not _RULE_ROW.match(row.text)]
    if not overlap(span, header.span) and not _RULE_ROW.match(passage.words_at(span)):
        return span, header.span
    if not body:
        return None, None
    wanted = content_stems(claim)
    row = max(body, key=lambda row: len(wanted & row.stems))
    return row.span, header.span


def _table_around(
    span: Span, sentences: Sequence[SourceSentence], passage: Passage
) -> list[SourceSentence]:
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
