"""Claim mode: a text's claims, or claims as they stand, against given sources; nothing is kept."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import streamlit as st

from workbench.errors import SourceError, UsageError
from workbench.interfaces.web import session
from workbench.interfaces.web.components import ASSETS
from workbench.judging import judge_availability
from workbench.judging.ground_report import ClaimReport, GroundedClaim, GroundVerdict
from workbench.pipeline import CAP_USD
from workbench.presentation.escape import escape_html, escape_markdown, file_stem, truncate
from workbench.presentation.run_totals import dollars
from workbench.presentation.verdicts import ERROR_WORDS, STYLES, Mark
from workbench.records import NO_SPENDING, cost_words
from workbench.services.verification import verify_claims

_STYLE = f"<style>{(ASSETS / 'claims.css').read_text('utf-8')}</style>"
_CAP_USD: float | None = CAP_USD
_TYPES = ["html", "htm", "pdf", "txt", "md", "json"]
_MARKS: dict[GroundVerdict, Mark] = {
    "supported": "supported",
    "weak": "partially_supported",
    "unverifiable": "unverifiable",
    "contradicted": "contradicted",
}
_WORDS: dict[GroundVerdict, str] = {
    "supported": "Supported",
    "weak": "Weak",
    "unverifiable": "Not found",
    "contradicted": "Contradicted",
}


def draw_claims() -> None:
    """Draw the form, and the report of the last check of this session."""
    st.html(
        '<div class="wb-head"><h1>Check claims without citations</h1>'
        '<p class="wb-quiet">Every claim is compared with the sources you give; the best one '
        "decides. Questions, hedges and code are left out.</p></div>"
    )
    form, shelf = st.columns([58, 42], gap="large")
    with form:
        text = st.text_area(
            "Text or claims",
            key="claims-text",
            height=210,
            persist_state="session",
            placeholder="Paste a text, or one claim a line.",
        )
        lines = st.toggle(
            "One claim a line",
            key="claims-lines",
            help="On: every line is checked as it stands. Off: the text is split at its sentences.",
        )
    with shelf:
        files = st.file_uploader(
            "Sources",
            type=_TYPES,
            accept_multiple_files=True,
            key="claims-files",
            help="The texts that claims are checked against: pages, PDFs, text, or a sources.json.",
        )
        known = judge_availability()
        specs = [one.spec for one in known if one.available and one.spec == one.spec.lower()]
        judge = str(
            st.selectbox(
                "Judge",
                specs,
                key="claims-judge",
                accept_new_options=True,
                help="Type another one, for example anthropic:MODEL or openai:MODEL.",
            )
        )
        way = _way(judge)
    if st.button("Check claims", key="claims-run", type="primary", shortcut="Ctrl+Enter"):
        given = [(file.name, file.getvalue()) for file in files or ()]
        try:
            with st.spinner("Comparing claims and sources"):
                st.session_state["claims-report"] = _check(text or "", lines, given, judge, way)
        except SourceError as error:
            st.error(escape_markdown(f"A source cannot be read: {error.message}"))
        except UsageError as error:
            st.error(escape_markdown(str(error)))
    report = st.session_state.get("claims-report")
    if isinstance(report, ClaimReport):
        _report(report)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ClaimCheckOptions:
    """How claims are checked beside the judge."""

    split: bool = False
    standalone: bool = False
    search: bool = False
    max_cost_usd: float | None = None


def _way(judge: str) -> _ClaimCheckOptions:
    """What can be chosen for a judge that costs money, and where a search is configured."""
    paid = judge.startswith(("anthropic:", "openai:"))
    split, standalone, cap = False, False, None
    if paid:
        split = st.toggle(
            "Split into atomic claims by the model",
            key="claims-split",
            help="Off: the text is split at its sentences. On: the judge's model names every "
            "statement that can be checked alone, with the words that make it.",
        )
        standalone = st.toggle(
            "Rewrite each claim to stand alone",
            key="claims-standalone",
            help="The model words each claim so that it can be understood without the text, for "
            "some tokens more: while it splits the text, else in the call that judges the claim.",
        )
        cap = st.number_input(
            "Cost cap, USD",
            min_value=0.0,
            value=_CAP_USD,
            step=0.5,
            key="claims-cap",
            placeholder="none",
            help="Claims that the cap leaves unjudged say so; empty for no cap.",
        )
    search = False
    if session.settings().search:
        search = st.toggle(
            "Search the web for what is not found",
            key="claims-search",
            help="Sends these claims to the search function that settings.toml names, and checks "
            "them against what it gives.",
        )
    return _ClaimCheckOptions(
        split=split,
        standalone=standalone,
        search=search,
        max_cost_usd=None if cap is None else float(cap),
    )


def _check(
    text: str, lines: bool, files: Sequence[tuple[str, bytes]], judge: str, way: _ClaimCheckOptions
) -> ClaimReport:
    if not text.strip():
        raise UsageError("There is nothing to check: paste a text or some claims.")
    if not files:
        raise UsageError("There is no source: upload at least one file to compare with.")
    claims = [line.strip() for line in text.splitlines() if line.strip()]
    with tempfile.TemporaryDirectory(prefix="workbench-claims-") as folder:
        for number, (name, body) in enumerate(files, 1):
            bare = PurePath(name.replace("\\", "/"))
            stem = "sources" if bare.name == "sources.json" else f"{number}-{file_stem(bare.stem)}"
            (Path(folder) / f"{stem}{bare.suffix.lower()}").write_bytes(body)
        settings = session.settings()
        return verify_claims(
            claims if lines else text,
            Path(folder),
            judge,
            settings=settings,
            splitter=judge if way.split and not lines else None,
            search=settings.search if way.search else None,
            permissions=session.permissions(
                allow_fetch=settings.allow_fetch,
                domains=settings.allowed_domains,
                max_cost_usd=way.max_cost_usd,
            ),
            store=session.database(),
            standalone=way.standalone,
        )


def _report(report: ClaimReport) -> None:
    against = report.count("contradicted")
    said = f"{report.summary} {against} contradicted." if against else report.summary
    st.html(_STYLE)
    spent = report.spending != NO_SPENDING
    cost = f" · {cost_words(report.spending, dollars)}" if spent else ""
    st.html(f'<p class="wb-claims-sum"><b>{escape_html(said)}</b>{escape_html(cost)}</p>')
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
        where = f"Found by web search: {where}"
    if claim.error:
        where = ERROR_WORDS[claim.error]
    snippet = escape_html(claim.source_snippet or "")
    alone = claim.standalone if claim.standalone != claim.text else None
    worded = f'<p class="wb-quiet">Stands alone as: {escape_html(alone)}</p>' if alone else ""
    found = f'<blockquote dir="auto">{snippet}</blockquote>' if snippet else ""
    return (
        f'<li style="--verdict:{style.colour}"><span class="wb-claim-verdict">'
        f'<span class="wb-sign" aria-hidden="true">{style.glyph}</span>'
        f"{_WORDS[claim.verdict]} {claim.confidence:.2f}</span>"
        f'<div dir="auto">{escape_html(claim.text)}{worded}{found}'
        f'<span class="wb-quiet">{where}</span></div></li>'
    )
