"""Sources in words: states, reasons, file types, sizes; and the filters of the list; pure."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Literal

from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import ERROR_TEXT, SEVERITY, confidence_words
from workbench.records.format import count_of, format_timestamp
from workbench.services.sources.catalog import (
    STATES,
    ParsedVersion,
    SourceRow,
    SourceVersion,
    State,
)

ORIGIN_PLACEHOLDER = "Stored with the snapshot and your name"

Flag = Literal["changed", "cut", "given", "accepted"]
Show = State | Flag
"""A filter over the list: states widen it, flags narrow it."""

STATE_TEXT: dict[State, str] = {
    "read": "Read",
    "not_evidence": "Not usable as evidence",
    "missing": "Not read",
    "waiting": "Not reached",
    "uncited": "Not cited",
}
FLAG_TEXT: dict[Flag, str] = {
    "changed": "Changed since judged",
    "cut": "Truncated",
    "given": "Supplied by a reviewer",
    "accepted": "Accepted",
}
SHOWS: tuple[Show, ...] = (*STATES, *FLAG_TEXT)

REASON_TEXT: dict[str, str] = {
    "login_wall": "Login required",
    "soft_404": "Soft 404 (page not found)",
    "bot_challenge": "CAPTCHA / bot check",
    "parked_domain": "Parked domain",
    "cookie_wall": "Cookie consent only",
    "abstract_only": "Abstract only",
    "words_run_together": "Words run together",
    "script_shell": "Requires JavaScript",
    "empty": "No text",
}
_TYPES = {
    "text/html": "HTML",
    "application/xhtml+xml": "HTML",
    "application/pdf": "PDF",
    "text/plain": "Text",
    "text/markdown": "Markdown",
    "application/json": "JSON",
    "application/xml": "XML",
    "text/xml": "XML",
}
_ANSWERED = re.compile(r"\bHTTP status (\d{3})\b")

Sort = Literal["source", "state", "answer", "type", "size", "pages", "fetched", "hash", "citations"]
SORTS: dict[Sort, str] = {
    "source": "Source",
    "state": "State",
    "answer": "HTTP status",
    "type": "Type",
    "size": "Size",
    "pages": "Pages",
    "fetched": "Fetched",
    "hash": "Hash",
    "citations": "Citations",
}
"""Columns of the list in order, by their name in the URL."""

_Place = tuple[int, float, str]


def name_of(row: SourceRow) -> str:
    """The name of a source: its title, else its address, else its entry; never empty."""
    return truncate(row.title or row.address or row.entry or "Untitled", 200)


def path_of(row: SourceRow) -> str:
    """Host and path, or the identifier, as one line."""
    address = re.sub(r"^https?://(?:www\.)?", "", row.address)
    return truncate(address or row.entry, 160)


def state_text(row: SourceRow, reading: ParsedVersion | None = None) -> tuple[str, str]:
    """The state of a source, and a note on it.

    Args:
        row: The source.
        reading: The parsed body, with the reason of a doubt.
    """
    if row.state == "not_evidence":
        if reading and reading.reason:
            confidence = f"{confidence_words(reading.confidence)}"
            return REASON_TEXT.get(reading.reason, STATE_TEXT["not_evidence"]), confidence
        return STATE_TEXT["not_evidence"], ""
    if row.state == "missing" and row.error:
        match = _ANSWERED.search(row.error.message)
        return ERROR_TEXT[row.error.kind], f"HTTP {match[1]}" if match else ""
    notes = []
    if row.acceptance:
        notes.append(f"accepted by {who(row.acceptance.reviewer)}")
    if row.supplied:
        notes.append(f"supplied by {who(row.supplied.reviewer)}")
    if row.changed:
        notes.append("a newer snapshot differs")
    return STATE_TEXT[row.state], ", ".join(notes)


def answer_of(row: SourceRow) -> str:
    """The HTTP status; a substitute if nothing was fetched."""
    if row.error:
        match = _ANSWERED.search(row.error.message)
        if match:
            return match[1]
    if row.facts is None:
        return "–"
    return str(row.facts.status) if row.facts.status is not None else "given"


def type_word(content_type: str) -> str:
    """A media type in a word."""
    kind = content_type.split(";")[0].strip().lower()
    return _TYPES.get(kind, truncate(kind.rpartition("/")[2] or "unknown", 20))


def version_text(version: SourceVersion) -> str:
    """One body in a line: when it was retrieved, its hash, who supplied it, its citations."""
    parts = [format_timestamp(version.last)] if version.last else []
    parts.append(f"sha256 {version.sha256[:10]}")
    if version.supplied:
        parts.append(f"supplied by {who(version.supplied.reviewer)}")
    elif version.facts.status is None:
        parts.append("supplied with a run")
    if version.uses:
        parts.append(f"{citations(len(version.uses))} on it")
    if version.requests > 1:
        parts.append(f"fetched {version.requests} times")
    return " · ".join(parts)


def citations(number: int) -> str:
    """`1 citation`, `3 citations`."""
    return count_of(number, "citation")


def who(reviewer: str) -> str:
    """A reviewer's name; "a reviewer" without one."""
    return "a reviewer" if reviewer.casefold() == "reviewer" else truncate(reviewer, 40)


