"""Agreement: how far reviewers agree, how far the judge pulls them, what is left to settle."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import streamlit as st

from workbench.calibration import (
    Agreement,
    AutomationBias,
    EvidenceAgreement,
    agreement,
    automation_bias,
    evidence_agreement,
)
from workbench.interfaces.web import session
from workbench.interfaces.web.agreement.data import (
    Scope,
    adjudication_figures,
    cautions,
    confusion_table,
    evidence_table,
    evidence_words,
    labels_table,
    missing,
    pair_labels_table,
    pairs_table,
    pull_table,
    pull_words,
    scale_words,
)
from workbench.interfaces.web.components.link_table import draw_figures, draw_table
from workbench.interfaces.web.guide.filter import chosen_guides
from workbench.interfaces.web.links import Link, queue_link
from workbench.interfaces.web.reviewer_identity import draw_identity
from workbench.presentation import charts
from workbench.presentation.escape import escape_markdown, truncate
from workbench.presentation.verdicts import MARKS
from workbench.records import BlindDecision, ItemFilter, Rating
from workbench.records.format import format_timestamp
from workbench.services.calibration.guide_versions import mixed_guides
from workbench.store import AgreementQueries, Queues, ReviewerLabels

_DAYS = {"": "All time", "7": "7 days", "30": "30 days", "90": "90 days"}
_BASIS = {"": "First decisions", "now": "What stands now"}


def draw_agreement() -> None:
    """Draw the page.

    Raises:
        StoreError: The database cannot be used.
    """
    words, person = st.columns([74, 26], vertical_alignment="center")
    with person, st.container(horizontal=True, horizontal_alignment="right"):
        draw_identity()
    words.html(
        '<div class="wb-head"><h1>Agreement</h1><p class="wb-quiet">How far reviewers agree on '
        "verdicts and evidence. 1 is full agreement, 0 is what chance alone would give. Intervals "
        "are 95 %, over whole answers.</p></div>"
    )
    scope = _scope()
    reviews = AgreementQueries(session.database())
    where = {"run_id": scope.run, "queue_id": scope.queue}
    ratings = tuple(
        reviews.ratings(
            run_id=scope.run,
            queue_id=scope.queue,
            first=scope.first,
            since=scope.since,
            guides=scope.guides,
        )
    )
    found = _agreement(ratings)
    told = missing(ratings, found)
    if told:
        st.info(escape_markdown(told))
        st.page_link("pages/queues.py", label="Build a queue")
    else:
        _caution(scope)
        _verdicts(found, ratings, scope)
        _evidence(_evidence_agreement(ratings))
    _settling(reviews, scope)
    _pull(_judge_pull(tuple(reviews.blind_decisions(**where, since=scope.since))))


# the figures of the same labels are the same; with one label more they are drawn up anew
@lru_cache(maxsize=4)
def _agreement(ratings: tuple[Rating, ...]) -> Agreement:
    return agreement(ratings)


@lru_cache(maxsize=4)
def _evidence_agreement(ratings: tuple[Rating, ...]) -> EvidenceAgreement:
    return evidence_agreement(ratings)


@lru_cache(maxsize=4)
def _judge_pull(decisions: tuple[BlindDecision, ...]) -> AutomationBias:
    return automation_bias(decisions)


def _caution(scope: Scope) -> None:
    """Warn where the figures mix labels that were given by different versions of the guide."""
    told = mixed_guides(
        AgreementQueries(session.database()).guide_counts(
            run_id=scope.run, queue_id=scope.queue, since=scope.since, guides=scope.guides
        )
    )
    if told:
        st.warning(escape_markdown(told))


def _scope() -> Scope:
    store = session.database()
    names = {"": "All labels"}
    for line in Queues(store).list_queues(closed=True):
        names[f"queue:{line.queue.id}"] = f"Queue: {truncate(line.queue.name, 60)}"
    for run in store.list_runs():
        if run.labelled:
            name = truncate(run.name or run.id, 60)
            names[f"run:{run.id}"] = f"Run: {name}, {format_timestamp(run.created_at)}"
    with st.container(key="agreement-scope"):
        one, two, three = st.columns([50, 22, 28], vertical_alignment="bottom", gap="medium")
        with one:
            of = _choice("Labels of", "of", names)
        with two:
            days = _choice("From the last", "days", _DAYS)
        with three:
            basis = _choice("Compare", "basis", _BASIS)
        guides = chosen_guides(ReviewerLabels(store).guide_counts(reviews=True), "agreement-guide")
    kind, _, name = of.partition(":")
    return Scope(
        run=name if kind == "run" else None,
        queue=name if kind == "queue" else None,
        # the minute is enough, and lets what was drawn up stand for a while
        since=_minute() - timedelta(days=int(days)) if days else None,
        first=not basis,
        guides=guides,
    )


def _minute() -> datetime:
    return datetime.now(UTC).replace(second=0, microsecond=0)


def _choice(label: str, name: str, words: dict[str, str]) -> str:
    """A choice that stands in the address."""
    asked = st.query_params.get(name, "")

    def choose() -> None:
        chosen = st.session_state[f"agreement-{name}"]
        if chosen:
            st.query_params[name] = chosen
        else:
            st.query_params.pop(name, None)

    st.session_state[f"agreement-{name}"] = asked if asked in words else ""
    return st.selectbox(
        label,
        list(words),
        format_func=lambda value: words[value],
        key=f"agreement-{name}",
        on_change=choose,
    )


def _verdicts(found: Agreement, ratings: Sequence[Rating], scope: Scope) -> None:
    st.header("Verdicts", anchor=False)
    st.text(
        f"Raw agreement {found.raw.text}   ·   "
        f"Krippendorff's α {found.alpha.text}   ·   "
        f"ordinal α {found.ordinal_alpha.text}   ·   "
        f"{found.ratings:,} labels of {len(found.raters)} reviewers"
    )
    st.caption(escape_markdown(scale_words(found)))
    care = cautions(found)
    if care:
        st.warning(escape_markdown(care))
    with st.container(key="two-labels"):
        left, right = st.columns([46, 54], gap="large")
    with left:
        st.altair_chart(
            charts.interval_chart(
                [
                    ("All labels, α", found.alpha, "pending"),
                    ("Support scale, ordinal α", found.ordinal_alpha, "pending"),
                ]
                + [
                    (one.label, one.chance_corrected, one.label)
                    for one in sorted(found.labels, key=lambda one: _place(one.label))
                ],
                title="α of each label",
                subtitle=f"n = {found.items:,} citations labelled twice or more",
            ),
            key="agreement-chart",
            alt="Krippendorff's alpha of each label with its interval; the table has the numbers",
        )
    with right:
        draw_table(labels_table(found), "agreement-labels")
    st.header("Two by two", anchor=False)
    kept = {name: value for name, value in st.query_params.items() if name != "pair"}
    ways = [
        Link(page="agreement", query=kept | {"pair": str(number)})
        for number in range(len(found.pairs))
    ]
    draw_table(pairs_table(found, ways), "agreement-pairs")
    asked = st.query_params.get("pair", "")
    # unless another pair is asked for, the reviewer's own
    me = session.typed_name()
    own = (n for n, pair in enumerate(found.pairs) if me in (pair.first, pair.second))
    known = asked.isdecimal() and int(asked) < len(found.pairs)
    number = int(asked) if known else next(own, 0)
    pair = found.pairs[number]
    st.markdown(f"### {escape_markdown(pair.first, 40)} and {escape_markdown(pair.second, 40)}")
    with st.container(key="two-pair"):
        left, right = st.columns([58, 42], gap="large")
    with left:
        draw_table(confusion_table(ratings, pair.first, pair.second, scope), "agreement-confusion")
    with right:
        draw_table(pair_labels_table(pair), "agreement-pair-labels")


def _place(label: str) -> int:
    return next((place for place, mark in enumerate(MARKS) if mark == label), len(MARKS))


def _evidence(found: EvidenceAgreement) -> None:
    st.header("Evidence", anchor=False)
    told = evidence_words(found)
    if told:
        st.caption(escape_markdown(told))
        return
    st.text(f"Selected by two or more in the same text: n = {found.items:,}")
    draw_table(evidence_table(found), "agreement-evidence")


def _settling(reviews: AgreementQueries, scope: Scope) -> None:
    st.header("Settling", anchor=False)
    found = reviews.disputes(run_id=scope.run, queue_id=scope.queue)
    draw_figures(adjudication_figures(found, scope), "agreement-settling")
    if found.differ:
        done = found.settled / found.differ
        st.progress(done, text=f"{found.settled:,} of {found.differ:,} settled")
    open_ones = ItemFilter(
        runs=(scope.run,) if scope.run else (), queue=scope.queue or "", reviewers_differ=True
    )
    if found.differ > found.settled:
        way = queue_link(open_ones)
        st.page_link(
            way.file,
            label="Make an adjudication queue",
            icon=":material/gavel:",
            query_params=dict(way.query),
        )
    st.caption(
        "What an adjudicator decides is the gold label of a citation, whatever others said. "
        "Without one, it is the label that more than half of its reviewers gave."
    )


def _pull(found: AutomationBias) -> None:
    st.header("The pull of the judge", anchor=False)
    told = pull_words(found)
    if told:
        st.caption(escape_markdown(told))
        return
    st.text(truncate(f"n = {found.shown:,} blind decisions after which the judge was shown"))
    draw_table(pull_table(found), "agreement-pull")
    st.caption(
        "A decision that changed after the judge was shown need not have changed because of it: a "
        "second look alone changes some. Compare those who took the judge's label over with those "
        "who left it."
    )
