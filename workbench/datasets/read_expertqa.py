"""ExpertQA: experts' questions, answers of systems, and whether their evidence supports them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from workbench.datasets.entries import BadEntry, Entry, Opinion, Skipped, checked, skipped
from workbench.datasets.lines import json_lines
from workbench.datasets.read_pairs import needed, text_of
from workbench.records import HumanLabel, Json, JsonDict

ORIGIN = "ExpertQA"
LICENCE = "MIT"
SUPPORT: Mapping[str, HumanLabel] = {
    "Complete": "supported",
    "Partial": "partially_supported",
    "Incomplete": "not_supported",
}
"""An expert's words for support; all others are no judgement."""
LEAST_EVIDENCE = 15
"""Words of evidence below which an item says nothing about a judge."""


def read_expertqa(
    path: Path, names: Mapping[str, HumanLabel] | None = None
) -> Iterator[Entry | Skipped]:
    """The claims of each answer that an expert judged, by their evidence; what was left out.

    Claims of one question are one group. `names` may say what `Partial` and `Incomplete` stand
    for: by default partially supported and not supported.

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    support = {**SUPPORT, **(names or {})}
    for one in json_lines(path):
        if isinstance(one, Skipped):
            yield one
            continue
        line, row = one
        try:
            found, left_out = _entries(line, row, support)
        except BadEntry as error:
            yield skipped(line, error)
            continue
        yield from found
        if left_out:
            said = ", ".join(f"{number} {why}" for why, number in sorted(left_out.items()))
            number = left_out.total()
            yield Skipped(
                line=line,
                reason=f"{number} of {number + len(found)} claims were left out: {said}",
            )


def _entries(
    line: int, row: JsonDict, support: Mapping[str, HumanLabel]
) -> tuple[list[Entry], Counter[str]]:
    question = needed(row, "question")
    answers = row.get("answers")
    if not isinstance(answers, dict):
        raise BadEntry("it has no answers")
    metadata = row.get("metadata")
    facts = metadata if isinstance(metadata, dict) else {}
    found: list[Entry] = []
    left_out: Counter[str] = Counter()
    for system, answer in answers.items():
        claims = answer.get("claims") if isinstance(answer, dict) else None
        for claim in claims if isinstance(claims, list) else ():
            if not isinstance(claim, dict) or not isinstance(answer, dict):
                left_out["without a claim"] += 1
                continue
            expert = text_of(answer, "annotator_id") or text_of(row, "annotator_id")
            try:
                found.append(_entry(line, question, system, claim, expert, facts, support))
            except BadEntry as error:
                left_out[str(error)] += 1
    return found, left_out


def _entry(
    line: int,
    question: str,
    system: str,
    claim: Mapping[str, Json],
    expert: str,
    facts: Mapping[str, Json],
    support: Mapping[str, HumanLabel],
) -> Entry:
    said = claim.get("support")
    label = support.get(said) if isinstance(said, str) else None
    if label is None:
        raise BadEntry("without a judgement of support")
    evidence = claim.get("evidence")
    pieces = [one for one in evidence if isinstance(one, str)] if isinstance(evidence, list) else []
    source = "\n\n".join(pieces)
    if len(source.split()) < LEAST_EVIDENCE:
        raise BadEntry(f"with fewer than {LEAST_EVIDENCE} words of evidence")
    slices = (
        ("system", system),
        ("domain", text_of(facts, "field")),
        ("question type", text_of(facts, "question_type")),
    )
    entry = Entry(
        line=line,
        id="",
        claim=needed(claim, "claim_string"),
        source=source,
        opinions=(
            Opinion(
                annotator=f"{ORIGIN} {expert}".strip(),
                by_person=bool(expert),
                label=label,
                note=text_of(claim, "reason_missing_support"),
            ),
        ),
        group=f"expertqa:{' '.join(question.split())}",
        heading=question,
        origin=ORIGIN,
        licence=LICENCE,
        slices=tuple((name, value) for name, value in slices if value),
    )
    return checked(entry)
