"""A page's session: settings, store, reviewer, and URL."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, get_args

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web.components import ASSETS
from workbench.presentation.run_view import SHOWS, Show
from workbench.presentation.tables import Link
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import Json
from workbench.services import permissions as permissions_of_pages
from workbench.services.cached_views import clear_if_rewritten
from workbench.services.database import Database, open_database
from workbench.services.judges import use_judges
from workbench.services.permissions import Permissions
from workbench.settings import Settings, load_settings

ReviewView = Literal["citations", "references", "matrix"]
REVIEW_VIEWS: tuple[ReviewView, ...] = get_args(ReviewView)
ICON = ASSETS / "icon.png"
REVIEWER = "reviewer"
NAME_TYPED = "name-typed"
"""Session: the name that was typed last; empty if the field was cleared."""
ENTRIES_PAGE = "entries-page"
"""Session: the page of the list of references, where it is not that of the selected one."""
_LAST_RUN = "last_run"
_PENDING_LINK = "way"
_DIALOGS = (
    "source_open", "claim_open", "wording_open", "correction_open", "end_open", "matrix_open",
    "matrix_asking",
    "sentence_open", "uncited_open",
)  # fmt: skip


def settings() -> Settings:
    """The settings of this process.

    Raises:
        UsageError: The settings file cannot be used.
    """
    loaded = load_settings()
    use_judges(loaded.models_folder, loaded.local_servers)
    return loaded


def serves_many_callers() -> bool:
    """Whether the pages are served to others than the user who started them."""
    return permissions_of_pages.serves_many_callers(settings(), account())


def permissions(
    *, allow_fetch: bool, domains: Sequence[str], max_cost_usd: float | None
) -> Permissions:
    """The permissions of a run that is started here with these requests.

    Raises:
        UsageError: The cap is not an amount.
    """
    return permissions_of_pages.page_permissions(
        settings(),
        allow_fetch=allow_fetch,
        domains=domains,
        max_cost_usd=max_cost_usd,
        shared=serves_many_callers(),
    )


def database() -> Database:
    """The database; its file is opened for each transaction and closed in between."""
    path = settings().database
    clear_if_rewritten(path)
    return open_database(path)


def reviewer() -> str:
    """The reviewer of this session."""
    return typed_name() or REVIEWER


def typed_name() -> str:
    """The logged-in user, else the name in the session or the URL; empty if there is none."""
    who = account()
    return url_reviewer_name() if who is None else account_name(who)


def url_reviewer_name() -> str:
    """The typed name, which links have to carry; empty if there is an account."""
    if account() is not None:
        return ""
    # an emptied field means no name, even though the URL still contains one until it is written
    typed = st.session_state.get("who") or st.session_state.get(NAME_TYPED)
    from_address = st.query_params.get("who") if typed is None else None
    try:
        return normalize_reviewer_name(str(typed or from_address or ""))
    except UsageError:
        return ""


def account() -> Mapping[str, Json] | None:
    """The account of Streamlit's login; None if no login is configured."""
    facts: Mapping[str, Json] = st.user.to_dict()
    return facts if "is_logged_in" in facts else None


def account_name(facts: Mapping[str, Json]) -> str:
    """The reviewer's name of an account; empty if nobody is logged in.

    The email address comes first, since it is unique, unless the provider says that it did
    not verify it.
    """
    if not facts.get("is_logged_in"):
        return ""
    addresses = [] if facts.get("email_verified") is False else [facts.get("email")]
    for claim in (*addresses, facts.get("preferred_username"), facts.get("name"), facts.get("sub")):
        try:
            return normalize_reviewer_name(str(claim or ""))
        except UsageError:
            continue
    return ""


def open_dialog(name: str, value: object) -> None:
    """Open a dialog of a run's page on the next rerun; a page shows one at a time."""
    close_dialogs()
    st.session_state[name] = value


def close_dialogs() -> None:
    """Close whatever dialog of a run's page is open."""
    for name in _DIALOGS:
        st.session_state.pop(name, None)


def navigate(link: Link) -> None:
    """Go to a page on the next rerun; for callbacks, which cannot switch pages at once."""
    st.session_state[_PENDING_LINK] = link


def run_pending_navigation() -> None:
    """Switch to the page that a callback requested, if any."""
    link = st.session_state.pop(_PENDING_LINK, None)
    if link is not None:
        st.switch_page(link.file, query_params=dict(link.query))


def run_id() -> str | None:
    """The run in the URL; the last one of this session if the URL names none."""
    requested = st.query_params.get("run")
    if requested:
        st.session_state[_LAST_RUN] = requested
        return requested
    last = st.session_state.get(_LAST_RUN)
    if last:
        st.query_params["run"] = last
        return str(last)
    return None


def last_run() -> str | None:
    """The run in the URL, else the last one of this session; the URL is not changed."""
    run = st.query_params.get("run") or st.session_state.get(_LAST_RUN)
    return str(run) if run else None


def open_run(run: str, citation: str | None = None) -> None:
    """Put a run, and a citation of it, in the URL."""
    leave_run()
    st.session_state[_LAST_RUN] = run
    st.query_params["run"] = run
    if citation:
        st.query_params["c"] = citation


def leave_run() -> None:
    """Remove the run from the URL and forget the position in it."""
    for name in ("run", "c", "show", "view", "ref", "entries", "cell"):
        if name in st.query_params:
            del st.query_params[name]
    for name in (_LAST_RUN, "part", "quote_at", "source_open", ENTRIES_PAGE):
        st.session_state.pop(name, None)


def forget_runs(run_ids: Collection[str]) -> None:
    """Drop the session's state of deleted runs, and a pasted text."""
    if last_run() in run_ids:
        leave_run()
    for name in ("erase", "a", "b"):
        if st.query_params.get(name) in run_ids:
            del st.query_params[name]
    for key in list(st.session_state):
        if key == "paste" or any(run_id in str(key) for run_id in run_ids):
            del st.session_state[key]


def view() -> ReviewView:
    """The view of a run in the URL."""
    requested = st.query_params.get("view")
    return next((view for view in REVIEW_VIEWS if view == requested), "citations")


def show_view(view: ReviewView) -> None:
    """Put a view of the run in the URL."""
    if view != "citations":
        st.query_params["view"] = view
    elif "view" in st.query_params:
        del st.query_params["view"]


def open_reference(position: int | None) -> None:
    """Put a reference of the run, by its place in the list, in the URL; none changes nothing."""
    if position is None:
        return
    show_view("references")
    st.query_params["ref"] = str(position)
    st.session_state.pop(ENTRIES_PAGE, None)


def active_filters() -> list[Show]:
    """The filter in the URL; unknown names are left out."""
    requested = st.query_params.get("show", "").split(".")
    return [show for show in SHOWS if show in requested]


def show(shows: Sequence[Show]) -> None:
    """Put a filter in the URL."""
    if shows:
        st.query_params["show"] = ".".join(shows)
    elif "show" in st.query_params:
        del st.query_params["show"]


def selected() -> str | None:
    """The citation in the URL."""
    return st.query_params.get("c")


def select(citation: str | None) -> None:
    """Put a citation in the URL; the text pane scrolls to it."""
    if citation is None or citation == st.query_params.get("c"):
        return
    st.query_params["c"] = citation
    st.session_state.pop("part", None)
    st.session_state.pop("quote_at", None)
