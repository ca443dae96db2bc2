"""Importing data sets: upload, format, columns and labels, preview, result."""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.datasets import text as texts
from workbench.interfaces.web.datasets.text import (
    FIELD_TEXT,
    IMPORT_TEXT,
    column_order,
    entry_rows,
    import_result_text,
    label_word_rows,
    parts_text,
    skipped_rows,
    survey_text,
    unmapped_label_words,
)
from workbench.interfaces.web.links import queue_link
from workbench.presentation.escape import escape_markdown, truncate
from workbench.presentation.tables import Column, Table
from workbench.presentation.verdicts import STYLES
from workbench.records.format import format_timestamp
from workbench.records.queue import ItemFilter
from workbench.records.transfer import ImportRecord
from workbench.records.verdict import HUMAN_LABELS
from workbench.services.calibration.measurement import items_by_part
from workbench.services.imports import (
    FIELDS,
    IMPORT_FORMATS,
    CsvDialect,
    ImportResult,
    Survey,
    guess_format,
    guess_label,
    import_file,
    sniff_csv,
    stem_of,
    survey_file,
)
from workbench.services.repositories import Imports

_RESULT = "import-done"
_MOST_SURVEYS = 6
_MOST_MB = 200
FIRST = ("claim", "source", "label", "annotator", "group")
"""Fields that are always shown."""


def render_import() -> None:
    """Draw the uploader, the file's contents, and the result of an import."""
    last_result = st.session_state.get(_RESULT)
    with st.container(key="import-said"):
        if last_result:
            _result(*last_result)
    upload = st.file_uploader(
        "File of labelled examples",
        key="import-file",
        max_upload_size=_MOST_MB,
        help="JSONL, JSON or CSV, also compressed with gzip. Larger files: workbench import.",
        on_change=_forget,
    )
    if upload is None:
        earlier = Imports(session.database()).list(20)
        if earlier:
            _earlier(earlier)
        elif not last_result:
            st.info(
                "No imports yet. Choose a file with claims, sources and labels; you will see a "
                "preview before anything is saved."
            )
        return
    with tempfile.TemporaryDirectory(dir=session.settings().data_dir, prefix=".in-") as folder:
        path = Path(folder) / (Path(upload.name).name or "upload")
        path.write_bytes(upload.getbuffer())
        try:
            _dialogue(path, upload)
        except UsageError as error:
            st.error(escape_markdown(str(error)))


def _dialogue(path: Path, upload: UploadedFile) -> None:
    guessed = guess_format(path)
    left, right = st.columns([38, 62], gap="large")
    with left:
        format_name: str = st.selectbox(
            "Format",
            IMPORT_FORMATS,
            index=IMPORT_FORMATS.index(guessed) if guessed else 0,
            format_func=lambda name: IMPORT_TEXT[name],
            key=f"import-format-{upload.file_id}",
        )
        if guessed is None:
            st.caption("The format was not recognised; please choose it.")
        columns = _columns(sniff_csv(path), upload.file_id) if format_name == "csv" else {}
    key = (upload.file_id, format_name, tuple(columns.items()))
    survey = _survey(key, format_name, path, columns, {})
    with right:
        if format_name == "csv":
            _raw_rows(sniff_csv(path), columns)
        labels = _labels(survey, upload.file_id)
    with left:
        name = st.text_input("Data set name", stem_of(path), max_chars=100)
        licence = st.text_input(texts.LICENCE, max_chars=200, key="import-licence")
    if labels:
        survey = _survey((*key, tuple(labels.items())), format_name, path, columns, labels)
    with right:
        # a container for optional widgets, so that the button below does not move
        with st.container(key="import-preview"):
            _preview(survey)
        with st.container(key="import-losses-place"):
            confirmed = not survey.excluded or st.checkbox(
                f"Import {survey.usable:,} and skip {survey.excluded:,}",
                key=f"import-losses-{hash((*key, tuple(labels.items())))}",
                disabled=not survey.usable,
            )
        ready = bool(survey.usable) and confirmed
        if st.button(
            "Import", key="import", type="primary" if ready else "secondary", disabled=not ready
        ):
            with st.spinner("Reading the file"):
                result = import_file(
                    session.database(), format_name, path, name=name, columns=columns, labels=labels,
                    licence=licence, reviewer=session.reviewer(),
                )  # fmt: skip
            # how the items are dealt takes a look at all of them: once, not at every rerun
            parts = items_by_part(session.database(), result.run_ids)
            st.session_state[_RESULT] = (name or upload.name, result, parts)
            # the result stands above the form, out of sight of who pressed the button below it
            st.toast(escape_markdown(f"{name or upload.name}: {_outcome(result)}"))
            st.rerun()


def _preview(survey: Survey) -> None:
    if survey.label_words:
        st.markdown("**Label mapping**")
        st.dataframe(label_word_rows(survey), hide_index=True)
    st.caption(survey_text(survey))
    if survey.entries:
        render_table(_entries_table(survey), "import-entries")
    if survey.skipped:
        st.dataframe(skipped_rows(survey.skipped, 20), hide_index=True, width="stretch")


def _survey(
    key: tuple[object, ...],
    format_name: str,
    path: Path,
    columns: Mapping[str, str],
    labels: Mapping[str, str],
) -> Survey:
    """The file's contents; the whole file is read once for each choice of format and columns."""
    surveys: dict[tuple[object, ...], Survey] = st.session_state.setdefault("import-surveys", {})
    if key not in surveys:
        for old in list(surveys)[: 1 - _MOST_SURVEYS]:
            del surveys[old]
        surveys[key] = survey_file(format_name, path, columns=columns, labels=labels)
    return surveys[key]


