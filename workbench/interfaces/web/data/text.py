"""Texts of the Data page about sizes, backups and deletions; pure."""

from collections.abc import Mapping, Sequence

from workbench.presentation.escape import truncate
from workbench.records import Backup, Erasure, ErasurePlan, ErasureReason
from workbench.records.format import count_of, file_size

BACKUP = "Backup"
DOWNLOAD_A_BACKUP = "Download a backup"
RESTORE = "Restore"
DELETE_AN_OUTPUT = "Delete an output"
DELETE_NOTE = (
    "Permanently deletes an output and everything derived from it, for example because it "
    "contains personal data. Only a log entry remains: when, by whom, why and how much."
)
OUTPUT = "Output"
OUTPUT_PLACEHOLDER = "Choose a run"
REASON = "Reason"
CANNOT_BE_UNDONE = "This cannot be undone."
DELETE = "Delete"
DELETION_LOG = "Deletion log"
BACKUP_TOO_LARGE = "Too large for a browser download; use `workbench backup FILE.zip`."
RUN_IN_PROGRESS = "A run is in progress. Cancel it or wait until it ends, then restore."
NO_OUTPUTS_YET = "No outputs yet."
OUTPUT_RUN_IN_PROGRESS = "A run on this output is in progress. Cancel it on the Review page first."
OUTPUT_RUN_NOT_ENDED = (
    "A run on this output has not ended. If it is running elsewhere, stop it first."
)
NOTHING_DELETED = "Nothing has been deleted."
NOT_EMPTY = "This database is not empty. It will be moved aside and replaced by the backup."

REASON_TEXT: Mapping[ErasureReason, str] = {
    "personal_data": "Personal data",
    "copyright": "Copyright",
    "mistake": "Mistake",
    "other": "Other",
}
ERASE_WORD = "delete"
REPLACE_WORD = "replace"
LARGE = 500 * 1024 * 1024
"""From this size on the command line is recommended for backups."""


def is_confirmed(typed: str, word: str) -> bool:
    """Whether the confirmation word was typed; case and surrounding spaces do not matter."""
    return typed.strip().casefold() == word


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
