"""The four layers of a citation (exists, resolves, derivable, in scope), each found out apart. Pure.

Whether a claim is wider than its evidence is told by the widening words and the qualifiers left
out. A finding is a reason to look, not a proof: it compares words of the claim with words of the quoted
evidence. Kinds: `universal` (all, every, always for less), `certainty` (proves, does for may),
`causal` (causes for is associated with), `date`, `population`, `single_study` and `bound` (up to,
at least) for what the evidence restricts and the claim leaves out.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.judging.bibliography import evidence_spans
from workbench.judging.quotes import normalise
from workbench.language.quantities import Quantity, find_quantities
from workbench.language.tokenization import find_words, normalize_word, segment, stem
from workbench.records.source import Passage
from workbench.records.text import JsonDict, Span, Spanned, fold_compatible
from workbench.records.verdict import QUOTED_LABELS, Judgment, Layers

ScopeKind = Literal[
    "universal", "certainty", "causal", "date", "population", "single_study", "bound"
]

_UNIVERSAL = re.compile(
    r"\b(?:all|every|everyone|everybody|everywhere|always|never|none|nobody|entire(?:ly)?|whole|"
    r"complete(?:ly)?|fully|any|only|exclusively|invariably|without exception|no one)\b"
    r"|所有|全部|总是|从不|一切|完全|任何",
    re.IGNORECASE,
)
_UNIVERSAL_IDIOMS = re.compile(
    r"\b(?:after all|at all|first of all|above all|all[- ]time|all[- ]star|all of a sudden|"
    r"not only|in any case|at any rate|all right|the only thing)\b",
    re.IGNORECASE,
)
_CERTAIN = re.compile(
    r"\b(?:prov(?:es|ed|en|ing|e)|demonstrat(?:es|ed|e)|confirm(?:s|ed)?|establish(?:es|ed)|"
    r"definite(?:ly)?|definitive(?:ly)?|certain(?:ly)?|undoubted(?:ly)?|unquestionabl[ey]|"
    r"guarantee(?:s|d)?|conclusive(?:ly)?|will|must)\b|证明|必然|肯定|确保",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:may|might|could|can|possib(?:le|ly)|perhaps|probabl[ey]|suggest(?:s|ed|ing)?|"
    r"indicat(?:es|ed|e)|appear(?:s|ed)?|seem(?:s|ed)?|likely|potential(?:ly)?|preliminary|"
    r"hypothesi[sz]ed?|tentative(?:ly)?|believed|thought to|expected to|alleged(?:ly)?|"
    r"reported(?:ly)?|estimated?|approximately)\b|可能|或许|也许|似乎|初步|据称",
    re.IGNORECASE,
)
_CAUSAL = re.compile(
    r"\b(?:caus(?:es|ed|e|ing)|leads? to|led to|results? in|resulted in|reduc(?:es|ed|e)|"
    r"increas(?:es|ed|e)|prevent(?:s|ed)?|improv(?:es|ed|e)|lower(?:s|ed)|raises?|raised|"
    r"protects?|produc(?:es|ed)|because of|due to)\b|导致|引起|造成",
    re.IGNORECASE,
)
_ASSOCIATED = re.compile(
    r"\b(?:associat(?:ed|ion|ions)|correlat(?:ed|es|ion|ions)|linked|link between|"
    r"relationship between|tend(?:s|ed)? to|risk factor|predict(?:s|ed|ors?))\b|相关|关联",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\b(?:in|as of|by|until|till|during|since|before|between|from|for)\s+"
    r"(?:(?:early|mid|late|the)[\s-]+)*(?:(?:january|february|march|april|may|june|july|august|"
    r"september|october|november|december)\s+)?(?:1[5-9]|20)\d\d\b|(?:1[5-9]|20)\d\d\s*年",
    re.IGNORECASE,
)
_PRESENT = re.compile(
    r"\b(?:is|are|has|have|does|do|remains?|continues?|currently|today|now)\b|目前|现在|如今",
    re.IGNORECASE,
)
_POPULATION = re.compile(
    r"\b(?:in|among|of|for)\s+(?:(?:the|these|those|healthy|young(?:er)?|old(?:er)?|adult|male|"
    r"female|pregnant|elderly|chinese|american|european|japanese)\s+)*"
    r"(?P<who>mice|rats|animals?|monkeys|cells?|vitro|children|adolescents|adults|women|men|"
    r"infants|boys|girls|students|patients|participants|veterans|nurses|athletes|smokers|"
    r"respondents|volunteers|workers|teenagers|seniors|employees|consumers|subscribers)\b"
    r"(?P<rest>\s+(?:with|aged|over|under|who|at)\s+[\w-]+(?:\s+[\w-]+)?)?",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:studies|research|evidence|scientists|experts|data|trials|researchers|science)\s+"
    r"(?:have |has |consistently |clearly |widely )*"
    r"(?:shows?|shown|showed|proves?|proven|agree|demonstrates?|demonstrated|confirms?|confirmed|"
    r"finds?|found|suggests?)\b|\bit is (?:well[- ])?(?:known|established)\b|研究表明|研究证明",
    re.IGNORECASE,
)
_SINGLE_STUDY = re.compile(
    r"\b(?:(?:a|one|this|our|the|single|small|pilot|recent)\s+(?:\w+\s+){0,2}"
    r"(?:study|trial|survey|experiment|paper|report|poll|analysis)|we (?:found|observed|report))\b"
    r"|一项研究|本研究",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(up to|as many as|as much as|at least|at most|no more than|no fewer than|no less than|"
    r"more than|less than|fewer than|over|under|nearly|almost|only)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeFinding(Spanned):
    """A part of the claim that reaches further than its evidence."""

    kind: ScopeKind
    span: Span
    """In the claim: the widening word, or the whole claim where something is left out."""
    words: str
    """The widening words of the claim, or the qualifier of the evidence that is missing."""
    message: str

    def to_dict(self) -> JsonDict:
        """`{"kind", "start", "end", "words", "message"}`."""
        return {
            "kind": self.kind,
            **self.span.to_dict(),
            "words": self.words,
            "message": self.message,
        }


def find_overreach(claim: str, evidence: Sequence[str]) -> tuple[ScopeFinding, ...]:
    """Where the claim is wider than the quoted evidence, in the claim's order; empty when nowhere.

    `evidence` holds the quotes the verdict rests on, with their sentence where possible. Without
    any there is nothing to compare with, and nothing is found.
    """
    claim, source = fold_compatible(claim), fold_compatible("\n".join(evidence))
    if not source.strip() or not claim.strip():
        return ()
    rules: tuple[Callable[[str, str], list[ScopeFinding]], ...] = (
        _universal, _certainty, _causal, _date, _population, _single_study, _bound,
    )  # fmt: skip
    findings = [finding for rule in rules for finding in rule(claim, source)]
    return tuple(sorted(findings, key=lambda finding: (finding.span, finding.kind)))


def _universal(claim: str, source: str) -> list[ScopeFinding]:
    idioms = [match.span() for match in _UNIVERSAL_IDIOMS.finditer(claim)]
    source_words = {normalize_word(match.group()) for match in _UNIVERSAL.finditer(source)}
    findings = []
    for match in _UNIVERSAL.finditer(claim):
        if normalize_word(match.group()) in source_words or any(
            a <= match.start() < b for a, b in idioms
        ):
            continue
        message = f"“{match.group()}” does not stand in the evidence."
        findings.append(_at_match("universal", match, match.group(), message))
    return findings


def _certainty(claim: str, source: str) -> list[ScopeFinding]:
    hedge = _HEDGED.search(source)
    if hedge is None or _HEDGED.search(claim):
        return []
    certain = _CERTAIN.search(claim)
    if certain is not None and not re.search(rf"\b{re.escape(certain.group())}\b", source, re.I):
        message = f"The evidence says “{hedge.group()}”, the claim says “{certain.group()}”."
        return [_at_match("certainty", certain, certain.group(), message)]
    message = f"The evidence says “{hedge.group()}”, the claim states it as a fact."
    return [_at_claim("certainty", claim, hedge.group(), message)]


def _causal(claim: str, source: str) -> list[ScopeFinding]:
    cause, link = _CAUSAL.search(claim), _ASSOCIATED.search(source)
    if cause is None or link is None or _ASSOCIATED.search(claim):
        return []
    if any(
        stem(normalize_word(m.group())) == stem(normalize_word(cause.group()))
        for m in _CAUSAL.finditer(source)
    ):
        return []
    message = f"The evidence says “{link.group()}”, the claim says “{cause.group()}”."
    return [_at_match("causal", cause, cause.group(), message)]


def _date(claim: str, source: str) -> list[ScopeFinding]:
    dated = _DATED.search(source)
    if dated is None or any(q.is_year for q in find_quantities(claim)):
        return []
    present = _PRESENT.search(claim)
    if present is None:
        return []
    message = f"The evidence is dated (“{dated.group()}”), the claim speaks of the present."
    return [_at_match("date", present, dated.group(), message)]


def _population(claim: str, source: str) -> list[ScopeFinding]:
    stems = {word.stem for word in find_words(claim)}
    findings = []
    for match in _POPULATION.finditer(source):
        group = match["who"]
        if stem(normalize_word(group)) not in stems:
            message = f"The evidence is about “{match.group().strip()}”, the claim does not say so."
            findings.append(_at_claim("population", claim, match.group().strip(), message))
    return findings[:2]


def _single_study(claim: str, source: str) -> list[ScopeFinding]:
    general, study = _GENERAL.search(claim), _SINGLE_STUDY.search(source)
    if general is None or study is None or _GENERAL.search(source):
        return []
    message = f"The evidence is “{study.group()}”, the claim speaks of “{general.group()}”."
    return [_at_match("single_study", general, general.group(), message)]


def _bound(claim: str, source: str) -> list[ScopeFinding]:
    """Bounds before a number of the evidence that the same number of the claim has lost."""
    findings = []
    source_bounds = [
        (q, _BOUND.search(source[max(0, q.start - 20) : q.start])) for q in _strong(source)
    ]
    for quantity in _strong(claim):
        same = [bound for q, bound in source_bounds if q.value == quantity.value]
        if not same or any(bound is None for bound in same):
            continue
        before = _BOUND.search(claim[max(0, quantity.start - 20) : quantity.start])
        if before is None and same[0] is not None:
            words = same[0].group(1)
            span = Span(quantity.start, quantity.end)
            message = (
                f"The evidence says “{words} {span.of(claim)}”, the claim leaves “{words}” out."
            )
            findings.append(ScopeFinding(kind="bound", span=span, words=words, message=message))
    return findings


def _strong(text: str) -> list[Quantity]:
    return [q for q in find_quantities(text) if not q.weak and not q.is_year]


def _at_match(kind: ScopeKind, match: re.Match[str], words: str, message: str) -> ScopeFinding:
    return ScopeFinding(kind=kind, span=Span(*match.span()), words=words, message=message)


def _at_claim(kind: ScopeKind, claim: str, words: str, message: str) -> ScopeFinding:
    return ScopeFinding(kind=kind, span=Span(0, len(claim)), words=words, message=message)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerReport:
    """The layers of one citation with the reasons for the last one."""

    layers: Layers
    overreach: tuple[ScopeFinding, ...] = ()

    def to_dict(self) -> JsonDict:
        """The layers' JSON and `overreach`."""
        findings = [finding.to_dict() for finding in self.overreach]
        return {**self.layers.to_dict(), "overreach": findings}


