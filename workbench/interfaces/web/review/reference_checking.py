"""Looking the references of a stored run up: the form, the task in the background, its progress."""

import streamlit as st

from workbench.errors import UsageError, WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import reference_text as texts
from workbench.presentation.escape import escape_markdown
from workbench.presentation.reference_list import is_problem
from workbench.records.bibliography import ReferenceCheck, ReferenceReport
from workbench.services import cached_views
from workbench.services.jobs import Background, BackgroundTask
from workbench.services.references import checking

CheckingTask = BackgroundTask[ReferenceReport]
_TASKS: Background[ReferenceReport] = Background(
    "workbench-references",
    "An internal error stopped the check. Results so far are saved; see the log for details. Try "
    "again.",
    # the pages' cached views of ended runs have no checks, or older ones
    after=cached_views.clear_cached_views,
)
find_check = _TASKS.find
"""The check of a run's references by database and run: under way, or the last one."""
_SEEN = "references-task-seen"


def is_checking(run_id: str) -> bool:
    """Whether the references of a stored run are being looked up right now."""
    task = find_check(session.database().path, run_id)
    return task is not None and not task.ended.is_set()


def render_checking(run_id: str, again: bool) -> None:
    """Draw the button with the form that starts a check."""
    words = "Check again" if again else "Check references"
    settings = session.settings()
    refused = session.serves_many_callers() and not settings.allow_fetch
    with st.popover(words, disabled=is_checking(run_id)):
        look_up = st.toggle(
            "Look references up",
            value=settings.allow_fetch,
            key="recheck-look-up",
            disabled=refused,
            help="Fetching is off on this server." if refused else texts.LOOK_UP_HELP,
        )
        library = st.file_uploader(
            "Your library",
            type=texts.LIBRARY_TYPES,
            accept_multiple_files=True,
            key="recheck-library",
            help=texts.LIBRARY_HELP,
        )
        if st.button(words, key="recheck", type="primary", width="stretch"):
            files = tuple((file.name, file.getvalue()) for file in library or ())
            try:
                _start(run_id, bool(look_up), files)
            except WorkbenchError as error:
                st.error(escape_markdown(str(error)))
                return
            st.rerun()


def _start(run_id: str, look_up: bool, files: tuple[tuple[str, bytes], ...]) -> None:
    settings, database = session.settings(), session.database()
    permissions = session.permissions(
        allow_fetch=look_up, domains=settings.allowed_domains, max_cost_usd=None
    )
    request = checking.ReferenceRequest(registry_files=files, look_up=look_up)
    options = checking.reference_options(settings, permissions, request, database)
    if options is None:
        raise UsageError("There is nothing to search: allow look-ups, or add your library.")
    task = CheckingTask(what=texts.CHECKING, of=len(database.get_run(run_id).cited_works))

    def told(_: int, __: ReferenceCheck) -> None:
        task.done += 1

    def check() -> ReferenceReport:
        return checking.check_run_references(database, run_id, options, told, task.cancel)

    _TASKS.start(database.path, run_id, task, check)


def render_checking_state(run_id: str) -> None:
    """Draw how far the check has come with Cancel, or what it came to; the page once more then."""
    task = find_check(session.database().path, run_id)
    if task is None:
        return
    if not task.ended.is_set():
        line, stop = st.columns([84, 16], vertical_alignment="center")
        line.progress(
            min(task.done / task.of, 1.0) if task.of else 0.0,
            text=f"{task.what}: {task.done:,} of {task.of:,}",
        )
        stopping = task.cancel.is_set()
        stop.button(
            "Stopping" if stopping else "Cancel",
            key="recheck-cancel",
            on_click=task.cancel.set,
            disabled=stopping,
            width="stretch",
        )
        return
    if st.session_state.get(_SEEN) != id(task):
        # the counts above were drawn before the task stored its last check
        st.session_state[_SEEN] = id(task)
        st.rerun()
    if task.error or task.outcome is None:
        st.error(escape_markdown(task.error))
        return
    checks = task.outcome.checks
    checked = sum(check.status != "not_checked" for check in checks)
    problems = sum(is_problem(check) for check in checks)
    words = texts.outcome_text(checked, len(checks), problems)
    st.success(escape_markdown(words))
