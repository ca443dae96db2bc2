"""The form that creates a queue: what, who, how many look at each; filters and settings folded."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from workbench.errors import ERROR_KINDS, UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.filters import address_of, filter_of, filter_text
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.questions import render_fields
from workbench.interfaces.web.queues.references import reference_filter_text
from workbench.interfaces.web.queues.sentences import sentence_filter_text
from workbench.interfaces.web.reviewer_identity import with_name
from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import escape_markdown, run_label, truncate
from workbench.presentation.reference_styles import FINDINGS
from workbench.presentation.verdicts import ERROR_TEXT, FAULT_TEXT, STYLES
from workbench.records.bibliography import REFERENCE_STATUSES
from workbench.records.fields import ReviewField
from workbench.records.format import word_for
from workbench.records.queue import (
    ItemFilter,
    Queue,
    ReferenceFilter,
    SentenceFilter,
    parse_filter,
)
from workbench.records.review import FAULTS
from workbench.records.text import Json
from workbench.records.transfer import EXAMPLE_SUFFIX
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS
from workbench.services.examples import example_contents
from workbench.services.repositories import CitationQuery, LabelRepository, Queues
from workbench.services.runs import list_runs

MADE, PROBLEM = "queue-made", "queue-problem"
"""Session: the name of the queue that was just created; why it could not be."""


def render_form(reviewer: str) -> None:
    """Draw the form, initialised from the filter in the URL."""
    address = st.query_params.get("q", "")
    try:
        asked = filter_of(address)
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        asked = ItemFilter()
    database = session.database()
    names = {run.id: run_label(run.name, 60) for run in list_runs(database)}
    if not asked.examples and example_contents(database).present:
        # a queue is of one's own work or of examples, never of both
        own = replace(asked, examples=False)
        asked = replace(own, examples=not CitationQuery(database).count(own))
    main, folded = st.container(), st.expander("Filters")
    with main:
        what, who, how_many = st.columns([44, 36, 20])
    with what:
        runs = _several("What", "runs", asked.runs, names, "Everything with a verdict")
    with folded:
        kind = st.segmented_control(
            "Items",
            list(texts.ITEM_KINDS),
            default="citations",
            format_func=lambda name: texts.ITEM_KINDS[name],
            key="queue-kind",
        )
        chosen: ItemFilter | ReferenceFilter | SentenceFilter
        if kind == "sentences":
            queues = Queues(database)
            real = SentenceFilter(runs=runs, examples=False)
            examples = _examples_only("sentence-examples", not queues.count_sentences(real))
            sentences = SentenceFilter(runs=runs, examples=examples)
            chosen, count = sentences, queues.count_sentences(sentences)
        elif kind == "references":
            chosen = _reference_filter(runs)
            count = Queues(database).count_references(chosen)
        else:
            chosen = _citation_filter(replace(asked, runs=runs))
            count = CitationQuery(database).count(chosen)
            # the URL contains the filter, so that it can be shared and survives a reload
            if address_of(chosen):
                st.query_params["q"] = address_of(chosen)
            else:
                st.query_params.pop("q", None)
    names_of_people = [
        name
        for name in LabelRepository(database).reviewers()
        if chosen.examples or not name.endswith(EXAMPLE_SUFFIX)
    ]
    with who:
        people = st.multiselect(
            "Who",
            dict.fromkeys([*filter(None, [reviewer]), *names_of_people]),
            key="queue-people",
            accept_new_options=True,
            placeholder="Everyone, or type names",
        )
    with how_many:
        reviews = st.number_input("Reviews per item", 1, 20, value=1, key="queue-reviews")
    usual = _filter_text(replace(chosen, examples=None), names).removeprefix("In ")
    create = _settings(chosen, usual, people, int(reviews))
    left, right = st.columns([70, 30], vertical_alignment="center")
    left.html(
        f'<p class="wb-count"><b>{count:,}</b> {word_for(count, "item matches", "items match")}</p>'
    )
    left.caption(escape_markdown(_filter_text(chosen, names)))
    right.button(
        "Create queue",
        key="queue-build",
        type="primary",
        disabled=not count or create is None,
        width="stretch",
        on_click=with_name,
        args=(lambda name: _create(create, name),),
    )
    problem = st.session_state.pop(PROBLEM, "")
    if problem:
        st.error(escape_markdown(problem))


def _create(create: Callable[[str], Queue] | None, reviewer: str) -> None:
    """Create the queue by the reviewer's name, and clear the form."""
    if create is None:
        return
    try:
        made = create(reviewer).name
    except UsageError as error:
        st.session_state[PROBLEM] = str(error)
        return
    st.query_params.pop("q", None)
    for key in [key for key in st.session_state if str(key).startswith("queue-")]:
        if key != "queue-seat":
            del st.session_state[key]
    st.session_state[MADE] = made
    st.session_state["new-queue"] = False


