"""Texts about the example workspace; pure."""

from workbench.records import ExampleContents
from workbench.records.format import count_of

REMOVE = "Remove the examples"
REMOVE_WORD = "remove"
REMOVE_NOW = "Remove for good"
CANNOT_BE_UNDONE = "The examples do not come back at the next start."
RUN_IN_PROGRESS = "A run is in progress. Cancel it or wait until it ends, then remove the examples."
REMOVED = "The examples were removed. This workspace holds your own work alone."
IN_EXAMPLE_QUEUE = (
    "This queue is an example: try it. What you label here counts as an example too, never in an "
    "export, and goes with the examples."
)
SHOWN = (
    "**Example data**: invented reports and claims, labelled by Ana, Ben and Chidi (example), judged "
    "by the embedded judge. Once you label something of your own, figures are made of your labels "
    "alone. Exports leave the examples out."
)
NOT_COUNTED = (
    "Figures are made of your own labels alone: the examples no longer count, and exports leave "
    "them out."
)
OUTSIDE_FIGURES = (
    "**Examples in the list.** What is named “(example)” came with the first start. Figures of "
    "your own work and exports leave it out."
)


def banner_text(contents: ExampleContents, *, figures: bool) -> str:
    """What the banner says on a page; with `figures` of one that pools labels."""
    if contents.counted:
        return SHOWN
    return NOT_COUNTED if figures else OUTSIDE_FIGURES


def removal_lines(contents: ExampleContents) -> list[str]:
    """What goes with the examples, one line each, without zero counts; then what stays."""
    gone = contents.runs - contents.runs_kept
    counts = [
        (gone, "run with its verdicts and sources", "runs with their verdicts and sources"),
        (contents.labels, "label", "labels"),
        (contents.queues, "queue", "queues"),
    ]
    lines = [count_of(number, *words) for number, *words in counts if number]
    lines.append("the example prompt and the example reference set")
    if contents.labels_tried:
        lines.append(
            f"what you tried in example queues: {count_of(contents.labels_tried, 'citation')}"
        )
    if contents.runs_kept:
        lines.append(
            f"not {count_of(contents.runs_kept, 'run')} on which you worked: it stays with your "
            "labels and loses the word “(example)”"
            if contents.runs_kept == 1
            else f"not {count_of(contents.runs_kept, 'run')} on which you worked: they stay with "
            "your labels and lose the word “(example)”"
        )
    return lines
