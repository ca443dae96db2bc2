"""The one visual language for verdicts: glyph, word, colour, underline; pure.

A verdict is never shown by colour alone. Pages, charts, tables, legend and reports all use the
table here, so that a verdict looks the same and is in the same order everywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from workbench.errors import ErrorKind
from workbench.records.review import Fault, Label
from workbench.records.text import JsonDict
from workbench.records.verdict import HUMAN_LABELS, CitationResult, HumanLabel, Judgment

Mark = HumanLabel | Literal["unsure", "pending"]
"""What a citation's mark can be: a verdict, a reviewer's "cannot tell", a verdict that its judge is
not sure of, or pending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStyle:
    """How one mark looks and reads."""

    mark: Mark
    word: str
    short: str
    """For narrow places."""
    glyph: str
    colour: str
    """Distinguishable by colour-blind readers; the same in light and dark."""
    line: str
    """CSS `text-decoration` of the marked text, without its colour."""
    key: str
    """The shortcut key for this label; empty if there is none."""
    meaning: str
    tone: str
    """Name of the same colour in the theme's palette."""

    def to_dict(self) -> JsonDict:
        """The fields that the browser needs."""
        return {"word": self.word, "glyph": self.glyph, "colour": self.colour, "line": self.line}


STYLES: dict[str, VerdictStyle] = {
    style.mark: style
    for style in (
        VerdictStyle(
            mark="supported", word="Supported", short="Supported", glyph="●", colour="#009E73",
            line="underline solid 2px", key="1", tone="green",
            meaning="The source says it.",
        ),
        VerdictStyle(
            mark="partially_supported", word="Partially supported", short="Partly", glyph="◐",
            colour="#E69F00", line="underline dashed 2px", key="2", tone="orange",
            meaning="The source says part of it.",
        ),
        VerdictStyle(
            mark="not_supported", word="Not supported", short="Not supported", glyph="○",
            colour="#D55E00", line="underline dotted 3px", key="3", tone="red",
            meaning="The source was read and does not say it.",
        ),
        VerdictStyle(
            mark="contradicted", word="Contradicted", short="Contradicted", glyph="✕",
            colour="#CC79A7", line="underline double 2px", key="4", tone="violet",
            meaning="The source says otherwise.",
        ),
        VerdictStyle(
            mark="unverifiable", word="Unverifiable", short="Unverifiable", glyph="?",
            colour="#7A7F87", line="underline dotted 1px", key="5", tone="gray",
            meaning="There is no readable source to check it against.",
        ),
        VerdictStyle(
            mark="cannot_tell", word="Cannot tell", short="Cannot tell", glyph="~",
            colour="#7A7F87", line="underline dotted 1px", key="0", tone="gray",
            meaning="The reviewer read the source and cannot decide.",
        ),
        VerdictStyle(
            mark="unsure", word="Unsure", short="Unsure", glyph="◌",
            colour="#7A7F87", line="underline dotted 2px", key="", tone="gray",
            meaning="The judge is not sure of its verdict: read the source.",
        ),
        VerdictStyle(
            mark="pending", word="Not judged yet", short="Not judged", glyph="·",
            colour="#0072B2", line="underline solid 1px", key="", tone="blue",
            meaning="It has not been judged yet.",
        ),
    )
}  # fmt: skip
MARKS: tuple[Mark, ...] = (*HUMAN_LABELS, *get_args(Literal["unsure", "pending"]))
"""The order of the marks everywhere."""

SEVERITY: tuple[Mark, ...] = (
    "contradicted",
    "not_supported",
    "partially_supported",
    "unverifiable",
    "cannot_tell",
    "unsure",
    "pending",
    "supported",
)
"""Worst first; a marker of several citations shows the first of these."""

