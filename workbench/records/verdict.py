"""What was found out: judgments, results, runs; and published ones read back.

Published JSON of runs and sources back to records, where it says less or more than their fields.

Every function raises KeyError, TypeError or ValueError on JSON of another shape; those who read
files translate that into a sentence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, cast, get_args

from workbench.errors import ErrorKind
from workbench.records.bibliography import ReferenceCheck
from workbench.records.citation import (
    CITATION_COLUMNS,
    UNCOUNTED_KINDS,
    Citation,
    Claim,
    Coverage,
    Reference,
    Sentence,
    citation_row,
    cited_works,
    coverage_of,
)
from workbench.records.codec import IF_GIVEN, INLINE, Record, as_list, as_object
from workbench.records.corrections import ProposedCorrection
from workbench.records.notebook_display import Cell, NotebookDisplayMixin, to_dataframe
from workbench.records.source import Page, Source, SourceMatch
from workbench.records.spending import Spending
from workbench.records.text import Json, JsonDict, Span, Spanned, format_iso8601

if TYPE_CHECKING:
    from pandas import DataFrame


JudgeOutcome = Literal["verdict", "no_verdict", "not_asked", "no_source"]

NOT_ASKED: tuple[ErrorKind, ...] = ("cost_cap_reached", "cancelled")
"""The judge was not asked: the item is still to be judged, and counts in no figure."""
JUDGE_ERRORS: tuple[ErrorKind, ...] = (
    "malformed_judge_response",
    "llm_judge_error",
    "unverified_quote",
)
"""The judge was asked and gave no verdict: the item counts, and not in the judge's favor."""
SOURCE_READ: tuple[ErrorKind, ...] = (*JUDGE_ERRORS, "cost_cap_reached")
"""The source was there to be judged: a cap stops the question, a cancellation may come earlier."""
NO_REPLY: tuple[ErrorKind, ...] = (*NOT_ASKED, "llm_judge_error")
"""No reply came, so nothing new is known of the claim: an earlier verdict outlives these."""


def judge_outcome(error: str | None) -> JudgeOutcome:
    """What became of asking a judge about an item, by the kind of error that the item has.

    A failed call (`llm_judge_error`) is `no_verdict` like a malformed reply or an invented quote:
    who deploys a judge meets all three alike, as a citation without a verdict, and calls fail by
    the prompt's doing too (a question too long, a refusal). Were failed calls left out, a judge or
    prompt would gain by failing on hard items. That an outage of the provider does not decide
    between two prompts is held elsewhere: where more than a few calls fail nothing is kept.
    Kinds that are neither the judge's nor a refusal to ask are the source's: `no_source`.
    """
    if not error:
        return "verdict"
    if error in NOT_ASKED:
        return "not_asked"
    return "no_verdict" if error in JUDGE_ERRORS else "no_source"


VerdictLabel = Literal[
    "supported", "partially_supported", "not_supported", "contradicted", "unverifiable"
]
HumanLabel = Literal[VerdictLabel, "cannot_tell"]
Status = Literal["ok", "skipped", "error"]
Stage = Literal["found", "linked", "fetched", "read", "judged", "references"]

