"""Prompt versions: the list, one version's text, the difference between two versions."""

from collections.abc import Sequence

import streamlit as st

from workbench.errors import StoreError
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.prompts import text as texts
from workbench.interfaces.web.prompts.text import diff_html, title_of, version_html, versions_table
from workbench.interfaces.web.query_params import select_in_url
from workbench.presentation.escape import escape_markdown
from workbench.records.prompts import PromptVersion, missing_context
from workbench.services.database import Database
from workbench.services.prompts import DEFAULT, diff_prompts, get_prompt, list_prompts

NOTHING = ""
BEGIN_WITH = "prompts-from"
"""Session: the version that the editor starts from."""


def render_versions(store: Database) -> None:
    """Draw the list of versions, the chosen one, and its difference from another."""
    versions = list_prompts(store)
    chosen = chosen_version(store)
    if all(version.origin == "shipped" for version in versions):
        st.caption(texts.BUILT_IN_NOTE)
    render_table(versions_table(versions, chosen.id), "prompts-versions")
    shown = "prompt" in st.query_params
    key = f"prompts-text-{chosen.id}"
    with st.expander(f"Text of {chosen.title}", shown, key=key, on_change="rerun") as part:
        if not part.open:
            return
        with st.container(key="two-prompts-version"):
            left, right = st.columns([58, 42], gap="large")
    with left:
        st.html(version_html(chosen))
        missing = missing_context(chosen.prompt.template)
        if missing:
            st.caption(escape_markdown(missing))
        if chosen.single and not chosen.erased:
            st.button(
                "Write a version based on this",
                key="prompts-begin",
                on_click=_write_from,
                args=(chosen.title,),
            )
    with right:
        _difference(versions, chosen)


def _write_from(title: str) -> None:
    st.session_state[BEGIN_WITH] = title
    st.query_params["view"] = "write"


def chosen_version(store: Database) -> PromptVersion:
    """The version in the URL; the default prompt if it names none."""
    requested = st.query_params.get("prompt", "")
    try:
        return get_prompt(store, requested or DEFAULT.id)
    except StoreError as error:
        st.warning(escape_markdown(str(error)))
        return get_prompt(store, DEFAULT.id)


def _difference(versions: Sequence[PromptVersion], chosen: PromptVersion) -> None:
    st.html(texts.CHANGES)
    others = [version for version in versions if version.id != chosen.id]
    titles = [other.title for other in others]
    before = title_of(chosen.parent) or _earlier(others, chosen)
    words = {NOTHING: "Nothing"} | {title: title for title in titles}
    against = select_in_url("Compare with", "against", "prompts-against", words, before)
    other = next((other for other in others if other.title == against), None)
    if other is None:
        st.caption("Choose another version to compare line by line.")
        return
    st.html(diff_html(diff_prompts(other.prompt, chosen.prompt)))


def _earlier(others: Sequence[PromptVersion], chosen: PromptVersion) -> str:
    same = [other for other in others if other.prompt.name == chosen.prompt.name]
    older = [version for version in same if version.prompt.version < chosen.prompt.version]
    return max(older, key=lambda version: version.prompt.version).title if older else NOTHING
