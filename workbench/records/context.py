"""What a claim's words refer to, and what a source is: told to judges, never judged itself."""

from dataclasses import dataclass

from workbench.records.codec import Json, Record, as_object
from workbench.records.text import Excerpt, JsonDict, Span

LONGEST_BEFORE = 800
"""Code points of the text before a claim that are kept as its context."""
TERMS_BEFORE = 200
"""Code points of the text before a claim whose words help to choose passages."""
RECOGNIZED = (
    "recognized from scanned pages; letters and figures may be misread (12O for 120), which says "
    "nothing against a claim"
)
"""What judges are told of such a source."""
LONGEST_LINE = 300
"""Code points of a heading, a cell, a title, a question or another single fact told to a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCell(Record):
    """Where in a table a claim stands."""

    header: Excerpt | None = None
    """The table's header row, or the header of the claim's column where it stands in one cell."""
    row: Excerpt | None = None
    """The label of the claim's row: its first cell."""

    def to_dict(self) -> JsonDict:
        """`{"header", "row", "header_span", "row_span"}`: texts, and where they stand."""
        return {
            "header": self.header.text if self.header else None,
            "row": self.row.text if self.row else None,
            "header_span": self.header.span.to_dict() if self.header else None,
            "row_span": self.row.span.to_dict() if self.row else None,
        }

    @classmethod
    def from_dict(cls, raw: Json, **given: object) -> "TableCell":
        """Return the place of its published JSON; see `Record.from_dict`."""
        raw = as_object(raw)

        def part(name: str) -> Excerpt | None:
            span = raw.get(f"{name}_span")
            return None if span is None else Excerpt(span=Span.from_dict(span), text=str(raw[name]))

        return cls(header=part("header"), row=part("row"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimContext(Record):
    """What the words of a claim refer to; spans count code points of the text as given."""

    headings: tuple[Excerpt, ...] = ()
    """The headings that the claim stands under, outermost first, without their `#` signs."""
    before: Span | None = None
    """The sentences before it in its paragraph or list, at most `LONGEST_BEFORE` code points: also
    the line that leads to its list, and the item above a sub-item."""
    table: TableCell | None = None
    question: str | None = None
    """The question that the text answers, where a transcript or upload holds it."""
    date: str | None = None
    """When the text was written, as a transcript or upload says."""

    def for_judge(self, before: str) -> "JudgeContext":
        """What a judge is told of it, with the words of `before`; nothing of the source."""
        return JudgeContext(
            headings=tuple(heading.text for heading in self.headings),
            before=before,
            table_header=self.table.header.text if self.table and self.table.header else None,
            table_row=self.table.row.text if self.table and self.table.row else None,
            question=self.question,
            date=self.date,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFacts:
    """What a source is, as far as it says so itself."""

    title: str | None = None
    site: str | None = None
    """Its publisher or site."""
    author: str | None = None
    published: str | None = None
    """The date it gives for itself, as it gives it."""
    url: str | None = None
    scanned: bool = False
    """Whether its text was recognized from pictures of its pages, at least in part."""

    def to_dict(self) -> JsonDict:
        """The facts that are known, by name."""
        facts: JsonDict = {
            "title": self.title,
            "site": self.site,
            "author": self.author,
            "published": self.published,
            "url": self.url,
            "scanned": self.scanned,
        }
        return {name: value for name, value in facts.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeContext:
    """What a judge is told besides a claim and passages: untrusted text, and no evidence."""

    headings: tuple[str, ...] = ()
    before: str = ""
    table_header: str | None = None
    table_row: str | None = None
    question: str | None = None
    date: str | None = None
    source: SourceFacts = SourceFacts()

    @property
    def of_claim(self) -> str:
        """The claim's part in lines, each named; empty when nothing is known."""
        lines = [
            ("Question answered", self.question),
            ("Written", self.date),
            (
                "Under the headings",
                " > ".join(_cut(heading)[-100:] for heading in self.headings[-4:]),
            ),
            ("Table header", self.table_header),
            ("Table row", self.table_row),
        ]
        parts = [f"{name}: {_cut(value)}" for name, value in lines if value and value.strip()]
        if self.before.strip():
            parts.append(f"Text before the claim: {self.before.strip()[-LONGEST_BEFORE:]}")
        return "\n".join(parts)

    @property
    def of_source(self) -> str:
        """The source's part in lines, each named; empty when nothing is known."""
        facts = self.source
        lines = [
            ("Title", facts.title),
            ("Published by", facts.site),
            ("Author", facts.author),
            ("Date", facts.published),
            ("Address", facts.url),
            ("Text", RECOGNIZED if facts.scanned else None),
        ]
        return "\n".join(
            f"{name}: {_cut(value)}" for name, value in lines if value and value.strip()
        )

    @property
    def terms(self) -> str:
        """The words of the claim's part that may name what the claim is about, nearest last.

        The innermost heading, the table's parts and the last of the text before; a question only
        where nothing else is known.
        """
        nearest = [*self.headings[-1:], self.table_header, self.table_row]
        parts = [part for part in nearest if part] + [self.before[-TERMS_BEFORE:]]
        terms = "\n".join(part for part in parts if part.strip())
        return (terms or self.question or "")[-LONGEST_LINE:]


NO_CONTEXT = JudgeContext()
"""A claim by itself, from a source that says nothing of itself."""


def _cut(line: str) -> str:
    """One line of at most `LONGEST_LINE` code points."""
    return " ".join(line.split())[:LONGEST_LINE]
