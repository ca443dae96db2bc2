"""Search requests in the URL, and the hits as data for the browser.

Pure; nothing here opens the store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast, get_args
from urllib.parse import urlencode

from workbench.errors import ERROR_KINDS, ErrorKind
from workbench.interfaces.web.links import queue_link
from workbench.presentation.escape import run_label, truncate
from workbench.presentation.verdicts import STYLES
from workbench.records import (
    HIT_KINDS,
    HUMAN_LABELS,
    VERDICT_LABELS,
    CitationKind,
    HitKind,
    HumanLabel,
    ItemFilter,
    Json,
    JsonDict,
    SearchHit,
    SearchResults,
    VerdictLabel,
    replace_surrogates,
)
from workbench.records.format import format_timestamp

KIND_HEADS: Mapping[HitKind, str] = {
    "output": "Outputs",
    "claim": "Claims",
    "rationale": "Rationales",
    "note": "Notes and tags",
    "comment": "Comments",
    "source": "Sources",
}
PARAMS = ("verdict", "label", "reviewer", "run", "host", "cited", "error")
"""The filters of a search by their name in the URL; each may occur several times."""
PAGE = 50
FIRST = 5
"""Hits of each kind while no kind is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """A search request from the URL."""

    query: str = ""
    kind: HitKind | None = None
    """None for the first hits of every kind."""
    page: int = 1
    chosen: ItemFilter = field(default_factory=ItemFilter)


def asked_of(address: Mapping[str, Sequence[str]]) -> SearchRequest:
    """The search request in a URL; unknown values are left out."""

    def several(name: str, allowed: Sequence[str] | None = None) -> tuple[str, ...]:
        values = [
            replace_surrogates(value) for value in address.get(name, ()) if value or name == "host"
        ]
        return tuple(
            dict.fromkeys(value for value in values if allowed is None or value in allowed)
        )

    def single(name: str) -> str:
        return replace_surrogates(next(iter(address.get(name, ())), ""))

    kind, page = single("in"), single("page")
    return SearchRequest(
        query=single("q").strip(),
        kind=kind if kind in HIT_KINDS else None,
        page=max(int(page), 1) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
        chosen=ItemFilter(
            verdicts=cast(tuple[VerdictLabel, ...], several("verdict", VERDICT_LABELS)),
            labels=cast(tuple[HumanLabel, ...], several("label", HUMAN_LABELS)),
            reviewers=several("reviewer"),
            runs=several("run"),
            hosts=several("host"),
            kinds=cast(tuple[CitationKind, ...], several("cited", get_args(CitationKind))),
            error_kinds=cast(tuple[ErrorKind, ...], several("error", ERROR_KINDS)),
        ),
    )


def queue_address(request: SearchRequest) -> dict[str, str]:
    """The query parameters of the form that creates a queue of the citations found.

    These are the ones whose claim or rationale contains the words.
    """
    return dict(queue_link(replace(request.chosen, words=request.query)).query)


def review_address(hit: SearchHit) -> dict[str, str]:
    """A hit's address on the Review page; empty for a source that no citation uses."""
    if hit.run_id is None:
        return {}
    return {"run": hit.run_id} | ({"c": hit.citation_id} if hit.citation_id else {})


def hits_data(results: SearchResults, who: str = "") -> JsonDict:
    """Data for the browser: the hits grouped by kind, with the words marked."""
    groups: list[Json] = []
    for kind, total in results.counts.items():
        rows: list[Json] = [
            _row(number, hit, who) for number, hit in enumerate(results.hits) if hit.kind == kind
        ]
        if rows:
            groups.append(
                {"kind": kind, "head": f"{KIND_HEADS[kind]} {total:,}", "hits": rows}
                | ({"more": f"All {total:,}"} if total > len(rows) else {})
            )
    return {"groups": groups}


def _row(number: int, hit: SearchHit, who: str) -> JsonDict:
    row: JsonDict = {
        "n": number,
        "name": truncate(hit.name or "Untitled", 90),
        "parts": _parts(hit),
        "facts": " · ".join(filter(None, (truncate(hit.author, 40), format_timestamp(hit.at)))),
    }
    address = review_address(hit)
    if address:
        row["href"] = "./?" + urlencode({**address, **({"who": who} if who else {})})
    if hit.verdict:
        style = STYLES[hit.verdict]
        row["verdict"] = {"word": style.word, "glyph": style.glyph, "colour": style.colour}
    return row


def _parts(hit: SearchHit) -> list[Json]:
    """The excerpt in pieces, each with whether it matches; matches may overlap."""
    words, at = hit.excerpt.text, 0
    parts: list[Json] = [["… ", 0]] if hit.excerpt.span.start else []
    for span in hit.matches:
        if span.end <= at:
            continue
        start = max(span.start, at)
        if start > at:
            parts.append([replace_surrogates(words[at:start]), 0])
        parts.append([replace_surrogates(words[start : span.end]), 1])
        at = span.end
    if at < len(words):
        parts.append([replace_surrogates(words[at:]), 0])
    return parts


def narrowed_text(chosen: ItemFilter, names: Mapping[str, str]) -> str:
    """The filters of a search in a few words; empty without filters."""
    parts = [STYLES[verdict].word.lower() for verdict in chosen.verdicts]
    parts += [f"labelled {STYLES[label].word.lower()}" for label in chosen.labels]
    parts += [f"by {truncate(reviewer, 30)}" for reviewer in chosen.reviewers]
    parts += [f"in {run_label(names.get(run, ''), 40)}" for run in chosen.runs]
    parts += [f"from {truncate(host, 40) or 'no address'}" for host in chosen.hosts]
    parts += [kind.replace("_", " ") for kind in (*chosen.kinds, *chosen.error_kinds)]
    return ", ".join(parts)
