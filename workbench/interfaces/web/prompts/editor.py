"""Writing a prompt: from any version, checked while it is typed, saved as a new version."""

from collections.abc import Callable

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset, when_sent
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.fragments import fragment
from workbench.interfaces.web.prompts import text as texts
from workbench.interfaces.web.prompts.versions import BEGIN_WITH, chosen_version
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.records.prompts import LONGEST_NAME, PromptVersion
from workbench.records.reviewers import LONGEST_NOTE
from workbench.services.database import Database
from workbench.services.prompts import (
    PROMPTS,
    diff_prompts,
    list_prompts,
    list_usable_prompts,
    write_prompt,
)
from workbench.services.repositories import Guides

_WATCH = st.components.v2.component(
    "workbench_typing", html='<span class="typing" hidden></span>', js=asset("typing.js")
)
SAID = "prompts-said"
"""Session: the version that was saved, and a message about it, while the version is shown."""
_NAME = "prompts-name"
_DRAFT = "prompts-draft"
_NOTE = "prompts-note"
_TYPED = "prompts-typed"
_BASE = "prompts-base"
_BASE_TEXT = "prompts-base-text"
_EARLIER_DRAFT = "prompts-left"


def render_editor(store: Database) -> None:
    """Draw the form; the typed text is kept while other views are open."""
    versions = {version.title: version for version in list_usable_prompts(store)}
    if st.session_state.get(BEGIN_WITH) not in versions:
        requested = chosen_version(store).title
        st.session_state[BEGIN_WITH] = requested if requested in versions else next(iter(versions))
    parent = versions[st.session_state[BEGIN_WITH]]
    if st.session_state.get(_BASE) != parent.id:
        _begin(parent)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        st.selectbox(
            "Based on",
            list(versions),
            key=BEGIN_WITH,
            persist_state="session",
            help="Loads its text below; the new version records what it is based on.",
        )
        st.text_input(
            "Name",
            key=_NAME,
            max_chars=LONGEST_NAME,
            persist_state="session",
            placeholder="mine",
            help="A new name, or one of yours to add its next version.",
        )
    if st.session_state.get(_EARLIER_DRAFT):
        st.button("Restore previous draft", key="prompts-back", on_click=_restore_draft)
    fragment(_form, key="prompts-form")(store, parent)
    with st.expander("Template syntax"):
        st.caption(
            "The part above ===== is the system prompt; the part below is the user message. "
            "Source and claim text is escaped and never treated as instructions."
        )
        render_table(texts.variables_table(), "prompts-variables")


def _begin(parent: PromptVersion) -> None:
    """Start from a version's text; the previous draft can be restored."""
    typed = str(st.session_state.get(_DRAFT) or "")
    changed = typed != st.session_state.get(_BASE_TEXT, typed)
    st.session_state[_EARLIER_DRAFT] = typed if changed else ""
    st.session_state[_BASE] = parent.id
    st.session_state[_BASE_TEXT] = parent.prompt.template
    st.session_state[_DRAFT] = parent.prompt.template
    st.session_state.pop(_TYPED, None)
    if parent.origin != "shipped":
        st.session_state[_NAME] = parent.prompt.name


def _restore_draft() -> None:
    st.session_state[_DRAFT] = st.session_state.pop(_EARLIER_DRAFT)
    st.session_state.pop(_TYPED, None)


def _form(store: Database, parent: PromptVersion) -> None:
    """The text area, its errors, and Save; redrawn on its own while the user types."""
    with st.container(key="two-prompts-write"):
        left, right = st.columns([58, 42], gap="large")
    with left:
        committed = st.text_area(
            "Template",
            key=_DRAFT,
            height=460,
            persist_state="session",
            on_change=lambda: st.session_state.pop(_TYPED, None),
        )
        watch_typing(_DRAFT, "prompts-watch", _typed)
        text = str(st.session_state.get(_TYPED, committed) or "")
        guide = Guides(store).current()
        body = guide.body if guide else ""
        fault = texts.draft_fault(text, parent.prompt, body)
        name = str(st.session_state.get(_NAME) or "")
        wrong = fault or (name and texts.name_fault(name, [prompt.name for prompt in PROMPTS]))
        st.html(
            f'<p class="wb-check{" wb-wrong" if wrong else ""}" role="status" dir="auto">'
            f'<span aria-hidden="true">{"✕" if wrong else "✓" if name else "·"}</span> '
            f"{escape_html(wrong or (texts.draft_text(text) if name else texts.NAME_IT))}</p>"
        )
        note = st.text_input(
            "Change note", key=_NOTE, max_chars=LONGEST_NOTE, persist_state="session"
        )
        # never disabled by the text typed last: the click itself commits the text
        if st.button("Save as new version", key="prompts-save", type="primary"):
            _save(store, name, str(committed or ""), parent, str(note or ""))
    with right:
        st.html(texts.CHANGES)
        if fault:
            st.caption("Shown once the template is valid.")
            return
        draft = texts.draft_prompt(text, parent.prompt, body)
        st.html(texts.diff_html(diff_prompts(parent.prompt, draft)))


def _typed(text: str) -> None:
    st.session_state[_TYPED] = text


def _save(store: Database, name: str, template: str, parent: PromptVersion, note: str) -> None:
    earlier_ids = {version.id for version in list_prompts(store)}
    try:
        stored = write_prompt(
            store, name, template, author=session.reviewer(), note=note, parent=parent.id
        )
    except UsageError as error:
        st.error(escape_markdown(str(error)))
        return
    st.session_state[SAID] = (
        stored.title,
        (
            f"An identical version already exists: {stored.title}. No version was added."
            if stored.id in earlier_ids
            else f"Saved as {stored.title}. It is not used until you run a judge with it (Try)."
        ),
    )
    for key in (_BASE, _BASE_TEXT, _DRAFT, _TYPED, _NOTE, BEGIN_WITH):
        st.session_state.pop(key, None)
    st.query_params["prompt"] = stored.title
    for name in ("view", "against"):
        if name in st.query_params:
            del st.query_params[name]
    st.rerun()


def watch_typing(place: str, key: str, on_typed: Callable[[str], None]) -> None:
    """Pass the text of a text area to `on_typed` when typing pauses, before the field loses focus.

    Args:
        place: Key of the text area.
        key: Of this component.
        on_typed: Gets the whole text of the field.
    """
    _WATCH(
        data={"place": place},
        key=key,
        on_typed_change=when_sent(key, "typed", str, on_typed),
        height="content",
    )
