"""The start page of a check: the text, its sources, the options, the demos."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import streamlit as st

from workbench.errors import UsageError, WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.source_matches import (
    matches_of,
    render_matches,
    unmatched_text,
)
from workbench.interfaces.web.review.start_options import default_options, render_options
from workbench.presentation.escape import escape_html, escape_markdown
from workbench.presentation.run_view import title_of
from workbench.records.citation import Extraction
from workbench.records.format import count_of, usd
from workbench.records.run_listing import RunSummary
from workbench.records.text import text_sha256
from workbench.services import jobs
from workbench.services.demo import RECORDED, Demo, demo_options, list_demos
from workbench.services.inputs import extract, read_bytes
from workbench.services.judges import embedded_accuracy
from workbench.services.runs import list_runs
from workbench.services.verification import Estimate, VerifyOptions, estimate_run

_ANSWER_TYPES = ["txt", "md", "json", "pdf", "docx", "bib", "ris"]
_SOURCE_TYPES = ["html", "htm", "pdf", "txt", "md", "json", "xml"]
_KNOWN_WAIT_S = 300.0
_BEGINNING = 40
"""So many characters tell that a demo's text is in the form, changed or not."""
_DEMOS_IN_SIGHT = 3
_OPENED = "options-opened"


def render_start() -> None:
    """Draw the form and the demos."""
    st.html(
        f'<div class="wb-head"><h1>{escape_html(texts.START_TITLE)}</h1>'
        f"<p>{escape_html(texts.START_STEPS)}</p></div>"
    )
    with st.container(key="start"):
        form, sidebar = st.columns([58, 42], gap="large")
    with form:
        _form()
    with sidebar:
        _demos()


def start(
    text: str | Extraction,
    name: str,
    options: VerifyOptions,
    files: Sequence[tuple[str, bytes]] = (),
    named_for: Mapping[int, Sequence[str]] | None = None,
) -> None:
    """Start a run and open it as soon as its citations are found; show the error if that fails."""
    job = jobs.start(session.database(), text, name, options, files, named_for)
    with st.spinner("Finding citations"):
        job.known.wait(_KNOWN_WAIT_S)
    if job.begun is None:
        st.error(escape_markdown(job.error or texts.SLOW_TEXT))
        return
    session.open_run(job.begun.id)
    st.rerun()


def _form() -> None:
    text = st.text_area(
        "Answer to check",
        key="paste",
        height=190,
        persist_state="session",
        placeholder="Paste an AI's answer or report with its citations and its list of references.",
    )
    answer, given = st.columns(2, gap="small")
    with answer:
        upload = st.file_uploader("or upload it", type=_ANSWER_TYPES, key="upload")
    with given:
        files = _source_files()
    if upload is not None and text:
        st.caption(texts.UPLOAD_FIRST)
    demo = _demo_sources(text or "") if not files else None
    run = st.button("Check citations", key="run", type="primary", shortcut="Ctrl+Enter")
    outcome = st.container()
    judge_line = st.container(horizontal=True, key="judge-line", gap="small")
    with st.container(key="start-matches"):  # keeps the place of what stands below
        chosen = _matches(text or "", upload, files)
    with st.expander("Options", key="options", on_change="rerun") as panel:
        # once opened its fields stay: closing must not drop a chosen library
        if panel.open or _OPENED in st.session_state:
            st.session_state[_OPENED] = True
            options = render_options()
            wants_estimate = st.button("Estimate", key="estimate", help=texts.ESTIMATE_HELP)
            _demo_field()
        else:
            options, wants_estimate = default_options(), False
    with judge_line:
        words = texts.judge_line(options.judge, embedded_accuracy(), fetch=options.fetch)
        st.html(f'<p class="wb-judges" dir="auto">{escape_html(words)}</p>', width="content")
        st.page_link("pages/trust.py", label="How good?")
    try:
        if run or wants_estimate:
            read, name = _read(text or "", upload)
            asked = options.of_run(demo)
        if run:
            with outcome:
                references = options.of_references(demo)
                start(read, name, replace(asked, references=references), files, chosen)
        elif wants_estimate:
            st.info(_estimate(read, asked, files, chosen))
    except UsageError as error:
        outcome.error(escape_markdown(str(error)))


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