ERROR_TEXT: dict[ErrorKind, str] = {
    "bad_scheme": "Not a web address",
    "ssrf": "Blocked: this address is not public",
    "not_allowed_domain": "Outside the allowed domains",
    "timeout": "The source did not answer in time",
    "too_large": "The source is too large",
    "bad_status": "The source answered with an error",
    "redirect_loop": "Redirected in a circle",
    "not_text": "The source is not text",
    "fetch_disabled": "Fetching is off",
    "malformed_judge_response": "The judge's reply could not be read",
    "llm_judge_error": "The judge failed",
    "cost_cap_reached": "Budget reached",
    "unresolvable_kind": "Nothing to look up",
    "unverified_quote": "The judge's quote is not in the source",
    "not_evidence": "The page is not usable as evidence",
    "unlinked": "No source could be linked",
    "no_source": "No source was provided",
    "unreadable": "The source cannot be read",
    "no_such_host": "No such host",
    "cancelled": "Not checked",
}

FAULT_TEXT: dict[Fault, str] = {
    "extraction": "The citation was extracted wrongly",
    "linking": "Linked to the wrong source",
    "fetch": "The wrong page was fetched",
    "text_extraction": "The source's text was extracted wrongly",
    "claim_split": "The claim boundaries are wrong",
    "passage_choice": "The wrong passage was chosen",
    "judge": "The judge decided wrongly",
}
"""The stage that failed, in the order of the stages."""


VERY_SURE_FROM, FAIRLY_SURE_FROM = 0.9, 0.7


def style(mark: Mark) -> VerdictStyle:
    """How a mark looks and reads."""
    return STYLES[mark]


def mark_of(result: CitationResult, pending: bool = False) -> Mark:
    """The judge's mark on a citation: its verdict where it is sure of it."""
    if pending or result.unjudged:
        return "pending"
    return "unsure" if result.unsure else result.verdict


def leaning(result: CitationResult) -> str:
    """A verdict in words: “Supported”, or “Unsure, leaning supported”."""
    word = STYLES[result.verdict].word
    return f"{STYLES['unsure'].word}, leaning {word.lower()}" if result.unsure else word


def worst(marks: Sequence[Mark]) -> Mark:
    """The most severe of several marks; `pending` for none."""
    return min(marks, key=SEVERITY.index, default="pending")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationSign:
    """What stands behind a citation in the text: the judge's verdict and a person's."""

    style: VerdictStyle
    human: VerdictStyle | None
    glyphs: str
    description: str


def citation_sign(mark: Mark, label: Label | None) -> CitationSign:
    """The sign of a verdict; both glyphs where a person decided otherwise."""
    style, human = STYLES[mark], STYLES[label.label] if label else None
    differs = human is not None and human.mark != style.mark
    return CitationSign(
        style=style,
        human=human,
        glyphs=f"{style.glyph}\u2192{human.glyph}" if human and differs else style.glyph,
        description=style.word + (f"; reviewer: {human.word}" if human else ""),
    )


def limits_text(judgment: Judgment | None) -> str:
    """Return the words of the source that limit a claim, in a sentence; empty where nothing does."""
    quotes = [" ".join(limit.quote.split()) for limit in judgment.limits] if judgment else []
    return f"The source limits this: “{'”, “'.join(quotes)}”." if quotes else ""


def confidence_text(judgment: Judgment) -> str:
    """A judge's confidence in its verdict: “very sure, 0.93”, or only “0.55” of a low one.

    “Unsure” is left to verdicts that the judge was measured not to be sure of.
    """
    if judgment.sure and judgment.confidence >= FAIRLY_SURE_FROM:
        return confidence_words(judgment.confidence)
    return f"{judgment.confidence:.2f}"


def confidence_words(confidence: float) -> str:
    """A confidence in words and as a number: “very sure, 0.93”, “unsure, 0.55”."""
    fairly = "fairly sure" if confidence >= FAIRLY_SURE_FROM else "unsure"
    return f"{'very sure' if confidence >= VERY_SURE_FROM else fairly}, {confidence:.2f}"


def counts(marks: Mapping[str, Mark]) -> dict[Mark, int]:
    """Number of citations of each mark, in the order of the marks; those that occur."""
    numbers = dict.fromkeys(MARKS, 0)
    for mark in marks.values():
        numbers[mark] += 1
    return {mark: number for mark, number in numbers.items() if number}
