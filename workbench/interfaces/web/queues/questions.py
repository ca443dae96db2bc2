"""The questions of one's own in the form of a new queue."""

from collections.abc import Sequence

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web.queues import text as texts
from workbench.presentation.escape import escape_markdown
from workbench.records.fields import (
    FIELD_KINDS,
    LONGEST_FIELD_NAME,
    LONGEST_QUESTION,
    MOST_FIELDS,
    ReviewField,
    parse_fields,
)

_ROWS = "queue-fields"
"""Numbers of the fields in the form, in their order; a number is not used again."""


def render_fields(preset: Sequence[ReviewField] = ()) -> tuple[ReviewField, ...] | None:
    """The fields entered in the form; None while one of them is invalid.

    The form starts with the fields of `preset`. An error is shown next to its field.
    """
    if _ROWS not in st.session_state:
        st.session_state[_ROWS] = list(range(len(preset)))
    numbers: list[int] = st.session_state[_ROWS]
    drafts: list[dict[str, object]] = []
    with st.expander(
        texts.fields_text(len(numbers)), expanded=bool(numbers), key="queue-fields-box"
    ):
        st.caption(
            "Asked after the label, before the next item. Enter passes one that is not required."
        )
        for place, number in enumerate(numbers):
            with st.container(border=True, key=f"queue-field-{number}"):
                drafts.append(_field(number, place, preset[number : number + 1]))
        st.button(
            "Add a question",
            key="queue-field-add",
            on_click=_add,
            disabled=len(numbers) >= MOST_FIELDS,
            icon=":material/add:",
        )
    try:
        return parse_fields(drafts)
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        return None


def _add() -> None:
    numbers: list[int] = st.session_state[_ROWS]
    st.session_state[_ROWS] = [*numbers, st.session_state.get("queue-field-next", len(numbers))]
    st.session_state["queue-field-next"] = max(st.session_state[_ROWS]) + 1


def _remove(number: int) -> None:
    numbers: list[int] = st.session_state[_ROWS]
    st.session_state["queue-field-next"] = max(
        st.session_state.get("queue-field-next", 0), max(numbers) + 1
    )
    st.session_state[_ROWS] = [other for other in numbers if other != number]


def _field(number: int, place: int, preset: Sequence[ReviewField]) -> dict[str, object]:
    before = preset[0] if preset else ReviewField(name="", question="", kind="choice")
    key = f"queue-field-{number}"
    question = st.text_input(
        "Question", value=before.question, key=f"{key}-question", max_chars=LONGEST_QUESTION
    )
    left, right = st.columns(2)
    with left:
        kind = st.selectbox(
            "Answer",
            FIELD_KINDS,
            index=FIELD_KINDS.index(before.kind),
            format_func=lambda kind: texts.FIELD_KIND_TEXT[kind],
            key=f"{key}-kind",
        )
    with right:
        name = st.text_input(
            "Name in exports",
            value=before.name or f"field_{place + 1}",
            key=f"{key}-name",
            help="Letters, digits and underscores. Exports have a column of this name.",
            max_chars=LONGEST_FIELD_NAME,
        )
    field: dict[str, object] = {"name": name, "question": question, "kind": kind}
    if kind in ("choice", "choices"):
        field["options"] = st.multiselect(
            "Options",
            list(before.options),
            default=list(before.options),
            key=f"{key}-options",
            accept_new_options=True,
            placeholder="Type an option, then Enter",
        )
    elif kind == "score":
        low, high = st.columns(2)
        with low:
            field["low"] = int(
                st.number_input("Lowest score", value=before.low, step=1, key=f"{key}-low")
            )
        with high:
            field["high"] = int(
                st.number_input("Highest score", value=before.high, step=1, key=f"{key}-high")
            )
    required, remove = st.columns([60, 40], vertical_alignment="center")
    with required:
        field["required"] = st.toggle(
            "Required", value=before.required, key=f"{key}-required", help=texts.REQUIRED_HELP
        )
    with remove, st.container(horizontal=True, horizontal_alignment="right"):
        st.button("Remove", key=f"{key}-remove", on_click=_remove, args=(number,))
    return field