def _source_files() -> tuple[tuple[str, bytes], ...]:
    files = st.file_uploader(
        "Sources", type=_SOURCE_TYPES, accept_multiple_files=True, key="source-files"
    )
    return tuple((file.name, file.getvalue()) for file in files or ())


def _demo_sources(text: str) -> Demo | None:
    """The demo that was loaded into the form and is still there, if its sources are used."""
    demo = _chosen_demo()
    if demo is None or demo.text[:_BEGINNING] not in text:
        return None
    used = st.checkbox(texts.DEMO_SOURCES, value=True, key="demo-sources", persist_state="session")
    return demo if used else None


def _demos() -> None:
    """The first demos, each with the figures of its stored run."""
    demos = _all_demos()
    if not demos:
        return
    in_sight = {text_sha256(demo.text): demo for demo in demos[:_DEMOS_IN_SIGHT]}
    runs = list_runs(session.database(), shas=list(in_sight))
    runs.sort(key=lambda run: (run.finished, run.created_at))
    stored = {run.output_sha256: run for run in runs}
    st.header("Demos", anchor=False)
    with st.container(gap="small"):
        for sha256, demo in in_sight.items():
            _demo_row(demo, stored.get(sha256))
    if any(run.judge == (RECORDED,) for run in stored.values()):
        st.caption(texts.DEMOS_RECORDED)


def _demo_row(demo: Demo, run: RunSummary | None) -> None:
    with st.container(key=f"demo-row-{demo.id}", gap=None):
        opened = st.button(
            escape_markdown(demo.title),
            key=f"demo-{demo.id}",
            type="tertiary",
            help=escape_markdown(demo.about),
        )
        figures = texts.run_text(run) if run else "Not checked yet"
        st.html(f'<span class="wb-quiet">{figures}</span>')
    if opened:
        _open_demo(demo, run)


def _demo_field() -> None:
    """The field that takes a demo's text into the form."""
    titles = {demo.id: demo.title for demo in _all_demos()}
    if titles:
        st.selectbox(
            "Load a demo's text into the form",
            titles,
            index=None,
            format_func=titles.__getitem__,
            key="load-demo",
            on_change=_load_demo,
        )


def _open_demo(demo: Demo, run: RunSummary | None) -> None:
    if run is None:
        options = demo_options(demo, session.settings().snapshots)
        start(demo.text, demo.title, options)
        return
    session.open_run(run.id)
    st.rerun()


def _load_demo() -> None:
    """Take the text of the chosen demo into the form, with its sources."""
    st.session_state["chosen_demo"] = st.session_state["load-demo"]
    demo = _chosen_demo()
    if demo is None:
        return
    st.session_state["paste"] = demo.text
    st.session_state["demo-sources"] = True
    st.session_state["load-demo"] = None


def _chosen_demo() -> Demo | None:
    chosen = st.session_state.get("chosen_demo")
    return next((demo for demo in _all_demos() if demo.id == chosen), None)


@cache
def _all_demos() -> tuple[Demo, ...]:
    return tuple(list_demos())


def describe_estimate(guess: Estimate, *, batch: bool = False) -> str:
    """Calls, tokens, cost and time of a run, before it starts.

    >>> guess = Estimate(citations=2, sources=1, calls=2, cost_usd=0.0, seconds=0.04)
    >>> describe_estimate(guess)
    '2 citations of 1 source: at most 2 judgments, no cost, about 1 s. Cached judgments cost nothing.'
    """
    if guess.cost_usd is None or guess.usual_usd is None:
        cost = "an unknown cost (the model has no known price)"
    elif guess.cost_usd == 0:
        cost = "no cost"
    else:
        cost = f"usually {usd(guess.usual_usd)}, at most {usd(guess.cost_usd)}"
    tokens = f" with {guess.tokens:,} tokens" if guess.tokens else ""
    seconds = max(1, round(guess.seconds))
    time = f"about {seconds} s" + (", and up to a day for the batch" if batch else "")
    return (
        f"{count_of(guess.citations, 'citation')} of {count_of(guess.sources, 'source')}: at most "
        f"{count_of(guess.calls, 'judgment')}{tokens}, {cost}, {time}. Cached judgments cost nothing."
    )
