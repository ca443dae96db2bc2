"""The Data page: back up everything in one file, restore it, delete one output permanently."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.examples.banner import is_confirmed, render_examples_banner
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.records.format import count_of, file_size, format_timestamp
from workbench.records.review import Erasure, ErasureReason
from workbench.records.reviewers import utc_now
from workbench.records.transfer import LARGEST_RESTORE, Backup, ErasurePlan
from workbench.services import cached_views, jobs
from workbench.services.data_management import (
    backup_bytes,
    erase_all,
    inspect_backup,
    is_empty,
    plan_erasure,
    restore_all,
    restore_leftovers,
    size_of_all,
    uploads_of,
)
from workbench.services.database import Database
from workbench.services.repositories import Erasures
from workbench.services.runs import recent_runs

REASON_TEXT: Mapping[ErasureReason, str] = {
    "personal_data": "Personal data",
    "copyright": "Copyright",
    "mistake": "Mistake",
    "other": "Other",
}
LARGE = 500 * 1024 * 1024
"""From this size on the command line is recommended for backups."""
_MESSAGES = "keep-done"
_MOST_MB = 2_000


def render_data() -> None:
    """Draw the page."""
    store = session.database()
    head, who = st.columns([70, 30], vertical_alignment="center")
    with head:
        st.html(
            '<div class="wb-head"><h1>Backup &amp; deletion</h1><p class="wb-quiet">Data '
            f"directory: {escape_html(str(store.path.parent))}</p></div>"
        )
    with who, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    with st.container(key="data-said"):
        for line in st.session_state.pop(_MESSAGES, []):
            st.success(escape_markdown(line))
    render_examples_banner(figures=False)
    left, right = st.columns(2, gap="large")
    with left:
        _backup(store)
        _restore(store)
    with right:
        _erase(store)
    _traces(store)


def _show_after_rerun(*lines: str) -> None:
    st.session_state[_MESSAGES] = list(lines)


def _backup(store: Database) -> None:
    st.header("Backup", anchor=False)
    settings = session.settings()
    size = size_of_all(store, settings)
    st.caption(
        "One file with the database, stored sources, uploads of interrupted runs and saved "
        f"policies: enough to review and to re-judge offline. {file_size(size)} before "
        "compression."
    )
    if size > LARGE:
        st.caption("Too large for a browser download; use `workbench backup FILE.zip`.")

    st.download_button(
        "Download a backup",
        data=lambda: backup_bytes(store, settings),
        file_name=f"workbench-{utc_now():%Y-%m-%d}.zip",
        mime="application/zip",
        key="backup",
        on_click="ignore",
        icon=":material/download:",
    )


def _restore(store: Database) -> None:
    st.header("Restore", anchor=False)
    st.caption(
        "Every file of a backup is verified by its hash before it is restored. Existing data "
        f"is moved aside, not deleted. A backup may unpack to {LARGEST_RESTORE >> 30} GiB at "
        "most; `workbench restore` accepts more."
    )
    upload = st.file_uploader(
        "Backup",
        type="zip",
        key="restore-file",
        max_upload_size=_MOST_MB,
        label_visibility="collapsed",
    )
    if upload is None:
        return
    with tempfile.TemporaryDirectory(dir=session.settings().data_dir, prefix=".restore-") as folder:
        path = Path(folder) / "backup.zip"
        path.write_bytes(upload.getbuffer())
        try:
            st.text(backup_text(inspect_backup(path)))
        except UsageError:
            raise UsageError(
                f"{upload.name} is not a backup of this version of the workbench, or is damaged; "
                "choose another file."
            ) from None
        confirmed = is_empty(store) or _confirmed(
            "restore-sure",
            "replace",
            "This database is not empty. It will be moved aside and replaced by the backup.",
        )
        if st.button("Restore", key="restore", disabled=not confirmed):
            _restore_now(store, path)


def _restore_now(store: Database, path: Path) -> None:
    if jobs.running():
        raise UsageError("A run is in progress. Cancel it or wait until it ends, then restore.")
    try:
        restored = restore_all(store, session.settings(), path, replace=True)
    except UsageError as error:
        # the name of a temporary copy is meaningless to the user
        raise UsageError(str(error).replace(str(path), "The backup")) from None
    cached_views.clear_cached_views()
    session.leave_run()
    _show_after_rerun(
        f"Restored as of {restored.backup.created_at:%Y-%m-%d %H:%M} UTC.",
        *(f"Moved aside: {path.name}" for path in restored.moved_aside),
    )
    st.rerun()


def _erase(store: Database) -> None:
    st.header("Delete an output", anchor=False)
    st.caption(
        "Permanently deletes an output and everything derived from it, for example because it "
        "contains personal data. Only a log entry remains: when, by whom, why and how much."
    )
    runs = {run.id: run for run in recent_runs(store, 2_000)}
    if not runs:
        st.caption("No outputs yet.")
        return
    requested = st.query_params.get("erase")
    st.session_state["erase-run"] = requested if requested in runs else None

    def choose() -> None:
        chosen = st.session_state["erase-run"]
        if chosen:
            st.query_params["erase"] = chosen
        else:
            st.query_params.pop("erase", None)

    chosen = st.selectbox(
        "Output",
        list(runs),
        key="erase-run",
        on_change=choose,
        format_func=lambda run: (
            f"{truncate(runs[run].name or 'Untitled', 60)}, {format_timestamp(runs[run].created_at)}"
        ),
        placeholder="Choose a run",
    )
    if chosen:
        _erase_output(store, plan_erasure(store, chosen))


def _erase_output(store: Database, plan: ErasurePlan) -> None:
    settings = session.settings()
    lines = plan_lines(plan, len(uploads_of(store, plan)))
    items = "".join(f"<li>{escape_html(line)}</li>" for line in lines)
    st.html(
        f'<p dir="auto">Of <b>{escape_html(truncate(plan.name or "Untitled", 80))}</b> the '
        f'following will be deleted:</p><ul class="wb-plan">{items}</ul>'
    )
    if any(jobs.find(run) for run in plan.run_ids):
        st.warning("A run on this output is in progress. Cancel it on the Review page first.")
        return
    if not plan.ended:
        st.caption("A run on this output has not ended. If it is running elsewhere, stop it first.")
    copies = restore_leftovers(store, settings)
    with_copies = bool(copies) and st.checkbox(
        f"Also delete {count_of(len(copies), 'earlier copy', 'earlier copies')} that a "
        "restore moved aside; they may contain the output",
        key="erase-copies",
    )
    reason: ErasureReason = st.selectbox(
        "Reason", list(REASON_TEXT), format_func=lambda name: REASON_TEXT[name], key="erase-why"
    )
    confirmed = _confirmed("erase-sure", "delete", "This cannot be undone.")
    if st.button("Delete", key="erase", type="primary", disabled=not confirmed):
        cleared = erase_all(store, settings, plan, session.reviewer(), reason, copies=with_copies)
        cached_views.clear_cached_views()
        session.forget_runs(plan.run_ids)
        _show_after_rerun(
            f"Erased: {count_of(len(plan.run_ids), 'run')}, {count_of(plan.verdicts, 'verdict')}, "
            f"{count_of(plan.labels, 'label')}, {count_of(cleared.snapshots, 'snapshot')}.",
            *(f"May still contain it: {path.name}" for path in cleared.copies),
        )
        st.rerun()


def _confirmed(key: str, word: str, why: str) -> bool:
    """Whether the confirmation word was typed."""
    typed = st.text_input(f"{why} Type “{word}” to continue", key=key, autocomplete="off")
    return is_confirmed(str(typed or ""), word)


def _traces(store: Database) -> None:
    import pandas as pd

    traces = Erasures(store).traces()
    st.header("Deletion log", anchor=False)
    if not traces:
        st.caption("Nothing has been deleted.")
        return
    st.dataframe(pd.DataFrame(trace_rows(traces)), hide_index=True, key="traces")


def plan_lines(plan: ErasurePlan, uploads: int) -> list[str]:
    """What would be deleted with an output, one line each, without zero counts."""
    counts = [
        (len(plan.run_ids), "run", "runs"),
        (plan.verdicts, "verdict", "verdicts"),
        (plan.labels, "label", "labels"),
        (plan.notes, "note", "notes"),
        (plan.places, "queue entry", "queue entries"),
        (plan.sources, "source text used only here", "source texts used only here"),
        (
            len(plan.bodies),
            "stored source file used only here",
            "stored source files used only here",
        ),
        (uploads, "folder of uploaded sources", "folders of uploaded sources"),
    ]
    return ["The text itself"] + [count_of(number, *words) for number, *words in counts if number]


def backup_text(backup: Backup) -> str:
    """The contents of a backup, in a sentence."""
    rows = backup.rows
    return (
        f"A backup of {backup.created_at:%Y-%m-%d %H:%M} UTC: {count_of(rows.get('runs', 0), 'run')}, "
        f"{count_of(rows.get('labels', 0), 'label')}, {count_of(rows.get('queues', 0), 'queue')}, "
        f"{count_of(len(backup.members) - 1, 'file')} besides the database, "
        f"{file_size(sum(member.bytes for member in backup.members))} unpacked."
    )


def trace_rows(traces: Sequence[Erasure]) -> list[dict[str, str | int]]:
    """The traces as the rows of a table."""
    return [
        {
            "When (UTC)": f"{trace.created_at:%Y-%m-%d %H:%M}",
            "By": truncate(trace.reviewer, 80),
            "Reason": REASON_TEXT[trace.reason],
            "Runs": len(trace.run_ids),
            "Verdicts": trace.verdicts,
            "Labels": trace.labels,
            "Source texts": trace.sources,
        }
        for trace in traces
    ]
