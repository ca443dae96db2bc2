"""Exporting data sets: format, selection, licences and first rows, download."""

from collections.abc import Mapping

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.datasets import text as texts
from workbench.interfaces.web.datasets.text import (
    PART_TEXT,
    PLAN_TEXT,
    default_parts,
    file_name,
    licence_texts,
    table_rows,
)
from workbench.interfaces.web.filters import filter_of, filter_text
from workbench.presentation.escape import escape_markdown, truncate
from workbench.records.export_formats import (
    ASKED,
    CORRECTION_FORMATS,
    EXPORT_FORMATS,
    FORMATS,
    REFERENCE_FORMATS,
    PartName,
)
from workbench.records.format import count_of, word_for
from workbench.records.queue import ItemFilter
from workbench.services.database import Database
from workbench.services.examples import example_contents
from workbench.services.export import (
    PARTS,
    ExportPlan,
    ExportSelection,
    cached_plan,
    card_bytes,
    export_bytes,
    export_terms,
    export_title,
    exportable,
    plan_export,
    preview,
)

MANY = 20_000
"""Above this many rows the command line is recommended."""


def render_export() -> None:
    """Draw the form, a preview of the export, and the download.

    Raises:
        StoreError: The database cannot be used, or there is no such run or queue.
    """
    store = session.database()
    within = _requested_filter()
    runs, queues = exportable(store)
    if not runs:
        st.info(
            "Nothing to export yet. Check a text on the Review page, or import labelled examples."
        )
        return
    left, right = st.columns([40, 60], gap="large")
    with left:
        format_name = _format()
        choice = _choice(runs, queues, format_name, within)
    if format_name in REFERENCE_FORMATS:
        with right:
            _references(store, format_name, choice)
        return
    if format_name in CORRECTION_FORMATS:
        with right:
            _corrections(store, format_name, choice)
        return
    terms = export_terms(store, choice)
    number = sum(terms.values())
    with right:
        _terms(licence_texts(terms), number, choice, within)
        if number:
            plan = cached_plan(store, format_name, choice)
            _rows(plan, choice)
            _download(store, format_name, choice, plan.total)
            _preview(store, format_name, choice)


def _references(store: Database, format_name: str, choice: ExportSelection) -> None:
    """Entries of reference lists: how many, the download, the first rows."""
    plan = plan_export(store, format_name, choice)
    if not plan.total:
        st.info(texts.NO_LABELLED_REFERENCES if choice.labelled else texts.NO_REFERENCES)
        return
    st.markdown(f"**{count_of(plan.total, 'row')} will be written**")
    _download(store, format_name, choice, plan.total)
    _preview(store, format_name, choice)


def _corrections(store: Database, format_name: str, choice: ExportSelection) -> None:
    """Decided corrections: how many, the download, the first rows."""
    if format_name == "corrected-markdown" and choice.run_id is None:
        st.info("Choose a run: a corrected output is that of one run.")
        return
    plan = plan_export(store, format_name, choice)
    if not plan.total:
        st.info(
            "No decision on a sentence yet: choose one in the text of a run (key 9, then Enter)."
            if format_name.startswith("sentences")
            else "No decision on a proposed correction yet: take, edit or refuse one on the review "
            "page."
        )
        return
    st.markdown(f"**{count_of(plan.total, 'decision')}**")
    _download(store, format_name, choice, plan.total)
    _preview(store, format_name, choice)


def _rows(plan: ExportPlan, choice: ExportSelection) -> None:
    """The rows to be written, by part, and what is left out."""
    st.markdown(f"**{count_of(plan.total, 'row')} will be written**")
    st.dataframe([{PLAN_TEXT[part]: number for part, number in plan.rows.items()}], hide_index=True)
    if not choice.labelled:
        st.caption(texts.MORE_ROWS)
    if plan.locked:
        st.caption(escape_markdown(plan.locked_text))
    if plan.rows["test"] and choice.parts:
        st.caption("Rows of the test set are included because it is selected.")
    for reason, number in plan.excluded.items():
        st.caption(escape_markdown(f"Left out: {number:,} {reason}."))


def _requested_filter() -> ItemFilter | None:
    try:
        chosen = filter_of(st.query_params.get("filter", ""))
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        return None
    return None if chosen == ItemFilter() else chosen


def _format() -> str:
    requested = st.query_params.get("format", "")
    st.session_state["export-format"] = (
        requested if requested in EXPORT_FORMATS else EXPORT_FORMATS[0]
    )
    chosen: str = st.selectbox(
        "Format",
        EXPORT_FORMATS,
        format_func=lambda name: FORMATS[name].title,
        key="export-format",
        on_change=_keep,
        args=("export-format", "format"),
    )
    st.caption(FORMATS[chosen].says)
    return chosen


def _choice(
    runs: Mapping[str, str], queues: Mapping[str, str], format_name: str, within: ItemFilter | None
) -> ExportSelection:
    run_id = _choose_one("Run", "run", runs, "All runs")
    if format_name in CORRECTION_FORMATS:
        return ExportSelection(run_id=run_id, within=within)
    queue_id = _choose_one("Queue", "queue", queues, "All queues")
    parts = () if format_name in REFERENCE_FORMATS else _parts(format_name)
    labelled = _switch("Labelled examples only", "labelled", usual=True)
    examples = _examples_instead()
    source_text = format_name in REFERENCE_FORMATS or _switch(
        "Include source texts", "texts", usual=True,
        help="Without them, quotes are left out too; offsets and hashes remain, so that quotes "
             "can be found in your own snapshots.",
    )  # fmt: skip
    return ExportSelection(
        run_id=run_id,
        queue_id=queue_id,
        within=within,
        parts=parts,
        labelled=labelled,
        source_text=source_text,
        examples=examples,
    )


