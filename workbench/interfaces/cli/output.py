"""What a person reads on a terminal; pure functions of records, but for the progress line."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.interfaces.cli.terminal import (
    Block,
    ShowProgress,
    draw,
    on_terminal,
    plain,
    write,
)
from workbench.presentation.corrections import correction_text
from workbench.presentation.coverage import coverage_text, uncited_sentences
from workbench.presentation.grouping import counted_names, grouped
from workbench.presentation.verdicts import STYLES, limits_text, mark_of
from workbench.records.bibliography import ReferenceCheck, ReferenceReport
from workbench.records.citation import Extraction
from workbench.records.format import count_of, usd
from workbench.records.spending import NO_SPENDING, format_cost
from workbench.records.text import Json
from workbench.records.verdict import CitationResult, Run

if TYPE_CHECKING:
    from workbench.services.labelled_judging import Evaluation
    from workbench.services.policies import PolicyDecision
    from workbench.services.sources.snapshots import Snapshot, SnapshotImportResult
    from workbench.services.verification import ClaimReport, ClaimVerdict, GroundedClaim, Progress

MOST_UNCITED = 5
"""Sentences without a citation that are shown where not all are asked for."""
NumberedCheck = tuple[int, ReferenceCheck]
INCOMPLETE = "Incomplete: the score above is unreliable; see the reason on each line."
_REFERENCE_GLYPHS = {
    "matches": "●",
    "differs": "◐",
    "other_work": "✕",
    "not_found": "○",
    "not_checked": "?",
}


def extraction(cited: Extraction) -> str:
    """A line for each citation, and the totals."""
    lines = [
        f"{c.start:>7}  {c.kind:<11} {plain(c.raw, 24):<24} → "
        f"{plain(c.target.value if c.target else c.unlinked or '', 70)}"
        for c in cited.citations
    ]
    return "\n".join([*lines, *coverage_lines(cited, "--json"), extraction_totals(cited)])


def extraction_totals(cited: Extraction) -> str:
    """How much was found of each kind."""
    counts = ", ".join(f"{n} {kind}" for kind, n in cited.counts().items()) or "none"
    return f"Citations: {counts}. References: {len(cited.references)}. Claims: {len(cited.claims)}."


def reference_groups(report: ReferenceReport, *, each: bool = False) -> list[list[NumberedCheck]]:
    """The entries with their numbers, those together of which nothing but one same reason is said."""

    def key(numbered: NumberedCheck) -> tuple[str, str] | None:
        check = numbered[1]
        special = check.retraction is not None or any(
            comparison.agrees is False for comparison in check.fields
        )
        return None if special or not check.why else (check.status, check.why)

    return grouped(enumerate(report.checks, start=1), key, each=each)


def entry_label(number: int, check: ReferenceCheck) -> str:
    """How an entry is called in lists."""
    return f"[{plain(check.label or str(number), 8)}]"


def references(report: ReferenceReport, *, each: bool = False) -> str:
    """A line for each entry or group of entries with what differs below, and the totals."""
    lines = []
    for group in reference_groups(report, each=each):
        check = group[0][1]
        name = counted_names([entry_label(number, one) for number, one in group])
        title = "" if len(group) > 1 else f" {plain(check.entry.title or check.text, 70)}"
        lines.append(f"{_REFERENCE_GLYPHS[check.status]} {check.status:<12} {name}{title}")
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


def reason(result: CitationResult) -> str:
    """Why a citation has its verdict; empty where nothing is said."""
    if result.error:
        return result.error.message
    judgment = result.judgment
    if judgment is None:
        return ""
    why, calculation = judgment.reason or judgment.rationale, judgment.calculation
    if calculation and calculation.expression not in why:
        why = f"{why} Calculated from the source: {calculation.line}."
    return f"{why} {limits_text(judgment)}".strip()


def confidence(result: CitationResult) -> str:
    """How sure the judge is of its verdict, in percent."""
    return f"{result.judgment.confidence if result.judgment else 0:.0%}"


def run_groups(checked_run: Run, *, each: bool = False) -> list[list[CitationResult]]:
    """The results, those together that have the same verdict for the same reason."""

    def key(result: CitationResult) -> tuple[str, ...] | None:
        why = reason(result)
        if not why:
            return None
        return mark_of(result), result.verdict, confidence(result), why, correction_text(result)

    return grouped(checked_run.citations, key, each=each)


def run(checked_run: Run, joint: "Sequence[ClaimVerdict]" = (), *, each: bool = False) -> str:
    """A line for each verdict or group of them, one for each claim with several, and the totals."""
    lines = []
    for group in run_groups(checked_run, each=each):
        result = group[0]
        name = counted_names([plain(one.citation.raw, 20) for one in group])
        lines.append(
            f"{STYLES[mark_of(result)].glyph} "
            f"{result.verdict + ('?' if result.unsure else ''):<20} "
            f"{confidence(result):>4}  {plain(name, 20):<20} {plain(reason(result), 90)}"
        )
        if corrected := correction_text(result):
            lines.append(f"  suggested correction: {plain(corrected, 400)}")
    lines += joint_lines(checked_run, joint)
    lines += [*coverage_lines(checked_run, "--all", each=each), run_totals(checked_run)]
    if "references" in checked_run.config and checked_run.reference_checks:
        lines.append(references(ReferenceReport(checks=checked_run.reference_checks), each=each))
    if not checked_run.complete:
        lines.append(INCOMPLETE)
    return "\n".join(lines)


def joint_lines(checked_run: Run, joint: "Sequence[ClaimVerdict]") -> list[str]:
    """A line for each claim with several citations: its verdict, and which of them add nothing."""
    names = {result.citation.id: plain(result.citation.raw, 12) for result in checked_run.citations}
    lines = []
    for claim in joint:
        idle = " ".join(names[citation_id] for citation_id in claim.idle)
        lines.append(
            f"  together {' '.join(names[citation] for citation in claim.citations)}: "
            f"{claim.judgment.label}" + (f"; no contribution: {idle}" if idle else "")
        )
    return lines


def coverage_lines(cited: Run | Extraction, option: str, *, each: bool = False) -> list[str]:
    """How many sentences have a citation that need one, and those without; the first five, or all.

    `option` names what lists the rest.
    """
    uncited = uncited_sentences(cited.sentences, cited.text)
    shown = uncited if each else uncited[:MOST_UNCITED]
    lines = [line for line in [coverage_text(cited.coverage)] if line]
    lines += [f"  no citation: {plain(sentence, 110)}" for sentence in shown]
    more = len(uncited) - len(shown)
    return (
        [*lines, f"  and {more:,} more without a citation; {option} lists them"] if more else lines
    )


def run_totals(checked_run: Run) -> str:
    """The figures of a run in one line."""
    score = (
        "no score"
        if checked_run.overall_score is None
        else f"score {checked_run.overall_score:.2f}"
    )
    return (
        f"{count_of(checked_run.total_citations_found, 'citation')}, {checked_run.total_resolved} resolved, "
        f"{checked_run.total_supported} supported, "
        + (f"{checked_run.total_unsure} unsure (?), " if checked_run.total_unsure else "")
        + f"{score}, {format_cost(checked_run.spending)}, "
        f"{checked_run.timings.get('total', 0):.1f} s. Run {checked_run.id}."
    )


def decision_text(policy_decision: "PolicyDecision", *, each: bool = False) -> str:
    """What a policy makes of the answer, why, and the text that may be handed on."""
    lines = [
        f"Policy: {policy_decision.action}"
        + "".join(f"; {plain(reason, 200)}" for reason in policy_decision.reasons)
    ]
    for group in grouped(
        policy_decision.citations, lambda cited: (cited.status, cited.reason), each=each
    ):
        name = counted_names([plain(one.citation.raw, 20) for one in group])
        lines.append(f"  {group[0].status:<12} {plain(name, 20):<20} {plain(group[0].reason, 90)}")
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


def claim_groups(report: "ClaimReport", *, each: bool = False) -> "list[list[GroundedClaim]]":
    """The claims, those together that no source could be judged for, for the same reason."""
    return grouped(
        report.claims,
        lambda claim: (
            (claim.verdict, claim.error)
            if claim.error and not (claim.sides or claim.source_ref or claim.web_verified)
            else None
        ),
        each=each,
    )


def claims_of(group: "Sequence[GroundedClaim]", width: int) -> str:
    """A claim, or how many there are and the first of them."""
    number = f"{len(group):,} × " if len(group) > 1 else ""
    return plain(number + group[0].text + (" …" if number else ""), width)


def where(claim: "GroundedClaim") -> str:
    """Where the source of a claim is, and who found it; else why it has none."""
    found_by = f"{claim.web_search or 'web'}: " if claim.web_verified else ""
    return f"{found_by}{plain(claim.source_ref or claim.error or '', 40)}"


def claim_totals(report: "ClaimReport") -> str:
    """How many claims are verified, and what it cost."""
    cost = f" {format_cost(report.spending)}." if report.spending != NO_SPENDING else ""
    return report.summary + cost


def grounding(report: "ClaimReport", *, each: bool = False) -> str:
    """A line for each claim or group, both sides where sources differ, the summary."""
    lines = []
    for group in claim_groups(report, each=each):
        claim = group[0]
        lines.append(
            f"{claim.verdict:<13} {claim.confidence:>4.0%}  {claims_of(group, 70):<70}  "
            f"{where(claim)}"
        )
        lines += [
            f"  {side.stance:<11} {side.confidence:>4.0%}  {plain(side.source_ref or '', 40)}: "
            f"“{plain(side.quote or '', 200)}”"
            for side in claim.sides
        ]
    return "\n".join([*lines, *report.notes, claim_totals(report)])


def imported(result: "SnapshotImportResult") -> str:
    """What came in, and a line for each entry that did not."""
    left_out = "".join(f"\nleft out: {plain(reason, 120)}" for reason in result.skipped)
    return f"{result.imported} snapshots imported{left_out}"


def claims_judged(show: ShowProgress | None) -> Callable[[int, int], None] | None:
    """A callback that shows how many claims are judged; None where nothing is shown."""
    if show is None:
        return None
    return lambda done, total: show(done, total, f"judged {done:,} of {total:,} claims")


def run_shown(show: ShowProgress | None) -> "Callable[[Progress], None] | None":
    """A callback that shows how far a run has come; None where nothing is shown."""
    if show is None:
        return None

    def tell(progress: "Progress") -> None:
        missing = f", {progress.missing} not found" if progress.missing else ""
        show(
            progress.judged,
            progress.found or None,
            f"found {progress.found} · linked {progress.linked} · fetched {progress.fetched} of "
            f"{progress.sources}{missing} · judged {progress.judged} · {progress.cost_text}"
            + (f" · {progress.waiting}" if progress.waiting else ""),
        )

    return tell


def print_document(
    arguments: argparse.Namespace,
    document: Json,
    text: str,
    view: Callable[[], Iterable[Block]] | None = None,
) -> None:
    """One JSON document with `--json`; else the text, or on a terminal what `view` gives."""
    if arguments.json:
        print(json.dumps(document))
    elif view is not None and on_terminal(sys.stdout):
        draw(view())
    else:
        write(text)
