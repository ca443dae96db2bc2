"""The options of a check: what they are until their panel is opened, and its fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from workbench.errors import UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.review import reference_text
from workbench.interfaces.web.review import text as texts
from workbench.presentation.escape import escape_html, escape_markdown, truncate
from workbench.records.options import CAP_USD, SCOPE_CHOICES, ScopeChoice
from workbench.services.demo import Demo, registry_files
from workbench.services.handoff import USUAL_CHAT
from workbench.services.judges import judge_availability, server_of, suggested_judge, takes_prompt
from workbench.services.permissions import Permissions
from workbench.services.references.checking import (
    ReferenceOptions,
    ReferenceRequest,
    reference_options,
)
from workbench.services.verification import VerifyOptions
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
_CAP_USD: float | None = CAP_USD


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOptions:
    """What is asked of a run besides its text and sources."""

    judge: Sequence[str]
    fetch: bool
    domains: Sequence[str]
    cap_usd: float | None = _CAP_USD
    asking: Asking = "alone"
    standalone: bool = False
    scope: ScopeChoice = "guess"
    question: str = ""
    look_up: bool = False
    library: Sequence[tuple[str, bytes]] = ()

    def of_run(self, demo: Demo | None) -> VerifyOptions:
        """How the citations are judged, with a demo's sources where one is loaded."""
        settings = session.settings()
        options = VerifyOptions(
            judge=list(self.judge),
            sources=demo.sources if demo else None,
            together="auto" if self.asking == "together" else "never",
            standalone=self.standalone,
            scope=self.scope,
            question=self.question,
            batch=self.asking == "batch",
            snapshots=settings.snapshots,
            reach=settings.reach,
        )
        return self._permissions().applied_to(options)

    def of_references(self, demo: Demo | None) -> ReferenceOptions | None:
        """Who is asked about the references; None where nobody would be.

        Raises:
            UnreadableInput: A library holds no records.
            StoreError: The database cannot be used.
        """
        files = (*self.library, *(registry_files(demo) if demo else ()))
        request = ReferenceRequest(registry_files=files, look_up=self.look_up and self.fetch)
        return reference_options(
            session.settings(), self._permissions(), request, session.database()
        )

    def _permissions(self) -> Permissions:
        return session.permissions(
            allow_fetch=self.fetch,
            domains=self.domains if self.fetch else (),
            max_cost_usd=self.cap_usd,
        )


def default_options() -> StartOptions:
    """The options of who opened none."""
    settings = session.settings()
    return StartOptions(
        judge=[suggested_judge()], fetch=settings.allow_fetch, domains=settings.allowed_domains
    )


def render_options() -> StartOptions:
    """Draw the fields; what was chosen there."""
    fetch, domains = _fetching()
    judge = _judges()
    _availability(judge)
    left, right = st.columns([62, 38], gap="medium", vertical_alignment="bottom")
    with left:
        scope = _scope()
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
    question = st.text_area(
        "Question that it answers",
        key="question",
        height=70,
        persist_state="session",
        placeholder="Optional: the prompt that the answer was written for.",
        help="Sentences that only repeat its facts need no citation.",
    )
    asks_model = any(takes_prompt(spec) for spec in judge)
    asking = _asking() if asks_model else "alone"
    standalone = asks_model and _standalone()
    left, right = st.columns([30, 70], gap="medium", vertical_alignment="top")
    with left:
        look_up = st.toggle(
            "Look references up",
            key="look-up",
            persist_state="session",
            disabled=not fetch,
            help=reference_text.LOOK_UP_HELP
            if fetch
            else f"Allow fetching from the web first. {reference_text.LOOK_UP_HELP}",
        )
    with right:
        files = st.file_uploader(
            "Your library",
            type=reference_text.LIBRARY_TYPES,
            accept_multiple_files=True,
            key="library",
            help=reference_text.LIBRARY_HELP,
        )
    return StartOptions(
        judge=judge,
        fetch=fetch,
        domains=domains,
        cap_usd=None if cap is None else float(cap),
        asking=asking,
        standalone=standalone,
        scope=scope,
        question=question or "",
        look_up=look_up,
        library=[(file.name, file.getvalue()) for file in files or ()],
    )


def _fetching() -> tuple[bool, tuple[str, ...]]:
    """Whether cited pages are fetched, and from where alone."""
    settings = session.settings()
    left, right = st.columns([38, 62], gap="medium", vertical_alignment="bottom")
    with left:
        fetch = st.toggle(
            "Fetch from the web",
            value=settings.allow_fetch,
            key="fetch",
            persist_state="session",
            help="Off: no network access; only uploaded sources and stored snapshots are used. On: "
            "cited public pages are fetched, nothing on this network.",
            disabled=session.serves_many_callers() and not settings.allow_fetch,
        )
    with right:
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
    return fetch, split_domains(domains or "")


def _asking() -> Asking:
    """How language models are called."""
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


def _standalone() -> bool:
    """Whether language models rewrite claims."""
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
