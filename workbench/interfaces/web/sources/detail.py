"""One source: its text, its facts, its snapshots and their changes, the citations that use it."""

from collections.abc import Sequence
from urllib.parse import quote

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components import sources
from workbench.interfaces.web.page_images import (
    SourceLook,
    choose_look,
    draw,
    page_data,
    page_windows,
)
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.interfaces.web.sources.actions import render_actions
from workbench.interfaces.web.sources.data import (
    SourceList,
    doubts,
    drift_of,
    open_folder,
    text_for,
)
from workbench.interfaces.web.sources.facts import (
    decisions_html,
    drift_html,
    facts_html,
    state_html,
    why_html,
)
from workbench.interfaces.web.sources.list import chosen_rows, open_source
from workbench.interfaces.web.sources.text import citations, name_of, path_of, version_text
from workbench.interfaces.web.sources.text_pages import Quoted, parts_of, quotes_in, sheets_data
from workbench.interfaces.web.text_structure import structure_of
from workbench.presentation.escape import (
    escape_html,
    escape_markdown,
    file_stem,
    marker_text,
    run_label,
    truncate,
    web_address,
)
from workbench.presentation.text_pages import Window, window_of
from workbench.presentation.verdicts import ERROR_TEXT, STYLES
from workbench.records.source import Source
from workbench.records.stored_sources import SourceCitation
from workbench.records.text import Json, JsonDict
from workbench.services.sources.catalog import ParsedVersion, SourceRow, SourceVersion, lost_quotes

_PATIENCE_S = 20.0
"""How long the page of one source waits for the reason of its doubt."""
_VIEWS = {"text": "Text", "changes": "Changes"}


def render_source(source_list: SourceList, row: SourceRow, run_id: str | None) -> None:
    """Draw one source."""
    settings = session.settings()
    version = _shown_version(row)
    reading = text_for(settings, version) if version else None
    quotes: tuple[Quoted, ...] = ()
    if version and reading and reading.source:
        uses_of_version = set(map(_key, version.uses))
        citing = [use for use in row.citing if _key(use) in uses_of_version]
        quotes = quotes_in(citing, reading.source)
    doubt = doubts(open_folder(settings.snapshots), [row], wait_s=_PATIENCE_S)[0].get(row.id)
    _navigation(source_list, row)
    with st.container(key="source-head"):
        words, state = st.columns([58, 42], gap="medium", vertical_alignment="top")
        with words:
            st.html(_title_html(row))
        with state:
            st.html(state_html(row, doubt, version))
    with st.container(key="source-desk"):
        left, right = st.columns([58, 42], gap="medium")
        with right, st.container(gap="small"):
            render_actions(row, run_id, doubt, version)
            _citing(row, quotes, several=len({use.run_id for use in row.uses}) > 1)
            st.html('<h2 class="ws-h2">Facts</h2>')
            st.html(facts_html(row, version, reading.source if reading else None))
            decisions = decisions_html(row, source_list.acceptances)
            if decisions:
                st.html(decisions)
            _download(row, version)
        with left:
            _draw_reading(row, version, reading, quotes)
    leaving = st.session_state.pop("source_review", None)
    if leaving:
        run, citation = leaving
        st.switch_page("pages/review.py", query_params={"run": run, "c": citation})


def citing_data(
    row: SourceRow, quotes: Sequence[Quoted], selected: str | None, several: bool
) -> JsonDict:
    """Data of the list of citations; `several` if the runs have to be named."""
    by_use: dict[tuple[str, str], list[str]] = {}
    for quoted in quotes:
        by_use.setdefault(_key(quoted.use), []).append(quoted.id)
    return {
        "said": f"{citations(len(row.citing))} citing this source",
        "items": [_item(use, by_use.get(_key(use), []), several) for use in row.citing],
        "styles": {mark: style.to_dict() for mark, style in STYLES.items()},
        "selected": selected,
    }


