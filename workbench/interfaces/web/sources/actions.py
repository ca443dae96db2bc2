"""A reviewer's actions on a source: fetch, upload, paste, accept."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.interfaces.web.sources import text as texts
from workbench.interfaces.web.sources.data import open_folder
from workbench.interfaces.web.sources.outcome import (
    FILE_TYPES,
    rejudge_help,
    render_outcome,
    start_action,
    uses_to_rejudge,
)
from workbench.interfaces.web.sources.text import REASON_TEXT
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.verdicts import confidence_words
from workbench.records.options import CAP_USD
from workbench.records.stored_sources import SourceCitation
from workbench.services import jobs
from workbench.services.sources.actions import ActionResult, SourceActions, UploadedSource
from workbench.services.sources.catalog import ParsedVersion, SourceRow, SourceVersion
from workbench.services.verification import VerifyOptions, open_web
from workbench.settings import split_domains

_FETCHING_OFF = "Fetching is off. Enable it to fetch this page, or upload the source."
_NOT_ON_THE_WEB = "This source has no web address. Upload it as a file or paste its text."


def render_actions(
    row: SourceRow, run_id: str | None, doubt: ParsedVersion | None, version: SourceVersion | None
) -> None:
    """Draw the actions on a source, and their progress or result.

    Args:
        row: The source.
        run_id: The current run, whose citations are judged again unless all are chosen.
        doubt: Why the body in use is not evidence, if it is not.
        version: The shown body.
    """
    if render_outcome(row.id):
        return
    uses = _scope(row, run_id)
    with st.container(key="sources-acts", gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", key="sources-buttons"):
            _fetch(row, uses)
            _upload(row, uses)
            _paste(row, uses)
            _accept(row, uses, doubt)
            _other_version(row, uses, version)
        _choose_scope(row, run_id)
        _leave(row)


def _start(
    row: SourceRow,
    uses: Sequence[SourceCitation],
    what: str,
    work: Callable[[SourceActions], ActionResult],
) -> None:
    if start_action(row, uses, what, work):
        st.session_state["source_version"] = None
        st.session_state["source_form"] = st.session_state.get("source_form", 0) + 1


# -- which citations ----------------------------------------------------------------------------


def _scope(row: SourceRow, run_id: str | None) -> list[SourceCitation]:
    """The citations to judge again: of this run or of all, except for running ones."""
    runs = {use.run_id for use in row.uses}
    chosen = st.session_state.get(_scope_key(row), "all")
    if run_id is None and chosen in runs:
        runs = {str(chosen)}
    return uses_to_rejudge(row, runs)


def _choose_scope(row: SourceRow, run_id: str | None) -> None:
    runs = {use.run_id for use in row.uses}
    if any(jobs.find(name) for name in runs):
        st.caption("Citations of a run in progress are not re-judged until it ends.")
    if run_id is not None or len(runs) < 2:
        return
    newest = max(row.uses, key=lambda use: use.judged_at.timestamp() if use.judged_at else 0)
    st.radio(
        "Citations to re-judge",
        ["all", newest.run_id],
        format_func=lambda name: (
            f"Re-judge in all {len(runs)} runs"
            if name == "all"
            else f"Only the latest, {escape_markdown(newest.run_name or name, 40)}"
        ),
        key=_scope_key(row),
        horizontal=True,
        label_visibility="collapsed",
    )


def _scope_key(row: SourceRow) -> str:
    return f"source-scope-{row.id}"


# -- actions ------------------------------------------------------------------------------------


def _fetch(row: SourceRow, uses: Sequence[SourceCitation]) -> None:
    allowed = _may_fetch()
    settings = session.settings()

    def fetch() -> None:
        typed = st.session_state.get("domains")
        permissions = session.permissions(
            allow_fetch=True,
            domains=split_domains(typed) if typed else settings.allowed_domains,
            max_cost_usd=CAP_USD,
        )
        options = VerifyOptions(
            allow_fetch=permissions.allow_fetch,
            fetch_refused=permissions.fetch_refused,
            allowed_domains=permissions.allowed_domains,
            reach=replace(settings.reach, refresh=True),
        )
        fetcher = open_web(options, open_folder(settings.snapshots))
        _start(row, uses, "Fetching", lambda recheck: recheck.fetch_again(fetcher))

    why = None if allowed and row.target else _NOT_ON_THE_WEB if not row.target else _FETCHING_OFF
    st.button(
        "Fetch again" if row.versions else "Fetch",
        key="source-fetch",
        shortcut="f",
        on_click=fetch,
        disabled=why is not None,
        help=why or "Fetches the URL again. Earlier snapshots and verdicts are kept.",
    )


def _leave(row: SourceRow) -> None:
    """If fetching is off, say so, and offer to switch it on."""
    if row.target is None:
        st.caption(_NOT_ON_THE_WEB)
        return
    if "fetch" not in st.session_state:
        st.session_state["fetch"] = session.settings().allow_fetch
    st.toggle(
        "Fetch from the web",
        key="fetch",
        persist_state="session",
        disabled=session.serves_many_callers() and not session.settings().allow_fetch,
    )
    if not _may_fetch():
        st.caption(_FETCHING_OFF)


def _may_fetch() -> bool:
    if session.serves_many_callers() and not session.settings().allow_fetch:
        return False
    return bool(st.session_state.get("fetch", session.settings().allow_fetch))


def _upload(row: SourceRow, uses: Sequence[SourceCitation]) -> None:
    form = st.session_state.get("source_form", 0)
    with st.popover("Upload source file", key="source-upload"):
        file = st.file_uploader(
            "Source file",
            type=FILE_TYPES,
            key=f"source-file-{row.id}-{form}",
            help="For example a PDF from behind a paywall, or a saved page. It becomes the newest snapshot.",
        )
        note = st.text_input(
            "Origin", key=f"source-file-note-{row.id}-{form}", placeholder=texts.ORIGIN_PLACEHOLDER
        )

        def give(name: str) -> None:
            if file is None:
                return
            supplied = UploadedSource(
                form="upload", body=file.getvalue(), name=file.name, reviewer=name, note=note or ""
            )
            _start(row, uses, "Reading the file", lambda recheck: recheck.hand_over(supplied))

        st.button(
            "Use this file",
            key="source-give",
            type="primary",
            on_click=with_name,
            args=(give,),
            disabled=file is None,
            help=rejudge_help(uses),
        )


def _paste(row: SourceRow, uses: Sequence[SourceCitation]) -> None:
    form = st.session_state.get("source_form", 0)
    text_key, note_key = f"source-paste-{row.id}-{form}", f"source-paste-note-{row.id}-{form}"
    with st.popover("Paste source text", key="source-paste"):
        st.text_area(
            "Source text", key=text_key, height=180,
            placeholder="Paste the exact text; quotes are matched character by character.",
        )  # fmt: skip
        st.text_input("Origin", key=note_key, placeholder=texts.ORIGIN_PLACEHOLDER)

        def give(name: str) -> None:
            supplied = UploadedSource(
                form="paste",
                body=str(st.session_state.get(text_key) or "").encode("utf-8", "replace"),
                reviewer=name,
                note=str(st.session_state.get(note_key) or ""),
            )
            _start(row, uses, "Reading the text", lambda recheck: recheck.hand_over(supplied))

        st.button(
            "Use this text",
            key="source-paste-give",
            type="primary",
            on_click=with_name,
            args=(give,),
            help=rejudge_help(uses),
        )


def _accept(row: SourceRow, uses: Sequence[SourceCitation], doubt: ParsedVersion | None) -> None:
    version = row.judged or row.newest
    if version is None:
        return
    if version.acceptance:

        def take_back(name: str) -> None:
            _start(
                row,
                uses,
                "Revoking the acceptance",
                lambda recheck: recheck.take_back(version, name),
            )

        st.button(
            "Revoke acceptance",
            key="source-doubt",
            on_click=with_name,
            args=(take_back,),
            help="Revokes the acceptance; the page and verdicts based on it are flagged again.",
        )
        return
    if row.state != "not_evidence" or (doubt and not doubt.reason) or not version.requests:
        return
    reason_key = f"source-reason-{row.id}"
    with st.popover("Accept this page", key="source-accept"):
        if doubt:
            what = REASON_TEXT.get(doubt.reason, "Not usable as evidence")
            st.html(
                f"<p>{escape_html(what)} ({confidence_words(doubt.confidence)}). "
                f"Read the text before you override this: the judge will "
                "treat it as the source.</p>"
            )
        st.text_input("Reason", key=reason_key, placeholder="Stored permanently with your name")

        def accept(name: str) -> None:
            reason = str(st.session_state.get(reason_key) or "")
            _start(row, uses, "Judging", lambda recheck: recheck.accept(version, name, reason))

        st.button(
            "Accept page",
            key="source-accept-now",
            type="primary",
            on_click=with_name,
            args=(accept,),
            help=rejudge_help(uses),
        )


def _other_version(
    row: SourceRow, uses: Sequence[SourceCitation], version: SourceVersion | None
) -> None:
    """Judge on the shown body, if it is not the one in use."""
    if version is None or not uses or not version.requests:
        return
    if all(use.result.source and use.result.source.sha256 == version.sha256 for use in uses):
        return
    st.button(
        "Re-judge with this version",
        key="source-judge",
        on_click=partial(_start, row, uses, "Judging", lambda recheck: recheck.judge_with(version)),
        help=rejudge_help(uses),
    )
