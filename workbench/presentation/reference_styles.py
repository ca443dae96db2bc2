"""How the findings on references look and read: glyph, word, colour, in one order; pure.

A finding never borrows a verdict's glyph: whether a work exists and whether it supports a claim
are two questions, and they stand side by side.
"""

from dataclasses import dataclass

from workbench.records.bibliography import (
    REFERENCE_STATUSES,
    AnswerKind,
    ReferenceCheck,
    ReferenceStatus,
    RetractionKind,
)
from workbench.records.reference_labels import OverrideReason, ReferenceDecision
from workbench.records.text import JsonDict

LEAD = (
    "A finding is a lead, not proof: no index covers every work, and records contain errors too. "
    "Check before you decide."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingStyle:
    """How one finding, notice or decision looks and reads."""

    word: str
    short: str
    """For narrow places."""
    glyph: str
    colour: str
    """Distinguishable by colour-blind readers; the same in light and dark."""
    tone: str = "gray"
    """Name of the same colour in the theme's palette."""
    meaning: str = ""

    def to_dict(self) -> JsonDict:
        """The fields that the browser needs."""
        return {"word": self.word, "glyph": self.glyph, "colour": self.colour}


FINDINGS: dict[ReferenceStatus, FindingStyle] = {
    "matches": FindingStyle(
        word="Matches its record", short="Matches", glyph="✓", colour="#009E73", tone="green",
        meaning="A record of the work was found, and the entry agrees with it.",
    ),
    "differs": FindingStyle(
        word="Described differently", short="Described differently", glyph="≠", colour="#E69F00",
        tone="orange",
        meaning="The work was found, but its record differs from the entry.",
    ),
    "other_work": FindingStyle(
        word="Another work has this identifier", short="Another work", glyph="⇄",
        colour="#CC79A7", tone="violet",
        meaning="The entry's identifier belongs to a different work.",
    ),
    "not_found": FindingStyle(
        word="Not found in the indexes asked", short="Not found", glyph="∅", colour="#D55E00",
        tone="red",
        meaning="Every index that should have the work answered, and none has it.",
    ),
    "not_checked": FindingStyle(
        word="Not checked", short="Not checked", glyph="–", colour="#7A7F87",
        meaning="No index was asked, none answered, or the entry could not be read.",
    ),
}  # fmt: skip
FINDING_ORDER = REFERENCE_STATUSES
NOTICES: dict[RetractionKind, FindingStyle] = {
    "retracted": FindingStyle(word="Retracted", short="Retracted", glyph="⚑", colour="#D55E00"),
    "concern": FindingStyle(
        word="Expression of concern", short="Concern", glyph="⚑", colour="#E69F00"
    ),
    "corrected": FindingStyle(
        word="Correction published", short="Corrected", glyph="⚐", colour="#0072B2"
    ),
}
DECISIONS: dict[ReferenceDecision, FindingStyle] = {
    "exists": FindingStyle(word="The work exists", short="Exists", glyph="✓", colour="#009E73"),
    "differs": FindingStyle(
        word="Described wrongly", short="Described wrongly", glyph="≠", colour="#E69F00"
    ),
    "fabricated": FindingStyle(word="Fabricated", short="Fabricated", glyph="∅", colour="#D55E00"),
    "cannot_tell": FindingStyle(word="Cannot tell", short="Cannot tell", glyph="~", colour="#7A7F87"),
}  # fmt: skip
REASONS: dict[OverrideReason, str] = {
    "exists_elsewhere": "exists elsewhere",
    "read_wrongly": "the check misread the entry",
    "outside_indexes": "not covered by the indexes",
    "fabricated": "fabricated",
}
FIELD_NAMES = {
    "title": "Title",
    "authors": "Authors",
    "year": "Year",
    "venue": "Published in",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "doi": "DOI",
    "arxiv": "arXiv",
    "pmid": "PubMed",
    "isbn": "ISBN",
    "url": "Address",
    "case_name": "Case name",
    "court": "Court",
    "docket_number": "Docket number",
    "quotation": "Quotation",
}
INDEX_NAMES = {
    "doi": "doi.org",
    "crossref": "Crossref",
    "datacite": "DataCite",
    "openalex": "OpenAlex",
    "arxiv": "arXiv",
    "pubmed": "PubMed",
    "dblp": "DBLP",
    "semantic_scholar": "Semantic Scholar",
    "open_library": "Open Library",
    "courtlistener": "CourtListener",
    "retraction_watch": "Retraction Watch",
}
ANSWERS: dict[AnswerKind, str] = {
    "match": "has a record",
    "none": "has no such work",
    "error": "did not answer",
    "not_asked": "not asked",
}
_REGISTRY = "registry:"
_CASE_NAME_DIFFERS = FindingStyle(
    word="The case name differs", short="Described differently", glyph="≠", colour="#E69F00",
    tone="orange", meaning=FINDINGS["differs"].meaning,
)  # fmt: skip


def finding_style(check: ReferenceCheck) -> FindingStyle:
    """How the finding on an entry looks and reads."""
    names_differ = any(
        field.field == "case_name" and field.agrees is False for field in check.fields
    )
    if check.status == "differs" and names_differ:
        return _CASE_NAME_DIFFERS
    return FINDINGS[check.status]


def index_name(name: str) -> str:
    """An index by the name that readers know; a registry by its own.

    >>> index_name("crossref"), index_name("registry:my.bib")
    ('Crossref', 'my.bib')
    """
    return INDEX_NAMES.get(name, name.removeprefix(_REGISTRY))


def without_prefixes(sentence: str) -> str:
    """A sentence of a check with registries by their own names."""
    return sentence.replace(_REGISTRY, "")


def likelihood(score: float | None) -> str:
    """The probability that a work exists, in words; empty where there is none.

    >>> likelihood(0.823), likelihood(0.9967), likelihood(0.001), likelihood(None)
    ('82 % likely to exist', 'over 99 % likely to exist', 'under 1 % likely to exist', '')
    """
    if score is None:
        return ""
    percent = f"{score * 100:.0f} %"
    if score > 0.99:
        percent = "over 99 %"
    elif score < 0.01:
        percent = "under 1 %"
    return f"{percent} likely to exist"
