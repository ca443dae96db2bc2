"""The part of the start form that is about references: look-ups, and the reviewer's own library."""

from dataclasses import dataclass

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.review import reference_text as texts
from workbench.services.demo import Demo, registry_files
from workbench.services.permissions import Permissions
from workbench.services.references.checking import (
    ReferenceOptions,
    ReferenceRequest,
    reference_options,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceForm:
    """What the form asks for, and what is allowed."""

    request: ReferenceRequest
    permissions: Permissions

    def options(self) -> ReferenceOptions | None:
        """Who is asked about the references; None where nobody would be.

        Raises:
            UnreadableInput: A library holds no records.
            StoreError: The database cannot be used.
        """
        return reference_options(
            session.settings(), self.permissions, self.request, session.database()
        )


def render_reference_request(fetch: bool, demo: Demo | None) -> ReferenceRequest:
    """Draw the toggle and the uploader; the request that they make.

    Args:
        fetch: Whether the form allows fetching: without it nobody is asked on the web.
        demo: The demo whose sources are used; its registry is asked with them.
    """
    left, right = st.columns([30, 70], gap="medium", vertical_alignment="top")
    with left:
        look_up = st.toggle(
            "Look references up",
            key="look-up",
            persist_state="session",
            disabled=not fetch,
            help=texts.LOOK_UP_HELP
            if fetch
            else f"Allow fetching from the web first. {texts.LOOK_UP_HELP}",
        )
    with right:
        files = st.file_uploader(
            "Your library",
            type=texts.LIBRARY_TYPES,
            accept_multiple_files=True,
            key="library",
            help=texts.LIBRARY_HELP,
        )
    lists = tuple((file.name, file.getvalue()) for file in files or ())
    if demo is not None:
        lists += registry_files(demo)
    return ReferenceRequest(registry_files=lists, look_up=bool(look_up) and fetch)
