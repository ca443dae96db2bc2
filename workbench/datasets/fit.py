"""Which items a format takes, and why it leaves others out: one rule for counting and writing."""

from workbench.records.example import Example
from workbench.records.export_formats import PAIRED
from workbench.records.verdict import HumanLabel

PAIR_LABELS: tuple[HumanLabel, ...] = (
    "supported",
    "partially_supported",
    "not_supported",
    "contradicted",
)
"""Labels that tell how a source bears on a claim; the others tell that nobody could say."""
UNJUDGED = "without a verdict of a judge"


def takes_all(format_name: str) -> bool:
    """Whether a format leaves no item out."""
    return format_name not in (*PAIRED, "label-studio")


def needs_source_text(format_name: str) -> bool:
    """Whether what a format leaves out hangs on the source's text."""
    return format_name in PAIRED


def exclusion_reason(example: Example, format_name: str) -> str:
    """Why a format leaves an item out; empty where the item goes in."""
    if format_name == "label-studio":
        return "" if example.row.result.citation.claim else "without a claim"
    if format_name not in PAIRED:
        return ""
    if format_name == "preference":
        return _uncorrected(example) or _incomplete(example) or _unanswered(example)
    return _incomplete(example)


def _incomplete(example: Example) -> str:
    gold, claim = example.row.gold, example.row.result.citation.claim
    if gold is None:
        return "without an active label"
    if gold.label not in PAIR_LABELS:
        return f"labelled {gold.label}"
    if claim is None or not claim.text.strip():
        return "without a claim"
    return "" if (example.source_text or "").strip() else "without a readable source"


def _uncorrected(example: Example) -> str:
    gold, judgment = example.row.gold, example.judgment
    if gold is None:
        return ""
    if judgment is None:
        return UNJUDGED
    return "on which the judge was right" if gold.label == judgment.label else ""


def _unanswered(example: Example) -> str:
    judgment = example.judgment
    return "" if judgment and judgment.label in PAIR_LABELS else UNJUDGED
