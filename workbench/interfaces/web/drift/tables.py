"""The tables of the Drift page: evaluations and changed verdicts; pure."""

from collections.abc import Mapping, Sequence

from workbench.interfaces.web.drift import text as texts
from workbench.interfaces.web.figure_cells import figure_cell, no_interval_note
from workbench.interfaces.web.links import Column, Link, LinkCell, Table, cells
from workbench.presentation.calibration.text import share
from workbench.presentation.drift_text import FLIP_TEXT, VERDICT_TEXT, judge_text, points
from workbench.presentation.escape import truncate
from workbench.presentation.verdicts import MARKS, Mark
from workbench.records.format import format_timestamp, usd
from workbench.services.drift import DriftReport, Flip, Flips

SHOWN = 25
"""Changes listed on the page; the others are only counted."""


def evaluations_table(report: DriftReport) -> Table:
    """Every evaluation of each judge with its result, newest first."""
    rows, shares = [], []
    for series in report.series:
        for analysis, asking in reversed(
            list(zip(series.interim_analyses, series.evaluations, strict=True))
        ):
            since, last = analysis.since_baseline, analysis.since_last
            shares += [
                agreement.figure
                for agreement in (analysis.agreement, last and last.same)
                if agreement
            ]
            rows.append(
                cells(
                    [
                        asking.id,
                        LinkCell(
                            text=format_timestamp(asking.created_at),
                            more=truncate(judge_text(series), 60),
                        ),
                        figure_cell(share(analysis.agreement.figure))
                        if analysis.agreement
                        else "–",
                        LinkCell(
                            text=f"{points(since.value)}",
                            more=f"{points(since.low)} to {points(since.high)} "
                            f"at {since.confidence * 100:.4g} %",
                        )
                        if since
                        else "–",
                        figure_cell(share(last.same.figure)) if last else "–",
                        LinkCell(text=VERDICT_TEXT[analysis.verdict]),
                        f"{analysis.unanswered:,}",
                        usd(asking.cost_usd),
                    ]
                )
            )
    return Table(
        accessible_label="Evaluations, newest first; changes are in points of agreement, at the stated "
        "confidence",
        columns=(
            Column(word="Evaluation", width="5rem"),
            Column(word="When (UTC), judge"),
            Column(word="Agreement with labels", numeric=True),
            Column(word="Since the baseline", numeric=True),
            Column(word="Same as previous", numeric=True, spare=True),
            Column(word="Result", width="11rem"),
            Column(word="No verdict", numeric=True, spare=True, width="6rem"),
            Column(word="Cost", numeric=True, spare=True, width="5rem"),
        ),
        rows=tuple(rows),
        note=no_interval_note(shares),
    )


def flips_table(flips: Sequence[Flip], claims: Mapping[str, str]) -> Table:
    """Items with people's label, the first and the second verdict with their reasons."""
    return Table(
        accessible_label="Examples whose label changed; the claim links to the citation",
        prose=True,
        columns=(
            Column(word="Claim"),
            Column(word="Change", width="6rem"),
            Column(word="Label", width="9rem"),
            Column(word=texts.FIRST, width="26%"),
            Column(word=texts.SECOND, width="26%"),
        ),
        rows=tuple(
            cells(
                [
                    LinkCell(
                        text=truncate(claims.get(flip.item, flip.item), 160),
                        link=_review_link(flip.item),
                    ),
                    FLIP_TEXT[flip.kind].partition(":")[0],
                    LinkCell(marks=_marks(flip.second.human)),
                    LinkCell(
                        marks=_marks(flip.first.label), more=truncate(flip.first.rationale, 240)
                    ),
                    LinkCell(
                        marks=_marks(flip.second.label), more=truncate(flip.second.rationale, 240)
                    ),
                ]
            )
            for flip in flips
        ),
    )


def listed_flips(flips: Flips, kind: str) -> list[Flip]:
    """The changed items of one kind, or of all kinds if it is empty."""
    return [flip for flip in flips.changed if kind in ("", flip.kind)]


def _marks(label: str) -> tuple[Mark, ...]:
    return tuple(mark for mark in MARKS if mark == label)


def _review_link(item: str) -> Link:
    run_id, _, citation_id = item.partition("/")
    return Link(page="review", query={"run": run_id, "c": citation_id})