def _item(use: SourceCitation, quotes: list[str], several: bool) -> JsonDict:
    result = use.result
    mark = result.verdict if use.judged_at else "pending"
    changed = use.before is not None and (use.before, use.before_error) != (
        result.verdict,
        result.error.kind if result.error else None,
    )
    claim = result.citation.claim
    quote_ids: list[Json] = list(quotes)
    return {
        "id": "/".join(_key(use)),
        "raw": marker_text(result.citation.raw, 60),
        "claim": truncate(claim.text, 600) if claim else "This citation has no claim.",
        "mark": mark,
        "before": use.before if changed else None,
        "before_words": ERROR_TEXT[use.before_error] if use.before_error else None,
        "why": ERROR_TEXT[result.error.kind] if result.error and use.judged_at else "",
        "run": run_label(use.run_name, 60),
        "several": several,
        "href": f"./?run={quote(use.run_id)}&c={quote(result.citation.id)}",
        "quotes": quote_ids,
    }


def _key(use: SourceCitation) -> tuple[str, str]:
    return use.run_id, use.result.citation.id


# -- the head -----------------------------------------------------------------------------------


def _navigation(source_list: SourceList, row: SourceRow) -> None:
    order = [chosen_row.id for chosen_row in chosen_rows(source_list.rows)]
    at = order.index(row.id) if row.id in order else -1

    def go(by: int) -> None:
        open_source(order[min(max(at + by, 0), len(order) - 1)])

    def leave() -> None:
        st.query_params.pop("source", None)
        st.session_state["source_last"] = row.id

    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="source-moves"
    ):
        st.button("All sources", key="source-back", shortcut="b", on_click=leave)
        st.button(
            "Previous", key="source-previous", shortcut="k", on_click=go, args=(-1,),
            disabled=at <= 0,
        )  # fmt: skip
        st.button(
            "Next", key="source-next", shortcut="j", on_click=go, args=(1,),
            disabled=at < 0 or at + 1 >= len(order),
        )  # fmt: skip
        if at >= 0:
            st.html(f'<span class="wb-quiet">{at + 1:,} of {len(order):,}</span>')
        render_identity()


def _title_html(row: SourceRow) -> str:
    """Title and address as HTML; a web address is a link."""
    address = web_address(row.facts.final_url if row.facts else "") or web_address(row.address)
    where = escape_html(path_of(row))
    if address:
        rel = 'target="_blank" rel="noopener noreferrer nofollow"'
        where = f'<a class="ws-link" href="{escape_html(address)}" {rel}>{where}</a>'
    return (
        f'<div class="wb-head"><h1 dir="auto">{escape_html(name_of(row))}</h1>'
        f'<p class="wb-quiet">{where}</p></div>'
    )


# -- the left side ------------------------------------------------------------------------------


def _shown_version(row: SourceRow) -> SourceVersion | None:
    """The shown body: the chosen one, else the judged one, else the newest."""
    chosen = st.session_state.get("source_version")
    if isinstance(chosen, int) and 0 <= chosen < len(row.versions):
        return row.versions[chosen]
    return row.judged or row.newest


def _draw_reading(
    row: SourceRow,
    version: SourceVersion | None,
    reading: ParsedVersion | None,
    quotes: Sequence[Quoted],
) -> None:
    why = why_html(row)
    if version is None or reading is None:
        st.html(
            f'<div class="ws-empty">{why}<p>This source could not be retrieved.</p><p '
            'class="wb-quiet">Fetch it, upload it, or paste its text; the text then appears '
            "here.</p></div>"
        )
        return
    if why:
        st.html(why)
    view = "text"
    if len(row.versions) > 1:
        narrow, wide = st.columns([34, 66], vertical_alignment="bottom")
        with narrow:
            view = str(
                st.segmented_control(
                    "View", list(_VIEWS), default="text", required=True, key="view",
                    bind="query-params", label_visibility="collapsed",
                    format_func=lambda name: _VIEWS[name],
                )
            )  # fmt: skip
        if view == "text":
            with wide:
                _choose_version(row, version)
    if view == "changes":
        _changes(row)
        return
    if reading.source is None:
        message = reading.error.message if reading.error else "It has no text."
        st.warning(escape_markdown(message))
        return
    if not version.judged and not why:
        st.caption("Text as extracted now; no citation was judged on it.")
    place = _place(row, version)
    part, chosen = place.get("part"), place.get("quote")
    source = reading.source

    def keep_place(before: SourceLook, after: SourceLook) -> None:
        if isinstance(part, int):
            earlier = _windows(source, before)
            at = earlier[min(part, len(earlier) - 1)].start
            st.session_state["source_place"] = {
                **place,
                "part": window_of(_windows(source, after), at),
            }

    look = choose_look(source, keep_place, "text")

    def pick(quote_id: str) -> None:
        st.session_state["source_place"] = {**place, "quote": quote_id, "part": None}

    def turn(part: int) -> None:
        st.session_state["source_place"] = {**place, "part": part}

    data = sheets_data(
        source,
        quotes,
        part if isinstance(part, int) else None,
        chosen if isinstance(chosen, str) else None,
        page_windows(source) if look != "text" else (),
        structure_of(source),
    )
    data["look"] = look
    if look != "text":
        spans = {quote.id: quote.evidence.span for quote in quotes}
        data["page"] = page_data(draw(source, int(str(data["part"])) + 1), source, spans)
    sources.sheets(data, "source-text", pick, turn)


