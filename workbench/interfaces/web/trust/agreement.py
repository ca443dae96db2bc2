"""Agreement on the Trust page: how far people agree, how the judge sways them, what is to settle."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.components.link_table import render_figures, render_table
from workbench.interfaces.web.guide.filter import chosen_guides, requested_guides
from workbench.interfaces.web.links import queue_link
from workbench.interfaces.web.query_params import select_in_url
from workbench.interfaces.web.trust import agreement_tables as tables
from workbench.presentation.escape import escape_markdown, run_label, truncate
from workbench.presentation.tables import Link
from workbench.records.evaluation import DisagreementCounts
from workbench.records.format import format_timestamp
from workbench.records.guide_versions import mixed_guides
from workbench.records.queue import ItemFilter
from workbench.records.review import Rating
from workbench.services.calibration import (
    Agreement,
    AutomationBias,
    EvidenceAgreement,
    FieldAgreement,
)
from workbench.services.calibration.agreement import (
    AgreementReport,
    LabelSelection,
    LabelSources,
    label_sources,
)
from workbench.services.database import Database


def chosen_labels(database: Database) -> LabelSelection:
    """The labels that the URL chooses."""
    of, days = st.query_params.get("of", ""), st.query_params.get("days", "")
    # to the minute, so that cached figures are reused for a while
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    kind, _, name = (of if of and of in _names(label_sources(database)) else "").partition(":")
    return LabelSelection(
        run=name if kind == "run" else None,
        queue=name if kind == "queue" else None,
        since=now - timedelta(days=int(days)) if days and days in tables.DAYS else None,
        first=st.query_params.get("basis") != "now",
        guides=requested_guides(),
    )


def _names(sources: LabelSources) -> dict[str, str]:
    """The queues and runs that have labels, by their names in the URL."""
    names = {"": "All labels"}
    for queue in sources.queues:
        names[f"queue:{queue.id}"] = f"Queue: {truncate(queue.name, 60)}"
    for run in sources.runs:
        name = run_label(run.name, 60)
        names[f"run:{run.id}"] = f"Run: {name}, {format_timestamp(run.created_at)}"
    return names


def _choose_labels(database: Database) -> None:
    """Draw the choice of labels, which writes it to the URL."""
    sources = label_sources(database)
    with st.container(key="agreement-scope"):
        left, middle, right = st.columns([50, 22, 28], vertical_alignment="bottom", gap="medium")
        with left:
            select_in_url("Labels of", "of", "agreement-of", _names(sources))
        with middle:
            select_in_url("From the last", "days", "agreement-days", tables.DAYS)
        with right:
            select_in_url("Compare", "basis", "agreement-basis", tables.BASIS)
        chosen_guides(sources.guide_counts, "agreement-guide")


def render_agreement(database: Database, report: AgreementReport, labels: LabelSelection) -> None:
    """Draw how far people agree on verdicts and evidence, and what is left to settle."""
    _choose_labels(database)
    st.caption(
        "1 is full agreement, 0 is what chance alone would give. Intervals are 95 %, over whole answers."
    )
    missing = tables.no_agreement(report.ratings, report.verdicts)
    if missing:
        st.info(escape_markdown(missing))
        st.page_link("pages/queues.py", label="Create a queue")
    else:
        mixed = mixed_guides(report.guide_counts)
        if mixed:
            st.warning(escape_markdown(mixed))
        _verdicts(report.verdicts, report.ratings, labels)
        _evidence(report.evidence)
    if report.against_gold:
        st.header("Each reviewer against gold", anchor=False)
        render_table(tables.gold_table(report.against_gold), "agreement-gold")
        disputed, compared = report.gold_disputed
        if disputed * 2 > compared:
            st.markdown(
                f"Reviewers disagreed on {disputed:,} of these {compared:,} items. These figures say whose "
                "label was kept, not how often a reviewer is right: gold labels of items on which they agree "
                "would be needed for that."
            )
        st.caption(
            "The gold label is the newest adjudication or, without one, the label of an imported "
            "data set that names no annotator. Labels are never compared with a gold label by the same person."
        )
    _fields(report.fields)
    _adjudication(report.disagreements, labels)
    _automation_bias(report.automation_bias)
    _references(report.references)


def _verdicts(agreement: Agreement, ratings: Sequence[Rating], labels: LabelSelection) -> None:
    st.header("Verdicts", anchor=False)
    st.text(tables.overall(agreement))
    st.caption(escape_markdown(tables.scale_text(agreement)))
    caution = tables.cautions(agreement)
    if caution:
        st.warning(escape_markdown(caution))
    render_table(tables.labels_table(agreement), "agreement-labels")
    st.header("Pairwise agreement", anchor=False)
    query = {name: value for name, value in st.query_params.items() if name != "pair"}
    links = [
        Link(page="trust", query=query | {"pair": str(number)})
        for number in range(len(agreement.pairs))
    ]
    render_table(tables.pairs_table(agreement, links), "agreement-pairs")
    requested = st.query_params.get("pair", "")
    # the reviewer's own pair by default
    me = session.typed_name()
    own_pairs = (n for n, pair in enumerate(agreement.pairs) if me in (pair.first, pair.second))
    exists = requested.isdecimal() and int(requested) < len(agreement.pairs)
    pair = agreement.pairs[int(requested) if exists else next(own_pairs, 0)]
    st.markdown(f"### {escape_markdown(pair.first, 40)} and {escape_markdown(pair.second, 40)}")
    with st.container(key="two-pair"):
        left, right = st.columns([58, 42], gap="large")
    with left:
        render_table(
            tables.confusion_table(ratings, pair.first, pair.second, labels), "agreement-confusion"
        )
    with right:
        render_table(tables.pair_labels_table(pair), "agreement-pair-labels")


def _evidence(agreement: EvidenceAgreement) -> None:
    st.header("Evidence", anchor=False)
    missing = tables.no_evidence(agreement)
    if missing:
        st.caption(escape_markdown(missing))
        return
    st.text(f"Selected by two or more in the same text: n = {agreement.items:,}")
    render_table(tables.evidence_table(agreement), "agreement-evidence")


def _references(agreement: Agreement) -> None:
    """Agreement on the entries of reference lists; nothing where no two people decided on one."""
    if not agreement.items:
        return
    st.header("References", anchor=False)
    st.text(tables.references_text(agreement))
    render_table(tables.decisions_table(agreement), "agreement-decisions")
    render_table(tables.reference_pairs_table(agreement), "agreement-reference-pairs")


def _fields(fields: Sequence[tuple[str, FieldAgreement]]) -> None:
    """Agreement on what queues ask beside the label; nothing where none was answered."""
    if not fields:
        return
    st.header("Queue questions", anchor=False)
    for number, (queue, of_queue) in enumerate(groupby(fields, key=itemgetter(0))):
        st.text(truncate(queue, 80))
        render_table(
            tables.fields_table([field for _, field in of_queue]), f"agreement-fields-{number}"
        )
    st.caption(
        "One option: nominal α. Several options: each option by itself, chosen or not. Scores: "
        "ordinal and interval α. Text answers have no measure of agreement here."
    )


def _adjudication(counts: DisagreementCounts, labels: LabelSelection) -> None:
    st.header("Adjudication", anchor=False)
    render_figures(tables.adjudication_figures(counts, labels), "agreement-settling")
    disputes = tables.disputes_text(counts)
    if disputes:
        st.caption(escape_markdown(disputes))
    if counts.differ:
        st.progress(
            counts.settled / counts.differ, text=f"{counts.settled:,} of {counts.differ:,} settled"
        )
    if counts.differ > counts.settled:
        link = settle_link(labels)
        st.page_link(
            link.file,
            label="Create adjudication queue",
            icon=":material/gavel:",
            query_params=dict(link.query),
        )
    st.caption(
        "The adjudicator's label is the gold label. Without one, the label of more than half of the reviewers is used."
    )


def settle_link(labels: LabelSelection) -> Link:
    """The form of a queue of what is left to settle."""
    return queue_link(
        ItemFilter(
            runs=(labels.run,) if labels.run else (),
            queue=labels.queue or "",
            reviewers_differ=True,
        )
    )


def _automation_bias(bias: AutomationBias) -> None:
    st.header(tables.AUTOMATION_BIAS, anchor=False)
    missing = tables.no_automation_bias(bias)
    if missing:
        st.caption(escape_markdown(missing))
        return
    st.text(f"n = {bias.shown:,} blind decisions after which the judge was shown")
    render_table(tables.automation_bias_table(bias), "agreement-pull")
    st.caption(
        "Labels can also change on a second look. Compare how many switched to the judge's label "
        "with how many switched away."
    )
