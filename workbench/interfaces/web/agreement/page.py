"""Agreement: how far reviewers agree, how the judge influences them, what remains to be settled."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter

import streamlit as st

from workbench.interfaces.web import session
from workbench.interfaces.web.agreement import text
from workbench.interfaces.web.agreement.tables import (
    adjudication_figures,
    automation_bias_table,
    confusion_table,
    decisions_table,
    evidence_table,
    fields_table,
    gold_table,
    labels_table,
    pair_labels_table,
    pairs_table,
    reference_pairs_table,
)
from workbench.interfaces.web.components.link_table import render_figures, render_table
from workbench.interfaces.web.examples.banner import render_examples_banner
from workbench.interfaces.web.guide.filter import chosen_guides
from workbench.interfaces.web.links import queue_link
from workbench.interfaces.web.reviewer_identity import render_identity
from workbench.presentation import charts
from workbench.presentation.escape import escape_markdown, run_label, truncate
from workbench.presentation.tables import Link
from workbench.presentation.verdicts import MARKS
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
from workbench.services.calibration.agreement import LabelSelection, agreement_report, label_sources
from workbench.services.database import Database


def render_agreement() -> None:
    """Draw the page."""
    words, person = st.columns([74, 26], vertical_alignment="center")
    with person, st.container(horizontal=True, horizontal_alignment="right"):
        render_identity()
    words.html(
        '<div class="wb-head"><h1>Agreement</h1><p class="wb-quiet">How far reviewers agree on '
        "verdicts and evidence. 1 is full agreement, 0 is what chance alone would give. Intervals "
        "are 95 %, over whole answers.</p></div>"
    )
    render_examples_banner()
    database = session.database()
    labels = _selection(database)
    report = agreement_report(database, labels)
    missing = text.no_agreement(report.ratings, report.verdicts)
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
        render_table(gold_table(report.against_gold), "agreement-gold")
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


def _selection(database: Database) -> LabelSelection:
    sources = label_sources(database)
    names = {"": "All labels"}
    for queue in sources.queues:
        names[f"queue:{queue.id}"] = f"Queue: {truncate(queue.name, 60)}"
    for run in sources.runs:
        name = run_label(run.name, 60)
        names[f"run:{run.id}"] = f"Run: {name}, {format_timestamp(run.created_at)}"
    with st.container(key="agreement-scope"):
        left, middle, right = st.columns([50, 22, 28], vertical_alignment="bottom", gap="medium")
        with left:
            source = _choice("Labels of", "of", names)
        with middle:
            days = _choice("From the last", "days", text.DAYS)
        with right:
            basis = _choice("Compare", "basis", text.BASIS)
        guides = chosen_guides(sources.guide_counts, "agreement-guide")
    kind, _, name = source.partition(":")
    return LabelSelection(
        run=name if kind == "run" else None,
        queue=name if kind == "queue" else None,
        # to the minute, so that cached figures are reused for a while
        since=_minute() - timedelta(days=int(days)) if days else None,
        first=not basis,
        guides=guides,
    )


def _minute() -> datetime:
    return datetime.now(UTC).replace(second=0, microsecond=0)


def _choice(label: str, name: str, words: dict[str, str]) -> str:
    """A select box bound to the URL."""
    requested = st.query_params.get(name, "")

    def choose() -> None:
        chosen = st.session_state[f"agreement-{name}"]
        if chosen:
            st.query_params[name] = chosen
        else:
            st.query_params.pop(name, None)

    st.session_state[f"agreement-{name}"] = requested if requested in words else ""
    return st.selectbox(
        label,
        list(words),
        format_func=lambda value: words[value],
        key=f"agreement-{name}",
        on_change=choose,
    )


def _verdicts(agreement: Agreement, ratings: Sequence[Rating], labels: LabelSelection) -> None:
    st.header("Verdicts", anchor=False)
    st.text(text.overall(agreement))
    st.caption(escape_markdown(text.scale_text(agreement)))
    caution = text.cautions(agreement)
    if caution:
        st.warning(escape_markdown(caution))
    with st.container(key="two-labels"):
        left, right = st.columns([46, 54], gap="large")
    with left:
        coefficients = zip(text.CHART_ROWS, (agreement.alpha, agreement.ordinal_alpha), strict=True)
        by_label = sorted(agreement.labels, key=lambda label: _mark_index(label.label))
        st.altair_chart(
            charts.interval_chart(
                [(words, figure, "pending") for words, figure in coefficients]
                + [(label.label, label.chance_corrected, label.label) for label in by_label],
                title="α of each label",
                subtitle=f"n = {agreement.items:,} citations labelled twice or more",
            ),
            key="agreement-chart",
            alt="Krippendorff's alpha of each label with its interval; the table has the numbers",
        )
    with right:
        render_table(labels_table(agreement), "agreement-labels")
    st.header("Pairwise agreement", anchor=False)
    query = {name: value for name, value in st.query_params.items() if name != "pair"}
    links = [
        Link(page="agreement", query=query | {"pair": str(number)})
        for number in range(len(agreement.pairs))
    ]
    render_table(pairs_table(agreement, links), "agreement-pairs")
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
            confusion_table(ratings, pair.first, pair.second, labels), "agreement-confusion"
        )
    with right:
        render_table(pair_labels_table(pair), "agreement-pair-labels")


def _mark_index(label: str) -> int:
    return next((index for index, mark in enumerate(MARKS) if mark == label), len(MARKS))


def _evidence(agreement: EvidenceAgreement) -> None:
    st.header("Evidence", anchor=False)
    missing = text.no_evidence(agreement)
    if missing:
        st.caption(escape_markdown(missing))
        return
    st.text(f"Selected by two or more in the same text: n = {agreement.items:,}")
    render_table(evidence_table(agreement), "agreement-evidence")


def _references(agreement: Agreement) -> None:
    """Agreement on the entries of reference lists; nothing where no two people decided on one."""
    if not agreement.items:
        return
    st.header("References", anchor=False)
    st.text(text.references_text(agreement))
    render_table(decisions_table(agreement), "agreement-decisions")
    render_table(reference_pairs_table(agreement), "agreement-reference-pairs")


def _fields(fields: Sequence[tuple[str, FieldAgreement]]) -> None:
    """Agreement on what queues ask beside the label; nothing where none was answered."""
    if not fields:
        return
    st.header("Queue questions", anchor=False)
    for number, (queue, of_queue) in enumerate(groupby(fields, key=itemgetter(0))):
        st.text(truncate(queue, 80))
        render_table(fields_table([field for _, field in of_queue]), f"agreement-fields-{number}")
    st.caption(
        "One option: nominal α. Several options: each option by itself, chosen or not. Scores: "
        "ordinal and interval α. Text answers have no measure of agreement here."
    )


def _adjudication(counts: DisagreementCounts, labels: LabelSelection) -> None:
    st.header("Adjudication", anchor=False)
    render_figures(adjudication_figures(counts, labels), "agreement-settling")
    disputes = text.disputes_text(counts)
    if disputes:
        st.caption(escape_markdown(disputes))
    if counts.differ:
        st.progress(
            counts.settled / counts.differ, text=f"{counts.settled:,} of {counts.differ:,} settled"
        )
    if counts.differ > counts.settled:
        link = queue_link(
            ItemFilter(
                runs=(labels.run,) if labels.run else (),
                queue=labels.queue or "",
                reviewers_differ=True,
            )
        )
        st.page_link(
            link.file,
            label="Create adjudication queue",
            icon=":material/gavel:",
            query_params=dict(link.query),
        )
    st.caption(
        "The adjudicator's label is the gold label. Without one, the label of more than half of the reviewers is used."
    )


def _automation_bias(bias: AutomationBias) -> None:
    st.header(text.AUTOMATION_BIAS, anchor=False)
    missing = text.no_automation_bias(bias)
    if missing:
        st.caption(escape_markdown(missing))
        return
    st.text(f"n = {bias.shown:,} blind decisions after which the judge was shown")
    render_table(automation_bias_table(bias), "agreement-pull")
    st.caption(
        "Labels can also change on a second look. Compare how many switched to the judge's label "
        "with how many switched away."
    )