def _windows(source: Source, look: SourceLook) -> tuple[Window, ...]:
    return parts_of(source, ()) if look == "text" else page_windows(source)


def _choose_version(row: SourceRow, version: SourceVersion) -> None:
    numbers = list(range(len(row.versions) - 1, -1, -1))
    at = max(number for number in numbers if row.versions[number] == version)

    def choose() -> None:
        st.session_state["source_version"] = st.session_state["source-version"]

    st.session_state["source-version"] = at
    st.selectbox(
        "Snapshot",
        numbers,
        key="source-version",
        format_func=lambda number: version_text(row.versions[number]),
        on_change=choose,
    )


def _changes(row: SourceRow) -> None:
    numbers = list(range(len(row.versions)))
    words = [version_text(version) for version in row.versions]
    left, right = st.columns(2)
    with left:
        older = st.selectbox(
            "Earlier", numbers, index=len(numbers) - 2, key=f"older-{row.id}",
            format_func=lambda number: words[number],
        )  # fmt: skip
    with right:
        newer = st.selectbox(
            "Later", numbers, index=len(numbers) - 1, key=f"newer-{row.id}",
            format_func=lambda number: words[number],
        )  # fmt: skip
    earlier, later = row.versions[int(older)], row.versions[int(newer)]
    settings = session.settings()
    first, second = text_for(settings, earlier), text_for(settings, later)
    if first.source is None or second.source is None:
        which = "earlier" if first.source is None else "later"
        error = first.error or second.error
        st.warning(
            escape_markdown(f"The {which} one cannot be read. {error.message if error else ''}")
        )
        return
    diff = drift_of(settings, earlier, later)
    lost = lost_quotes(earlier.uses, second.source.text)
    with st.container(border=True, key="source-drift"):
        st.html(drift_html(diff, lost, sum(1 for use in earlier.uses if use.result.judgment)))


def _place(row: SourceRow, version: SourceVersion) -> dict[str, str | int | None]:
    """The reading position in this text; forgotten when another one is opened."""
    at = f"{row.id}:{version.sha256}"
    stored = st.session_state.get("source_place")
    return dict(stored) if isinstance(stored, dict) and stored.get("at") == at else {"at": at}


# -- the right side -----------------------------------------------------------------------------


def _citing(row: SourceRow, quotes: Sequence[Quoted], several: bool) -> None:
    st.html(f'<h2 class="ws-h2">{citations(len(row.citing))} citing it</h2>')
    if not row.uses:
        st.caption("No citation uses this source.")
        return
    stored = st.session_state.get("source_place")
    selected = stored.get("quote") if isinstance(stored, dict) else None
    version = _shown_version(row)

    def review(name: str) -> None:
        run, _, citation = name.partition("/")
        st.session_state["source_review"] = (run, citation)

    def pick(quote_id: str) -> None:
        if version is not None:
            place = _place(row, version)
            st.session_state["source_place"] = {**place, "quote": quote_id, "part": None}

    sources.uses(
        citing_data(row, quotes, selected if isinstance(selected, str) else None, several),
        "source-uses",
        review,
        pick,
    )


def _download(row: SourceRow, version: SourceVersion | None) -> None:
    if version is None or not version.requests:
        return
    folder = open_folder(session.settings().snapshots)

    def body() -> bytes:
        fetched = folder.get(version.sha256)
        return fetched.body if fetched else b""

    # as untyped bytes: a browser that opened a fetched page from here would run its scripts
    st.download_button(
        "Download original file",
        data=body,
        file_name=f"{file_stem(row.host or name_of(row))}-{version.sha256[:10]}.bin",
        mime="application/octet-stream",
        key="source-bytes",
        on_click="ignore",
        type="tertiary",
        icon=":material/download:",
    )
