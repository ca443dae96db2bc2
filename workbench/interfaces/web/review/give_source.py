"""Adding a source that could not be read, on the card: a file or a text, judged immediately.

The same action as on the Sources page, for the citations of the item's run.
"""

from collections.abc import Callable

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.decision_details import DecisionItem
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.interfaces.web.sources.data import source_of_citation
from workbench.interfaces.web.sources.outcome import (
    FILE_TYPES,
    rejudge_help,
    render_outcome,
    start_action,
    uses_to_rejudge,
)
from workbench.presentation.escape import escape_markdown
from workbench.records.verdict import judge_outcome
from workbench.services import jobs
from workbench.services.sources.actions import UploadedSource
from workbench.services.sources.catalog import SourceRow

_GIVEN = "source_given"
"""Session: the run, the source given last, and the ids of its citations."""


def render_give_source(
    item: DecisionItem, *, hidden: bool = False, judged: Callable[[], None] | None = None
) -> None:
    """Draw the form for a source without text, and what changed since it was given.

    Reads nothing for a citation whose source was read. Its place is there for every citation: what
    stands below would be drawn anew, and for a moment twice, if it came and went.

    Args:
        item: The item under review.
        hidden: Whether verdicts of the run are hidden from the reviewer: then none is shown.
        judged: Called when the citations were judged again, before the page is redrawn.
    """
    run_id, citation_id = item.run_id, item.citation_id
    with st.container(key="give-source"):
        if not (
            item.result.error is not None and judge_outcome(item.result.error.kind) == "no_source"
        ):
            given_run, source_id, citation_ids = st.session_state.get(_GIVEN, ("", "", ()))
            if given_run == run_id and citation_id in citation_ids:
                render_outcome(source_id, hidden=hidden, judged=judged)
            return
        if jobs.find(run_id):
            return  # the source may still be fetched
        row = source_of_citation(session.settings(), run_id, citation_id)
        if row is not None:
            # the progress stands below the form, whose fields are kept while it runs
            form = st.container(key="give-source-place")
            running = render_outcome(row.id, hidden=hidden, judged=judged)
            with form:
                _form(item, row, running)


def given_source(file: UploadedFile | None, text: str, reviewer: str) -> UploadedSource:
    """The file or the text as a source supplied by a reviewer.

    Raises:
        UsageError: There is neither, or both.
    """
    if file is not None and text.strip():
        raise UsageError("You provided both a file and a text. Remove one of them.")
    if file is not None:
        return UploadedSource(
            form="upload", body=file.getvalue(), name=file.name, reviewer=reviewer
        )
    if not text.strip():
        raise UsageError("Choose a file or paste the text first.")
    return UploadedSource(form="paste", body=text.encode("utf-8", "replace"), reviewer=reviewer)


def _form(item: DecisionItem, row: SourceRow, running: bool) -> None:
    uses = uses_to_rejudge(row, {item.run_id})
    place = f"{item.run_id}-{item.citation_id}"
    text_key = f"give-text-{place}"
    with st.popover("Add this source", key=f"give-source-{place}", help=texts.GIVE_SOURCE_HELP):
        file = st.file_uploader("Source file", type=FILE_TYPES, key=f"give-file-{place}")
        st.text_area(
            "or its text", key=text_key, height=140, placeholder=texts.GIVE_TEXT_PLACEHOLDER
        )

        def give(name: str) -> None:
            try:
                source = given_source(file, str(st.session_state.get(text_key) or ""), name)
            except UsageError as error:
                st.toast(escape_markdown(str(error)))
                return
            if start_action(row, uses, "Reading the source", lambda act: act.hand_over(source)):
                citation_ids = frozenset(use.result.citation.id for use in uses)
                st.session_state[_GIVEN] = (item.run_id, row.id, citation_ids)

        st.button(
            "Use this source",
            key="give-source-use",
            type="primary",
            on_click=with_name,
            args=(give,),
            disabled=running,
            help=rejudge_help(uses),
        )
