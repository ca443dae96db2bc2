"""The start page of a check: the text, its options, the demos, the latest runs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import streamlit as st

from workbench.errors import UsageError, WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.estimate_text import (
    ASKING_TEXT,
    SCOPE_TEXT,
    Asking,
    describe_estimate,
)
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.source_matches import (
    matches_of,
    render_matches,
    unmatched_text,
)
from workbench.interfaces.web.review.start_references import (
    ReferenceForm,
    render_reference_request,
)
from workbench.interfaces.web.tour import render_tour_button
from workbench.presentation.escape import escape_html, escape_markdown, run_label
from workbench.presentation.run_view import title_of
from workbench.records import (
    CAP_USD,
    SCOPE_CHOICES,
    Extraction,
    RunSummary,
    ScopeChoice,
    text_sha256,
)
from workbench.records.format import format_timestamp
from workbench.services import jobs
from workbench.services.demo import Demo, demo_options, list_demos
from workbench.services.handoff import USUAL_CHAT
from workbench.services.inputs import extract, read_bytes
from workbench.services.judges import (
    judge_availability,
    server_of,
    suggested_judge,
    takes_prompt,
)
from workbench.services.runs import list_runs
from workbench.services.verification import VerifyOptions, estimate_run
from workbench.settings import split_domains

_SOURCE_TYPES = ["html", "htm", "pdf", "txt", "md", "json", "xml"]
_KNOWN_WAIT_S = 300.0
_CAP_USD: float | None = CAP_USD


def render_start() -> None:
    """Draw the form, the demos and the latest runs."""
    with st.container(horizontal=True, vertical_alignment="center", key="start-head"):
        steps = "".join(f"<li>{escape_html(step)}</li>" for step in texts.START_STEPS)
        st.html(
            f'<div class="wb-head"><h1>{escape_html(texts.START_TITLE)}</h1>'
            f'<ol class="wb-steps">{steps}</ol></div>',
            width="stretch",
        )
        render_tour_button()
    with st.container(key="start"):
        form, sidebar = st.columns([58, 42], gap="large")
    with form:
        _form()
    with sidebar:
        runs = list_runs(session.database(), limit=200)
        _demos(runs)
        _latest(runs)


def start(
    text: str | Extraction,
    name: str,
    options: VerifyOptions,
    files: Sequence[tuple[str, bytes]] = (),
    named_for: Mapping[int, Sequence[str]] | None = None,
) -> None:
    """Start a run and open it as soon as its citations are found; show the error if that fails."""
    job = jobs.start(session.database(), text, name, options, files, named_for)
    with st.spinner(texts.FINDING):
        job.known.wait(_KNOWN_WAIT_S)
    if job.begun is None:
        st.error(escape_markdown(job.error or texts.SLOW_TEXT))
        return
    session.open_run(job.begun.id)
    st.rerun()


def _form() -> None:
    text = st.text_area(
        texts.ANSWER,
        key="paste",
        height=210,
        persist_state="session",
        placeholder=texts.ANSWER_PLACEHOLDER,
    )
    upload = st.file_uploader(
        texts.UPLOAD,
        type=["txt", "md", "json", "pdf", "docx", "bib", "ris"],
        key="upload",
        help=texts.UPLOAD_HELP,
    )
    options, sources, files, references = _options()
    with st.container(key="start-matches"):  # keeps the place of what stands below
        chosen = _matches(text or "", upload, files)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        run = st.button(texts.CHECK_CITATIONS, key="run", type="primary", shortcut="Ctrl+Enter")
        wants_estimate = st.button(texts.ESTIMATE, key="estimate", help=texts.ESTIMATE_HELP)
        st.page_link("pages/claims.py", label=texts.CHECK_CLAIMS_LINK)
    try:
        if run or wants_estimate:
            read, name = _read(text or "", upload)
            if sources == "files" and not files:
                raise UsageError(texts.NO_SOURCE_FILE)
        if run:
            start(read, name, replace(options, references=references.options()), files, chosen)
        elif wants_estimate:
            st.info(_estimate(read, options, files, chosen))
    except UsageError as error:
        st.error(escape_markdown(str(error)))


def _estimate(
    text: str | Extraction,
    options: VerifyOptions,
    files: Sequence[tuple[str, bytes]],
    chosen: Mapping[int, Sequence[str]],
) -> str:
    extraction = text if isinstance(text, Extraction) else extract(text)
    estimate = estimate_run(
        extraction,
        options.specs,
        fetch=options.allow_fetch,
        batch=options.batch,
        labelled=bool(files or options.sources),
        standalone=options.standalone,
        scope=options.scope,
    )
    words = describe_estimate(estimate, batch=options.batch)
    matches = matches_of(extraction, files).matches if files else ()
    unmatched = unmatched_text(matches, chosen)
    return escape_markdown(f"{words} {unmatched}".strip())


def _matches(
    text: str, upload: object, files: Sequence[tuple[str, bytes]]
) -> dict[int, tuple[str, ...]]:
    """Below the uploader: what each file is for, once there is a text; what was chosen there."""
    if not files:
        return {}
    try:
        read, _ = _read(text, upload)
    except WorkbenchError:
        return {}  # no text yet, or an unreadable one
    return render_matches(matches_of(read, files))


def _read(text: str, upload: object) -> tuple[str | Extraction, str]:
    """The text to check, and the name of its run."""
    if upload is not None:
        name = str(getattr(upload, "name", "file"))
        return read_bytes(upload.getvalue(), name), name  # type: ignore[attr-defined]
    if not text.strip():
        raise UsageError(texts.NO_TEXT)
    demo = _chosen_demo()
    return text, demo.title if demo and demo.text == text else title_of(text, 80)


def _options() -> tuple[VerifyOptions, str, tuple[tuple[str, bytes], ...], ReferenceForm]:
    """The options, the chosen kind of sources, the uploaded files, what is asked of references."""
    settings = session.settings()
    with st.container(border=True, key="way"):
        left, right = st.columns(2, gap="medium")
        with left:
            judge = _judges()
        with right:
            sources, files = _sources()
        _availability(judge)
        left, middle, right = st.columns([30, 42, 28], gap="medium", vertical_alignment="bottom")
        with left:
            fetch = st.toggle(
                texts.FETCH,
                value=settings.allow_fetch,
                key="fetch",
                persist_state="session",
                help=texts.FETCH_HELP,
                disabled=session.serves_many_callers() and not settings.allow_fetch,
            )
        with middle:
            domains = st.text_input(
                texts.DOMAINS,
                value=" ".join(settings.allowed_domains),
                key="domains",
                disabled=not fetch,
                persist_state="session",
                placeholder=texts.DOMAINS_PLACEHOLDER,
                help=texts.DOMAINS_HELP,
            )
        asking = _asking(judge)
        standalone = _standalone(judge)
        scope = _scope()
        with right:
            cap = st.number_input(
                texts.COST_CAP,
                min_value=0.0,
                value=_CAP_USD,
                step=0.5,
                key="cap",
                persist_state="session",
                placeholder="none",
                help=texts.COST_CAP_HELP,
            )
        demo = _chosen_demo() if sources == "demo" else None
        request = render_reference_request(bool(fetch), demo)
    permissions = session.permissions(
        allow_fetch=bool(fetch),
        domains=split_domains(domains or "") if fetch else (),
        max_cost_usd=None if cap is None else float(cap),
    )
    options = VerifyOptions(
        judge=judge,
        sources=demo.sources if demo else None,
        together="auto" if asking == "together" else "never",
        standalone=standalone,
        scope=scope,
        batch=asking == "batch",
        snapshots=settings.snapshots,
        reach=settings.reach,
    )
    references = ReferenceForm(request=request, permissions=permissions)
    return permissions.applied_to(options), sources, files, references


def _asking(judge: Sequence[str]) -> Asking:
    """How language models are called; nothing to choose without one."""
    if not any(takes_prompt(spec) for spec in judge):
        return "alone"
    chosen = st.segmented_control(
        texts.ASKING,
        list(ASKING_TEXT),
        format_func=lambda option: ASKING_TEXT[option],
        default="alone",
        key="asking",
        required=True,
        persist_state="session",
        help=texts.ASKING_HELP,
    )
    return chosen or "alone"


def _standalone(judge: Sequence[str]) -> bool:
    """Whether claims are rewritten; nothing to choose without a language model."""
    if not any(takes_prompt(spec) for spec in judge):
        return False
    return st.toggle(
        texts.STANDALONE,
        key="standalone",
        persist_state="session",
        help=texts.STANDALONE_HELP,
    )


def _scope() -> ScopeChoice:
    """How much of the text citations cover."""
    chosen = st.selectbox(
        texts.SCOPE,
        SCOPE_CHOICES,
        format_func=lambda choice: SCOPE_TEXT[choice],
        key="scope",
        persist_state="session",
        help=texts.SCOPE_HELP,
    )
    return chosen or "guess"


def _judges() -> list[str]:
    judges = judge_availability()
    suggested = suggested_judge()
    complete = [judge.spec for judge in judges if judge.available and judge.is_complete]
    options = [suggested, *(spec for spec in complete if spec != suggested), USUAL_CHAT]
    chosen = st.multiselect(
        texts.JUDGE,
        options,
        default=[suggested],
        key="judge",
        persist_state="session",
        accept_new_options=True,
        help=texts.JUDGE_HELP,
    )
    specs = [str(spec) for spec in chosen] or options[:1]
    for spec in filter(server_of, specs):
        _trial(spec)
    return specs


def _trial(spec: str) -> None:
    """The button that asks a model on this machine one question, and what came of it."""
    from workbench.services.models import JudgeTrial, try_judge

    if st.button(texts.try_model(spec), key=f"try-{spec}", help=texts.TRY_MODEL_HELP):
        with st.spinner(texts.TRYING_MODEL):
            try:
                st.session_state[f"tried-{spec}"] = try_judge(spec)
            except UsageError as error:
                st.error(escape_markdown(str(error)))
    trial = st.session_state.get(f"tried-{spec}")
    if isinstance(trial, JudgeTrial):
        (st.success if trial.right else st.warning)(escape_markdown(trial.sentence))


def _availability(chosen: Sequence[str]) -> None:
    """What the chosen judges are and what could judge better; behind it every kind of judge."""
    judges = judge_availability()
    lines = [f"{judge.spec}: {judge.reason}" for judge in judges if judge.spec in chosen]
    if all(spec == "local" for spec in chosen):
        lines.append(texts.READING_JUDGES)
    ready = [judge for judge in judges if judge.available]
    missing = [judge for judge in judges if not judge.available]
    st.html(
        "".join(f'<p class="wb-judges">{_with_code(line)}</p>' for line in lines)
        + '<details class="wb-judges">'
        + f"<summary>{escape_html(texts.all_judges(len(ready), len(missing)))}</summary><ul>"
        + "".join(
            f"<li{'' if judge.available else ' class=off'}>"
            + _with_code(f"{judge.spec}: {judge.reason}")
            + "</li>"
            for judge in (*ready, *missing)
            if judge.spec not in chosen
        )
        + "</ul></details>"
    )


def _with_code(line: str) -> str:
    """A sentence as HTML, with what stands in backticks as code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escape_html(line))


