"""Thresholds on the Trust page: fitted limits, the sweep, those of references, and saving one."""

from dataclasses import replace

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_table
from workbench.interfaces.web.links import items_link
from workbench.presentation.calibration import fitted_limits, references, sections, text
from workbench.presentation.calibration.document import sweep_svg
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.tables import Cell, Link, Table
from workbench.presentation.verdicts import STYLES
from workbench.records.queue import ItemFilter
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS, HumanLabel, VerdictLabel
from workbench.services.calibration import (
    CONFIDENCE,
    RATE_TARGET,
    TARGET,
    Calibration,
    JudgeLimits,
    ThresholdObjective,
    thresholds,
)
from workbench.services.database import Database
from workbench.services.references.labels import cached_references, save_reference_threshold

USED_BY = (
    "A saved threshold changes no verdict. A run that names it (`workbench verify --threshold ID`, "
    "`threshold` in a program) says which citations it accepts, which it rejects and which are left "
    "to a person; Policies shows what it would hold back."
)


def render_limits(database: Database, calibration: Calibration) -> tuple[JudgeLimits, ...]:
    """Draw what one's own labels make of each judge's limit, and save it where it is admitted.

    Returns the limits, which reports hold too.
    """
    st.header(fitted_limits.TITLE, anchor=False)
    said = st.container()
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        target = float(
            st.number_input(
                "Target of a fitted limit", 0.5, 0.99, RATE_TARGET, 0.01, key="calibrate-rate-target",
                bind="query-params", help="What the 90 % lower bounds of sensitivity and "
                                          "specificity must hold on the labels kept apart.", width=280,
            )
        )  # fmt: skip
        limits = thresholds.limits_of_judges(
            database, calibration.judge, calibration.split, target=target, labels=calibration.labels
        )
        pressed = bool(limits[0].admitted) and st.button(
            "Save the fitted limit", key="calibrate-save-fitted"
        )
    for sentence in fitted_limits.limits_text(limits[0]):
        said.markdown(escape_markdown(sentence))
    if pressed:
        threshold = thresholds.save_limits(
            database,
            calibration.judge,
            calibration.split,
            by=session.reviewer(),
            target=target,
            labels=calibration.labels,
        )
        st.success(f"Saved as {threshold.id}. {USED_BY}")
    table = fitted_limits.limits_table(limits)
    if table:
        render_table(table, "calibrate-limits")
        st.caption(fitted_limits.METHOD)
    return limits


def render_threshold(database: Database, calibration: Calibration) -> None:
    """Draw the sweep, the guarantee, the abstain band and the saved threshold."""
    st.header("Threshold", anchor=False)
    if not calibration.cuts:
        st.caption(text.guarantee_text(calibration.guarantee))
        return
    left, right = st.columns([58, 42], gap="large")
    chart = sweep_svg(calibration.cuts, calibration.threshold)
    left.markdown(chart, unsafe_allow_html=True)  # numbers and our own words
    with right:
        with st.container(key="calibrate-guarantee"):
            _guarantee(calibration)
        _save(database, calibration)
    render_table(threshold_table(calibration), "calibrate-cuts", on_pick=_use_threshold)
    if text.alone_text(calibration):
        st.caption(text.alone_text(calibration))


def _use_threshold(link: Link) -> None:
    """Choose the threshold of a row by hand."""
    st.session_state["calibrate-aim"] = "manual"
    st.session_state[OWN_THRESHOLD] = float(link.query[OWN_THRESHOLD])


def _guarantee(calibration: Calibration) -> None:
    if calibration.aim.kind == "manual":
        st.warning("Chosen by hand: nothing guarantees its precision on other citations.")
    st.markdown(f"**Abstain band.** {escape_markdown(text.band_text(calibration))}")
    for edge in calibration.band:
        if edge.holds:
            st.caption(escape_markdown(edge.sentence))
    st.caption(escape_markdown(text.forecast_text(calibration)))


def _save(database: Database, calibration: Calibration) -> None:
    problems = {band: thresholds.refusal(calibration, band=band) for band in (False, True)}
    for problem in dict.fromkeys(filter(None, problems.values())):
        st.caption(escape_markdown(problem))
    if not all(problems.values()):
        note = st.text_input("Note", key="calibrate-note", max_chars=200)
        with st.container(horizontal=True):
            threshold = st.button(
                "Save this threshold", key="calibrate-save", disabled=bool(problems[False])
            )
            band = st.button(
                "Save this band", key="calibrate-save-band", disabled=bool(problems[True])
            )
            if calibration.threshold is not None:
                link = items_link(near_filter(calibration, calibration.threshold))
                label = "Unlabelled items near this threshold"
                st.page_link(link.file, label=label, query_params=dict(link.query))
        if threshold or band:
            by = session.reviewer()
            saved = thresholds.save_threshold(database, calibration, by=by, note=note, band=band)
            st.success(f"Saved as {saved.id}. {USED_BY}")
    listed = thresholds_text(database, references=False)
    if listed:
        st.caption(f"{listed} {USED_BY}")


