"""Where a check begins: the text, how to check it, the demos, the latest runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import streamlit as st

from workbench.citations import extract
from workbench.errors import UsageError, WorkbenchError
from workbench.interfaces.web import session
from workbench.interfaces.web.estimate_text import ASKING_WORDS, SCOPE_WORDS, Asking, estimate_words
from workbench.interfaces.web.review.source_matches import draw_matches, matches_of, unmatched_words
from workbench.judging import judge_availability, takes_prompt
from workbench.pipeline import CAP_USD, SCOPE_CHOICES, ScopeChoice, estimate_run, read_bytes
from workbench.presentation.citation_card import format_timestamp
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.records import Extraction, RunSummary, text_sha256
from workbench.services import jobs
from workbench.services.demo import Demo, list_demos
from workbench.services.jobs import VerifyRequest
from workbench.services.permissions import Permissions
from workbench.services.runs import list_runs
from workbench.settings import split_domains

_SOURCE_WORDS = {
    "none": "None",
    "files": "My files",
    "demo": "The demo's",
}
_SOURCE_TYPES = ["html", "htm", "pdf", "txt", "md", "json", "xml"]
_KNOWN_WAIT_S = 300.0
_CAP_USD: float | None = CAP_USD


@dataclass(frozen=True, slots=True, kw_only=True)
class _CheckOptions:
    """How to check."""

    judge: tuple[str, ...]
    sources: str
    files: tuple[tuple[str, bytes], ...]
    permissions: Permissions
    asking: Asking
    standalone: bool
    scope: ScopeChoice


def draw_start() -> None:
    """Draw the form, the demos and the latest runs."""
    st.html(
        '<div class="wb-head"><h1>Check the citations of an answer</h1>'
        '<p class="wb-quiet">Every citation is found, linked to its source and judged against it, '
        "with the words of the source that decide.</p></div>"
    )
    with st.container(key="start"):
        form, shelf = st.columns([58, 42], gap="large")
    with form:
        _form()
    with shelf:
        runs = list_runs(session.database(), limit=200)
        _demos(runs)
        _latest(runs)


def start(order: VerifyRequest) -> None:
    """Start a run and go to it as soon as its citations are found; say why if that fails."""
    job = jobs.start(order, session.database(), session.settings().snapshots)
    with st.spinner("Finding the citations"):
        job.known.wait(_KNOWN_WAIT_S)
    if job.begun is None:
        st.error(
            escape_markdown(
                job.error or "The text takes very long to read. Its run will be listed."
            )
        )
        return
    session.open_run(job.begun.id)
    st.rerun()


def _form() -> None:
    text = st.text_area(
        "Answer to check",
        key="paste",
        height=210,
        persist_state="session",
        placeholder="Paste an AI's answer or report with its citations and its list of references.",
    )
    upload = st.file_uploader(
        "or upload it",
        type=["txt", "md", "json", "pdf"],
        key="upload",
        help="A text, Markdown, JSON or PDF file. It comes before the pasted text.",
    )
    way = _way()
    _matches(text or "", upload, way)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        run = st.button("Check citations", key="run", type="primary", shortcut="Ctrl+Enter")
        guess = st.button(
            "Estimate", key="estimate", help="Calls, cost and time, before it starts."
        )
        st.page_link("pages/claims.py", label="Check claims without citations")
    try:
        if run:
            start(_order(text or "", upload, way))
        elif guess:
            st.info(_estimate(_order(text or "", upload, way)))
    except UsageError as error:
        st.error(escape_markdown(str(error)))


def _estimate(order: VerifyRequest) -> str:
    found = order.text if isinstance(order.text, Extraction) else extract(order.text)
    given = bool(order.files or order.given or order.folder)
    guess = estimate_run(
        found,
        list(order.judge),
        fetch=order.allow_fetch,
        batch=order.batch,
        labelled=given,
        standalone=order.standalone,
        scope=order.scope,
    )
    said = estimate_words(guess, batch=order.batch)
    unmatched = unmatched_words(matches_of(found, order.files)) if order.files else ""
    return escape_markdown(f"{said} {unmatched}".strip())


def _matches(text: str, upload: object, way: _CheckOptions) -> None:
    """Below the uploader: which reference each file answers, once there is a text."""
    if way.sources != "files" or not way.files:
        return
    try:
        order = _order(text, upload, way)
    except WorkbenchError:
        return  # there is no text yet, or none that can be read
    draw_matches(matches_of(order.text, order.files))


def _order(text: str, upload: object, way: _CheckOptions) -> VerifyRequest:
    read: str | Extraction = text
    name = ""
    if upload is not None:
        name = str(getattr(upload, "name", "file"))
        read = read_bytes(upload.getvalue(), name)  # type: ignore[attr-defined]
    elif not text.strip():
        raise UsageError(
            "There is no text to check: paste an answer, upload a file or open a demo."
        )
    if way.sources == "files" and not way.files:
        raise UsageError("There is no source file: upload at least one, or choose other sources.")
    demo = _chosen_demo()
    if upload is None and demo and demo.text == text:
        name = demo.title
    return VerifyRequest(
        text=read,
        name=name or _first_words(text),
        judge=way.judge,
        folder=demo.sources if demo and way.sources == "demo" else None,
        files=way.files if way.sources == "files" else (),
        allow_fetch=way.permissions.allow_fetch,
        fetch_refused=way.permissions.fetch_refused,
        allowed_domains=way.permissions.allowed_domains,
        max_cost_usd=way.permissions.max_cost_usd,
        together="auto" if way.asking == "together" else "never",
        standalone=way.standalone,
        scope=way.scope,
        batch=way.asking == "batch",
        reach=session.settings().reach,
    )


def _way() -> _CheckOptions:
    settings = session.settings()
    with st.container(border=True, key="way"):
        one, two = st.columns(2, gap="medium")
        with one:
            judge = _judges()
        with two:
            sources, files = _sources()
        _availability()
        one, two, three = st.columns([30, 42, 28], gap="medium", vertical_alignment="bottom")
        with one:
            fetch = st.toggle(
                "Fetch from the web",
                value=settings.allow_fetch,
                key="fetch",
                persist_state="session",
                help="Off: nothing leaves this machine; only given sources and kept snapshots are "
                "read. On: cited public pages are fetched, nothing on this network.",
                disabled=session.serves_many() and not settings.allow_fetch,
            )
        with two:
            domains = st.text_input(
                "Allowed domains",
                value=" ".join(settings.allowed_domains),
                key="domains",
                disabled=not fetch,
                persist_state="session",
                placeholder="any public one",
                help="Separate several by blanks. wikipedia.org also admits en.wikipedia.org. A "
                "DOI needs doi.org and its publisher's domain in the list.",
            )
        asking = _asking(judge)
        standalone = _standalone(judge)
        scope = _scope()
        with three:
            cap = st.number_input(
                "Cost cap, USD",
                min_value=0.0,
                value=_CAP_USD,
                step=0.5,
                key="cap",
                persist_state="session",
                placeholder="none",
                help="The run stops before a call that could exceed it; empty for no cap. The "
                "local judge is free.",
            )
    return _CheckOptions(
        judge=tuple(judge),
        sources=sources,
        files=files,
        permissions=session.permissions(
            allow_fetch=bool(fetch),
            domains=split_domains(domains or "") if fetch else (),
            max_cost_usd=None if cap is None else float(cap),
        ),
        asking=asking,
        standalone=standalone,
        scope=scope,
    )


def _asking(judge: Sequence[str]) -> Asking:
    """How language models are asked; nothing to choose where none is."""
    if not any(takes_prompt(spec) for spec in judge):
        return "alone"
    chosen = st.segmented_control(
        "How the model is asked",
        list(ASKING_WORDS),
        format_func=lambda way: ASKING_WORDS[way],
        default="alone",
        key="asking",
        required=True,
        persist_state="session",
        help="One claim a call is the fastest, and what the judge is calibrated on. Several claims "
        "of one source in a call cost 13 to 45 % less where sources are cited often, and take "
        "longer. A batch costs half and may take a day; the run can be stopped and continued.",
    )
    return chosen or "alone"


def _standalone(judge: Sequence[str]) -> bool:
    """Whether claims are rewritten; nothing to choose where no language model is asked."""
    if not any(takes_prompt(spec) for spec in judge):
        return False
    return st.toggle(
        "Rewrite each claim to stand alone",
        key="standalone",
        persist_state="session",
        help="The model also words each claim so that it can be understood without its context; "
        "the card marks the words that it adds. Costs some tokens more, which the estimate "
        "counts. Judges that are no language models give none.",
    )


def _scope() -> ScopeChoice:
    """How much of the text citations stand for."""
    chosen = st.selectbox(
        "A citation stands for",
        SCOPE_CHOICES,
        format_func=lambda choice: SCOPE_WORDS[choice],
        key="scope",
        persist_state="session",
        help="A marker at the end of a list or a paragraph may stand for more than the sentence "
        "before it. A list or a paragraph is judged part by part, and the verdict names the parts "
        "that the source does not cover. You can change it for a single citation on its card.",
    )
    return chosen or "guess"


def _judges() -> list[str]:
    known = judge_availability()
    options = [one.spec for one in known if one.available and one.spec == one.spec.lower()]
    chosen = st.multiselect(
        "Judge",
        options,
        default=options[:1],
        key="judge",
        persist_state="session",
        accept_new_options=True,
        help="Several judges make a panel. Type another one, for example anthropic:MODEL, "
        "openai:MODEL or scripted:FILE.",
    )
    return [str(spec) for spec in chosen] or options[:1]


def _availability() -> None:
    known = judge_availability()
    missing = [f"{one.spec}: {one.reason}" for one in known if not one.available]
    ready = [f"{one.spec}: {one.reason}" for one in known if one.available]
    st.html(
        '<ul class="wb-judges">'
        + "".join(f"<li>{escape_html(line)}</li>" for line in ready)
        + "".join(f'<li class="off">{escape_html(line)}</li>' for line in missing)
        + "</ul>"
    )


def _sources() -> tuple[str, tuple[tuple[str, bytes], ...]]:
    options = ["none", "files", *(["demo"] if _chosen_demo() else [])]
    if st.session_state.get("sources") not in options:
        st.session_state["sources"] = "none"
    sources = st.segmented_control(
        "Sources",
        options,
        format_func=lambda option: _SOURCE_WORDS[option],
        key="sources",
        required=True,
        help="What citations are checked against besides kept snapshots and, if allowed, the web.",
    )
    if sources != "files":
        return str(sources), ()
    files = st.file_uploader(
        "Source files",
        type=_SOURCE_TYPES,
        accept_multiple_files=True,
        key="source-files",
        help="A file is named like the citation it answers (1.html and 2.pdf for [1] and [2]) or "
        "like its title; a saved page is also known by its own address and title. Or add a "
        "sources.json that lists content, url, title and label.",
    )
    return "files", tuple((file.name, file.getvalue()) for file in files or ())


def _demos(runs: Sequence[RunSummary]) -> None:
    demos = _all_demos()
    if not demos:
        return
    stored: dict[str, RunSummary] = {}
    for run in sorted(runs, key=lambda one: (one.finished, one.created_at)):
        stored[run.output_sha256] = run
    st.header("Demos", anchor=False)
    for demo in demos:
        found = stored.get(text_sha256(demo.text))
        with st.container(key=f"demo-row-{demo.id}", border=True):
            words, act = st.columns([74, 26], vertical_alignment="center")
            with words:
                st.html(
                    f'<div class="wb-demo"><b dir="auto">{escape_html(demo.title)}</b>'
                    f'<p dir="auto">{escape_html(demo.about)}</p>'
                    f'<p class="wb-quiet">{_told(found) if found else "Not checked yet"}</p></div>'
                )
            with act:
                if st.button("Open" if found else "Check", key=f"demo-{demo.id}", width="stretch"):
                    _open_demo(demo, found)
                st.button(
                    "Use text",
                    key=f"use-{demo.id}",
                    type="tertiary",
                    width="stretch",
                    on_click=_use_demo,
                    args=(demo,),
                    help="Puts the text in the form, to check it in another way.",
                )


def _open_demo(demo: Demo, run: RunSummary | None) -> None:
    if run is None:
        start(VerifyRequest(text=demo.text, name=demo.title, folder=demo.sources))
        return
    session.open_run(run.id)
    st.rerun()


def _use_demo(demo: Demo) -> None:
    st.session_state["paste"] = demo.text
    st.session_state["chosen_demo"] = demo.id
    st.session_state["sources"] = "demo"


def _latest(runs: Sequence[RunSummary]) -> None:
    shipped = {text_sha256(demo.text) for demo in _all_demos()}
    own = [run for run in runs if run.output_sha256 not in shipped][:5]
    if not own:
        return
    st.header("Latest runs", anchor=False)
    st.page_link("pages/home.py", label="Where work stands")
    for run in own:
        st.button(
            escape_markdown(run.name or run.id, 60),
            key=f"run-{run.id}",
            type="tertiary",
            help=escape_markdown(f"{format_timestamp(run.created_at)}, {_told(run)}"),
            on_click=session.open_run,
            args=(run.id,),
        )


def _told(run: RunSummary) -> str:
    told = f"{run.found} citations · {run.supported} supported"
    if run.errors:
        told += f" · {run.errors} without a verdict"
    return told + (f" · {run.labelled} reviewed" if run.labelled else "")


def _chosen_demo() -> Demo | None:
    chosen = st.session_state.get("chosen_demo")
    return next((demo for demo in _all_demos() if demo.id == chosen), None)


@cache
def _all_demos() -> tuple[Demo, ...]:
    return tuple(list_demos())


def _first_words(text: str) -> str:
    first = next((line for line in text.splitlines() if line.strip(" #*\t")), "")
    return truncate(first.strip(" #*"), 80)