VERDICT_LABELS: tuple[VerdictLabel, ...] = get_args(VerdictLabel)
HUMAN_LABELS: tuple[HumanLabel, ...] = (*VERDICT_LABELS, "cannot_tell")
SUPPORT_SCALE: tuple[VerdictLabel, ...] = (
    "contradicted",
    "not_supported",
    "partially_supported",
    "supported",
)
"""The labels that say how far a source supports a claim, from the least to the most."""
QUOTED_LABELS: frozenset[VerdictLabel] = frozenset(
    {"supported", "partially_supported", "contradicted"}
)
"""Labels that need a verbatim quote found in the source."""
SCANNED_TEXT = "text recognized under a scanned page: compare it with the picture"
"""What is said of a quote from the text layer of a scan, wherever it is shown."""
PASS_MARK = 0.5
"""The overall score at and above which a run passes (contract 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Spanned, Record):
    """A verbatim quote; its span is in the source's text."""

    quote: str
    span: Span = field(metadata=INLINE)
    page: int | None = None
    scanned: bool = field(default=False, metadata=IF_GIVEN)
    """Whether it stands in the invisible text layer under a scanned page (`Page.scanned`)."""

    @classmethod
    def in_source(cls, source: Source, span: Span) -> "Evidence":
        """A part of a source with the page it stands on."""
        number = source.page_at(span.start)
        scanned = any(page.scanned for page in source.pages if page.number == number)
        return cls(quote=span.of(source.text), span=span, page=number, scanned=scanned)

    @property
    def place(self) -> str:
        """Where it stands, in words; empty without pages."""
        if self.page is None:
            return ""
        return f"page {self.page}{', ' + SCANNED_TEXT if self.scanned else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPart(Spanned, Record):
    """One assertion of a claim, or one part of a wider scope, with the verdict on it alone."""

    span: Span = field(metadata=INLINE)
    """In the output's text."""
    label: VerdictLabel
    score: float
    """P(supported), 0 to 1."""
    evidence: tuple[Evidence, ...] = field(default=(), metadata=IF_GIVEN)
    """What was quoted for this part alone, where a model was asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand(Spanned, Record):
    """A figure of the source that something was calculated from; its span is in the source's text."""

    text: str
    value: float
    """In `unit`; a thousand for *1.2 thousand*'s scale is in it."""
    unit: str
    span: Span = field(metadata=INLINE)
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation(Record):
    """What follows for a figure of the claim from figures of the source, computed without a judge."""

    expression: str
    """The operands as the source writes them, and the result: *72 ÷ 120 = 60 %*."""
    operands: tuple[Operand, ...]
    result: str
    claimed: str
    """The figure in the claim's words."""
    agrees: bool
    """Whether the result is the claimed figure, within what its rounding and words allow."""

    @property
    def line(self) -> str:
        """The calculation in one line, with what the claim says where that is something else."""
        return (
            self.expression if self.agrees else f"{self.expression}; the claim says {self.claimed}"
        )

    def in_source(self, source: Source) -> "Calculation":
        """Return it with the pages that its operands stand on."""
        operands = (replace(o, page=source.page_at(o.span.start)) for o in self.operands)
        return replace(self, operands=tuple(operands))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment(Record):
    """What one judge (or a panel of them) said of a claim and its source."""

    label: VerdictLabel
    confidence: float
    """In the label, 0 to 1."""
    score: float
    """P(supported), 0 to 1: what ranking and thresholds use."""
    rationale: str
    reason: str = ""
    """Why, in one sentence for people; empty in judgments from before it was asked for."""
    sure: bool = True
    """Whether people agree with such a label at least four times in five, on the data that the judge
    was measured on; where not it is shown as unsure, and the label stays."""
    evidence: tuple[Evidence, ...] = ()
    judge: str
    """The judge's SPEC."""
    prompt: str | None = None
    """Name, version and hash of the prompt; None for a judge without one."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    """What is known of the cost: 0 where the model's price is unknown."""
    price_unknown: bool = field(default=False, metadata=IF_GIVEN)
    """Whether a model was asked whose price is unknown."""
    latency_ms: int = 0
    uncovered: tuple[Span, ...] = ()
    """Parts of the claim that the evidence does not cover; offsets into the claim's text."""
    standalone: str | None = field(default=None, metadata=IF_GIVEN)
    """The claim rewritten to be understood without its context, where a model was asked for it."""
    parts: tuple[JudgedPart, ...] = field(default=(), metadata=IF_GIVEN)
    """The verdict on each part, where a claim, a list or a paragraph was judged part by part."""
    limits: tuple[Evidence, ...] = field(default=(), metadata=IF_GIVEN)
    """Words of the source that limit what the claim states flatly: *may*, *in mice*, *at one site*."""
    calculation: Calculation | None = field(default=None, metadata=IF_GIVEN)
    """What the claim's figure is by figures of the source, where it follows, or not, from them."""
    proposed_correction: ProposedCorrection | None = field(default=None, metadata=IF_GIVEN)
    """The claim as the source bears it out, where it is supported in part or contradicted and the
    judge proposes one."""

    def in_source(self, source: Source) -> "Judgment":
        """Return it with the pages that its quotes and operands stand on."""

        def paged(quotes: Iterable[Evidence]) -> tuple[Evidence, ...]:
            return tuple(Evidence.in_source(source, quote.span) for quote in quotes)

        return replace(
            self,
            evidence=paged(self.evidence),
            limits=paged(self.limits),
            parts=tuple(replace(part, evidence=paged(part.evidence)) for part in self.parts),
            calculation=self.calculation and self.calculation.in_source(source),
        )

    def to_dict(self) -> JsonDict:
        """Return the published JSON; the cost is null where a price is unknown."""
        unknown: JsonDict = {"cost_usd": None} if self.price_unknown else {}
        return Record.to_dict(self) | unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers(Record):
    """The four layers of a citation, each checked on its own; None is "not checked"."""

    exists: bool | None = None
    """Names a source: true where it names one that was looked up, false where it names none; null
    where it names one that was not looked up. It does not say that the source is real."""
    resolves: bool | None = None
    """The source could be had."""
    derivable: bool | None = None
    """A quote that stands word for word in the source carries the claim."""
    in_scope: bool | None = None
    """The claim is no wider than the sentences quoted for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInfo(Record):
    """A reason code and a sentence."""

    kind: ErrorKind
    message: str


NoteKind = Literal["overreach", "reply", "judge_error", "source", "calculation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Record):
    """Something a reviewer should see beside the verdict."""

    kind: NoteKind
    """`overreach`: the claim is wider than its evidence; `reply`: what a judge said whose verdict
    was not accepted; `judge_error`: a judge of the panel that gave no verdict; `source`: the judge
    read an earlier snapshot, since the page shows no evidence now; `calculation`: figures of the
    source say otherwise than the judge."""
    message: str
    span: Span | None = None
    """In the claim's text; None where it concerns the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationResult(Record):
    """One citation with all that was found out about it."""

    citation: Citation = field(metadata=INLINE)
    status: Status
    verdict: VerdictLabel
    """`unverifiable` whenever the status is not `ok`."""
    error: ErrorInfo | None = None
    source: Source | None = None
    judgment: Judgment | None = None
    """The joint judgment where `judgments` has several."""
    judgments: tuple[Judgment, ...] = ()
    layers: Layers = field(default_factory=Layers)
    notes: tuple[Note, ...] = ()

    @property
    def unjudged(self) -> bool:
        """Whether no judge was asked yet, as with an imported item: nothing went wrong."""
        return self.status == "skipped" and self.error is None and self.judgment is None

    @property
    def unsure(self) -> bool:
        """Whether there is a verdict that its judge is not sure of."""
        return self.status == "ok" and self.judgment is not None and not self.judgment.sure

    @property
    def judge_failed(self) -> bool:
        """Whether the source was had and the judge gave no usable verdict on it."""
        return self.error is not None and self.error.kind in SOURCE_READ


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(NotebookDisplayMixin, Record):
    """One pass of the judge over everything a text cites; its figures are derived, never set."""

    id: str
    output_sha256: str
    created_at: datetime
    judge: tuple[str, ...]
    config: Mapping[str, Json]
    """The options the run was started with; never a key."""
    citations: tuple[CitationResult, ...] = ()
    cost_usd: float = 0.0
    """What the judges cost as far as it is known, malformed and refused replies included."""
    reserved_usd: float = 0.0
    """Reserved for calls that were cut off, outcome unknown: what they may have cost besides."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds spent in each stage, summed over concurrent work."""
    finished: bool = True
    """False while it runs, and for good when it was cancelled or cut off."""
    references: tuple[Reference, ...] = ()
    reference_checks: tuple[ReferenceCheck, ...] = ()
    """Whether the works exist, in the order of `cited_works`; empty where nobody looked, as in a
    run of an older version."""
    claims: tuple[Claim, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    """What each sentence of the text is there for; empty in a run of an older version."""
    source_matches: tuple[SourceMatch, ...] = ()
    """The given sources, each with the citations that it answers; empty where none were given."""
    text: str = field(default="", repr=False, compare=False)
    """The output it is about, exactly as given; empty where only the record was read."""

    @property
    def cited_works(self) -> tuple[Reference, ...]:
        """What `reference_checks` is about: the entries, then the court decisions of the text."""
        return cited_works(self.references, (result.citation for result in self.citations))

    @property
    def coverage(self) -> Coverage:
        """How many of the sentences that need a citation have one."""
        return coverage_of(self.sentences)

    @property
    def notices(self) -> tuple[str, ...]:
        """What of the text was not read, in sentences, as its extraction says; kept with a run."""
        said = self.config.get("notices")
        return tuple(map(str, said)) if isinstance(said, list | tuple) else ()

    @property
    def counted(self) -> tuple[CitationResult, ...]:
        """The results that the totals count: quotes and statistics stand on other markers."""
        return tuple(r for r in self.citations if r.citation.kind not in UNCOUNTED_KINDS)

    @property
    def waiting(self) -> int:
        """Citations that wait for the answers of a chat, the judge `handoff:NAME`."""
        if not self.finished or not any(spec.startswith("handoff:") for spec in self.judge):
            return 0
        return sum(
            result.source is not None
            and result.error is not None
            and result.error.kind == "cancelled"
            for result in self.counted
        )

    @property
    def total_citations_found(self) -> int:
        """Citations found, quotes and statistics left out."""
        return len(self.counted)

    @property
    def total_resolved(self) -> int:
        """Citations with status `ok`."""
        return sum(r.status == "ok" for r in self.counted)

    @property
    def total_unjudged(self) -> int:
        """Citations whose source was had and whose judge gave no usable verdict."""
        return sum(r.judge_failed for r in self.counted)

    @property
    def total_supported(self) -> int:
        """Citations with verdict `supported`."""
        return sum(r.verdict == "supported" for r in self.counted)

    @property
    def total_unsure(self) -> int:
        """Citations whose verdict the judge is not sure of, whatever it is."""
        return sum(r.unsure for r in self.counted)

    @property
    def total_cost_usd(self) -> float | None:
        """What the judges cost, malformed replies included; None where a price is unknown."""
        return None if self.unpriced_calls else self.cost_usd

    @property
    def spending(self) -> Spending:
        """What the run has cost, what is reserved with an unknown outcome, and unpriced calls."""
        return Spending(
            settled_usd=self.cost_usd,
            reserved_usd=self.reserved_usd,
            unpriced_calls=self.unpriced_calls,
        )

    @property
    def overall_score(self) -> float | None:
        """Supported over resolved, 2 decimals; None when nothing was resolved."""
        if not self.total_resolved:
            return None
        return round(self.total_supported / self.total_resolved, 2)

    @property
    def passed(self) -> bool:
        """Score of at least 0.5; true when there is no score (contract 1): see `complete`."""
        return self.overall_score is None or self.overall_score >= PASS_MARK

    @property
    def complete(self) -> bool:
        """Whether `passed` means anything.

        False when the run was cut short, when citations were found and none could be resolved, and
        when it would not have passed with the citations that the judge gave no verdict on counted
        as not supported.
        """
        if not self.finished or (self.total_citations_found and not self.total_resolved):
            return False
        unjudged = self.total_unjudged
        if not unjudged or not self.passed:
            return True
        return self.total_supported / (self.total_resolved + unjudged) >= PASS_MARK

    @property
    def errors(self) -> dict[str, int]:
        """Number of citations for each error kind that occurred."""
        counts: dict[str, int] = {}
        for result in self.counted:
            if result.error:
                counts[result.error.kind] = counts.get(result.error.kind, 0) + 1
        return counts

    def to_frame(self) -> "DataFrame":
        """The results as a table of pandas, one row a citation, in text order."""
        rows = [{**citation_row(result.citation), **_row(result)} for result in self.citations]
        return to_dataframe(rows, (*CITATION_COLUMNS, *RESULT_COLUMNS))

    def to_dict(self) -> JsonDict:
        """The published JSON of a run, without the text."""
        return {
            "id": self.id,
            "output_sha256": self.output_sha256,
            "created_at": format_iso8601(self.created_at),
            "judge": list(self.judge),
            "config": {
                **{name: value for name, value in self.config.items() if name != "notices"},
                **_open_costs(self.spending),
            },
            "overall_score": self.overall_score,
            "passed": self.passed,
            "complete": self.complete,
            "total_citations_found": self.total_citations_found,
            "total_resolved": self.total_resolved,
            "total_supported": self.total_supported,
            "total_unsure": self.total_unsure,
            "total_cost_usd": self.total_cost_usd,
            "citations": [result.to_dict() for result in self.citations],
            "references": [check.to_dict() for check in self.reference_checks],
            "source_matches": [match.to_dict() for match in self.source_matches],
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "coverage": self.coverage.to_dict(),
            "errors": dict(self.errors),
            **({"notices": list(self.notices)} if self.notices else {}),
            "timings": dict(self.timings),
        }


def _open_costs(spending: Spending) -> JsonDict:
    """What a total alone does not say: outcomes and prices that are unknown."""
    costs: JsonDict = {}
    if spending.reserved_usd:
        costs["reserved_usd"] = spending.reserved_usd
    if spending.unpriced_calls:
        costs["price_unknown"] = True
        costs["unpriced_calls"] = spending.unpriced_calls
        costs["known_cost_usd"] = spending.settled_usd
    return costs


RESULT_COLUMNS = (
    "status", "verdict", "sure", "confidence", "score", "judge", "quote", "quote_start", "quote_end",
    "page", "reason", "rationale", "error", "message", "source_url", "source_title", "source_sha256",
    "cost_usd", "standalone", "proposed_correction", "calculation", "limits",
)  # fmt: skip


def _row(result: CitationResult) -> dict[str, Cell]:
    """The cells of a result by column; offsets of quotes are in their source's text."""
    judgment, source = result.judgment, result.source
    quote = judgment.evidence[0] if judgment and judgment.evidence else None
    return {
        "status": result.status,
        "verdict": result.verdict,
        "sure": judgment.sure if judgment else None,
        "confidence": judgment.confidence if judgment else None,
        "score": judgment.score if judgment else None,
        "judge": judgment.judge if judgment else None,
        "quote": quote.quote if quote else None,
        "quote_start": quote.start if quote else None,
        "quote_end": quote.end if quote else None,
        "page": quote.page if quote else None,
        "reason": judgment.reason if judgment else None,
        "rationale": judgment.rationale if judgment else None,
        "error": result.error.kind if result.error else None,
        "message": result.error.message if result.error else None,
        "source_url": (source.final_url or source.url) if source else None,
        "source_title": source.title if source else None,
        "source_sha256": source.sha256 if source else None,
        "cost_usd": sum(judgment.cost_usd for judgment in result.judgments),
        "standalone": judgment.standalone if judgment else None,
        "proposed_correction": judgment.proposed_correction.text
        if judgment and judgment.proposed_correction
        else None,
        "calculation": judgment.calculation.line if judgment and judgment.calculation else None,
        "limits": " … ".join(limit.quote for limit in judgment.limits) or None
        if judgment
        else None,
    }


_COSTS = ("reserved_usd", "price_unknown", "unpriced_calls", "known_cost_usd")
"""What a published run's config says about its cost, beside the options."""


def parse_source(raw: Json, *, text: str = "", pages: Json = None) -> Source | None:
    """Return a source from its facts, or None for null; the text is kept apart and may be handed in."""
    if raw is None:
        return None
    return Source.from_dict(raw, text=text, pages=tuple(map(Page.from_dict, _list(pages))))


def parse_run(raw: Json, *, references: Json = None, claims: Json = None) -> Run:
    """Return a run from its published JSON; references and claims, which that leaves out, are given."""
    raw = as_object(raw)
    config = as_object(raw["config"])
    return Run.from_dict(
        raw,
        config={
            **{name: value for name, value in config.items() if name not in _COSTS},
            **({"notices": raw["notices"]} if raw.get("notices") else {}),
        },
        citations=tuple(map(CitationResult.from_dict, _list(raw["citations"]))),
        cost_usd=_float(raw["total_cost_usd"] or config.get("known_cost_usd")),
        reserved_usd=_float(config.get("reserved_usd")),
        unpriced_calls=int(_float(config.get("unpriced_calls"))),
        references=tuple(map(Reference.from_dict, _list(references))),
        reference_checks=tuple(map(ReferenceCheck.from_dict, _list(raw.get("references")))),
        claims=tuple(map(Claim.from_dict, _list(claims))),
    )  # fmt: skip


def parse_source_matches(raw: Json) -> tuple[SourceMatch, ...]:
    """Return the given sources of a run from its published JSON; none where it says nothing of them."""
    return tuple(map(SourceMatch.from_dict, _list(raw)))


def _list(value: Json) -> Sequence[Json]:
    return () if value is None else as_list(value)


def _float(value: Json) -> float:
    return float(cast(float, value or 0.0))