def _examples_instead() -> bool:
    """Whether the example workspace is exported in place of real work; asked where there is one."""
    if not example_contents(session.database()).present:
        return False
    return _switch(
        "Export the examples instead", "examples", usual=False, help=texts.EXAMPLES_INSTEAD_HELP
    )


def _choose_one(label: str, name: str, options: Mapping[str, str], nothing: str) -> str | None:
    requested = st.query_params.get(name, "")
    choices = {"": nothing, **options}
    if requested and requested not in choices:
        choices[requested] = requested
    st.session_state[f"export-{name}"] = requested
    chosen: str = st.selectbox(
        label,
        list(choices),
        format_func=lambda value: truncate(choices[value], 60),
        key=f"export-{name}",
        on_change=_keep,
        args=(f"export-{name}", name),
    )
    return chosen or None


def _parts(format_name: str) -> tuple[PartName, ...]:
    requested = st.query_params.get("parts")
    parts = default_parts(format_name) if requested is None else requested.split(".")
    st.session_state["export-parts"] = [part for part in PARTS if part in parts]
    chosen = st.pills(
        "Split",
        PARTS,
        format_func=lambda part: PART_TEXT[part],
        selection_mode="multi",
        key="export-parts",
        on_change=_keep_parts,
        help="Labelled examples are split by group to prevent leakage. If none is chosen, all "
        "examples are exported, except the test set until it is unlocked.",
    )
    if format_name in ASKED and "test" in chosen:
        st.caption("A model trained on the test set cannot be evaluated on it.")
    return tuple(part for part in PARTS if part in chosen)


def _switch(label: str, name: str, *, usual: bool, help: str | None = None) -> bool:
    requested = st.query_params.get(name)
    st.session_state[f"export-{name}"] = usual if requested is None else requested == "1"
    return st.toggle(
        label, key=f"export-{name}", on_change=_keep_switch, args=(name, usual), help=help
    )


def _keep(key: str, name: str) -> None:
    value = st.session_state[key]
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def _keep_parts() -> None:
    st.query_params["parts"] = ".".join(st.session_state["export-parts"])


def _keep_switch(name: str, usual: bool) -> None:
    value = st.session_state[f"export-{name}"]
    if value == usual:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = "1" if value else "0"


def _terms(
    lines: list[str], number: int, choice: ExportSelection, within: ItemFilter | None
) -> None:
    kind = "labelled " if choice.labelled else ""
    st.html(
        f'<p class="wb-count"><b>{number:,}</b> {kind}{word_for(number, "example")} selected, '
        "in all splits</p>"
    )
    if within:
        st.caption(escape_markdown(f"Filter: {filter_text(within)}."))
        st.button("All examples", key="export-all", on_click=_forget_filter)
    if not number:
        st.info(_nothing_text(choice))
        return
    origins = "\n".join(f"- {escape_markdown(line, 300)}" for line in lines[:12])
    st.markdown(f"**Origins and licences**\n\n{origins}")
    if len(lines) > 12:
        st.caption(f"and {len(lines) - 12} more; the data card lists them")
    if not choice.source_text:
        st.caption("Source texts and their quotes are left out.")


def _nothing_text(choice: ExportSelection) -> str:
    """Why no example matches, and what to do."""
    if not choice.labelled:
        return "No examples match. Choose another run or queue."
    narrowed = choice.run_id or choice.queue_id or choice.within or choice.parts
    examples_left_out = not choice.examples and example_contents(session.database()).present
    if examples_left_out and not narrowed:
        return texts.ONLY_EXAMPLES
    return texts.NO_LABELLED_EXAMPLES + examples_left_out * " The examples are left out."


def _forget_filter() -> None:
    st.query_params.pop("filter", None)


def _preview(store: Database, format_name: str, choice: ExportSelection) -> None:
    lines = preview(store, texts.TABLES.get(format_name, format_name), choice)
    st.markdown("**First rows**")
    if not lines or lines == ["[]\n"]:
        st.info(
            "No selected example fits the format: it needs an active label and a readable source"
            + (", and the judge must have been wrong." if format_name == "preference" else ".")
        )
        return
    if format_name in texts.TABLES:
        st.dataframe(table_rows(lines), hide_index=True)
        return
    for line in lines:
        st.code(truncate(line, 360), language=None, wrap_lines=True)


def _download(store: Database, format_name: str, choice: ExportSelection, number: int) -> None:
    if number > MANY:
        st.caption(
            f"Too large for a browser download; use `workbench export {format_name} --out PATH`."
        )
    data_dir = session.settings().data_dir
    name = file_name(format_name, export_title(store, choice, format_name))
    with st.container(horizontal=True):
        st.download_button(
            f"Download {FORMATS[format_name].title}",
            data=lambda: export_bytes(store, format_name, name, choice, data_dir),
            file_name=name,
            key="export-download",
            type="primary",
            on_click="ignore",
            icon=":material/download:",
        )
        if format_name != "huggingface":
            st.download_button(
                "Data card",
                data=lambda: card_bytes(store, format_name, name, choice, data_dir),
                file_name=f"{name}.card.md",
                mime="text/markdown",
                key="export-card",
                on_click="ignore",
                help="Origins, licences, agreement, splits and hashes, in Markdown.",
            )
