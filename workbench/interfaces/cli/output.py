"""What a person reads on a terminal; pure functions of records, but for the progress line."""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from workbench.presentation.corrections import correction_text
from workbench.records import (
    NO_SPENDING,
    Extraction,
    Json,
    ReferenceReport,
    Run,
    format_cost,
    replace_surrogates,
)
from workbench.records.format import usd

if TYPE_CHECKING:
    from workbench.services.labelled_judging import Evaluation
    from workbench.services.policies import PolicyDecision
    from workbench.services.sources.snapshots import Snapshot, SnapshotImportResult
    from workbench.services.verification import ClaimReport, ClaimVerdict, Progress

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]+")
_REFERENCE_GLYPHS = {
    "matches": "●",
    "differs": "◐",
    "other_work": "✕",
    "not_found": "○",
    "not_checked": "?",
}
_GLYPHS = {
    "supported": "●",
    "partially_supported": "◐",
    "not_supported": "○",
    "contradicted": "✕",
    "unverifiable": "?",
}


def plain(text: str, width: int) -> str:
    """One line of untrusted text: no control or direction characters, cut to a width."""
    line = _CONTROL.sub(" ", replace_surrogates(text)).strip()
    return line if len(line) <= width else line[: width - 1] + "…"


def extraction(cited: Extraction) -> str:
    """A line for each citation, and the totals."""
    lines = [
        f"{c.start:>7}  {c.kind:<11} {plain(c.raw, 24):<24} → "
        f"{plain(c.target.value if c.target else c.unlinked or '', 70)}"
        for c in cited.citations
    ]
    counts = ", ".join(f"{n} {kind}" for kind, n in cited.counts().items()) or "none"
    lines.append(
        f"Citations: {counts}. References: {len(cited.references)}. Claims: {len(cited.claims)}."
    )
    return "\n".join(lines)


def references(report: ReferenceReport) -> str:
    """A line for each entry with what differs below it, and the totals."""
    lines = []
    for number, check in enumerate(report.checks, start=1):
        label = plain(check.label or str(number), 8)
        named = check.entry.title or check.text
        lines.append(
            f"{_REFERENCE_GLYPHS[check.status]} {check.status:<12} [{label}] {plain(named, 70)}"
        )
        if check.retraction is not None:
            dated = f" on {plain(check.retraction.date, 12)}" if check.retraction.date else ""
            lines.append(f"    {check.retraction.kind}{dated}")
        for comparison in check.fields:
            if comparison.agrees is False:
                lines.append(
                    f"    {comparison.field}: {plain(comparison.entry_value or '—', 50)} ↔ "
                    f"{plain(comparison.record_value or '—', 50)}"
                )
        if check.why and check.status != "differs":
            lines.append(f"    {plain(check.why, 160)}")
    counts = ", ".join(f"{number} {status}" for status, number in report.counts().items())
    lines.append(f"References: {len(report.checks)}{f' ({counts})' if counts else ''}.")
    lines += [
        f"{index['name']}: asked about {index['asked']}, answered {index['answered']}, "
        f"failed {index['failed']}."
        for index in report.indexes()
        if index["asked"]
    ]
    return "\n".join(lines)


def run(checked_run: Run, joint: "Sequence[ClaimVerdict]" = ()) -> str:
    """A line for each citation's verdict, one for each claim with several, and the totals."""
    lines = []
    for result in checked_run.citations:
        judgment = result.judgment
        reason = result.error.message if result.error else judgment.rationale if judgment else ""
        lines.append(
            f"{_GLYPHS[result.verdict]} {result.verdict:<20} "
            f"{judgment.confidence if judgment else 0:>4.0%}  "
            f"{plain(result.citation.raw, 20):<20} {plain(reason, 90)}"
        )
        if corrected := correction_text(result):
            lines.append(f"  suggested correction: {plain(corrected, 400)}")
    names = {result.citation.id: plain(result.citation.raw, 12) for result in checked_run.citations}
    for claim in joint:
        idle = " ".join(names[citation_id] for citation_id in claim.idle)
        lines.append(
            f"  together {' '.join(names[citation] for citation in claim.citations)}: "
            f"{claim.judgment.label}" + (f"; adds nothing: {idle}" if idle else "")
        )
    score = (
        "no score"
        if checked_run.overall_score is None
        else f"score {checked_run.overall_score:.2f}"
    )
    lines.append(
        f"{checked_run.total_citations_found} citations, {checked_run.total_resolved} resolved, "
        f"{checked_run.total_supported} supported, {score}, {format_cost(checked_run.spending)}, "
        f"{checked_run.timings.get('total', 0):.1f} s. Run {checked_run.id}."
    )
    if "references" in checked_run.config and checked_run.reference_checks:
        lines.append(references(ReferenceReport(checks=checked_run.reference_checks)))
    if not checked_run.complete:
        lines.append("Incomplete: the score above says little; see the reasons beside the lines.")
    return "\n".join(lines)