def _entries_table(survey: Survey) -> Table:
    """The first entries in lines that wrap."""
    rows = entry_rows(survey.entries)
    widths = {"Labels": "9rem", "Line": "4rem", "Group": "7rem"}
    return Table.of(
        accessible_label="First entries as they would be imported",
        columns=tuple(
            Column(
                word=word,
                width=widths.get(word, ""),
                numeric=word == "Line",
                spare=word in ("Line", "Group"),
            )
            for word in rows[0]
        ),
        rows=(row.values() for row in rows),
        prose=True,
    )


def _raw_rows(sniffed: CsvDialect, chosen: Mapping[str, str]) -> None:
    """The first rows of the file, unmapped; the chosen columns come first."""
    order = column_order(
        sniffed.columns, [chosen.get(field, "") for field in ("label", "claim", "source")]
    )
    st.markdown("**First rows of the file**")
    st.dataframe(
        [
            {name: truncate(cell, 120) for name, cell in zip(sniffed.columns, row, strict=False)}
            for row in sniffed.rows
        ],
        hide_index=True,
        width="stretch",
        column_order=order,
    )


def _columns(sniffed: CsvDialect, file_id: str) -> dict[str, str]:
    """The column of each field; a guess until the user changes it."""
    marks = _MARKS.get(sniffed.delimiter, "commas")
    st.caption(
        escape_markdown(
            f"{len(sniffed.columns)} columns, separated by {marks}, {sniffed.encoding}."
        )
    )
    options = ("", *sniffed.columns)
    chosen = {}
    for field in FIRST:
        chosen[field] = _column(field, options, sniffed, file_id)
    others = [field for field in FIELDS if field not in FIRST]
    with st.expander("More columns", expanded=any(other in sniffed.mapping for other in others)):
        for field in others:
            chosen[field] = _column(field, options, sniffed, file_id)
    missing = [FIELD_TEXT[field].lower() for field in ("claim", "source") if not chosen[field]]
    if missing:
        raise UsageError(f"Choose the column that contains the {' and the '.join(missing)}.")
    return chosen


def _column(field: str, options: tuple[str, ...], sniffed: CsvDialect, file_id: str) -> str:
    chosen: str = st.selectbox(
        FIELD_TEXT[field],
        options,
        index=options.index(sniffed.mapping.get(field, "")),
        format_func=lambda name: name or "– none –",
        key=f"import-{field}-{file_id}",
    )
    return chosen


_MARKS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def _labels(survey: Survey, file_id: str) -> dict[str, str]:
    """The label of each of the file's words: yes and no are guessed, every word can be changed."""
    labels: dict[str, str] = {}
    words = unmapped_label_words(survey)
    if not words:
        return labels
    st.caption(
        "The file uses its own labels. Check the mapping: yes and no are guesses, and “neutral” "
        "means different things in different files."
    )
    for word, place in zip(words, st.columns(3) * len(words), strict=False):
        read_as, _ = survey.label_words[word]
        # a word that is read as a label can be mapped to another one, but not skipped
        options = ([] if read_as else [""]) + list(HUMAN_LABELS)
        with place:
            label = st.selectbox(
                f"“{escape_markdown(word, 40)}”",
                options,
                index=options.index(read_as or guess_label(word) or ""),
                format_func=lambda option: STYLES[option].word if option else "– skip –",
                key=f"import-label-{word}-{file_id}",
            )
        if label and label != read_as:
            labels[word] = label
    return labels


def _outcome(result: ImportResult) -> str:
    left_out = len(result.skipped) + result.more_skipped
    return import_result_text(result.imported, result.labels, result.known, left_out)


def _result(name: str, result: ImportResult, parts: Mapping[str, int]) -> None:
    left_out, sentence = len(result.skipped) + result.more_skipped, _outcome(result)
    (st.success if result.imported or result.known else st.warning)(
        " ".join(filter(None, [f"{escape_markdown(name, 80)}: {sentence}", parts_text(parts)]))
    )
    with st.container(horizontal=True):
        if result.run_ids:
            st.page_link(
                "pages/review.py",
                label="View imported examples",
                query_params={"run": result.run_ids[0]},
            )
            if len(result.run_ids) <= 100:
                link = queue_link(ItemFilter(runs=result.run_ids))
                st.page_link(
                    link.file, label="Create queue from these", query_params=dict(link.query)
                )
        if result.import_id and result.labels:
            st.page_link(
                "pages/trust.py",
                label="Calibrate a judge on these",
                query_params={"labels": f"data-set:{result.import_id}"},
            )
        if left_out:
            st.download_button(
                "Skipped lines, JSONL",
                data="".join(json.dumps(line.to_dict()) + "\n" for line in result.skipped),
                file_name="left-out.jsonl",
                key="import-skipped",
                on_click="ignore",
            )
    if result.skipped:
        st.dataframe(skipped_rows(result.skipped), hide_index=True, width="stretch")


def _earlier(records: list[ImportRecord]) -> None:
    st.header("Earlier imports", anchor=False)
    st.dataframe(
        [
            {
                "Data set": record.name,
                "Format": IMPORT_TEXT.get(record.format, record.format),
                "New examples": record.imported,
                "New labels": record.labels,
                "Already present": record.known,
                "Skipped": record.skipped,
                "By": record.reviewer,
                "When": format_timestamp(record.created_at),
            }
            for record in records
        ],
        hide_index=True,
        width="stretch",
    )


def _forget() -> None:
    st.session_state.pop(_RESULT, None)