def check_layers(
    *,
    exists: bool,
    resolves: bool | None,
    claim: str = "",
    judgment: Judgment | None = None,
    passages: Sequence[Passage] = (),
) -> LayerReport:
    """The layers of a citation; None for a layer that could not be checked.

    `exists`: the citation names a source, which is not to say that it is real. `resolves`: it could
    be had (None when nobody asked).
    `derivable`: a quote that stands verbatim in the source carries the claim; false when the judge
    found none, null without a judgment. `in_scope`: the claim is no wider than the sentences quoted
    for it (contract 4, layer 3); null where there is no quote to compare with, or where the source
    contradicts the claim.
    """
    if judgment is None:
        return LayerReport(layers=Layers(exists=exists, resolves=resolves))
    derivable = bool(judgment.evidence) and judgment.label in ("supported", "partially_supported")
    if not derivable or judgment.label not in QUOTED_LABELS:
        return LayerReport(layers=Layers(exists=exists, resolves=resolves, derivable=derivable))
    overreach = find_overreach(claim, quoted_sentences(judgment, passages))
    layers = Layers(exists=exists, resolves=resolves, derivable=derivable, in_scope=not overreach)
    return LayerReport(layers=layers, overreach=overreach)


def quoted_in(excerpt: str, text: str) -> list[str] | None:
    """The sentences of a text that an excerpt stands in word for word; None where it does not.

    Compared in the form in which all quotes are (`quotes.normalise`): blanks, dashes and quotation
    marks may differ, words may not. The text's own reference lists do not count.
    """
    needle = normalise(excerpt)[0].strip()
    for part in evidence_spans(text) if needle else ():
        words = part.of(text)
        plain, places = normalise(words)
        at = plain.find(needle)
        if at >= 0:
            start, end = places[at], places[at + len(needle) - 1] + 1
            overlapping = (s for s in segment(words) if s.start < end and start < s.end)
            return [span.of(words) for span in overlapping]
    return None


def quoted_sentences(judgment: Judgment, passages: Sequence[Passage]) -> list[str]:
    """The whole sentences that the judgment's quotes stand in, as the passages have them.

    A quote may stop before the words that restrict it; its sentence holds them. Quotes outside the
    given passages are used unchanged.
    """
    sentences: list[str] = []
    for evidence in judgment.evidence:
        around = [p for p in passages if p.start <= evidence.start and evidence.end <= p.end]
        if not around:
            sentences.append(evidence.quote)
            continue
        passage = around[0]
        start, end = evidence.start - passage.start, evidence.end - passage.start
        overlapping = [
            s for s in segment(passage.text, unwrap=True) if s.start < end and start < s.end
        ]
        sentences.extend(span.of(passage.text) for span in overlapping)
    return list(dict.fromkeys(sentences))
