"""The texts of the References view and its decisions."""

from workbench.presentation.reference_styles import DECISIONS
from workbench.records.reference_labels import OverrideReason, ReferenceDecision
from workbench.services.references.checking import ListFormat

NO_REFERENCES = "The text lists no references."
AGREE_HELP: dict[ReferenceDecision, str] = {
    "exists": "The work exists and is described correctly.",
    "differs": "The work exists; the entry describes it wrongly.",
    "fabricated": "The work as described does not exist.",
    "cannot_tell": "Cannot tell.",
}
OVERRIDES: tuple[tuple[OverrideReason, str, str, str], ...] = (
    (
        "exists_elsewhere", "1", "Exists elsewhere",
        "Override: the work exists, but the indexes that were asked do not cover it well.",
    ),
    (
        "read_wrongly", "2", "Read wrongly",
        "Override: the work exists; the check misread the entry.",
    ),
    (
        "outside_indexes", "3", "Outside the indexes",
        "Override: none of the indexes covers this kind of work.",
    ),
    ("fabricated", "4", "Fabricated", "Override: no such work exists."),
)  # fmt: skip
"""Reason, key, button, help."""
OTHER_DECISIONS: tuple[tuple[ReferenceDecision, str, str, str], ...] = (
    ("differs", "5", "Described wrongly", "The work exists; the entry describes it wrongly."),
    ("cannot_tell", "0", "Can't tell", "You looked it up and cannot decide."),
)
CORRECTED_LIST_HELP = (
    "Each work as described by its record; unconfirmed entries stay unchanged, with a note."
)
FORMATS: tuple[tuple[ListFormat, str, str, str], ...] = (
    ("bibtex", "bib", "BibTeX, .bib", "application/x-bibtex"),
    ("ris", "ris", "RIS, .ris", "application/x-research-info-systems"),
    ("csl-json", "json", "CSL-JSON, .json", "application/vnd.citationstyles.csl+json"),
)
"""Format, ending, button, media type."""
LOOK_UP_HELP = (
    "Asks public indexes whether each reference exists: doi.org, Crossref, DataCite, OpenAlex, "
    "arXiv, PubMed, DBLP, Semantic Scholar and Open Library, and CourtListener for court "
    "decisions if a token is set. They receive the title, the first author, the year and the "
    "identifiers of the entry, and nothing else from your text. Each card lists what was sent to "
    "which index. Imported registries are always searched, on this machine."
)
LIBRARY_HELP = (
    "References that you trust, as .bib, .ris or CSL-JSON, for example an export from Zotero. They "
    "are searched first, on this machine; imported registries are always searched."
)
LIBRARY_TYPES = ["bib", "ris", "json"]
CHECKING = "Checking the references"
KEYS = (
    ("A", "Agree with the finding"),
    *((key, f"{word} (override)") for _, key, word, _ in OVERRIDES),
    *((key, word) for _, key, word, _ in OTHER_DECISIONS),
    ("U", "Undo your decision"),
    ("J", "Next reference"),
    ("K", "Previous reference"),
    ("O", "Open the record"),
    ("Y", "Copy the corrected entry"),
    ("T", "Show the entry in the text"),
    ("N", "Write a note (Esc to leave)"),
    ("G", "Show or hide the labelling guide"),
    ("H", "This list"),
)
"""What each key does in the References view."""


def outcome_text(checked: int, of: int, problems: int) -> str:
    """What a check of a stored run's references came to.

    >>> outcome_text(9, 11, 2)
    '9 of 11 references checked, 2 problems.'
    """
    words = f"{checked:,} of {of:,} references checked"
    return f"{words}, {problems:,} problem{'' if problems == 1 else 's'}."


def agree_help(decision: ReferenceDecision | None) -> str:
    """What agreeing with a finding decides."""
    if decision is None:
        return "This reference has not been looked up, so there is nothing to agree with."
    return f"{DECISIONS[decision].word}: {AGREE_HELP[decision]}"
