"""Texts about the example workspace; pure."""

from workbench.records import ExampleContents
from workbench.records.format import count_of, word_for

REMOVE_WORD = "remove"
REMOVE_NOW = "Remove permanently"
RUN_IN_PROGRESS = "A run is in progress. Cancel it or wait until it ends, then remove the examples."
NOT_COUNTED = (
    "Figures use only your own labels: the examples no longer count, and exports leave them out."
)
OUTSIDE_FIGURES = (
    "**Examples in the list.** Items named “(example)” were added at the first start. Figures on "
    "your own work and exports leave them out."
)


def banner_text(contents: ExampleContents, *, figures: bool) -> str:
    """What the banner says on a page; with `figures` of one that pools labels."""
    if contents.counted:
        return (
            "**Example data**: invented reports and claims, labelled by Ana, Ben and Chidi "
            "(example). The verdicts of “handoff:recorded-llm” were recorded from a large "
            "language model; the embedded judge is less accurate. Once you label something "
            "yourself, figures use only your labels. Exports leave the examples out."
        )
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
    lines += contents.own_work()
    if contents.runs_kept:
        names = word_for(contents.runs_kept, "its name", "their names")
        lines.append(
            f"kept: {count_of(contents.runs_kept, 'run')} that you worked on, with your labels "
            f"and without “(example)” in {names}"
        )
    return lines
