"""What a text cites: citations, references, claims."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

from workbench.records.bibliography import Author, ReferenceCheck, ReferenceEntry
from workbench.records.codec import HIDDEN, IF_GIVEN, INLINE, Record
from workbench.records.context import ClaimContext
from workbench.records.notebook_display import Cell, NotebookDisplayMixin, to_dataframe
from workbench.records.text import Excerpt, JsonDict, Span, Spanned, text_sha256

if TYPE_CHECKING:
    from pandas import DataFrame

CitationKind = Literal[
    "numbered",
    "author_year",
    "key",
    "url",
    "doi",
    "arxiv",
    "pmid",
    "case_law",
    "quote",
    "statistic",
    "provenance",
    "native",
]
TargetForm = Literal["url", "doi", "arxiv", "pmid", "case", "file", "git", "memory", "guess"]
ScopeKind = Literal["sentence", "list", "paragraph"]
CITATION_KINDS: tuple[CitationKind, ...] = get_args(CitationKind)
SCOPE_KINDS: tuple[ScopeKind, ...] = get_args(ScopeKind)
UNCOUNTED_KINDS: frozenset[CitationKind] = frozenset({"quote", "statistic"})
"""Kinds that describe a claim which another marker cites: left out of `total_citations_found`."""
LABELLED_KINDS: frozenset[CitationKind] = frozenset({"numbered", "key"})
"""Kinds whose identifier is a label that a given source may carry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(Record):
    """Where a citation points."""

    form: TargetForm
    value: str
    reference: int | None = None
    """Index into the extraction's references, when the target was read out of a reference entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimScope(Spanned, Record):
    """How much of the text a marker stands for; its span counts code points of the text."""

    kind: ScopeKind
    """`list` takes in the line that leads to it."""
    span: Span = field(metadata=INLINE)
    text: str
    """Exactly `text[start:end]`."""
    guess: bool
    """Whether the rules guessed it; else someone chose it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation(Spanned, Record):
    """One citation at one place of the text."""

    id: str
    kind: CitationKind
    raw: str
    """Exactly `text[start:end]`."""
    span: Span = field(metadata=INLINE)
    identifier: str
    """What the citation names: `3` of `[3]`, the URL, the DOI, `smith 2019`."""
    context: Span
    claim: Excerpt | None = None
    target: Target | None = None
    unlinked: str | None = None
    """Why there is no target, in a sentence."""
    reference: int | None = None
    """Index of the entry it names, also where the entry gives no address."""
    claim_context: ClaimContext | None = None
    """What the claim's words refer to; None where nobody looked (a run of an older version)."""
    wording: str | None = field(default=None, metadata=IF_GIVEN)
    """The claim in a reviewer's words, so that it stands alone: what judges are asked about then.
    Its offsets stay those of the text."""
    scope: ClaimScope | None = field(default=None, metadata=IF_GIVEN)
    """What the marker stands for; None where nothing speaks for more than its sentence and nobody
    chose. `claim` stays that of the sentence."""

    @property
    def judged_by_parts(self) -> bool:
        """Whether judges are asked about the parts of a list or a paragraph, one by one."""
        return self.scope is not None and self.scope.kind != "sentence" and not self.wording

    @property
    def labelled_claim(self) -> Excerpt | None:
        """What verdicts and labels are about: the claim's text, or its whole scope."""
        if self.scope is not None and self.judged_by_parts:
            return Excerpt(span=self.scope.span, text=self.scope.text)
        return self.claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Spanned, Record):
    """One entry of the text's own reference list."""

    label: str | None
    span: Span = field(metadata=INLINE)
    text: str
    title: str | None = None
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str | None = None
    target: Target | None = None
    entry: ReferenceEntry | None = field(default=None, repr=False, compare=False, metadata=HIDDEN)
    """Everything that the entry says; None where only the published JSON was read."""


