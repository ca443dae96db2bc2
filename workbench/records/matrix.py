"""Statements × sources of a run: which source says what about which statement of the text."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from workbench.records.citation import SentenceKind
from workbench.records.codec import IF_GIVEN, INLINE, Record
from workbench.records.notebook_display import NotebookDisplayMixin
from workbench.records.text import Span, Spanned
from workbench.records.verdict import Evidence, Judgment, VerdictLabel

STATEMENT_KINDS: frozenset[SentenceKind] = frozenset(
    {"cited", "uncited", "absence", "derived", "synthesis"}
)
"""Sentences that assert something."""
REPORT = 0
"""The number of the report itself among the sources: each statement is held against the rest."""
CellBasis = Literal["person", "run", "judge", "words", "open"]
"""Who says it: a reviewer, the run's judge, a judge that was asked about the matrix; `words`: the
source shares no word with the statement, so nobody was asked; `open`: nobody was asked yet."""
ContradictionKind = Literal["sources", "statements"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixSource(Record):
    """A source that the text cites, or the text itself."""

    number: int
    """Counted from 1 in the order in which the text cites them; 0 is the text itself."""
    mark: str
    """What the text cites it by: `[3]`; `S3` where its citations are no numbers."""
    title: str
    url: str
    host: str
    sha256: str
    """Of its bytes; empty where it could not be read."""
    why_unread: str = field(default="", metadata=IF_GIVEN)
    """Why nothing can be asked about it; empty where it was read."""
    supports: int = 0
    """Statements that it supports; one that it supports in part is not counted."""
    alone: int = 0
    """Of these, the ones that no other source supports: they fall with it."""
    own_page: str = field(default="", metadata=IF_GIVEN)
    """The name that both its host and the text's title or a statement have; empty without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixStatement(Spanned, Record):
    """A sentence of the text that asserts something."""

    number: int
    """Counted from 1 in text order."""
    span: Span = field(metadata=INLINE)
    text: str
    kind: SentenceKind
    cites: tuple[int, ...] = ()
    """Numbers of the sources that it cites."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell(Record):
    """What one source says about one statement."""

    statement: int
    source: int
    label: VerdictLabel | None
    """None where nobody was asked yet."""
    basis: CellBasis
    cited: bool = False
    """Whether the statement cites the source."""
    sure: bool = True
    by: str = field(default="", metadata=IF_GIVEN)
    """The judge's SPEC, or the reviewer's name."""
    reason: str = field(default="", metadata=IF_GIVEN)
    evidence: tuple[Evidence, ...] = field(default=(), metadata=IF_GIVEN)
    """Offsets are in the source's text."""
    citation: str = field(default="", metadata=IF_GIVEN)
    """The citation whose verdict it is."""

    @property
    def supports(self) -> bool:
        """Whether the source bears the whole statement out."""
        return self.label == "supported"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionSide(Spanned, Record):
    """One side of a contradiction: a verbatim quote."""

    source: int
    span: Span = field(metadata=INLINE)
    """In the source's text."""
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction(Record):
    """Two sources that contradict each other about a statement, or two statements of the text."""

    kind: ContradictionKind
    statement: int
    """The statement that it is about."""
    sides: tuple[ContradictionSide, ...]
    """Two."""
    found: bool
    """Whether both sides are sure, or a person's; otherwise it may be one: look at both quotes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLoad(Record):
    """How much rests on how few sources."""

    sentences: int
    """Of the text, of any kind; 0 in a run of an older version, too."""
    statements: int = 0
    supported: int = 0
    """Statements that at least one source supports."""
    on_one_source: int = 0
    """Of these, the ones that exactly one source supports: they fall with it."""
    on_own_pages: int = 0
    """Of these, the ones that only pages of the organization or product itself support."""
    open: int = 0
    """Pairs of statement and source about which nobody was asked yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix(NotebookDisplayMixin, Record):
    """The statements of a run's text, its sources, and what each says about each."""

    run_id: str
    finished: bool
    """Whether the run has ended: before, sources may be missing."""
    statements: tuple[MatrixStatement, ...]
    sources: tuple[MatrixSource, ...]
    """In the order of their numbers; the text itself comes first."""
    cells: tuple[MatrixCell, ...]
    """By statement, then by source: one for each pair."""
    contradictions: tuple[Contradiction, ...]
    load: SourceLoad

    def cell(self, statement: int, source: int) -> MatrixCell:
        """Return the cell of a statement and a source, by their numbers."""
        return self.cells[(statement - 1) * len(self.sources) + source]

    def row(self, statement: int) -> tuple[MatrixCell, ...]:
        """Return the cells of a statement, by its number."""
        start = (statement - 1) * len(self.sources)
        return self.cells[start : start + len(self.sources)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellJudgment:
    """What a judge said about a statement and a source when it was asked about the matrix."""

    run_id: str
    start_at: int
    """Of the statement, in code points of the run's text."""
    end_at: int
    source_sha256: str
    judge: str
    """Its SPEC; empty where the source shares no word with the statement."""
    judgment: Judgment | None
    """None where nobody was asked."""
    created_at: datetime
