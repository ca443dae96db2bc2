"""The form that creates a queue: its filter, with a live count, and its settings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from workbench.errors import ERROR_KINDS, UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.filters import address_of, filter_of, filter_text
from workbench.interfaces.web.queues import text as texts
from workbench.interfaces.web.queues.references import reference_filter_text
from workbench.presentation.citation_card import KIND_TEXT
from workbench.presentation.escape import escape_markdown, run_label, truncate
from workbench.presentation.reference_styles import FINDINGS
from workbench.presentation.verdicts import ERROR_TEXT, FAULT_TEXT, STYLES
from workbench.records.bibliography import REFERENCE_STATUSES
from workbench.records.fields import (
    FIELD_KINDS,
    LONGEST_FIELD_NAME,
    LONGEST_QUESTION,
    MOST_FIELDS,
    ReviewField,
    parse_fields,
)
from workbench.records.queue import ItemFilter, ReferenceFilter
from workbench.records.review import FAULTS
from workbench.records.run_listing import FilterFacets, RunSummary
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS
from workbench.services.examples import example_contents
from workbench.services.repositories import CitationQuery, LabelRepository, Queues
from workbench.services.runs import list_runs, run_names

_ROWS = "queue-fields"
"""Numbers of the fields in the form, in their order; a number is not used again."""


def render_form(reviewer: str) -> None:
    """Draw the form, initialised from the filter in the URL."""
    kind = st.segmented_control(
        "Items",
        list(texts.ITEM_KINDS),
        default="citations",
        format_func=lambda name: texts.ITEM_KINDS[name],
        key="queue-kind",
    )
    if kind == "references":
        _render_reference_form(reviewer)
        return
    address = st.query_params.get("q", "")
    try:
        asked_filter = filter_of(address)
    except UsageError as error:
        st.warning(escape_markdown(str(error)))
        asked_filter = ItemFilter()
    database = session.database()
    has_examples = example_contents(database).present
    if has_examples and not address and CitationQuery(database).count(ItemFilter(examples=False)):
        asked_filter = ItemFilter(examples=False)
    choices = CitationQuery(database).choices(ItemFilter(runs=asked_filter.runs))
    runs = list_runs(database)
    left, right = st.columns([62, 38], gap="large")
    with left:
        chosen = _filter(asked_filter, choices, runs)
        if has_examples and not chosen.examples:
            left_out = st.toggle(
                "Leave out the examples", value=chosen.examples is False, key="queue-examples"
            )
            chosen = replace(chosen, examples=False if left_out else None)
    count = CitationQuery(database).count(chosen)
    with right:
        _plan(chosen, count, reviewer)
    if address_of(chosen) != address:
        # the URL contains the filter, so that it can be shared and survives a reload
        if address_of(chosen):
            st.query_params["q"] = address_of(chosen)
        elif "q" in st.query_params:
            del st.query_params["q"]


def _render_reference_form(reviewer: str) -> None:
    database = session.database()
    names = {run.id: run_label(run.name, 60) for run in list_runs(database)}
    left, right = st.columns([62, 38], gap="large")
    with left:
        runs = _several("Runs", "reference-runs", (), names, "All runs")
        statuses = _several(
            "Finding",
            "reference-statuses",
            (),
            {status: FINDINGS[status].word for status in REFERENCE_STATUSES},
        )
        labelled = st.selectbox(
            "Reviewed",
            list(texts.REVIEWED_CHOICES),
            format_func=lambda value: texts.REVIEWED_CHOICES[value],
            key="queue-reference-labelled",
        )
        retracted = st.toggle("Retracted works only", key="queue-reference-retracted")
        differ = st.toggle("Reviewers disagree", key="queue-reference-differ")
        own = ReferenceFilter(examples=False)
        examples = None
        if example_contents(database).present:
            left_out = st.toggle(
                "Leave out the examples",
                value=Queues(database).count_references(own) > 0,
                key="queue-reference-examples",
            )
            examples = False if left_out else None
    chosen = ReferenceFilter(
        runs=runs,
        statuses=tuple(status for status in REFERENCE_STATUSES if status in statuses),
        retracted=retracted,
        labelled=labelled,
        reviewers_differ=differ,
        examples=examples,
    )
    with right:
        _plan(chosen, Queues(database).count_references(chosen), reviewer)


def _filter(preset: ItemFilter, choices: FilterFacets, runs: Sequence[RunSummary]) -> ItemFilter:
    names = {run.id: run_label(run.name, 60) for run in runs}
    chosen_runs = _several("Runs", "runs", preset.runs, names, "All runs")
    left, right = st.columns(2)
    with left:
        reviewed = st.selectbox(
            "Reviewed",
            list(texts.REVIEWED_CHOICES),
            index=list(texts.REVIEWED_CHOICES).index(preset.reviewed),
            format_func=lambda value: texts.REVIEWED_CHOICES[value],
            key="queue-reviewed",
        )
        verdicts = _several(
            "Judge's verdict",
            "verdicts",
            preset.verdicts,
            _counted({v: STYLES[v].word for v in VERDICT_LABELS}, choices.verdicts),
        )
        below = st.number_input(
            "Confidence below",
            0.0,
            1.0,
            value=preset.confidence_below,
            step=0.05,
            key="queue-below",
            placeholder="any",
        )
        near = st.number_input(
            "Score near",
            0.0,
            1.0,
            value=preset.near,
            step=0.05,
            key="queue-near",
            placeholder="any",
            help="Citations whose probability of being supported is close to this number, such as a threshold.",
        )
        band = st.number_input(
            "Within",
            0.01,
            1.0,
            value=preset.band,
            step=0.05,
            key="queue-band",
            disabled=near is None,
        )
    with right:
        differs = st.multiselect(
            "Disagreement",
            list(texts.DISAGREEMENTS),
            default=[name for name in texts.DISAGREEMENTS if getattr(preset, name)],
            format_func=lambda name: texts.DISAGREEMENTS[name],
            key="queue-differs",
            placeholder="any",
        )
        errors = _several(
            "Error",
            "error_kinds",
            preset.error_kinds,
            _counted(
                {
                    str(k): ERROR_TEXT[k]
                    for k in ERROR_KINDS
                    if k in choices.error_kinds or k in preset.error_kinds
                },
                choices.error_kinds,
            ),
        )
        hosts = _several(
            "Hosts",
            "hosts",
            preset.hosts,
            _counted({h: h or "no host" for h in (*choices.hosts, *preset.hosts)}, choices.hosts),
        )
        kinds = _several(
            "Citation types",
            "kinds",
            preset.kinds,
            _counted({k: KIND_TEXT[k] for k in (*choices.kinds, *preset.kinds)}, choices.kinds),
        )
        words = st.text_input(texts.WORDS, value=preset.words, key="queue-words", max_chars=200)
    with st.expander("Filter by labels", expanded=_filters_by_labels(preset)):
        labels = _several(
            "Label",
            "labels",
            preset.labels,
            _counted({v: STYLES[v].word for v in HUMAN_LABELS}, choices.labels),
        )
        people = _several(
            "Reviewer",
            "reviewers",
            preset.reviewers,
            _counted({n: n for n in (*choices.reviewers, *preset.reviewers)}, choices.reviewers),
        )
        tags = _several(
            "Tags",
            "tags",
            preset.tags,
            _counted({n: n for n in (*choices.tags, *preset.tags)}, choices.tags),
        )
        faults = _several(
            "Error source", "faults", preset.faults, {str(f): w for f, w in FAULT_TEXT.items()}
        )
    return replace(
        preset,
        runs=chosen_runs,
        kinds=kinds,  # type: ignore[arg-type]  # each is one of the kinds offered
        verdicts=verdicts,  # type: ignore[arg-type]
        error_kinds=errors,  # type: ignore[arg-type]
        hosts=hosts,
        words=(words or "").strip(),
        reviewed=reviewed,
        confidence_below=below,
        near=near,
        band=band if near is not None else preset.band,
        judges_differ="judges_differ" in differs,
        judge_differs="judge_differs" in differs,
        reviewers_differ="reviewers_differ" in differs,
        labels=labels,  # type: ignore[arg-type]
        reviewers=people,
        faults=tuple(fault for fault in FAULTS if fault in faults),
        tags=tags,
    )


def _plan(chosen: ItemFilter | ReferenceFilter, count: int, reviewer: str) -> None:
    references = chosen if isinstance(chosen, ReferenceFilter) else None
    citations = chosen if isinstance(chosen, ItemFilter) else ItemFilter()
    names = run_names(session.database())
    words = (
        reference_filter_text(references, names) if references else filter_text(citations, names)
    )
    st.html(f'<p class="wb-count"><b>{count:,}</b> {texts.match_text(count)}</p>')
    st.caption(escape_markdown(words))
    name = st.text_input("Queue name", key="queue-name", max_chars=120)
    left, right = st.columns(2)
    with left:
        order = st.selectbox(
            "Order",
            list(texts.ORDER_TEXT),
            format_func=lambda o: texts.ORDER_TEXT[o],
            key="queue-order",
        )
        reviews = st.number_input("Reviews per item", 1, 20, value=1, key="queue-reviews")
        limit = st.number_input(
            "At most",
            1,
            value=None,
            key="queue-limit",
            placeholder="all",
            help="Takes the first N items in this order.",
        )
    with right:
        seed = st.number_input(
            "Seed",
            0,
            2**31 - 1,
            value=0,
            key="queue-seed",
            disabled=order != "random",
            help="The same seed gives the same random order.",
        )
        role = st.selectbox(
            "Purpose",
            list(texts.ROLE_TEXT),
            format_func=lambda r: texts.ROLE_TEXT[r],
            key="queue-role",
            help="Adjudication: one label settles a disagreement between reviewers.",
            index=1 if chosen.reviewers_differ else 0,
        )
        blind = st.toggle(
            "Blind",
            key="queue-blind",
            help="The judge's verdict and other reviewers' labels are hidden until the reviewer has labelled the item.",
        )
    people = st.multiselect(
        "Reviewers",
        LabelRepository(session.database()).reviewers(),
        key="queue-people",
        accept_new_options=True,
        placeholder="Everyone",
    )
    fields = () if references else render_fields(_fields_before(citations))
    if blind and citations.reveals_verdict:
        st.warning("This filter reveals the judge's verdict, so the queue would not be blind.")
    if blind and references and references.reveals_finding:
        st.warning("This filter reveals the finding, so the queue would not be blind.")
    if st.button(
        "Create queue",
        key="queue-build",
        type="primary",
        disabled=not count or fields is None,
        width="stretch",
    ):
        try:
            queue = Queues(session.database()).build(
                name or words,
                citations,
                created_by=reviewer,
                order=order,
                seed=int(seed),
                blind=blind,
                reviews=int(reviews),
                reviewers=people,
                role=role,
                limit=int(limit) if limit else None,
                references=references,
                fields=fields or (),
            )
        except UsageError as error:
            st.error(escape_markdown(str(error)))
            return
        st.session_state["queue-made"] = queue.name
        st.query_params.pop("q", None)
        _forget()
        st.rerun()


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


def _counted(words: Mapping[str, str], numbers: Mapping[str, int]) -> dict[str, str]:
    return {
        value: f"{truncate(word, 60)} · {numbers.get(value, 0):,}" for value, word in words.items()
    }


def _filters_by_labels(preset: ItemFilter) -> bool:
    return bool(preset.labels or preset.reviewers or preset.tags or preset.faults)


def _forget() -> None:
    for key in [key for key in st.session_state if str(key).startswith("queue-")]:
        if key not in ("queue-made", "queue-seat"):
            del st.session_state[key]


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
            "Questions that reviewers answer in addition to the label. They appear below the "
            "labels; required ones are asked after each label."
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
