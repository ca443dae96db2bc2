"""The start page of a check: the text, its options, the demos, the latest runs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Literal

import streamlit as st

from workbench.errors import UsageError, WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import text as texts
from workbench.interfaces.web.review.source_matches import (
    matches_of,
    render_matches,
    unmatched_text,
)
from workbench.interfaces.web.review.start_references import ReferenceForm, render_reference_request
from workbench.interfaces.web.tour import render_tour_button
from workbench.presentation.escape import escape_html, escape_markdown, run_label, truncate
from workbench.presentation.run_view import title_of
from workbench.records.citation import Extraction
from workbench.records.format import count_of, format_timestamp, usd
from workbench.records.options import CAP_USD, SCOPE_CHOICES, ScopeChoice
from workbench.records.run_listing import RunSummary
from workbench.records.text import text_sha256
from workbench.services import jobs
from workbench.services.demo import RECORDED, Demo, demo_options, list_demos
from workbench.services.handoff import USUAL_CHAT
from workbench.services.inputs import extract, read_bytes
from workbench.services.judges import (
    embedded_accuracy,
    judge_availability,
    server_of,
    suggested_judge,
    takes_prompt,
)
from workbench.services.runs import list_runs
from workbench.services.verification import Estimate, VerifyOptions, estimate_run
from workbench.settings import split_domains

Asking = Literal["alone", "together", "batch"]
ASKING_TEXT: dict[Asking, str] = {
    "alone": "One claim per call",
    "together": "Several claims per call",
    "batch": "Batch, half the price",
}
SCOPE_TEXT: dict[ScopeChoice, str] = {
    "guess": "Suggested by its position",
    "sentence": "Its sentence",
    "list": "Its whole list",
    "paragraph": "Its whole paragraph",
}
_SOURCE_TYPES = ["html", "htm", "pdf", "txt", "md", "json", "xml"]
_KNOWN_WAIT_S = 300.0
_BEGINNING = 40
"""So many characters tell that a demo's text is in the form, changed or not."""
_DEMOS_IN_SIGHT = 3
_LATEST_RUNS = 3
_CAP_USD: float | None = CAP_USD


def render_start() -> None:
    """Draw the form, the demos and the latest runs."""
    with st.container(horizontal=True, vertical_alignment="center", key="start-head"):
        st.html(
            f'<div class="wb-head"><h1>{escape_html(texts.START_TITLE)}</h1>'
            f"<p>{escape_html(texts.START_STEPS)}</p></div>",
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
        upload = st.file_uploader(
            "or upload it",
            type=["txt", "md", "json", "pdf", "docx", "bib", "ris"],
            key="upload",
            help="A text, Markdown, JSON, Word, PDF, BibTeX or RIS file. Used instead of the pasted text.",
        )
    with given:
        files = _source_files()
    demo = _demo_sources(text or "") if not files else None
    fetch = _fetch()
    with st.container(key="start-matches"):  # keeps the place of what stands below
        chosen = _matches(text or "", upload, files)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        run = st.button("Check citations", key="run", type="primary", shortcut="Ctrl+Enter")
        st.page_link("pages/claims.py", label=texts.CHECK_CLAIMS_LINK)
    outcome = st.container()
    chosen_judge = st.container()
    with st.expander("Options", key="options"):
        options, references = _options(fetch, demo)
        wants_estimate = st.button("Estimate", key="estimate", help=texts.ESTIMATE_HELP)
    with chosen_judge:
        _judge_line(options.specs)
    try:
        if run or wants_estimate:
            read, name = _read(text or "", upload)
        if run:
            with outcome:
                start(read, name, replace(options, references=references.options()), files, chosen)
        elif wants_estimate:
            st.info(_estimate(read, options, files, chosen))
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
        "Sources",
        type=_SOURCE_TYPES,
        accept_multiple_files=True,
        key="source-files",
        help="A file is matched with its citations by the address, DOI, title, authors and year "
        "in it, or by its name (1.html for [1]); what is found is shown below and can be changed. "
        "Or add a sources.json that lists content, url, title, label and for.",
    )
    return tuple((file.name, file.getvalue()) for file in files or ())


def _demo_sources(text: str) -> Demo | None:
    """The demo that was loaded into the form and is still there, if its sources are used."""
    demo = _chosen_demo()
    if demo is None or demo.text[:_BEGINNING] not in text:
        return None
    used = st.checkbox(texts.DEMO_SOURCES, value=True, key="demo-sources", persist_state="session")
    return demo if used else None


def _fetch() -> bool:
    settings = session.settings()
    return st.toggle(
        "Fetch from the web",
        value=settings.allow_fetch,
        key="fetch",
        persist_state="session",
        help="Off: no network access; only uploaded sources and stored snapshots are used. On: "
        "cited public pages are fetched, nothing on this network.",
        disabled=session.serves_many_callers() and not settings.allow_fetch,
        width="content",
    )


def _judge_line(chosen: Sequence[str]) -> None:
    """Who judges, in a line, and where it is said how good it is."""
    words = escape_html(texts.judge_line(chosen, embedded_accuracy()))
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.html(f'<p class="wb-judges" dir="auto">{words}</p>', width="content")
        st.page_link("pages/calibrate.py", label="How good?")


