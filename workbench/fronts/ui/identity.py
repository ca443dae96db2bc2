"""Who sits here: a name that is typed once, or the account of Streamlit's own login."""

from collections.abc import Mapping

import streamlit as st
from streamlit.errors import StreamlitAPIException

from workbench.fronts.ui import session
from workbench.fronts.ui.escape import plain
from workbench.store import LONGEST_NAME


def must_log_in() -> bool:
    """Whether a login is configured and nobody has logged in yet."""
    who = session.account()
    return who is not None and not session.account_name(who)


def draw_identity() -> None:
    """Draw the button that tells who decides here, with the name's field or the way out."""
    name = session.reviewer()
    nameless = name == session.REVIEWER
    with st.popover("Reviewer" if nameless else plain(name, 40), icon=":material/person:"):
        if session.account() is not None:
            st.text(f"Logged in as {name}")
            st.caption("Stands with each label you give.")
            st.button("Log out", key="log-out", on_click=st.logout)
            return
        st.text_input(
            "Your name",
            key="who",
            max_chars=LONGEST_NAME,
            persist_state="session",
            bind="query-params",
            help="Stands with each label you give.",
        )


def draw_login() -> None:
    """Draw the way in, in place of a page; one button for each provider."""
    st.html(
        '<div class="wb-head"><h1>Log in</h1><p class="wb-quiet">Your labels are kept under the '
        "name of your account.</p></div>"
    )
    try:
        for provider in _providers(st.secrets.get("auth", {})):
            words = f"Log in with {plain(provider, 60)}" if provider else "Log in"
            if st.button(words, key=f"log-in-{provider}", type="primary"):
                st.login(provider or None)
    except StreamlitAPIException as error:
        # what is wrong with the configuration; it names settings, never their values
        st.error(plain(str(error)))


def _providers(settings: Mapping[str, object]) -> list[str]:
    """The named providers of the `[auth]` section; `""` for the one without a name."""
    named = [name for name, value in settings.items() if isinstance(value, Mapping)]
    return ([""] if "client_id" in settings or not named else []) + sorted(named)