def _filter_text(
    chosen: ItemFilter | ReferenceFilter | SentenceFilter, names: Mapping[str, str]
) -> str:
    if isinstance(chosen, ItemFilter):
        return filter_text(chosen, names)
    if isinstance(chosen, SentenceFilter):
        return sentence_filter_text(chosen, names)
    return reference_filter_text(chosen, names)


def _examples_only(name: str, preset: bool | None) -> bool | None:
    """Whether the items are examples; None in a workspace without any."""
    if not example_contents(session.database()).present:
        return None
    return st.toggle("Examples only", value=bool(preset), key=f"queue-{name}")


def _reviewed(preset: bool | None = None) -> bool | None:
    return st.selectbox(
        "Reviewed",
        list(texts.REVIEWED_CHOICES),
        index=list(texts.REVIEWED_CHOICES).index(preset),
        format_func=lambda value: texts.REVIEWED_CHOICES[value],
        key="queue-reviewed",
    )


def _reference_filter(runs: tuple[str, ...]) -> ReferenceFilter:
    left, right = st.columns(2)
    with left:
        statuses = _several(
            "Finding",
            "reference-statuses",
            (),
            {status: FINDINGS[status].word for status in REFERENCE_STATUSES},
        )
    with right:
        labelled = _reviewed()
    own = ReferenceFilter(examples=False)
    return ReferenceFilter(
        runs=runs,
        statuses=tuple(status for status in REFERENCE_STATUSES if status in statuses),
        retracted=st.toggle("Retracted works only", key="queue-reference-retracted"),
        labelled=labelled,
        reviewers_differ=st.toggle("Reviewers disagree", key="queue-reference-differ"),
        examples=_examples_only(
            "reference-examples", not Queues(session.database()).count_references(own)
        ),
    )


def _citation_filter(preset: ItemFilter) -> ItemFilter:
    facets = CitationQuery(session.database()).choices(ItemFilter(runs=preset.runs))
    verdict_words = {label: style.word for label, style in STYLES.items()}
    errors = {str(kind): ERROR_TEXT[kind] for kind in ERROR_KINDS if kind in facets.error_kinds}
    lists: dict[str, tuple[str, Mapping[str, str]]] = {
        "verdicts": ("Judge's verdict", _counted(VERDICT_LABELS, facets.verdicts, verdict_words)),
        "labels": ("Label", _counted(HUMAN_LABELS, facets.labels, verdict_words)),
        "reviewers": ("Reviewer", _counted(facets.reviewers, facets.reviewers)),
        "hosts": ("Hosts", _counted(facets.hosts, facets.hosts, {"": "no host"})),
        "kinds": ("Citation types", _counted(facets.kinds, facets.kinds, KIND_TEXT)),
        "error_kinds": ("Error", _counted(errors, facets.error_kinds, errors)),
        "tags": ("Tags", _counted(facets.tags, facets.tags)),
        "faults": ("Error source", {fault: FAULT_TEXT[fault] for fault in FAULTS}),
    }
    columns = st.columns(3)
    conditions: dict[str, Json] = {}
    for place, (name, (label, options)) in enumerate(lists.items()):
        with columns[place % 3]:
            conditions[name] = [*_several(label, name, getattr(preset, name), options)]
    with columns[2]:
        differs = st.multiselect(
            "Disagreement",
            list(texts.DISAGREEMENTS),
            default=[name for name in texts.DISAGREEMENTS if getattr(preset, name)],
            format_func=lambda name: texts.DISAGREEMENTS[name],
            key="queue-differs",
            placeholder="any",
        )
    with columns[0]:
        conditions["reviewed"] = _reviewed(preset.reviewed)
        conditions["words"] = st.text_input(
            texts.WORDS, value=preset.words, key="queue-words", max_chars=200
        ).strip()
    with columns[1]:
        conditions["confidence_below"] = _share(
            "Confidence below", "below", preset.confidence_below
        )
        conditions["examples"] = _examples_only("examples", preset.examples)
    with columns[2]:
        near = _share("Score near", "near", preset.near, texts.NEAR_HELP)
        band = st.number_input(
            "Within",
            0.01,
            1.0,
            value=preset.band,
            step=0.05,
            key="queue-band",
            disabled=near is None,
        )
    conditions |= {"near": near, "band": preset.band if near is None else band}
    conditions |= {name: name in differs for name in texts.DISAGREEMENTS}
    known = preset.to_dict() | conditions
    return parse_filter({name: value for name, value in known.items() if value is not None})


