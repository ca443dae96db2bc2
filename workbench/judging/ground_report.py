"""What claim mode returns: the sources it was given, each claim's verdict, the figures, and the marked text.

A mark stands at the claim's end, before its final punctuation: *Zebras rule the moon
[unverified].* It never stands inside code, and never twice; the text stays as it is otherwise.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from workbench.errors import ErrorKind
from workbench.language.tokenization import is_unspaced
from workbench.records.context import SourceFacts
from workbench.records.notebook_display import NotebookDisplayMixin
from workbench.records.spending import Spending
from workbench.records.text import JsonDict, Span
from workbench.records.verdict import Judgment

GroundVerdict = Literal["supported", "weak", "unverifiable", "contradicted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceDocument:
    """A text that claims are checked against."""

    content: str
    title: str | None = None
    url: str | None = None

    def self_description(self) -> SourceFacts:
        """What it says about itself, as judges get it."""
        url = self.url if (self.url or "").startswith("http") else None
        return SourceFacts(title=self.title, url=url)


ClaimStance = Literal["supports", "contradicts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimSide:
    """What one source says of a claim that a source contradicts."""

    stance: ClaimStance
    source_index: int | None
    """None for a source that a search gave."""
    source_ref: str | None
    """The source's URL, else its title."""
    quote: str | None
    """Verbatim from the source, at most 200 characters."""
    confidence: float

    def to_dict(self) -> JsonDict:
        """The published JSON."""
        return {
            "stance": self.stance,
            "source_index": self.source_index,
            "source_ref": self.source_ref,
            "source_snippet": self.quote,
            "confidence": self.confidence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundedClaim:
    """A claim and what the sources say of it."""

    text: str
    verdict: GroundVerdict
    confidence: float
    source_index: int | None = None
    source_snippet: str | None = None
    """Verbatim from the source, at most 200 characters."""
    source_ref: str | None = None
    """The source's URL, else its title."""
    source_title: str | None = None
    source_url: str | None = None
    web_verified: bool = False
    web_search: str | None = None
    """The search that found the page of a claim that is `web_verified`, such as `brave`."""
    sides: tuple[ClaimSide, ...] = ()
    """For a contradicted claim, and where sources contradict each other: who says what."""
    span: Span | None = None
    """In the text the claims were split out of; None for a claim that was given directly."""
    judgments: tuple[tuple[int, Judgment], ...] = ()
    """`(source_index, judgment)` for every source that was judged."""
    error: ErrorKind | None = None
    """The reason code when no source could be judged."""

    @property
    def standalone(self) -> str | None:
        """The claim as a judge rewrote it to stand alone; None where that was not requested."""
        rewrites = (judgment.standalone for _, judgment in self.judgments)
        return next((rewrite for rewrite in rewrites if rewrite), None)

    def to_dict(self) -> JsonDict:
        """The published JSON: contract 3's keys, the span, and `sides` where there are any."""
        record: JsonDict = {
            "text": self.text,
            "verdict": self.verdict,
            "confidence": self.confidence,
            "source_index": self.source_index,
            "source_snippet": self.source_snippet,
            "source_ref": self.source_ref,
            "start": self.span.start if self.span else None,
            "end": self.span.end if self.span else None,
            "error": self.error,
            **({"standalone": self.standalone} if self.standalone else {}),
        }
        if self.sides:
            record["sides"] = [side.to_dict() for side in self.sides]
        if self.web_verified:
            record["web_verified"] = True
            if self.web_search:
                record["web_search"] = self.web_search
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimReport(NotebookDisplayMixin):
    """What the sources say of all claims; every figure is derived."""

    claims: tuple[GroundedClaim, ...] = ()
    cost_usd: float = 0.0
    """What calls with an answer cost as far as prices are known."""
    reserved_usd: float = 0.0
    """Reserved for calls that were cut off, outcome unknown."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""
    notes: tuple[str, ...] = ()
    """What did not work as asked, in sentences."""
    text: str | None = None
    """The text that the claims were split out of, as given; None for a list of claims."""

    @property
    def marked_text(self) -> str:
        """The text with `[unverified]` behind each claim that stays unverifiable; see `mark`."""
        return self.mark()

    def mark(self, *, cite_sources: bool = False) -> str:
        """The text with `[unverified]` behind each unverifiable claim, before its punctuation.

        With `cite_sources` the title of its source stands behind each supported claim. Nothing is
        put into code, and nothing twice. Claims that were given as a list come one a line.
        """
        if self.text is None:
            whole = [replace(claim, span=Span(0, len(claim.text))) for claim in self.claims]
            return "\n".join(mark_claims(c.text, [c], cite_sources=cite_sources) for c in whole)
        return mark_claims(self.text, self.claims, cite_sources=cite_sources)

    def count(self, verdict: GroundVerdict) -> int:
        """How many claims have a verdict."""
        return sum(claim.verdict == verdict for claim in self.claims)

    @property
    def spending(self) -> Spending:
        """What the calls cost, and what of it is unknown."""
        return Spending(
            settled_usd=self.cost_usd,
            reserved_usd=self.reserved_usd,
            unpriced_calls=self.unpriced_calls,
        )

    @property
    def overall_grounded(self) -> bool:
        """Whether no claim is contradicted, and none was left unjudged by a judge that failed."""
        return not self.count("contradicted") and self.complete

    @property
    def complete(self) -> bool:
        """Whether no claim was left unjudged: the judge was away, or the cost cap is reached."""
        return not any(claim.error for claim in self.claims)

    @property
    def supported_ratio(self) -> float:
        """Supported over all claims; 1 when there are none."""
        return self.count("supported") / len(self.claims) if self.claims else 1.0

    @property
    def summary(self) -> str:
        """`2/3 claims verified (67%)`, or `No verifiable claims found.`."""
        if not self.claims:
            return "No verifiable claims found."
        done = self.count("supported")
        return f"{done}/{len(self.claims)} claims verified ({round(100 * self.supported_ratio)}%)"

    def to_dict(self) -> JsonDict:
        """The published JSON of contract 3."""
        return {
            "claims": [claim.to_dict() for claim in self.claims],
            "overall_grounded": self.overall_grounded,
            "complete": self.complete,
            "supported_ratio": round(self.supported_ratio, 4),
            "total_claims": len(self.claims),
            "supported_count": self.count("supported"),
            "weak_count": self.count("weak"),
            "unverifiable_count": self.count("unverifiable"),
            "contradicted_count": self.count("contradicted"),
            "summary": self.summary,
            "cost_usd": None if self.unpriced_calls else round(self.cost_usd, 6),
            **({"price_unknown": True} if self.unpriced_calls else {}),
            **({"reserved_usd": round(self.reserved_usd, 6)} if self.reserved_usd else {}),
            "notes": list(self.notes),
        }


UNVERIFIED = "[unverified]"
LONGEST_TITLE = 80

_FENCE = re.compile(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_INLINE_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_CLOSING = re.compile(
    r"[*_~]*[.!?…。！？；;]+[\"'”’»」』*_~]*(?:\s*\|)?\s*\Z|[*_~]+(?:\s*\|)?\s*\Z|\s*\|\s*\Z|\s+\Z"
)
_MARKED_BEHIND = re.compile(rf"[*_~\s.!?…。！？；;\"'”’»]*{re.escape(UNVERIFIED)}")


def mark_claims(text: str, claims: Sequence[GroundedClaim], *, cite_sources: bool = False) -> str:
    """The text with `[unverified]` behind each unverifiable claim; titles behind supported ones.

    Claims without a span in the text are left out. With `cite_sources` the title of its source, a
    Markdown link where it has an address, stands behind each supported claim.
    """
    code = _code_spans(text)
    marks: dict[int, str] = {}
    for claim in claims:
        mark = _mark_of(claim, cite_sources)
        if not mark or claim.span is None:
            continue
        at = _place(text, claim.span)
        if (inside := next((s for s in code if s.start < at < s.end), None)) is not None:
            if "\n" in inside.of(text):
                continue
            at = inside.end
        if at in marks and marks[at] != mark:
            # claims of one end: what is not borne out outweighs what is
            mark = mark if mark == UNVERIFIED else marks[at]
        if not _is_marked(text, at, mark):
            marks[at] = mark
    parts, last = [], 0
    for at in sorted(marks):
        before = text[last:at]
        parts += [before, "" if _joins(text, at) else " ", marks[at]]
        last = at
    return "".join([*parts, text[last:]])


def _mark_of(claim: GroundedClaim, cite_sources: bool) -> str:
    if claim.verdict == "unverifiable":
        return UNVERIFIED
    if not cite_sources or claim.verdict != "supported" or not claim.source_ref:
        return ""
    title = re.sub(r"([\[\]\\`*_<>])", r"\\\1", " ".join((claim.source_title or "").split()))
    url = claim.source_url or ""
    linkable = re.fullmatch(r"https?://[^\s()<>]+", url)
    shown = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip("\\") + "…"
    if not linkable:
        return f"[{shown or claim.source_ref}]"
    return f"[{shown}]({url})" if shown else f"<{url}>"


def _place(text: str, span: Span) -> int:
    """Where the mark of a claim goes: its end, before its final punctuation."""
    claim = span.of(text)
    closing = _CLOSING.search(claim)
    end = span.start + (closing.start() if closing and closing.start() else len(claim))
    while end > span.start and text[end - 1].isspace():
        end -= 1
    return end


def _is_marked(text: str, at: int, mark: str) -> bool:
    if text[:at].rstrip().endswith(mark):
        return True
    return mark == UNVERIFIED and _MARKED_BEHIND.match(text, at) is not None


def _joins(text: str, at: int) -> bool:
    """Whether a mark follows without a blank: after Chinese or Japanese."""
    return not at or text[at - 1].isspace() or is_unspaced(text[at - 1])


def _code_spans(text: str) -> list[Span]:
    """Where code stands: fenced blocks, and spans between backticks."""
    fences = [Span(*match.span()) for match in _FENCE.finditer(text)]
    inline = [
        Span(*match.span())
        for match in _INLINE_CODE.finditer(text)
        if not any(fence.start <= match.start() < fence.end for fence in fences)
    ]
    return fences + inline