def _sources() -> tuple[str, tuple[tuple[str, bytes], ...]]:
    options = ["none", "files", *(["demo"] if _chosen_demo() else [])]
    if st.session_state.get("sources") not in options:
        st.session_state["sources"] = "none"
    sources = st.segmented_control(
        texts.SOURCES,
        options,
        format_func=lambda option: texts.SOURCE_CHOICES[option],
        key="sources",
        required=True,
        help=texts.SOURCES_HELP,
    )
    if sources != "files":
        return str(sources), ()
    files = st.file_uploader(
        texts.SOURCE_FILES,
        type=_SOURCE_TYPES,
        accept_multiple_files=True,
        key="source-files",
        help=texts.SOURCE_FILES_HELP,
    )
    return "files", tuple((file.name, file.getvalue()) for file in files or ())


def _demos(runs: Sequence[RunSummary]) -> None:
    demos = _all_demos()
    if not demos:
        return
    stored: dict[str, RunSummary] = {}
    for run in sorted(runs, key=lambda run: (run.finished, run.created_at)):
        stored[run.output_sha256] = run
    st.header(texts.DEMOS, anchor=False)
    for demo in demos:
        stored_run = stored.get(text_sha256(demo.text))
        with st.container(key=f"demo-row-{demo.id}", border=True):
            words, act = st.columns([74, 26], vertical_alignment="center")
            with words:
                st.html(
                    f'<div class="wb-demo"><b dir="auto">{escape_html(demo.title)}</b>'
                    f'<p dir="auto">{escape_html(demo.about)}</p>'
                    f'<p class="wb-quiet">{texts.run_text(stored_run) if stored_run else texts.NOT_CHECKED}</p></div>'
                )
            with act:
                if st.button(
                    texts.OPEN if stored_run else texts.CHECK,
                    key=f"demo-{demo.id}",
                    width="stretch",
                ):
                    _open_demo(demo, stored_run)
                st.button(
                    texts.LOAD_DEMO,
                    key=f"use-{demo.id}",
                    type="tertiary",
                    width="stretch",
                    on_click=_use_demo,
                    args=(demo,),
                    help=texts.LOAD_DEMO_HELP,
                )


