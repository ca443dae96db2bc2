"""The part of the Calibrate page on checks of references: sentences, figures, the threshold."""

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.calibration import text
from workbench.interfaces.web.calibration.tables import web_table
from workbench.interfaces.web.components.link_table import render_table
from workbench.presentation.calibration.references import (
    NO_REFERENCE_LABELS,
    RANDOM_REFERENCES,
    REFERENCES_TITLE,
    basis_text,
    people_text,
    reference_confusion_table,
    reference_cuts_table,
    reference_figures_table,
    reference_sentences,
)
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.services.calibration import (
    CONFIDENCE,
    TARGET,
    ReferenceCalibration,
    ThresholdObjective,
)
from workbench.services.calibration.thresholds import list_thresholds
from workbench.services.database import Database
from workbench.services.references.calibration import (
    cached_references,
    has_reference_checks,
    save_reference_threshold,
)


def render_references(database: Database) -> None:
    """Draw how far the checks of references can be trusted; nothing where none was made.

    Raises:
        StoreError: The database cannot be used.
    """
    if not has_reference_checks(database):
        return
    st.header(REFERENCES_TITLE, anchor=False)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        target = st.number_input(
            text.TARGET, 0.5, 0.999, TARGET, 0.01, format="%.3f", key="references-target",
            help="Required share of fabricated works among those flagged as fabricated.",
        )  # fmt: skip
        confidence = st.number_input(
            text.CONFIDENCE, 0.5, 0.999, CONFIDENCE, 0.01, format="%.3f",
            key="references-confidence",
        )  # fmt: skip
    aim = ThresholdObjective(target=float(target), confidence=float(confidence))
    calibration = cached_references(database, aim)
    if calibration is None:
        st.info(NO_REFERENCE_LABELS)
        return
    lines = "".join(
        f'<li dir="auto">{escape_html(sentence.text)}</li>'
        for sentence in reference_sentences(calibration)
    )
    st.html(f'<ol class="wb-sentences">{lines}</ol>')
    st.caption(escape_markdown(basis_text(calibration)))
    render_table(web_table(reference_figures_table(calibration)), "references-figures")
    st.caption(escape_markdown(people_text(calibration.people)))
    render_table(web_table(reference_confusion_table(calibration)), "references-confusion")
    cuts = reference_cuts_table(calibration)
    if cuts:
        render_table(web_table(cuts), "references-cuts")
        st.caption(escape_markdown(RANDOM_REFERENCES))
    _save(database, calibration, aim)


def _save(database: Database, calibration: ReferenceCalibration, aim: ThresholdObjective) -> None:
    note = st.text_input(text.NOTE, key="references-note", max_chars=200)
    if st.button(
        text.SAVE_THRESHOLD, key="references-save", disabled=calibration.threshold is None
    ):
        try:
            saved = save_reference_threshold(
                database, calibration, aim, by=session.reviewer(), note=note
            )
        except UsageError as error:
            st.error(escape_markdown(str(error)))
        else:
            st.success(f"Saved as {saved.id}.")
    thresholds = list_thresholds(database, references=True)
    if thresholds:
        listed = ", ".join(
            f"{threshold.id} (fabricated from {threshold.accept or 0:.3f})"
            for threshold in thresholds[:5]
        )
        st.caption(escape_markdown(f"Saved: {listed}."))