def thresholds_text(database: Database, *, references: bool) -> str:
    """The newest saved thresholds of judges, or of references; empty without any."""
    saved = [
        f"{one.id} ({'fabricated' if references else f'{one.judge}, accept'} from "
        f"{'never' if one.accept is None else f'{one.accept:.3f}'})"
        for one in thresholds.list_thresholds(database, references=references)[:5]
    ]
    return escape_markdown(f"Saved: {', '.join(saved)}.") if saved else ""


def confusion_table(calibration: Calibration) -> Table:
    """Human labels against the judge's, each number a link to its items."""
    counts = {(human, judge): n for human, judge, n in calibration.table.confusion}
    most = max(counts.values(), default=1) or 1

    def cell(human: HumanLabel, judge: VerdictLabel) -> Cell:
        number = counts[human, judge]
        return Cell(
            text=f"{number:,}",
            link=items_link(cell_filter(calibration, human, judge)) if number else None,
            accessible_label=f"{number:,}: people {STYLES[human].word.lower()}, "
            f"judge {STYLES[judge].word.lower()}",
            tone=number / most * 0.6,
        )

    table = sections.confusion_table(calibration.table)
    return Table.of(
        f"{table.accessible_label}; activate a number to see the items",
        (table.columns[0], *(STYLES[judge].short for judge in VERDICT_LABELS)),
        (
            (Cell(marks=(human,)), *(cell(human, judge) for judge in VERDICT_LABELS))
            for human in HUMAN_LABELS
            if any(counts[human, judge] for judge in VERDICT_LABELS)
        ),
        framed=True,
    )


OWN_THRESHOLD = "calibrate-at"
"""The query parameter, and the widget, of a threshold chosen by hand."""


def threshold_table(calibration: Calibration) -> Table:
    """What each threshold decides, each threshold a link that chooses it by hand."""
    table = sections.cuts_table(calibration)

    def cell(first: Cell, threshold: float) -> Cell:
        query = {"calibrate-aim": "manual", OWN_THRESHOLD: f"{threshold:.4g}"}
        return replace(
            first,
            link=Link(page="trust", query={"calibration": "true", **query}),
            accessible_label=f"Use this threshold {threshold:.4g}",
        )

    cuts = sections.listed_cuts(calibration.cuts, calibration.chosen)
    return replace(
        table,
        rows=tuple(
            (cell(row[0], cut.threshold), *row[1:])
            for row, cut in zip(table.rows, cuts, strict=True)
        ),
    )


def cell_filter(calibration: Calibration, human: HumanLabel, judge: VerdictLabel) -> ItemFilter:
    """The items of one cell of the confusion table."""
    return ItemFilter(
        gold=(human,),
        verdicts=(judge,),
        judge=calibration.judge.name,
        prompt=calibration.judge.prompt,
        split=calibration.split.id,
        parts=calibration.parts,
    )


def near_filter(calibration: Calibration, threshold: float, band: float = 0.05) -> ItemFilter:
    """The unlabelled items with a score near a threshold."""
    return ItemFilter(
        near=threshold,
        band=band,
        reviewed=False,
        judge=calibration.judge.name,
        prompt=calibration.judge.prompt,
    )


def render_references(database: Database) -> None:
    """Draw the figures of the checks of references, and their threshold."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        target = st.number_input(
            "Target", 0.5, 0.999, TARGET, 0.01, format="%.3f", key="references-target",
            help="Required share of fabricated works among those flagged as fabricated.",
        )  # fmt: skip
        confidence = st.number_input(
            "Confidence", 0.5, 0.999, CONFIDENCE, 0.01, format="%.3f",
            key="references-confidence",
        )  # fmt: skip
    aim = ThresholdObjective(target=float(target), confidence=float(confidence))
    calibration = cached_references(database, aim)
    if calibration is None:
        st.info(references.NO_REFERENCE_LABELS)
        return
    lines = "".join(
        f'<li dir="auto">{escape_html(sentence.text)}</li>'
        for sentence in references.reference_sentences(calibration)
    )
    st.html(f'<ol class="wb-sentences">{lines}</ol>')
    st.caption(escape_markdown(references.basis_text(calibration)))
    render_table(references.reference_figures_table(calibration), "references-figures")
    st.caption(escape_markdown(references.people_text(calibration.people)))
    render_table(references.reference_confusion_table(calibration), "references-confusion")
    cuts = references.reference_cuts_table(calibration)
    if cuts:
        render_table(cuts, "references-cuts")
        st.caption(escape_markdown(references.RANDOM_REFERENCES))
    note = st.text_input("Note", key="references-note", max_chars=200)
    if st.button(
        "Save this threshold", key="references-save", disabled=calibration.threshold is None
    ):
        saved = save_reference_threshold(
            database, calibration, aim, by=session.reviewer(), note=note
        )
        st.success(f"Saved as {saved.id}.")
    st.caption(thresholds_text(database, references=True))
