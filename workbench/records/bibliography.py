"""A bibliography entry as described, the record of the work behind it, and how they compare."""

import dataclasses
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from workbench.records.codec import HIDDEN, INLINE, Record, published_as
from workbench.records.notebook_display import Cell, NotebookDisplayMixin, to_dataframe
from workbench.records.text import Json, JsonDict, Span, Spanned

if TYPE_CHECKING:
    from pandas import DataFrame


WorkType = Literal[
    "article",
    "article-journal",
    "article-magazine",
    "article-newspaper",
    "book",
    "chapter",
    "dataset",
    "legal_case",
    "paper-conference",
    "patent",
    "post-weblog",
    "report",
    "software",
    "standard",
    "thesis",
    "webpage",
]
"""Kinds of work by their CSL names; `article` is a preprint."""
EntryField = Literal[
    "title",
    "authors",
    "year",
    "venue",
    "volume",
    "issue",
    "pages",
    "doi",
    "arxiv",
    "pmid",
    "isbn",
    "url",
]
ReferenceStatus = Literal["matches", "differs", "other_work", "not_found", "not_checked"]
AnswerKind = Literal["match", "none", "error", "not_asked"]
RetractionKind = Literal["retracted", "concern", "corrected"]
WORK_TYPES: tuple[WorkType, ...] = get_args(WorkType)
ENTRY_FIELDS: tuple[EntryField, ...] = get_args(EntryField)
REFERENCE_STATUSES: tuple[ReferenceStatus, ...] = get_args(ReferenceStatus)
RETRACTION_KINDS: tuple[RetractionKind, ...] = get_args(RetractionKind)
FAILED_REFERENCE_STATUSES: frozenset[ReferenceStatus] = frozenset({"other_work", "not_found"})
"""States in which the entry as described names no work that anybody knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Author(Record):
    """A person, or a body whose whole name is `family`."""

    family: str
    given: str = ""
    """First names or initials, as written."""

    @property
    def name(self) -> str:
        """The name with its family name last."""
        return f"{self.given} {self.family}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceEntry(Record):
    """What a bibliography entry says of its work; None for what it does not say."""

    title: str | None = None
    authors: tuple[Author, ...] = ()
    authors_complete: bool = True
    """False where the entry says that there are more: `et al.`, `and others`, an ellipsis."""
    year: int | None = None
    venue: str | None = None
    """Journal, proceedings, publisher of a book, reporter of a court decision."""
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    doi: str | None = None
    """Lower case is not forced: as written, without `https://doi.org/` and closing punctuation."""
    arxiv: str | None = None
    pmid: str | None = None
    isbn: str | None = None
    """Digits and X alone."""
    url: str | None = None
    type: WorkType | None = None
    court: str | None = None
    """Of a court decision, as written."""
    spans: tuple[tuple[EntryField, Span], ...] = field(default=(), metadata=HIDDEN)
    """Where a field stands, in code points of the entry's own text."""
    unreadable: str | None = field(default=None, metadata=HIDDEN)
    """Why the entry could not be read, in a sentence; no look-up by its title or authors then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldComparison(Record):
    """A field of an entry beside that of the record."""

    field: str
    """One of `ENTRY_FIELDS`; of a court decision also `case_name`, `court`, `docket_number`,
    `quotation`."""
    entry_value: str | None = dataclasses.field(metadata=published_as("given"))
    record_value: str | None = dataclasses.field(metadata=published_as("found"))
    agrees: bool | None
    """None where this cannot be told: one of the two says nothing."""
    why: str = ""
    """What differs, in a sentence; empty where it agrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexAnswer(Record):
    """What an index said of an entry."""

    name: str
    answer: AnswerKind
    why: str = ""
    question: str = ""
    """The words that were sent to it; empty where nothing left the machine."""
    covers: bool = True
    """Whether the index should hold a work like this one: what it declares to hold."""
    asked_at: str | None = None
    """ISO 8601; the time of the stored answer where it was cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReply:
    """What an index returned for an entry, before it is compared."""

    answer: IndexAnswer
    records: tuple[JsonDict, ...] = ()
    """CSL-JSON items, best first; `custom.retraction` holds what the index says of one."""
    identifier_unknown: str | None = None
    """The identifier of the entry that this index has authority over and does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedAnswer:
    """What a service answered to a question, as it is kept for later and replayed offline."""

    service: str
    """The index's name, as in the settings: `crossref`."""
    question: str
    """The request below the service's base address, without any key or contact address."""
    status: int
    """200, or 404 where a service says in this way that it has no such record."""
    body: bytes
    asked_at: str
    """ISO 8601, in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetractionNotice(Record):
    """That a work was retracted, corrected, or is in doubt."""

    kind: RetractionKind
    date: str | None = None
    notice: str | None = None
    """DOI or address of the notice."""
    source: str = field(default="", metadata=published_as("from"))
    """Who says so: an index's name or `retraction_watch`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceCheck(Spanned, Record):
    """Whether the work of one entry exists, and whether it is described right."""

    label: str | None
    span: Span = field(metadata=INLINE)
    """Where the entry stands in the text, with its label."""
    text: str
    entry: ReferenceEntry
    status: ReferenceStatus
    fields: tuple[FieldComparison, ...] = ()
    record: JsonDict | None = None
    """The work as the index describes it, a CSL-JSON item."""
    record_from: str | None = None
    score: float | None = None
    """Calibrated probability that the work exists as described; None where nothing was checked."""
    indexes: tuple[IndexAnswer, ...] = ()
    retraction: RetractionNotice | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceReport(NotebookDisplayMixin):
    """The checks of a whole list, in its order."""

    checks: tuple[ReferenceCheck, ...] = ()

    def counts(self) -> dict[str, int]:
        """Number of entries in each status that occurs."""
        counts = Counter(check.status for check in self.checks)
        return {status: counts[status] for status in REFERENCE_STATUSES if counts[status]}

    def retracted(self) -> tuple[ReferenceCheck, ...]:
        """The entries whose work was retracted; doubts and corrections are not."""
        return tuple(
            check
            for check in self.checks
            if check.retraction is not None and check.retraction.kind == "retracted"
        )

    @property
    def passed(self) -> bool:
        """False where an entry is `other_work` or `not_found`, or a work is retracted."""
        failed = any(check.status in FAILED_REFERENCE_STATUSES for check in self.checks)
        return not failed and not self.retracted()

    def indexes(self) -> list[JsonDict]:
        """For each index how many entries it was asked about, answered and failed on."""
        answers: dict[str, Counter[str]] = {}
        for check in self.checks:
            for answer in check.indexes:
                answers.setdefault(answer.name, Counter())[answer.answer] += 1
        return [
            {
                "name": name,
                "asked": count["match"] + count["none"] + count["error"],
                "answered": count["match"] + count["none"],
                "failed": count["error"],
            }
            for name, count in answers.items()
        ]

    def to_frame(self) -> "DataFrame":
        """The checks as a table of pandas, one row each, in their order."""
        return to_dataframe([reference_row(check) for check in self.checks], REFERENCE_COLUMNS)

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench references`."""
        return {
            "references": [check.to_dict() for check in self.checks],
            "counts": dict(self.counts()),
            "indexes": self.indexes(),
        }


REFERENCE_COLUMNS = (
    "label", "start", "end", "text", "title", "authors", "year", "venue", "doi", "status", "score",
    "differing", "record_title", "record_doi", "record_from", "retraction", "why",
)  # fmt: skip


def reference_row(check: ReferenceCheck) -> dict[str, Cell]:
    """The cells of a check by column; offsets are code points of the text as given."""
    entry, record = check.entry, check.record or {}
    return {
        "label": check.label,
        "start": check.start,
        "end": check.end,
        "text": check.text,
        "title": entry.title,
        "authors": "; ".join(author.name for author in entry.authors) or None,
        "year": entry.year,
        "venue": entry.venue,
        "doi": entry.doi,
        "status": check.status,
        "score": check.score,
        "differing": ", ".join(
            comparison.field for comparison in check.fields if comparison.agrees is False
        )
        or None,
        "record_title": csl_text(record, "title"),
        "record_doi": csl_text(record, "DOI"),
        "record_from": check.record_from,
        "retraction": check.retraction.kind if check.retraction else None,
        "why": check.why or None,
    }


def csl_text(record: JsonDict, key: str) -> str | None:
    """A text field of a CSL-JSON item; None where it is missing, empty or of another type."""
    value: Json = record.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return " ".join(value.split()) or None if isinstance(value, str) else None


_RESERVED = re.compile(
    r"(?:https?://)?(?:[\w-]+\.)*(?:example\.(?:com|org|net|edu)|(?:[\w-]+\.)+invalid|"
    r"localhost|your-?(?:site|domain|website|url)\.\w+|(?:some|any)(?:site|website|url)\.\w+|"
    r"(?:website|placeholder|sampleurl|fakeurl|dummyurl)\.com)(?=[/:?#\s]|\Z)",
    re.IGNORECASE,
)
"""Names that RFC 2606 and RFC 6761 reserve for examples, and words in their place."""
_BLANK = re.compile(
    r"\b10\.(?:x{2,}|n{4,}|\.{3})/\S*|\b10\.\d{4,9}/(?:x{3,}\b|\.{3}|placeholder|your-?doi)\S*"
    r"|\b10\.\d{4,9}/\S*?x{5,}\S*",
    re.IGNORECASE,
)
_BLANK_ARXIV = re.compile(r"\b(?:\d{2})?x{2,4}\.x{3,5}\b|\b(?:0000\.0{4,5}|\d{4}\.x{4,5})\b", re.I)
_BLANK_PATH = re.compile(
    r"https?://\S*?(?:\[(?:link|url|insert[^\]]*)\]|<(?:link|url)>|/x{4,}(?=[/?#\s]|\Z)|/path/to/\S*)",
    re.IGNORECASE,
)


def placeholder_reason(address: str) -> str | None:
    """Why an address or identifier cannot be that of a source, in a sentence; None for others.

    >>> placeholder_reason("https://doi.org/10.xxxx/abc")
    '“https://doi.org/10.xxxx/abc” is a placeholder, not an identifier of a work.'
    """
    shown = address if len(address) <= 80 else f"{address[:79]}…"
    if _BLANK.search(address) or _BLANK_ARXIV.search(address):
        return f"“{shown}” is a placeholder, not an identifier of a work."
    if _RESERVED.match(address) or _BLANK_PATH.match(address):
        return f"“{shown}” is a placeholder address: there cannot be a source at it."
    return None


def is_blank_identifier(address: str) -> bool:
    """Whether an address holds an identifier with blanks in it, which nobody can resolve."""
    return bool(
        _BLANK.search(address) or _BLANK_ARXIV.search(address) or _BLANK_PATH.match(address)
    )


_ENGLISH = (
    r"(?:list of |key |selected |main |primary |cited |full |web |online |data |information )?"
    r"(?:references?|sources?|bibliography|works cited|literature|citations?)"
    r"(?: list| cited| used| consulted|s and notes"
    r"| and (?:notes|references|sources|citations|links|further reading))?"
    r"|(?:list of )?(?:papers|publications)(?: cited)?"
    r"|endnotes|footnotes|notes(?: and references)?|reference list|links"
)
_CHINESE = (
    r"参考(?:文献|资料|来源|链接|书目|网站|文獻|資料|來源)(?:列表|与来源|及来源|和来源)?|参考"
    r"|引用(?:文献|来源|资料|列表|文獻)?|參考(?:文獻|資料|來源)|文献(?:列表)?|注释|脚注|尾注"
    r"|(?:资料|数据|信息|主要|文献|資料|數據|引文)?(?:来源|來源)(?:列表)?"
)
_OTHERS = (
    r"出典|参照(?:文献)?|引用文献|참고\s?문헌|출처|참고\s?자료"
    r"|quellen(?:verzeichnis|angaben|nachweise)?|literatur(?:verzeichnis|angaben|hinweise)?"
    r"|(?:quellen und literatur|literatur und quellen|einzelnachweise|belege|fu(?:ß|ss)noten)"
    r"|références(?: bibliographiques| citées)?|bibliographie|notes et références"
    r"|referencias(?: bibliográficas)?|bibliografía(?: consultada)?|obras citadas"
    r"|notas y referencias|referencias y notas|fuentes(?: consultadas)?"
    r"|riferimenti(?: bibliografici)?|bibliografia|fonti|referências(?: bibliográficas)?"
    r"|fontes|bronnen|källor|kilder|lähteet|źródła|literatura|kaynakça|kaynaklar"
    r"|список литературы|источники|литература|джерела|tài liệu tham khảo|المراجع|المصادر|संदर्भ"
)
_READING = (
    r"(?:further|additional|recommended) (?:reading|resources)|reading list|external links|web ?links"
    r"|weiterführende (?:literatur|links)|pour aller plus loin|liens externes"
    r"|lecturas (?:adicionales|recomendadas)|enlaces externos|扩展阅读|延伸阅读|外部链接|相关链接"
)
REFERENCE_HEADINGS = rf"{_READING}|{_ENGLISH}|{_CHINESE}|{_OTHERS}"
"""A regular expression, to be matched without regard to case, for the words of such a heading."""