def _open_demo(demo: Demo, run: RunSummary | None) -> None:
    if run is None:
        options = demo_options(demo, session.settings().snapshots)
        start(demo.text, demo.title, options)
        return
    session.open_run(run.id)
    st.rerun()


def _use_demo(demo: Demo) -> None:
    st.session_state["paste"] = demo.text
    st.session_state["chosen_demo"] = demo.id
    st.session_state["sources"] = "demo"


def _latest(runs: Sequence[RunSummary]) -> None:
    shipped = {text_sha256(demo.text) for demo in _all_demos()}
    own_runs = [run for run in runs if run.output_sha256 not in shipped][:5]
    if not own_runs:
        return
    st.header(texts.LATEST_RUNS, anchor=False)
    st.page_link("pages/home.py", label=texts.OVERVIEW_LINK)
    for run in own_runs:
        st.button(
            escape_markdown(run_label(run.name), 60),
            key=f"run-{run.id}",
            type="tertiary",
            help=escape_markdown(f"{format_timestamp(run.created_at)}, {texts.run_text(run)}"),
            on_click=session.open_run,
            args=(run.id,),
        )


def _chosen_demo() -> Demo | None:
    chosen = st.session_state.get("chosen_demo")
    return next((demo for demo in _all_demos() if demo.id == chosen), None)


@cache
def _all_demos() -> tuple[Demo, ...]:
    return tuple(list_demos())
