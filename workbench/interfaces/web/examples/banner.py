"""The banner over example data, with the button that removes it."""

import streamlit as st

from workbench.interfaces.web import session
from workbench.presentation.escape import escape_html
from workbench.records.format import count_of, word_for
from workbench.records.transfer import ExampleContents
from workbench.services import jobs
from workbench.services.examples import example_contents, remove_examples

_MESSAGE = "examples-removed"


def render_examples_banner(*, figures: bool = True) -> None:
    """Say that a page shows examples, and offer to remove them; nothing if there are none.

    With `figures` on pages that pool labels.
    """
    with st.container(key="examples-banner"):
        if st.session_state.pop(_MESSAGE, False):
            st.success("The examples were removed. This workspace now contains only your own work.")
        contents = example_contents(session.database())
        if not contents.present:
            return
        words, act = st.columns([74, 26], vertical_alignment="center")
        words.info(banner_text(contents, figures=figures))
        with act, st.popover("Remove the examples", width="stretch"):
            _removal(contents)


def _removal(contents: ExampleContents) -> None:
    items = "".join(f"<li>{escape_html(line)}</li>" for line in removal_lines(contents))
    st.html(f'<p>This goes:</p><ul class="wb-plan">{items}</ul>')
    typed = st.text_input(
        "The examples will not be added again at the next start. Type “remove” to continue",
        key="examples-sure",
        autocomplete="off",
    )
    confirmed = is_confirmed(str(typed or ""), "remove")
    if st.button(
        "Remove permanently", key="examples-remove", type="primary", disabled=not confirmed
    ):
        if jobs.running():
            st.warning(
                "A run is in progress. Cancel it or wait until it ends, then remove the examples."
            )
            return
        removed = remove_examples(session.database(), session.settings().snapshots, own_work=True)
        session.forget_runs(removed)
        st.session_state[_MESSAGE] = True
        st.rerun()


def banner_text(contents: ExampleContents, *, figures: bool) -> str:
    """What the banner says on a page; with `figures` of one that pools labels."""
    if contents.counted:
        return (
            "**Example data**: invented reports and claims, labelled by Ana, Ben and Chidi "
            "(example). The verdicts of “handoff:recorded-llm” were recorded from a large "
            "language model; the embedded judge is less accurate. Once you label something "
            "yourself, figures use only your labels. Exports leave the examples out."
        )
    return (
        "Figures use only your own labels: the examples no longer count, and exports leave them out."
        if figures
        else (
            "**Examples in the list.** Items named “(example)” were added at the first start. "
            "Figures on your own work and exports leave them out."
        )
    )


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


def is_confirmed(typed: str, word: str) -> bool:
    """Whether the confirmation word was typed; case and surrounding spaces do not matter."""
    return typed.strip().casefold() == word