def decision_text(policy_decision: "PolicyDecision") -> str:
    """What a policy makes of the answer, why, and the text that may be handed on."""
    lines = [
        f"Policy: {policy_decision.action}"
        + "".join(f"; {plain(reason, 200)}" for reason in policy_decision.reasons)
    ]
    lines += [
        f"  {citation.status:<12} {plain(citation.citation.raw, 20):<20} {plain(citation.reason, 90)}"
        for citation in policy_decision.citations
    ]
    lines += [
        f"  ungrounded   {sentence.overlap:.2f}  {plain(sentence.text, 100)}"
        for sentence in policy_decision.ungrounded
    ]
    lines += [
        f"  {violation.step.reason:<12} {plain(violation.check.text, 90)}"
        for violation in policy_decision.references or ()
    ]
    if policy_decision.action == "redact":
        lines += ["", *(plain(line, 100_000) for line in policy_decision.text.splitlines())]
    return "\n".join(lines)


def evaluation(result: "Evaluation") -> str:
    """The figures of an evaluation, each with its interval or why it has none."""
    raw = result.to_dict()
    lines = [f"{result.n} pairs, {result.positives} supported; threshold {raw['threshold']}"]
    for name, interval in result.ci95.items():
        value = raw[name]
        low_high = (
            f"  (95 %: {interval[0]:.3f} to {interval[1]:.3f})"
            if interval
            else f"  (no interval: {result.ci95_missing[name]})"
            if value is not None
            else ""
        )
        lines.append(f"{name:<18} {'undefined' if value is None else value}{low_high}")
    cost = "price unknown" if result.cost_usd is None else usd(result.cost_usd)
    lines.append(f"{result.seconds_per_item * 1000:.1f} ms a pair, {cost}")
    if result.errors:
        lines.append("no verdict: " + ", ".join(f"{n} {kind}" for kind, n in result.errors.items()))
    lines += [f"left out, line {line}: {reason}" for line, reason in result.skipped]
    return "\n".join(lines)


def snapshot(row: "Snapshot") -> str:
    """One line of the list of kept sources."""
    when = row.fetched_at.strftime("%Y-%m-%d %H:%M")
    return f"{row.sha256[:12]}  {when}  {row.bytes:>9}  {plain(row.url or row.title or '', 90)}"


def grounding(report: "ClaimReport") -> str:
    """A line for each claim, both sides where sources contradict it or each other, the summary."""
    lines = []
    for claim in report.claims:
        found_by = f"{claim.web_search or 'web'}: " if claim.web_verified else ""
        where = plain(claim.source_ref or claim.error or "", 40)
        lines.append(
            f"{claim.verdict:<13} {claim.confidence:>4.0%}  {plain(claim.text, 70):<70}  "
            f"{found_by}{where}"
        )
        lines += [
            f"  {side.stance:<11} {side.confidence:>4.0%}  {plain(side.source_ref or '', 40)}: "
            f"“{plain(side.quote or '', 200)}”"
            for side in claim.sides
        ]
    cost = f" {format_cost(report.spending)}." if report.spending != NO_SPENDING else ""
    return "\n".join([*lines, *report.notes, report.summary + cost])


def imported(result: "SnapshotImportResult") -> str:
    """What came in, and a line for each entry that did not."""
    left_out = "".join(f"\nleft out: {plain(reason, 120)}" for reason in result.skipped)
    return f"{result.imported} snapshots taken in{left_out}"


def progress_line(stream: TextIO) -> "Callable[[Progress], None] | None":
    """A callback that keeps one line up to date on a terminal; None where there is none."""
    if not stream.isatty():
        return None

    def show(progress: "Progress") -> None:
        missing = f", {progress.missing} not found" if progress.missing else ""
        line = (
            f"found {progress.found} · linked {progress.linked} · fetched {progress.fetched} of "
            f"{progress.sources}{missing} · judged {progress.judged} · {progress.cost_text} · "
            f"{progress.elapsed_s:.0f} s" + (f" · {progress.waiting}" if progress.waiting else "")
        )
        end = "\n" if progress.judged == progress.found else "\r"
        stream.write(f"\x1b[2K{line}{end}")
        stream.flush()

    return show


def print_document(arguments: argparse.Namespace, document: Json, text: str) -> None:
    """One JSON document with `--json`, else the text."""
    if arguments.json:
        print(json.dumps(document))
        return
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding))
