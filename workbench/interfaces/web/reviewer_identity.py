"""The reviewer's identity: a name that is typed once, or the account of Streamlit's login.

A typed name is kept in the browser. Without one, `with_name` asks for it before anything is
stored: a label belongs to a person.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from streamlit.errors import StreamlitAPIException

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import ASSETS, when_sent
from workbench.presentation.escape import escape_markdown
from workbench.records.reviewers import LONGEST_NAME, normalize_reviewer_name
from workbench.records.text import JsonDict

_NAME = st.components.v2.component(
    "workbench_name",
    html='<span class="name" hidden></span>',
    js=(ASSETS / "name.js").read_text("utf-8"),
)
_WAITING, _PROBLEM = "name-waiting", "name-problem"
_FIELD = "name-asked"


@dataclass(slots=True)
class _Waiting:
    """An action to perform once the name is known."""

    act: Callable[[str], None]
    asked: bool = False


def must_log_in() -> bool:
    """Whether a login is configured and nobody has logged in yet."""
    who = session.account()
    return who is not None and not session.account_name(who)


def render_identity() -> None:
    """Draw the button with the reviewer's name, and its menu with the name's field or Log out."""
    name = session.reviewer()
    nameless = name == session.REVIEWER
    with st.popover(
        "Reviewer" if nameless else escape_markdown(name, 40), icon=":material/person:"
    ):
        if session.account() is not None:
            st.text(f"Logged in as {name}")
            st.caption("Recorded with every label you give.")
            st.button("Log out", key="log-out", on_click=st.logout)
            return
        name_field()


def name_field(width: int | Literal["stretch"] = "stretch") -> None:
    """Draw the field for the reviewer's name, which is stored in the browser."""
    st.text_input(
        "Your name",
        key="who",
        max_chars=LONGEST_NAME,
        persist_state="session",
        bind="query-params",
        on_change=_take_typed,
        help="Recorded with every label you give. This browser remembers it.",
        width=width,
    )


def recall_name() -> None:
    """Read the name from the URL or from this browser, and store a typed one in the browser.

    The URL applies to this session only: a shared link does not rename anyone permanently.
    """
    if session.account() is not None:
        return
    requested = session.url_reviewer_name()
    if requested and not st.session_state.get("who"):
        # pages without the field would drop the URL's name
        st.session_state["who"] = requested
    browser_name(
        keep=st.session_state.get(session.NAME_TYPED),
        ask=not requested,
        field=_FIELD if _WAITING in st.session_state else "",
        on_kept=_take_recalled,
        key="browser-name",
    )


def with_name(act: Callable[[str], None]) -> None:
    """Perform an action with the reviewer's name, asking for it first if necessary.

    For callbacks. If the name is asked for, `act` is called with it as soon as it is given; a
    fragment ends with `show_question`, so that the dialog appears.
    """
    name = session.typed_name()
    if name:
        act(name)
        return
    session.close_dialogs()
    st.session_state[_WAITING] = _Waiting(act)


def show_question() -> None:
    """Redraw the whole page if a callback of a fragment has just asked for the name."""
    waiting = st.session_state.get(_WAITING)
    if isinstance(waiting, _Waiting) and not waiting.asked:
        st.rerun()


def render_question() -> None:
    """Draw the dialog that asks for the name, while an action waits for it."""
    waiting = st.session_state.get(_WAITING)
    if isinstance(waiting, _Waiting):
        waiting.asked = True
        st.dialog("Your name", width="small", on_dismiss=_dismiss)(_question)()


def _question() -> None:
    if _WAITING not in st.session_state:
        st.rerun()
    with st.form("name-question", border=False):
        st.text_input(
            "Your name",
            key=_FIELD,
            max_chars=LONGEST_NAME,
            label_visibility="collapsed",
            placeholder="Ada Lovelace",
            autocomplete="name",
        )
        st.caption("Recorded with every label you give. This browser remembers it.")
        problem = st.session_state.get(_PROBLEM)
        if problem:
            st.error(escape_markdown(problem))
        st.form_submit_button("Continue", key="name-answer", type="primary", on_click=_take_answer)


def _take_answer() -> None:
    try:
        name = normalize_reviewer_name(str(st.session_state.get(_FIELD) or ""))
    except UsageError as error:
        st.session_state[_PROBLEM] = str(error)
        return
    st.session_state["who"] = st.session_state[session.NAME_TYPED] = name
    _run_waiting(name)


def _run_waiting(name: str) -> None:
    """Perform the action that waited for the name."""
    waiting = st.session_state.get(_WAITING)
    _dismiss()
    if isinstance(waiting, _Waiting):
        waiting.act(name)


def _dismiss() -> None:
    for name in (_WAITING, _PROBLEM):
        st.session_state.pop(name, None)


def _take_typed() -> None:
    # an emptied field clears the browser's stored name as well
    try:
        name = normalize_reviewer_name(str(st.session_state.get("who") or ""))
    except UsageError:
        name = ""
    st.session_state[session.NAME_TYPED] = name


def _take_recalled(name: str) -> None:
    if session.typed_name():
        return
    try:
        normalized = normalize_reviewer_name(name)
    except UsageError:
        return
    # kept apart as well: going back to an address without the name empties the field
    st.session_state["who"] = st.session_state[session.NAME_TYPED] = normalized
    _run_waiting(normalized)


def render_login() -> None:
    """Draw the login in place of a page; one button for each provider."""
    st.html(
        '<div class="wb-head"><h1>Log in</h1><p class="wb-quiet">Your labels are recorded under '
        "the name of your account.</p></div>"
    )
    try:
        for provider in _providers(st.secrets.get("auth", {})):
            words = f"Log in with {escape_markdown(provider, 60)}" if provider else "Log in"
            if st.button(words, key=f"log-in-{provider}", type="primary"):
                st.login(provider or None)
    except StreamlitAPIException as error:
        # errors of the configuration, which name settings but never their values
        st.error(escape_markdown(str(error)))


def _providers(settings: Mapping[str, object]) -> list[str]:
    """The named providers of the `[auth]` section; `""` for the unnamed one."""
    providers = [name for name, value in settings.items() if isinstance(value, Mapping)]
    return ([""] if "client_id" in settings or not providers else []) + sorted(providers)


def browser_name(
    *, keep: str | None, ask: bool, field: str, on_kept: Callable[[str], None], key: str
) -> None:
    """Store a name in the browser, or report the stored one.

    Args:
        keep: The name that was typed in this session; empty if it was removed; None if
            nothing was typed.
        ask: Whether there is no name yet.
        field: Key of the field that asks for the name and gets the focus, while it is open.
        on_kept: Gets the name stored in the browser, once per session, if `ask` is set.
        key: Of this component.
    """
    data: JsonDict = {"keep": keep, "ask": ask, "field": field}
    _NAME(
        data=data,
        key=key,
        on_kept_change=when_sent(key, "kept", str, on_kept),
        height="content",
    )