def unchecked_reference(reference: Reference) -> ReferenceCheck:
    """The check of an entry that was not looked up before its run was cut off."""
    entry = ReferenceEntry(
        title=reference.title,
        authors=tuple(Author(family=author) for author in reference.authors),
        year=reference.year,
        doi=reference.doi,
    )
    return ReferenceCheck(
        label=reference.label,
        span=reference.span,
        text=reference.text,
        entry=reference.entry or entry,
        status="not_checked",
        why="Not checked: the run was stopped.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Spanned, Record):
    """A sentence, list item or part of one that asserts something."""

    id: str
    span: Span = field(metadata=INLINE)
    text: str
    citations: tuple[str, ...] = ()
    """Ids of the citations that stand for it; empty when it has no source."""


SentenceKind = Literal[
    "cited", "uncited", "absence", "derived", "synthesis", "given", "opinion", "structure"
]
SENTENCE_KINDS: tuple[SentenceKind, ...] = get_args(SentenceKind)
Reach = Literal["own", "paragraph", "list", "source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence(Spanned, Record):
    """A sentence, list item, table row or heading of a text, with what it is there for.

    `cited`: a citation stands for it. Without one: `uncited` asserts something that can be checked,
    `absence` that something was not found or does not exist, `derived` a figure that follows from
    others, `synthesis` what several sources say together, `given` a fact of the question, `opinion`
    advice or a judgment of value; `structure` asserts nothing.
    """

    span: Span = field(metadata=INLINE)
    kind: SentenceKind
    citations: tuple[str, ...] = ()
    """Ids of the citations that stand for it."""
    reach: Reach | None = None
    """Whether they are its own, or one at the end of its paragraph or list reaches back to it;
    `source`: a reviewer found it stated in their source, which the text does not cite there."""
    corrected_by: str | None = field(default=None, metadata=IF_GIVEN)
    """Who gave it another kind than the rules."""

    @property
    def is_uncited(self) -> bool:
        """Whether it needs a citation and has none."""
        return self.kind in ("uncited", "absence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage(Record):
    """How many of the sentences that need a citation have one."""

    needing: int
    """Sentences of kind `cited`, `uncited` or `absence`."""
    cited: int
    uncited: int
    share: float | None
    """Cited of those that need one, 4 decimals; None where none needs one."""
    cited_elsewhere: int = field(default=0, metadata=IF_GIVEN)
    """Of `cited`, those that reviewers found stated in a source which the text cites elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceChange(Record):
    """A sentence after somebody corrected it or took that back, and what the run's coverage is now."""

    changed: bool
    """False where the same correction counts already, or none was there to be taken back."""
    sentence: Sentence | None
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceCorrection(Record):
    """What a reviewer says that a sentence is there for; it is never changed."""

    id: str
    run_id: str
    start_at: int
    """Of the sentence, in code points of the run's text."""
    end_at: int
    kind: SentenceKind
    author: str
    created_at: datetime
    stated_in: str | None = field(default=None, metadata=IF_GIVEN)
    """Id of a citation of the run whose source states it, though the text cites it elsewhere."""
    queue_id: str | None = field(default=None, metadata=IF_GIVEN)

    @property
    def span(self) -> Span:
        """Its place in the run's text."""
        return Span(self.start_at, self.end_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSuggestion(Record):
    """What a source of the run says of a sentence without a citation, as a judge found."""

    id: str
    run_id: str
    start_at: int
    """Of the sentence, in code points of the run's text."""
    end_at: int
    citation_id: str
    """A citation whose source it is."""
    label: Literal["supported", "contradicted"]
    score: float
    """P(supported), 0 to 1."""
    quote: str
    """Verbatim from the source."""
    judge: str
    created_at: datetime
    sure: bool = True
    """Whether people agree with such a label at least four times in five, as of a `Judgment`."""

    @property
    def span(self) -> Span:
        """Its sentence's place in the run's text."""
        return Span(self.start_at, self.end_at)


def with_corrections(
    sentences: Iterable[Sentence], corrections: Iterable[SentenceCorrection]
) -> tuple[Sentence, ...]:
    """Return the sentences with the kinds that reviewers gave them; a kind given back is the rules'."""
    given = {correction.span: correction for correction in corrections}
    corrected = []
    for sentence in sentences:
        correction = given.get(sentence.span)
        if correction is not None and correction.kind != sentence.kind:
            source = correction.stated_in
            sentence = Sentence(
                span=sentence.span,
                kind=correction.kind,
                citations=(source,) if source else (),
                reach="source" if source else None,
                corrected_by=correction.author,
            )
        corrected.append(sentence)
    return tuple(corrected)


NO_COVERAGE = Coverage(needing=0, cited=0, uncited=0, share=None)
"""Of a text without sentences, or a run of an older version."""


def coverage_of(sentences: Iterable[Sentence]) -> Coverage:
    """Return how many of some sentences need a citation, and how many of those have one."""
    cited = uncited = elsewhere = 0
    for sentence in sentences:
        cited += sentence.kind == "cited"
        elsewhere += sentence.reach == "source"
        uncited += sentence.is_uncited
    needing = cited + uncited
    share = round(cited / needing, 4) if needing else None
    return Coverage(
        needing=needing, cited=cited, uncited=uncited, share=share, cited_elsewhere=elsewhere
    )


def cited_works(
    references: Sequence[Reference], citations: Iterable[Citation]
) -> tuple[Reference, ...]:
    """The entries of the reference list, then each court decision that the text itself cites.

    A decision stands at its first full citation; one whose citation lies within an entry is that
    entry's. Spans count code points of the text.
    """
    listed = sorted(reference.span for reference in references)
    decisions: dict[str, Reference] = {}
    for citation in citations:
        target = citation.target
        if citation.kind != "case_law" or target is None or target.form != "case":
            continue
        at = bisect_right(listed, citation.start, key=lambda span: span.start) - 1
        if at >= 0 and citation.start < listed[at].end:
            continue
        if target.value not in decisions and _names_parties(citation.raw):
            decisions[target.value] = Reference(
                label=None, span=citation.span, text=citation.raw, target=target
            )
    return (*references, *decisions.values())


def _names_parties(raw: str) -> bool:
    """Whether a citation is a full one, with the case's name: not `Id.`, not `… at 420`."""
    return (
        bool(re.search(r"\bv[s.]|\bIn re\b|\bEx parte\b|\bMatter of\b", raw)) and " at " not in raw
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction(NotebookDisplayMixin):
    """What a text cites, in text order."""

    text: str
    citations: tuple[Citation, ...] = ()
    references: tuple[Reference, ...] = ()
    claims: tuple[Claim, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    notices: tuple[str, ...] = ()
    """What was not read, in sentences: marks of an unknown kind, citations in JSON of no form."""

    @property
    def cited_works(self) -> tuple[Reference, ...]:
        """The entries of the reference list, then the court decisions that the text cites."""
        return cited_works(self.references, self.citations)

    @property
    def coverage(self) -> Coverage:
        """How many of the sentences that need a citation have one."""
        return coverage_of(self.sentences)

    def counts(self) -> dict[str, int]:
        """Number of citations of each kind that occurs."""
        counts: dict[str, int] = {}
        for citation in self.citations:
            counts[citation.kind] = counts.get(citation.kind, 0) + 1
        return counts

    def to_frame(self) -> "DataFrame":
        """The citations as a table of pandas, one row each, in text order."""
        rows = [citation_row(citation) for citation in self.citations]
        return to_dataframe(rows, CITATION_COLUMNS)

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench extract`."""
        return {
            "text": self.text,
            "text_sha256": text_sha256(self.text),
            "citations": [citation.to_dict() for citation in self.citations],
            "references": [reference.to_dict() for reference in self.references],
            "claims": [claim.to_dict() for claim in self.claims],
            "sentences": [sentence.to_dict() for sentence in self.sentences],
            "coverage": self.coverage.to_dict(),
            "counts": dict(self.counts()),
            **({"notices": list(self.notices)} if self.notices else {}),
        }


CITATION_COLUMNS = (
    "id", "kind", "raw", "start", "end", "identifier", "claim", "target_form", "target",
    "reference", "unlinked",
)  # fmt: skip


def citation_row(citation: Citation) -> dict[str, Cell]:
    """The cells of a citation by column; offsets are code points of the text as given."""
    target = citation.target
    return {
        "id": citation.id,
        "kind": citation.kind,
        "raw": citation.raw,
        "start": citation.start,
        "end": citation.end,
        "identifier": citation.identifier,
        "claim": citation.claim.text if citation.claim else None,
        "target_form": target.form if target else None,
        "target": target.value if target else None,
        "reference": citation.reference if target is None else target.reference,
        "unlinked": citation.unlinked,
    }
