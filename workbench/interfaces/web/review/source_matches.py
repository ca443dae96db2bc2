"""Which citations the uploaded source files match, shown before a check starts."""

import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.presentation.escape import escape_html, truncate
from workbench.records import Extraction
from workbench.services.inputs import SourceMatch, extract, match_sources
from workbench.services.jobs import unpack_files

MOST_ANSWERS = 3
"""Citations named after a file; the others are counted."""
_HEAD_BYTES = 64 * 1024


def matches_of(
    text: str | Extraction, files: Sequence[tuple[str, bytes]]
) -> tuple[SourceMatch, ...]:
    """The citations that each uploaded file matches; empty if the files cannot be used as sources.

    Extracts citations and reads the beginning of each file if text or files have changed since
    the last rerun; otherwise cached.
    """
    words = text if isinstance(text, str) else text.text
    key = (
        hash(words),
        *((name, len(body), zlib.crc32(body[:_HEAD_BYTES])) for name, body in files),
    )
    cached = st.session_state.get("source-matches")
    if cached is not None and cached[0] == key:
        matches: tuple[SourceMatch, ...] = cached[1]
        return matches
    try:
        with tempfile.TemporaryDirectory(prefix="workbench-matches-") as folder:
            extraction = extract(text) if isinstance(text, str) else text
            matches = match_sources(extraction, unpack_files(files, Path(folder)))
    except WorkbenchError:
        matches = ()  # starting the check reports what is wrong with them
    st.session_state["source-matches"] = (key, matches)
    return matches


def render_matches(matches: Sequence[SourceMatch]) -> None:
    """Draw a line for each file with its citations, and advice about unmatched files."""
    if matches:
        rows = "".join(f"<li>{escape_html(match_line(match))}</li>" for match in matches)
        st.html(f'<ul class="wb-judges" id="wb-matches">{rows}</ul>')


def match_line(match: SourceMatch) -> str:
    """A file and the references that it matches, as plain text.

    >>> match_line(SourceMatch(name="1.html", answers=("[1] Bridge facts",)))
    '1.html → [1] Bridge facts'
    """
    file_name = truncate(match.name, 60)
    if not match.answers:
        return f"{file_name} → matches no citation"
    answers = ", ".join(truncate(answer, 60) for answer in match.answers[:MOST_ANSWERS])
    more = len(match.answers) - MOST_ANSWERS
    return f"{file_name} → {answers}" + (f" and {more} more" if more > 0 else "")


def unmatched_text(matches: Sequence[SourceMatch]) -> str:
    """A sentence on the files that match nothing; empty if each matches something.

    >>> unmatched_text([SourceMatch(name="a.pdf", answers=())])
    'No citation matches a.pdf: name it like the citation (1.pdf for [1]) or like its title.'
    """
    unmatched = [match.name for match in matches if not match.answers]
    if not unmatched:
        return ""
    file_names = ", ".join(truncate(name, 60) for name in unmatched[:MOST_ANSWERS])
    more = len(unmatched) - MOST_ANSWERS
    file_names += f" and {more} more" if more > 0 else ""
    ending = Path(unmatched[0]).suffix or ".html"
    return (
        f"No citation matches {file_names}: name it like the citation (1{ending} for [1]) or like its "
        "title."
    )
