"""The four layers of a citation (exists, resolves, derivable, in scope), each found out apart."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging.bibliography import evidence_spans
from workbench.judging.overreach import ScopeFinding, find_overreach
from workbench.judging.quotes import normalise
from workbench.judging.segment import segment
from workbench.records import QUOTED_LABELS, JsonDict, Judgment, Layers, Passage


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
