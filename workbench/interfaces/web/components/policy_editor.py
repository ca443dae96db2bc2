"""The editor of a policy: numbered lines with marked mistakes; text nodes only."""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from workbench.records import replace_surrogates

_ASSETS = Path(__file__).parent / "assets"
_EDITOR = st.components.v2.component(
    "workbench_policy_editor",
    html='<div class="editor"><div class="gutter" aria-hidden="true"></div>'
    '<textarea spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" '
    'aria-label="Policy, YAML" aria-describedby="wb-policy-state"></textarea></div>'
    '<p class="state" id="wb-policy-state" role="status"></p>',
    css=(_ASSETS / "policy_editor.css").read_text("utf-8"),
    js=(_ASSETS / "policy_editor.js").read_text("utf-8"),
)


def render_editor(
    text: str,
    document: str,
    problems: Sequence[tuple[int, str]],
    key: str,
    on_text: Callable[[str], None],
) -> None:
    """Draw the editor; `on_text` gets the text, a moment after the last key.

    `document` identifies the document: when it changes, the editor replaces its text with `text`.
    """

    def typed() -> None:
        feedback = st.session_state[key].text
        if isinstance(feedback, str):
            on_text(feedback)

    _EDITOR(
        data={
            "text": replace_surrogates(text),
            "document": document,
            "problems": [[line, replace_surrogates(message)] for line, message in problems],
        },
        key=key,
        on_text_change=typed,
        height="content",
    )