def flags_of(row: SourceRow) -> set[Flag]:
    """The flags of a source."""
    flags: dict[Flag, bool] = {
        "changed": row.changed,
        "cut": bool(row.facts and row.facts.truncated),
        "given": row.supplied is not None,
        "accepted": row.acceptance is not None,
    }
    return {flag for flag, holds in flags.items() if holds}


def show_counts(rows: Sequence[SourceRow]) -> Mapping[Show, int]:
    """Number of sources of each state and flag that occurs, in their order."""
    numbers: dict[Show, int] = dict.fromkeys(SHOWS, 0)
    for row in rows:
        numbers[row.state] += 1
        for flag in flags_of(row):
            numbers[flag] += 1
    return {show: number for show, number in numbers.items() if number}


def filtered(
    rows: Sequence[SourceRow], words: str = "", shows: Collection[Show] = ()
) -> list[SourceRow]:
    """The sources that contain every word, are in one of the states and have all the flags."""
    search_words = words.casefold().split()
    states = {show for show in shows if show in STATES}
    flags = {show for show in shows if show not in STATES}
    return [
        row
        for row in rows
        if (not states or row.state in states)
        and flags <= flags_of(row)
        and all(word in _searched(row) for word in search_words)
    ]


def sort_rows(rows: Sequence[SourceRow], by: Sort, descending: bool) -> list[SourceRow]:
    """The sources in the order of a column; those without a value come last either way."""
    place = _PLACES[by]
    with_value = [row for row in rows if place(row) is not None]
    without = [row for row in rows if place(row) is None]
    return sorted(with_value, key=lambda row: place(row) or (0, 0.0, ""), reverse=descending) + (
        without
    )


def parse_sort(text: str) -> tuple[Sort | None, bool]:
    """The column and the direction in a URL: `size`, `-size`; None for anything else."""
    for name in SORTS:
        if text.removeprefix("-") == name:
            return name, text.startswith("-")
    return None, False


def _searched(row: SourceRow) -> str:
    facts = row.facts
    parts = [row.host, row.title, row.address, row.entry, *state_text(row)]
    if facts:
        parts += [facts.final_url, facts.sha256, type_word(facts.content_type)]
    return " ".join(parts).casefold()


def _by_facts(value: Callable[[SourceRow], float | str | None]) -> Callable[..., _Place | None]:
    def place(row: SourceRow) -> _Place | None:
        fact = value(row) if row.facts else None
        if fact is None:
            return None
        return (0, 0.0, fact) if isinstance(fact, str) else (0, float(fact), "")

    return place


def _pages(row: SourceRow) -> float | None:
    return float(row.facts.page_count) if row.facts and row.facts.page_count else None


def _fetched_at(row: SourceRow) -> float | None:
    return row.facts.fetched_at.timestamp() if row.facts and row.facts.fetched_at else None


def _citations_place(row: SourceRow) -> _Place:
    counts = row.counts()
    return (sum(counts.values()), -float(min(map(SEVERITY.index, counts), default=99)), "")


_PLACES: dict[Sort, Callable[[SourceRow], _Place | None]] = {
    "source": lambda row: (0, 0.0, f"{row.host or '~'} {name_of(row)}".casefold()),
    "state": lambda row: (STATES.index(row.state), 0.0, state_text(row)[0]),
    "answer": lambda row: None if answer_of(row) == "–" else (0, 0.0, answer_of(row)),
    "type": _by_facts(lambda row: type_word(row.facts.content_type) if row.facts else None),
    "size": _by_facts(lambda row: row.facts.bytes if row.facts else None),
    "pages": _by_facts(_pages),
    "fetched": _by_facts(_fetched_at),
    "hash": _by_facts(lambda row: row.facts.sha256 if row.facts else None),
    "citations": _citations_place,
}