def _share(label: str, name: str, preset: float | None, meaning: str | None = None) -> float | None:
    return st.number_input(
        label,
        0.0,
        1.0,
        value=preset,
        step=0.05,
        key=f"queue-{name}",
        placeholder="any",
        help=meaning,
    )


def _settings(
    chosen: ItemFilter | ReferenceFilter | SentenceFilter,
    usual: str,
    people: Sequence[str],
    reviews: int,
) -> Callable[[str], Queue] | None:
    """Draw the settings and the questions; what creates the queue, None while a question is invalid."""
    references = chosen if isinstance(chosen, ReferenceFilter) else None
    sentences = chosen if isinstance(chosen, SentenceFilter) else None
    citations = chosen if isinstance(chosen, ItemFilter) else ItemFilter()
    with st.expander("Name, order and purpose"):
        left, middle, right = st.columns(3)
        with left:
            name = st.text_input("Queue name", key="queue-name", max_chars=120, placeholder=usual)
            blind = sentences is None and st.toggle(
                "Blind", key="queue-blind", help=texts.BLIND_HELP
            )
        with middle:
            order = st.selectbox(
                "Order",
                list(texts.ORDER_TEXT),
                format_func=lambda o: texts.ORDER_TEXT[o],
                key="queue-order",
            )
            seed = st.number_input(
                "Seed",
                0,
                2**31 - 1,
                value=0,
                key="queue-seed",
                disabled=order != "random",
                help="The same seed gives the same random order.",
            )
        with right:
            role = st.selectbox(
                "Purpose",
                list(texts.ROLE_TEXT)[: 1 if sentences else None],
                format_func=lambda r: texts.ROLE_TEXT[r],
                key="queue-role",
                help="Adjudication: one label settles a disagreement between reviewers.",
                index=1 if getattr(chosen, "reviewers_differ", False) else 0,
            )
            limit = st.number_input(
                "At most",
                1,
                value=None,
                key="queue-limit",
                placeholder="all",
                help="Takes the first N items in this order.",
            )
    fields = () if references or sentences else render_fields(_fields_before(citations))
    if role == "adjudication":
        st.caption(texts.WHO_SETTLES)
    if blind and (references.reveals_finding if references else citations.reveals_verdict):
        hidden = "finding" if references else "judge's verdict"
        st.warning(f"This filter reveals the {hidden}, so the queue would not be blind.")
    if fields is None:
        return None
    return lambda reviewer: Queues(session.database()).build(
        name or usual,
        citations,
        created_by=reviewer,
        order=order,
        seed=int(seed),
        blind=blind,
        reviews=reviews,
        reviewers=people,
        role=role,
        limit=int(limit) if limit else None,
        references=references,
        sentences=sentences,
        fields=fields,
    )


def _fields_before(chosen: ItemFilter) -> tuple[ReviewField, ...]:
    """The fields of the queue whose items are chosen: who settles them answers the same."""
    if not chosen.queue:
        return ()
    queues = Queues(session.database()).list_queues(closed=True)
    return next((line.queue.fields for line in queues if line.queue.id == chosen.queue), ())


def _several(
    label: str, name: str, preset: Sequence[str], options: Mapping[str, str], empty: str = "any"
) -> tuple[str, ...]:
    choices = {**options, **{value: options.get(value, value) for value in preset}}
    chosen = st.multiselect(
        label,
        list(choices),
        default=list(preset),
        format_func=lambda value: choices[value],
        key=f"queue-{name}",
        placeholder=empty,
    )
    return tuple(chosen)


def _counted(
    values: Iterable[str], numbers: Mapping[str, int], words: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What can be chosen, each with how many items it would leave."""
    return {
        value: f"{truncate((words or {}).get(value, value), 60)} · {numbers.get(value, 0):,}"
        for value in values
    }
