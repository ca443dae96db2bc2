"""Labelled items as questions to a model, with the answer that people gave."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

from workbench.datasets.export import ExportCounts
from workbench.errors import UsageError
from workbench.records.context import JudgeContext
from workbench.records.corrections import CORRECTED_LABELS
from workbench.records.export_formats import Example
from workbench.records.review import Label
from workbench.records.source import Passage
from workbench.records.text import JsonDict, Span, replace_surrogates
from workbench.records.verdict import QUOTED_LABELS, HumanLabel, Judgment, VerdictLabel

Choose = Callable[[str, str, JudgeContext], Sequence[Passage]]
"""Claim, source text and context to the passages that a judge is shown."""
Ask = Callable[[str, Sequence[Passage], JudgeContext], tuple[str, str]]
"""Claim, passages and context to the system text and the message of the judge's prompt."""
LONGEST_QUOTE = 300
_SURROUNDING_CHARS = 200
"""Code points of the source on each side of evidence that no passage holds."""
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_WORD = re.compile(r"\w+")
_REASONS: dict[str, str] = {
    "supported": "The passages state every part of the claim.",
    "partially_supported": "The passages state a part of the claim and leave another part out.",
    "not_supported": "The passages do not state the claim.",
    "contradicted": "The passages state something that cannot be true together with the claim.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFormat:
    """How the judge that is to be trained is asked, supplied by the caller."""

    choose: Choose
    ask: Ask
    prompt: str
    """Name, version and hash of the prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatExample:
    """One question and its answers."""

    system: str
    message: str
    answer: str
    """As people corrected it."""
    judge: str | None
    """What the judge answered; None where it gave no verdict."""


def exchange_of(
    example: Example, prompting: PromptFormat | None, tally: ExportCounts, *, source_text: bool
) -> ChatExample | None:
    """The exchange of an item; None for one that fine-tuning data leave out (`exclusion_reason`).

    Raises:
        UsageError: Nobody said how the judge is asked.
    """
    if prompting is None:
        raise UsageError("This format needs the judge's prompt; none was provided.")
    label, claim = example.row.gold, example.row.result.citation.labelled_claim
    if label is None or label.label not in _REASONS or claim is None or not example.source_text:
        return None
    source = example.row.result.source
    evidence = _evidence(example, label.label)
    words = example.judge_input[0] if example.judge_input else claim.text
    passages = prompting.choose(words, example.source_text, example.context)
    if not source_text:
        sha = source.sha256 if source else ""
        passages = [Passage(span=Span(0, 0), text=f"(source text left out; sha256 {sha})")]
    else:
        passages = _with_evidence(passages, [span for span, _ in evidence], example.source_text)
    quotes, quote_origin = _quotes(label.label, evidence, claim.text, passages)
    if not source_text:
        quotes = []
    tally.quotes[quote_origin] += 1
    system, message = prompting.ask(words, passages, example.context)
    return ChatExample(
        system=replace_surrogates(system),
        message=replace_surrogates(message),
        answer=_corrected_reply(example, label, quotes),
        judge=_judge_reply(example.judgment, claim.text, source_text),
    )


def _corrected_reply(example: Example, label: Label, quotes: Sequence[str]) -> str:
    judgment = example.judgment
    agreed = judgment is not None and judgment.label == label.label
    note = " ".join(label.note.split())
    reason = note or (judgment.rationale if judgment and agreed else _REASONS[label.label])
    claim = example.row.result.citation.claim
    missing = (
        [span.of(claim.text) for span in judgment.uncovered]
        if judgment and agreed and claim and label.label == "partially_supported"
        else []
    )
    labels = [label_record.label for label_record in example.row.labels]
    return _reply(
        label.label,
        reason,
        quotes,
        missing,
        confidence=labels.count(label.label) / len(labels),
        corrected=_decided_correction(example, label.label, agreed),
    )


def _decided_correction(example: Example, label: HumanLabel, agreed: bool) -> str:
    """The corrected claim as a reviewer took or edited it, else as proposed beside an agreed label.

    Empty where it was refused.
    """
    if label not in CORRECTED_LABELS:
        return ""
    if example.correction:
        return example.correction.text or ""
    return _correction(example.judgment) if agreed else ""


def _correction(judgment: Judgment | None) -> str:
    proposal = judgment.proposed_correction if judgment else None
    return proposal.text if proposal else ""


def _judge_reply(judgment: Judgment | None, claim: str, source_text: bool) -> str | None:
    """The judge's own answer in the words of its reply."""
    if judgment is None or judgment.label not in _REASONS:
        return None
    quotes = [quote.quote for quote in judgment.evidence]
    missing = [span.of(claim) for span in judgment.uncovered]
    return _reply(
        judgment.label,
        judgment.rationale or _REASONS[judgment.label],
        quotes if source_text else [],
        missing,
        confidence=judgment.confidence,
        corrected=_correction(judgment),
    )


def _reply(
    label: HumanLabel,
    reason: str,
    quotes: Sequence[str],
    missing: Sequence[str],
    *,
    confidence: float,
    corrected: str,
) -> str:
    reply: JsonDict = {
        "reasoning": replace_surrogates(reason),
        "quotes": [replace_surrogates(quote) for quote in quotes],
        "missing": [replace_surrogates(part) for part in missing],
        "label": label,
        "confidence": round(confidence, 2),
        "rationale": replace_surrogates(reason),
        "corrected_claim": replace_surrogates(corrected),
    }
    return json.dumps(reply, ensure_ascii=False)


def _evidence(example: Example, label: HumanLabel) -> list[tuple[Span, str]]:
    """The evidence for a label and whose it is: people's first, else the judge's that agrees."""
    for rating in reversed(example.row.labels):
        if rating.label == label and rating.evidence:
            return [(evidence.span, "chosen by people") for evidence in rating.evidence]
    judgment = example.judgment
    if judgment is None or judgment.label != label:
        return []
    wrong = {span for rating in example.row.labels for span in rating.wrong_evidence}
    return [
        (evidence.span, "the judge's")
        for evidence in judgment.evidence
        if evidence.span not in wrong
    ]


def _with_evidence(passages: Sequence[Passage], spans: Sequence[Span], text: str) -> list[Passage]:
    """The passages, and what surrounds evidence that none of them holds, in reading order."""
    merged = list(passages)
    for span in spans:
        if not any(passage.start <= span.start and span.end <= passage.end for passage in merged):
            surroundings = Span(
                max(span.start - _SURROUNDING_CHARS, 0),
                min(span.end + _SURROUNDING_CHARS, len(text)),
            )
            touching = [
                passage
                for passage in merged
                if passage.start < surroundings.end and passage.end > surroundings.start
            ]
            surroundings = Span(
                min([surroundings.start, *(passage.start for passage in touching)]),
                max([surroundings.end, *(passage.end for passage in touching)]),
            )
            merged = [passage for passage in merged if passage not in touching]
            # what begins at the same place stands under the same heading
            first_passage = next(
                (passage for passage in touching if passage.start == surroundings.start), None
            )
            merged.append(
                Passage(
                    span=surroundings,
                    text=surroundings.of(text),
                    heading=first_passage.heading if first_passage else None,
                    table_header=first_passage.table_header if first_passage else None,
                )
            )
    return sorted(merged, key=lambda passage: passage.start)


def _quotes(
    label: HumanLabel,
    chosen: Sequence[tuple[Span, str]],
    claim: str,
    passages: Sequence[Passage],
) -> tuple[list[str], str]:
    """At most three quotes for a label that needs them, and where they come from."""
    if label not in get_args(VerdictLabel) or label not in QUOTED_LABELS:
        return [], "none needed"
    quotes = []
    for span, _ in chosen[:3]:
        for passage in passages:
            if passage.start <= span.start and span.end <= passage.end:
                text = passage.text[span.start - passage.start : span.end - passage.start]
                quotes.append(text[:LONGEST_QUOTE])
                break
    if quotes:
        return quotes, chosen[0][1]
    return _nearest(claim, passages), "the sentence nearest to the claim"


def _nearest(claim: str, passages: Sequence[Passage]) -> list[str]:
    """The sentence that shares the largest part of the claim's words; the first of equals."""
    words = set(_WORD.findall(claim.lower()))
    best_sentence, best_share = "", -1.0
    for passage in passages:
        for match in _SENTENCE.finditer(passage.text):
            sentence_words = set(_WORD.findall(match[0].lower()))
            share = (
                len(words & sentence_words) / (len(words | sentence_words) or 1)
                if sentence_words
                else -1.0
            )
            if share > best_share:
                best_sentence, best_share = match[0].strip(), share
    return [best_sentence[:LONGEST_QUOTE]] if best_sentence else []
