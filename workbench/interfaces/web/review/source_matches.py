"""Which citations the uploaded source files are for: shown before a check starts, and changeable."""

import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.interfaces.web.review import text as texts
from workbench.presentation.escape import escape_html, truncate
from workbench.records.citation import Extraction
from workbench.records.format import count_of
from workbench.records.source import SourceMatch
from workbench.services.inputs import SourceMatching, extract, match_sources
from workbench.services.jobs import unpack_files

MOST_CHOICES = 40
"""Sources with a choice beside them; of more, those that match nothing come first."""
_HEAD_BYTES = 64 * 1024
_MOST_LETTERS = 60


def matches_of(text: str | Extraction, files: Sequence[tuple[str, bytes]]) -> SourceMatching:
    """Which citations each uploaded file is for; nothing if the files cannot be used as sources.

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
        known: SourceMatching = cached[1]
        return known
    try:
        with tempfile.TemporaryDirectory(prefix="workbench-matches-") as folder:
            extraction = extract(text) if isinstance(text, str) else text
            matching = match_sources(extraction, unpack_files(files, Path(folder)))
    except WorkbenchError:
        matching = SourceMatching()  # starting the check reports what is wrong with them
    st.session_state["source-matches"] = (key, matching)
    return matching


def render_matches(matching: SourceMatching) -> dict[int, tuple[str, ...]]:
    """Draw a line for each file with its citations, which can be changed there.

    Returns:
        The citations that were chosen in place of those that were found, by the file's number.
    """
    matches = matching.matches
    if not matches:
        return {}
    chosen: dict[int, tuple[str, ...]] = {}
    names = {work.choice: _work_name(work.name) for work in matching.works if work.citations}
    found = {
        number: [
            work.choice
            for place, work in enumerate(matching.works)
            if work.citations and matching.by_work.get(place) == number
        ]
        for number in range(len(matches))
    }
    shown = sorted(found, key=lambda number: (bool(found[number]), number))[:MOST_CHOICES]
    with st.container(key="matches", border=True):
        matched = sum(match.by is not None for match in matches)
        heading = f"Files matched with citations: {matched} of {count_of(len(matches), 'file')}"
        st.html(f'<div class="wb-quiet" id="wb-matches">{escape_html(heading)}</div>')
        given: set[str] = {choice for choices in found.values() for choice in choices}
        for number in sorted(shown):
            picked = _choice(number, matches[number], names, found[number])
            if set(picked) != set(found[number]):
                chosen[number] = tuple(picked)
                given = (given - set(found[number])) | set(picked)
        without = [name for choice, name in names.items() if choice not in given]
        if without:
            st.html(
                f'<div class="wb-quiet" dir="auto">{escape_html(texts.WITHOUT_A_FILE + _listed(without, "; "))}</div>'
            )
        if len(matches) > len(shown):
            more = f"{count_of(len(matches) - len(shown), 'more file')} matched."
            st.html(f'<div class="wb-quiet">{escape_html(more)}</div>')
    return chosen


def _choice(
    number: int, match: SourceMatch, names: Mapping[str, str], found: Sequence[str]
) -> list[str]:
    """The citations of one file, as they were found or chosen."""
    words, field = st.columns([38, 62], gap="small", vertical_alignment="center")
    # another text or file starts from what is found in it
    key = zlib.crc32(repr((match.source, sorted(names.items()), found)).encode("utf-8", "replace"))
    with field:
        picked = st.multiselect(
            f"Citations of {match.source}",
            list(names),
            default=list(found),
            format_func=names.__getitem__,
            key=f"match-{number}-{key}",
            placeholder="No citation: choose",
            label_visibility="collapsed",
        )
    changed = set(picked) != set(found)
    why = "chosen by you" if changed else match.why
    with words:
        st.html(
            f'<div class="wb-judges" dir="auto"><strong>{escape_html(truncate(match.source, _MOST_LETTERS))}'
            f'</strong><br><span class="wb-quiet">{escape_html(why)}</span></div>'
        )
    return picked


def _work_name(name: str) -> str:
    return truncate(" ".join(name.split()), _MOST_LETTERS)


def unmatched_text(matches: Sequence[SourceMatch], chosen: Mapping[int, Sequence[str]]) -> str:
    """A sentence on the files that are for no citation; empty if each is for one.

    >>> unmatched_text([SourceMatch(source="a.pdf")], {})
    'a.pdf is for no citation: choose its citation above.'
    """
    unmatched = [
        truncate(match.source, _MOST_LETTERS)
        for number, match in enumerate(matches)
        if not chosen.get(number, match.citations)
    ]
    if not unmatched:
        return ""
    if len(unmatched) == 1:
        return f"{unmatched[0]} is for no citation: choose its citation above."
    return f"{_listed(unmatched, ', ')} are for no citation: choose their citations above."


def _listed(names: Sequence[str], comma: str) -> str:
    more = len(names) - 3
    return comma.join(names[:3]) + (f" and {more} more" if more > 0 else "")
