"""Examples from corrections: drawn from the train part, previewed, saved as a new version."""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.prompts.compare import key_of, side_text
from workbench.interfaces.web.prompts.editor import SAID
from workbench.interfaces.web.prompts.parts import split_or_way
from workbench.interfaces.web.prompts.text import selection_text, shot_html
from workbench.interfaces.web.query_params import select_in_url
from workbench.presentation.escape import escape_markdown, truncate
from workbench.records.evaluation import JudgeKey
from workbench.records.prompts import LONGEST_NAME
from workbench.services.database import Database
from workbench.services.labelled_judging import list_judges
from workbench.services.prompts import (
    MANY,
    MOST_CHARS,
    ExampleSelection,
    add_examples,
    list_prompts,
    list_usable_prompts,
    sample_examples,
)

RUNS = "runs"
"""In the URL: the verdicts of the runs."""


def render_examples(store: Database) -> None:
    """Draw the selection, a preview of the examples, and the form to save them."""
    split = split_or_way(store)
    if split is None:
        return
    versions = [version.title for version in list_usable_prompts(store)]
    judges: dict[str, JudgeKey | None] = {RUNS: None}
    judges |= {key_of(judge): judge for judge in list_judges(store)}
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        titles = {title: title for title in versions}
        base = select_in_url("Prompt", "prompt", "prompts-base-of", titles)
        words = {name: _words(judge) for name, judge in judges.items()}
        judge_key = select_in_url("Errors made by", "judge", "prompts-mistakes", words, RUNS)
        number_of_examples = st.number_input("Examples", 1, 50, MANY, key="prompts-many", width=130)
        most = st.number_input(
            "Maximum characters", 200, 40_000, MOST_CHARS, 500, key="prompts-chars", width=170,
            help="For all examples together; they are sent with every request.",
        )  # fmt: skip
        corrections_only = st.toggle("Corrections only", key="prompts-only")
    try:
        selection = sample_examples(
            store,
            split.id,
            judge=judges[judge_key],
            many=int(number_of_examples),
            max_chars=int(most),
            only_corrections=bool(corrections_only),
        )
    except UsageError as error:
        st.info(escape_markdown(str(error)))
        return
    st.caption(escape_markdown(selection_text(selection)))
    _save(store, str(base), selection)
    for number, shot in enumerate(selection.shots, 1):
        st.html(shot_html(number, shot))


def _words(judge: JudgeKey | None) -> str:
    return "Verdicts of the runs" if judge is None else truncate(side_text(judge), 60)


def _save(store: Database, base: str, selection: ExampleSelection) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        name = st.text_input(
            "Name", key="prompts-examples-name", max_chars=LONGEST_NAME, placeholder="mine-examples"
        )
        pressed = st.button(
            "Save as new version", key="prompts-examples-save", type="primary",
            disabled=not selection.shots,
        )  # fmt: skip
    if not pressed:
        return
    earlier_ids = {version.id for version in list_prompts(store)}
    try:
        stored = add_examples(
            store, base, selection.shots, name=name or "", author=session.reviewer()
        )
    except UsageError as error:
        st.error(escape_markdown(str(error)))
        return
    st.session_state[SAID] = (
        stored.title,
        (
            f"An identical version already exists: {stored.title}. No version was added."
            if stored.id in earlier_ids
            else f"Saved as {stored.title}. Try it on dev: its examples come from train."
        ),
    )
    st.query_params["prompt"] = stored.title
    if "view" in st.query_params:
        del st.query_params["view"]
    st.rerun()
