"""The claim as the source bears it out: proposals of language models checked, and plain swaps.

A language model proposes in the call that judges; nothing of it is believed (`accept_proposal`). A
judge that compares words proposes where a number, a date or a name alone is what differs and the
evidence has another one in its place (`propose_swap`). In doubt there is no proposal. Pure.
"""

import re
from collections.abc import Sequence

from workbench.judging.features import FeatureVector
from workbench.judging.quantities import find_quantities, matches
from workbench.judging.swaps import swapped_name, swapped_number
from workbench.judging.tokenization import normalize_word, without_markers
from workbench.records import (
    CORRECTED_LABELS,
    LONGEST_CORRECTION,
    Json,
    Judgment,
    Passage,
    ProposedCorrection,
    TextEdit,
    VerdictLabel,
    apply_edits,
    word_edits,
)
from workbench.records.corrections import LONGEST_WHY
from workbench.records.text_edits import WORD

MOST_SENTENCES = 2
"""Sentences of a proposal, or as many as the claim has."""
LEAST_SHARED = 1 / 3
"""A proposal that shares less of its words with the claim is another sentence."""
LONGER = 150
"""Code points that a proposal may be longer by than the claim, besides half as much again."""

_END = re.compile(r"[.!?](?=\s)|[。！？]")
_MARKUP = re.compile(
    r"</?[A-Za-z!][^>]*>?|&#?\w+;|\]\(|`|https?://|www\.|\*\*|__|^\s*(?:#+|[-*>|]|\d+\.)\s|[{}|\\]",
    re.MULTILINE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


def accept_proposal(
    claim: str,
    proposed: Json,
    passages: Sequence[Passage],
    label: VerdictLabel,
    *,
    why: str,
    judge: str,
) -> ProposedCorrection | None:
    """A model's corrected claim where it can be shown; None for one that is dropped.

    Dropped is what is no text, empty, the claim again, much longer than the claim or another
    sentence altogether, what has more sentences, markup, control or direction characters, and what
    brings in a number or a name that neither the claim nor the passages have. Offsets of the edits
    are code points of the claim as given; its citation markers are never part of an edit.
    """
    if label not in CORRECTED_LABELS or not isinstance(proposed, str):
        return None
    words = without_markers(claim)
    line = " ".join(without_markers(proposed).split())
    if not line or len(line) > min(LONGEST_CORRECTION, round(1.5 * len(claim)) + LONGER):
        return None
    if _CONTROL.search(proposed) or _marks(proposed) - _marks(claim):
        return None
    if len(_END.findall(line + " ")) > max(MOST_SENTENCES, len(_END.findall(words + " "))):
        return None
    if not _borne_out(words, line, passages):
        return None
    return correction(claim, word_edits(words, line), why=why, judge=judge)


def propose_swap(
    claim: str, reading: FeatureVector, label: VerdictLabel, *, judge: str
) -> ProposedCorrection | None:
    """The claim with the one number, date or name that its evidence gives otherwise.

    None unless exactly that differs: the evidence covers all other words of the claim, nothing is
    negated on one side alone, and what stands in its place is plain.
    """
    if label not in CORRECTED_LABELS or reading.negation_differs or reading.opposites:
        return None
    if reading.values.get("polarity_sentence"):
        return None
    numbers, names = reading.missing_numbers, reading.missing_names
    words = without_markers(claim)
    for sentence in reading.best:
        if len(numbers) == 1 and not names:
            swap = swapped_number(words, numbers[0], sentence.text, reading.uncovered)
        elif names and not numbers:
            swap = swapped_name(words, names, sentence.text, reading.uncovered)
        else:
            return None
        if swap is not None:
            edit, theirs = swap
            why = f"The source gives {theirs} where the claim gives {edit.span.of(claim)}."
            return correction(claim, (edit,), why=why, judge=judge)
    return None


def first_proposal(label: VerdictLabel, judgments: Sequence[Judgment]) -> ProposedCorrection | None:
    """The first proposal of judgments that share a joint label; None where it calls for none."""
    if label not in CORRECTED_LABELS:
        return None
    proposals = (judgment.proposed_correction for judgment in judgments)
    return next((proposal for proposal in proposals if proposal), None)


def correction(
    claim: str, edits: tuple[TextEdit, ...] | None, *, why: str, judge: str
) -> ProposedCorrection | None:
    """The proposal of some edits of a claim; None where they change nothing."""
    if not edits:
        return None
    text = apply_edits(claim, edits)
    if " ".join(text.split()).casefold() == " ".join(claim.split()).casefold():
        return None
    return ProposedCorrection(text=text, edits=edits, why=why[:LONGEST_WHY], judge=judge)


def _marks(text: str) -> set[str]:
    """The pieces of markup in a text."""
    return {match.group().strip() for match in _MARKUP.finditer(text)}


def _borne_out(claim: str, line: str, passages: Sequence[Passage]) -> bool:
    """Whether a proposal keeps to the claim, and has its new numbers and names from the source."""
    source = "\n".join(passage.text for passage in passages)
    known = {normalize_word(match[0]) for match in WORD.finditer(f"{claim}\n{source}")}
    claim_words = {normalize_word(match[0]) for match in WORD.finditer(claim)}
    matched = list(WORD.finditer(line))
    shared = sum(normalize_word(match[0]) in claim_words for match in matched)
    if shared < LEAST_SHARED * min(len(matched), len(claim_words)):
        return False
    quantities = find_quantities(claim) + find_quantities(source)
    if not all(matches(q, quantities) for q in find_quantities(line) if not q.weak):
        return False
    return all(
        normalize_word(match[0]) in known
        for match in matched[1:]
        if match[0][0].isupper() and not match[0].isdigit()
    )