def _options(fetch: bool, demo: Demo | None) -> tuple[VerifyOptions, ReferenceForm]:
    """The options, and what is asked of references."""
    settings = session.settings()
    judge = _judges()
    _availability(judge)
    left, right = st.columns([62, 38], gap="medium", vertical_alignment="bottom")
    with left:
        domains = st.text_input(
            "Allowed domains",
            value=" ".join(settings.allowed_domains),
            key="domains",
            disabled=not fetch,
            persist_state="session",
            placeholder="any public domain",
            help="Separate with spaces. wikipedia.org also allows en.wikipedia.org. A DOI needs "
            "doi.org and its publisher's domain in the list.",
        )
    with right:
        cap = st.number_input(
            "Cost cap, USD",
            min_value=0.0,
            value=_CAP_USD,
            step=0.5,
            key="cap",
            persist_state="session",
            placeholder="none",
            help="The run stops before the cap would be exceeded; leave empty for no cap. The local judge is free.",
        )
    asking = _asking(judge)
    standalone = _standalone(judge)
    scope = _scope()
    request = render_reference_request(fetch, demo)
    permissions = session.permissions(
        allow_fetch=fetch,
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
    return permissions.applied_to(options), references


def _asking(judge: Sequence[str]) -> Asking:
    """How language models are called; nothing to choose without one."""
    if not any(takes_prompt(spec) for spec in judge):
        return "alone"
    chosen = st.segmented_control(
        "Claims per call",
        list(ASKING_TEXT),
        format_func=lambda option: ASKING_TEXT[option],
        default="alone",
        key="asking",
        required=True,
        persist_state="session",
        help="One claim per call is the fastest, and what the judge is calibrated on. Several "
        "claims of one source per call cost 13 to 45 % less where sources are cited often, and "
        "take longer. A batch costs half and may take a day; the run can be stopped and continued.",
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
        help="The model also rewords each claim so that it can be understood without its context; "
        "the card marks the words that it adds. Costs some more tokens, which the estimate "
        "includes. Only language models do this.",
    )


def _scope() -> ScopeChoice:
    """How much of the text citations cover."""
    chosen = st.selectbox(
        "A citation covers",
        SCOPE_CHOICES,
        format_func=lambda choice: SCOPE_TEXT[choice],
        key="scope",
        persist_state="session",
        help="A citation at the end of a list or a paragraph may cover more than the sentence "
        "before it. A list or a paragraph is judged part by part, and the verdict names the parts "
        "that the source does not support. You can change it for a single citation on its card.",
    )
    return chosen or "guess"


def _judges() -> list[str]:
    judges = judge_availability()
    suggested = suggested_judge()
    complete = [judge.spec for judge in judges if judge.available and judge.is_complete]
    options = [suggested, *(spec for spec in complete if spec != suggested), USUAL_CHAT]
    chosen = st.multiselect(
        "Judge",
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

    if st.button(
        f"Try {escape_markdown(truncate(spec, 60))}", key=f"try-{spec}", help=texts.TRY_MODEL_HELP
    ):
        with st.spinner("Waiting for the model"):
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
        lines.append(
            "A language model reads the source instead. Without a key: a model on this machine "
            "(Ollama, LM Studio, llama.cpp or vLLM), any chat window (`handoff:chat`), or over "
            "MCP the model of your own agent. With a key: `anthropic:MODEL` or `openai:MODEL`."
        )
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


def _demos(runs: Sequence[RunSummary]) -> None:
    demos = _all_demos()
    if not demos:
        return
    stored: dict[str, RunSummary] = {}
    for run in sorted(runs, key=lambda run: (run.finished, run.created_at)):
        stored[run.output_sha256] = run
    st.header("Demos", anchor=False)
    for demo in demos[:_DEMOS_IN_SIGHT]:
        _demo_row(demo, stored.get(text_sha256(demo.text)))
    with st.expander(f"All {count_of(len(demos), 'demo')}", key="all-demos"):
        for demo in demos[_DEMOS_IN_SIGHT:]:
            _demo_row(demo, stored.get(text_sha256(demo.text)))
        titles = {demo.id: demo.title for demo in demos}
        st.selectbox(
            "Load a demo's text into the form",
            titles,
            index=None,
            format_func=titles.__getitem__,
            key="load-demo",
            on_change=_load_demo,
        )
    if any(run.judge == (RECORDED,) for run in stored.values()):
        st.caption("Verdicts recorded from a large language model", help=texts.DEMOS_RECORDED_HELP)


def _demo_row(demo: Demo, stored: RunSummary | None) -> None:
    """A demo with the figures of its stored run, and the button that opens that."""
    with st.container(key=f"demo-row-{demo.id}", border=True):
        words, act = st.columns([74, 26], vertical_alignment="center")
        with words:
            figures = texts.run_text(stored) if stored else "Not checked yet"
            st.html(
                f'<div class="wb-demo"><b dir="auto">{escape_html(demo.title)}</b>'
                f'<p class="wb-quiet">{figures}</p></div>'
            )
        with act:
            if st.button(
                "Open" if stored else "Check",
                key=f"demo-{demo.id}",
                width="stretch",
                help=escape_markdown(demo.about),
            ):
                _open_demo(demo, stored)


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


def _latest(runs: Sequence[RunSummary]) -> None:
    shipped = {text_sha256(demo.text) for demo in _all_demos()}
    own_runs = [run for run in runs if run.output_sha256 not in shipped and not run.data_set]
    if not own_runs:
        return
    st.header("Latest runs", anchor=False)
    for run in own_runs[:_LATEST_RUNS]:
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
