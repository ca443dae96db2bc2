"""Texts of the Data page about sizes, backups and deletions; pure."""

from collections.abc import Mapping, Sequence

from workbench.presentation.escape import truncate
from workbench.records import Backup, Erasure, ErasurePlan, ErasureReason
from workbench.records.format import count_of, file_size

REASON_TEXT: Mapping[ErasureReason, str] = {
    "personal_data": "Personal data",
    "copyright": "Copyright",
    "mistake": "Mistake",
    "other": "Other",
}
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
