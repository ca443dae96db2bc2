"""Claim mode: a text's claims, or one claim per line, against given sources; nothing is stored."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import streamlit as st

from workbench.errors import SourceError, UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import asset
from workbench.interfaces.web.review import text as texts
from workbench.presentation.escape import escape_html, escape_markdown, file_stem, truncate
from workbench.presentation.verdicts import ERROR_TEXT, STYLES, Mark
from workbench.records.options import CAP_USD
from workbench.records.spending import NO_SPENDING, format_cost
from workbench.services.judges import judge_availability, takes_prompt
from workbench.services.verification import (
    ClaimReport,
    GroundedClaim,
    GroundVerdict,
    VerifyOptions,
    verify_claims,
)

_STYLE = f"<style>{asset('claims.css')}</style>"
_CAP_USD: float | None = CAP_USD
_TYPES = ["html", "htm", "pdf", "txt", "md", "json"]
_MARKS: dict[GroundVerdict, Mark] = {
    "supported": "supported",
    "weak": "partially_supported",
    "unverifiable": "unverifiable",
    "contradicted": "contradicted",
}


def render_claims() -> None:
    """Draw the form, and the report of the last check of this session."""
    st.html(
        f'<div class="wb-head"><h1>Claims</h1>'
        f'<p class="wb-quiet">{escape_html(texts.CLAIMS_INTRO)}</p></div>'
    )
    form, sidebar = st.columns([58, 42], gap="large")
    with form:
        text = st.text_area(
            "Text or claims",
            key="claims-text",
            height=210,
            persist_state="session",
            placeholder="Paste a text, or one claim per line.",
        )
        lines = st.toggle(
            "One claim per line",
            key="claims-lines",
            help="On: every line is checked as it is. Off: the text is split into sentences.",
        )
    with sidebar:
        files = st.file_uploader(
            "Sources",
            type=_TYPES,
            accept_multiple_files=True,
            key="claims-files",
            help="The texts that claims are checked against: pages, PDFs, text, or a sources.json.",
        )
        judges = judge_availability()
        specs = [state.spec for state in judges if state.available and state.is_complete]
        judge = str(
            st.selectbox(
                "Judge",
                specs,
                key="claims-judge",
                accept_new_options=True,
                help=texts.CLAIM_JUDGE_HELP,
            )
        )
        options = _options(judge)
    if st.button("Check claims", key="claims-run", type="primary", shortcut="Ctrl+Enter"):
        uploads = [(file.name, file.getvalue()) for file in files or ()]
        try:
            with st.spinner("Comparing claims with sources"):
                st.session_state["claims-report"] = _check(
                    text or "", lines, uploads, judge, options
                )
        except SourceError as error:
            st.error(escape_markdown(f"A source cannot be read: {error.message}"))
        except UsageError as error:
            st.error(escape_markdown(str(error)))
    report = st.session_state.get("claims-report")
    if isinstance(report, ClaimReport):
        _report(report)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimCheckOptions:
    """The options of a check besides the judge."""

    split: bool = False
    standalone: bool = False
    search: bool = False
    max_cost_usd: float | None = None


def _options(judge: str) -> _ClaimCheckOptions:
    """Options for a judge that costs money, and for a configured search."""
    calls_api = takes_prompt(judge)
    split, standalone, cap = False, False, None
    if calls_api:
        split = st.toggle(
            "Let the model split the text into atomic claims",
            key="claims-split",
            help="Off: the text is split into sentences. On: the judge's model lists every "
            "statement that can be checked on its own, with the words that make it.",
        )
        standalone = st.toggle(
            texts.STANDALONE,
            key="claims-standalone",
            help="The model rewords each claim so that it can be understood without the text, for "
            "some more tokens: while it splits the text, or in the call that judges the claim.",
        )
        cap = st.number_input(
            "Cost cap, USD",
            min_value=0.0,
            value=_CAP_USD,
            step=0.5,
            key="claims-cap",
            placeholder="none",
            help="Claims not judged because of the cap are marked; leave empty for no cap.",
        )
    search = False
    if session.settings().search:
        search = st.toggle(
            "Search the web for unsupported claims",
            key="claims-search",
            help="Sends these claims to the search function named in settings.toml, and checks "
            "them against its results.",
        )
    return _ClaimCheckOptions(
        split=split,
        standalone=standalone,
        search=search,
        max_cost_usd=None if cap is None else float(cap),
    )


def _check(
    text: str,
    lines: bool,
    files: Sequence[tuple[str, bytes]],
    judge: str,
    options: _ClaimCheckOptions,
) -> ClaimReport:
    if not text.strip():
        raise UsageError("There is nothing to check: paste a text or some claims.")
    if not files:
        raise UsageError("There is no source: upload at least one file to compare with.")
    claims = [line.strip() for line in text.splitlines() if line.strip()]
    with tempfile.TemporaryDirectory(prefix="workbench-claims-") as folder:
        for number, (name, body) in enumerate(files, 1):
            file_path = PurePath(name.replace("\\", "/"))
            stem = (
                "sources"
                if file_path.name == "sources.json"
                else f"{number}-{file_stem(file_path.stem)}"
            )
            (Path(folder) / f"{stem}{file_path.suffix.lower()}").write_bytes(body)
        settings = session.settings()
        permissions = session.permissions(
            allow_fetch=settings.allow_fetch,
            domains=settings.allowed_domains,
            max_cost_usd=options.max_cost_usd,
        )
        verify_options = VerifyOptions(
            judge=judge, sources=Path(folder), standalone=options.standalone
        )
        return verify_claims(
            claims if lines else text,
            permissions.applied_to(verify_options),
            settings=settings,
            splitter=judge if options.split and not lines else None,
            search=settings.search if options.search else None,
            store=session.database(),
        )


def _report(report: ClaimReport) -> None:
    against = report.count("contradicted")
    summary = f"{report.summary} {against} contradicted." if against else report.summary
    st.html(_STYLE)
    has_cost = report.spending != NO_SPENDING
    cost = f" · {format_cost(report.spending)}" if has_cost else ""
    st.html(f'<p class="wb-claims-sum"><b>{escape_html(summary)}</b>{escape_html(cost)}</p>')
    for note in report.notes:
        st.warning(escape_markdown(note))
    rows = "".join(_row(claim) for claim in report.claims)
    st.html(f'<ol class="wb-claims">{rows}</ol>')
    st.download_button(
        "Download JSON",
        data=json.dumps(report.to_dict(), indent=1),
        file_name="claims.json",
        mime="application/json",
        on_click="ignore",
    )


def _row(claim: GroundedClaim) -> str:
    style = STYLES[_MARKS[claim.verdict]]
    where = escape_html(truncate(claim.source_ref or "", 120))
    if claim.web_verified:
        search = f" ({escape_html(claim.web_search)})" if claim.web_search else ""
        where = f"Found by web search{search}: {where}"
    if claim.error:
        where = ERROR_TEXT[claim.error]
    snippet = escape_html(claim.source_snippet or "")
    standalone = claim.standalone if claim.standalone != claim.text else None
    standalone_html = (
        f'<p class="wb-quiet">Stands alone as: {escape_html(standalone)}</p>' if standalone else ""
    )
    quote = f'<blockquote dir="auto">{snippet}</blockquote>' if snippet else ""
    if claim.sides:
        quote = "".join(
            f'<blockquote dir="auto">{escape_html(side.quote or "")}<br>'
            f'<span class="wb-quiet">{side.stance.capitalize()}: '
            f"{escape_html(truncate(side.source_ref or '', 120))}</span></blockquote>"
            for side in claim.sides
        )
    return (
        f'<li style="--verdict:{style.colour}"><span class="wb-claim-verdict">'
        f'<span class="wb-sign" aria-hidden="true">{style.glyph}</span>'
        f"{texts.CLAIM_VERDICTS[claim.verdict]} {claim.confidence:.2f}</span>"
        f'<div dir="auto">{escape_html(claim.text)}{standalone_html}{quote}'
        f'<span class="wb-quiet">{where}</span></div></li>'
    )
