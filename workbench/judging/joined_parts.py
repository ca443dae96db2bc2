"""One verdict for a claim that was judged part by part: a list, a paragraph."""

from collections.abc import Sequence
from dataclasses import replace

from workbench.records import Excerpt, JudgedPart, Judgment, VerdictLabel
from workbench.records.format import word_for

LONGEST_PART = 60
"""Code points of a part that a rationale names."""
MOST_NAMED = 4
"""Parts that a rationale names."""


def join_parts(parts: Sequence[Excerpt], judgments: Sequence[Judgment]) -> Judgment:
    """The joint judgment of a claim over its parts', in the parts' order.

    A part that is contradicted makes the whole `contradicted`; all parts supported make it
    `supported`; none supported and none partially leaves it `not_supported`; anything else is
    `partially_supported`. The score is the lowest of a part: all of the claim is supported at most
    as likely as its weakest part. The rationale names the parts that are not covered, and `parts`
    has the verdict on each; its spans are the parts' own. Costs and tokens add up; `uncovered` is
    empty, since its offsets are those of one claim; for the same
    reason there is no proposed correction. One part is its judgment.

    Raises:
        ValueError: There are no parts, or not one judgment for each.
    """
    if not parts or len(parts) != len(judgments):
        raise ValueError("A joint verdict needs one judgment for each of its parts.")
    if len(parts) == 1:
        return judgments[0]
    label = _label([judgment.label for judgment in judgments])
    deciding = _deciding(judgments, label)
    confidence = (
        min(judgment.confidence for judgment in judgments)
        if label == "supported"
        else deciding.confidence
    )
    return replace(
        deciding,
        label=label,
        confidence=confidence,
        score=min(judgment.score for judgment in judgments),
        rationale=f"{_counted(parts, judgments)} {deciding.rationale}".strip(),
        evidence=tuple(dict.fromkeys(e for judgment in judgments for e in judgment.evidence)),
        input_tokens=sum(judgment.input_tokens for judgment in judgments),
        output_tokens=sum(judgment.output_tokens for judgment in judgments),
        cost_usd=sum(judgment.cost_usd for judgment in judgments),
        price_unknown=any(judgment.price_unknown for judgment in judgments),
        latency_ms=max(judgment.latency_ms for judgment in judgments),
        standalone=None,
        proposed_correction=None,
        uncovered=(),
        parts=tuple(
            JudgedPart(span=part.span, label=judgment.label, score=judgment.score)
            for part, judgment in zip(parts, judgments, strict=True)
        ),
    )


def _label(labels: Sequence[VerdictLabel]) -> VerdictLabel:
    if "contradicted" in labels:
        return "contradicted"
    if all(label == "supported" for label in labels):
        return "supported"
    if any(label in ("supported", "partially_supported") for label in labels):
        return "partially_supported"
    return "not_supported"


def _deciding(judgments: Sequence[Judgment], label: VerdictLabel) -> Judgment:
    """The judgment whose reason is shown: of a contradiction that one, else the weakest part's."""
    if label == "contradicted":
        return next(judgment for judgment in judgments if judgment.label == "contradicted")
    return min(judgments, key=lambda judgment: judgment.score)


def _counted(parts: Sequence[Excerpt], judgments: Sequence[Judgment]) -> str:
    """How many parts are covered, and the words of those that are not."""
    missing = [
        part.text
        for part, judgment in zip(parts, judgments, strict=True)
        if judgment.label != "supported"
    ]
    covered = len(parts) - len(missing)
    counted = f"{covered} of {len(parts)} parts {word_for(covered, 'is', 'are')} covered."
    if not missing:
        return counted
    names = "; ".join(f"“{_cut(text)}”" for text in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    return f"{counted} Not covered: {names}{more}."


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_PART else words[: LONGEST_PART - 1].rstrip() + "…"
