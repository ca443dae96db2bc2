"""ExpertQA: experts' questions, answers of systems, and whether their evidence supports them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.datasets.entries import (
    Annotation,
    ImportEntry,
    InvalidEntryError,
    Skipped,
    before_of,
    checked,
    line_of,
    skipped,
)
from workbench.datasets.line_reader import json_lines
from workbench.datasets.read_pairs import needed, text_of
from workbench.records.context import JudgeContext
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import HumanLabel

ORIGIN = "ExpertQA"
LICENCE = "MIT"
SUPPORT: Mapping[str, HumanLabel] = {
    "Complete": "supported",
    "Partial": "partially_supported",
    "Incomplete": "not_supported",
}
"""An expert's words for support; all others are not judgments."""
LEAST_EVIDENCE = 15
"""Words of evidence below which an item says nothing about a judge."""


def read_expertqa(
    path: Path, names: Mapping[str, HumanLabel] | None = None
) -> Iterator[ImportEntry | Skipped]:
    """The claims of each answer that an expert judged, by their evidence; what was left out.

    Claims of one question are one group. `names` may say what `Partial` and `Incomplete` stand
    for: by default partially supported and not supported.

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    support = {**SUPPORT, **(names or {})}
    for entry in json_lines(path):
        if isinstance(entry, Skipped):
            yield entry
            continue
        line, row = entry
        try:
            entries, left_out = _entries(line, row, support)
        except InvalidEntryError as error:
            yield skipped(line, error)
            continue
        yield from entries
        if left_out:
            reasons = ", ".join(f"{number} {reason}" for reason, number in sorted(left_out.items()))
            number = left_out.total()
            yield Skipped(
                line=line,
                reason=f"{number} of {number + len(entries)} claims were left out: {reasons}",
            )


def _entries(
    line: int, row: JsonDict, support: Mapping[str, HumanLabel]
) -> tuple[list[ImportEntry], Counter[str]]:
    question = needed(row, "question")
    answers = row.get("answers")
    if not isinstance(answers, dict):
        raise InvalidEntryError("it has no answers")
    metadata = row.get("metadata")
    facts = metadata if isinstance(metadata, dict) else {}
    entries: list[ImportEntry] = []
    left_out: Counter[str] = Counter()
    for system, answer in answers.items():
        claims = answer.get("claims") if isinstance(answer, dict) else None
        text = answer.get("answer_string") if isinstance(answer, dict) else None
        preceding = _Preceding(text if isinstance(text, str) else "")
        for claim in claims if isinstance(claims, list) else ():
            if not isinstance(claim, dict) or not isinstance(answer, dict):
                left_out["without a claim"] += 1
                continue
            expert = text_of(answer, "annotator_id") or text_of(row, "annotator_id")
            before = preceding.take(claim.get("claim_string"))
            try:
                entries.append(
                    _entry(line, question, system, claim, expert, facts, support, before)
                )
            except InvalidEntryError as error:
                left_out[str(error)] += 1
    return entries, left_out


class _Preceding:
    """What stands before each claim of an answer; claims come in its order."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self._at = 0

    def take(self, claim: Json) -> str:
        """The text before a claim; empty where the answer does not hold it word for word."""
        words = claim.strip() if isinstance(claim, str) else ""
        if not words or words not in self._answer:
            return ""
        at = self._answer.find(words, self._at)
        if at < 0:
            at = self._answer.find(words)
        self._at = at + len(words)
        return before_of(self._answer[:at])


def _entry(
    line: int,
    question: str,
    system: str,
    claim: Mapping[str, Json],
    expert: str,
    facts: Mapping[str, Json],
    support: Mapping[str, HumanLabel],
    before: str,
) -> ImportEntry:
    support_word = claim.get("support")
    label = support.get(support_word) if isinstance(support_word, str) else None
    if label is None:
        raise InvalidEntryError("without a judgement of support")
    evidence = claim.get("evidence")
    pieces = (
        [piece for piece in evidence if isinstance(piece, str)]
        if isinstance(evidence, list)
        else []
    )
    source = "\n\n".join(pieces)
    if len(source.split()) < LEAST_EVIDENCE:
        raise InvalidEntryError(f"with fewer than {LEAST_EVIDENCE} words of evidence")
    slices = (
        ("system", system),
        ("domain", text_of(facts, "field")),
        ("question type", text_of(facts, "question_type")),
    )
    entry = ImportEntry(
        line=line,
        id="",
        claim=needed(claim, "claim_string"),
        source=source,
        opinions=(
            Annotation(
                annotator=f"{ORIGIN} {expert}".strip(),
                by_person=bool(expert),
                label=label,
                note=text_of(claim, "reason_missing_support"),
            ),
        ),
        group=f"expertqa:{' '.join(question.split())}",
        context=JudgeContext(question=line_of(question) or None, before=before),
        origin=ORIGIN,
        licence=LICENCE,
        slices=tuple((name, value) for name, value in slices if value),
    )
    return checked(entry)
