"""What the Data page says of sizes, backups and erasures; pure."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.web.sources.text import size_words
from workbench.presentation.escape import truncate
from workbench.records import Backup, Erasure, ErasurePlan, ErasureReason

REASON_WORDS: Mapping[ErasureReason, str] = {
    "personal_data": "Personal data",
    "copyright": "Copyright",
    "mistake": "Mistake",
    "other": "Other",
}
ERASE_WORD = "delete"
REPLACE_WORD = "replace"
LARGE = 500 * 1024 * 1024
"""From here on a backup is better written by the command line than sent through a browser."""


def pluralize(number: int, one: str, several: str = "") -> str:
    """A number with its word: `1 run`, `2 runs`."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def is_confirmed(given: str, word: str) -> bool:
    """Whether somebody typed the word that confirms; case and spaces do not matter."""
    return given.strip().casefold() == word


def plan_lines(plan: ErasurePlan, uploads: int) -> list[str]:
    """What would go with an output, a line each; what there is none of is left out."""
    found = [
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
    return ["The text itself"] + [pluralize(number, *words) for number, *words in found if number]


def backup_words(backup: Backup) -> str:
    """What a backup holds, in a sentence."""
    rows = backup.rows
    return (
        f"A backup of {backup.created_at:%Y-%m-%d %H:%M} UTC: {pluralize(rows.get('runs', 0), 'run')}, "
        f"{pluralize(rows.get('labels', 0), 'label')}, {pluralize(rows.get('queues', 0), 'queue')}, "
        f"{pluralize(len(backup.members) - 1, 'file')} beside the database, "
        f"{size_words(sum(member.bytes for member in backup.members))} unpacked."
    )


def trace_rows(traces: Sequence[Erasure]) -> list[dict[str, str | int]]:
    """The traces as the rows of a table."""
    return [
        {
            "When (UTC)": f"{trace.created_at:%Y-%m-%d %H:%M}",
            "By": truncate(trace.reviewer, 80),
            "Reason": REASON_WORDS[trace.reason],
            "Runs": len(trace.run_ids),
            "Verdicts": trace.verdicts,
            "Labels": trace.labels,
            "Source texts": trace.sources,
        }
        for trace in traces
    ]
