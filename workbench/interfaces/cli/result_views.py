"""Results as a terminal shows them: a table, the totals in the glyphs of the pages, the next steps.

The texts for pipes are in `output`; both use the same groups.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.interfaces.cli import output
from workbench.interfaces.cli.next_steps import after_claims, after_references, after_run
from workbench.interfaces.cli.terminal import (
    Block,
    Styled,
    TerminalColumn,
    TerminalTable,
    plain,
    terminal_width,
)
from workbench.presentation.corrections import correction_text
from workbench.presentation.grouping import counted_names
from workbench.presentation.reference_styles import (
    FIELD_NAMES,
    FINDING_ORDER,
    FINDINGS,
    NOTICES,
    FindingStyle,
    index_name,
)
from workbench.presentation.verdicts import SEVERITY, STYLES, Mark, VerdictStyle, mark_of
from workbench.records.bibliography import ReferenceCheck, ReferenceReport
from workbench.records.citation import Extraction
from workbench.records.verdict import CitationResult, Run

if TYPE_CHECKING:
    from workbench.services.verification import ClaimReport, ClaimVerdict, GroundedClaim

_ROOMY = 100
"""Width in cells from which a table has room for whole words and longer reasons."""
_CLAIM_MARKS: Mapping[str, Mark] = {
    "supported": "supported",
    "weak": "partially_supported",
    "contradicted": "contradicted",
}


def extraction_view(cited: Extraction) -> Iterator[Block]:
    """A row for each citation, and the totals."""
    if cited.citations:
        yield TerminalTable(
            (TerminalColumn("Offset", right=True), TerminalColumn("Kind"), TerminalColumn("Citation", most=24),
             TerminalColumn("Points to")),
            [
                (
                    f"{citation.start:,}",
                    citation.kind,
                    plain(citation.raw, 80),
                    plain(citation.target.value, 400)
                    if citation.target
                    else Styled(plain(citation.unlinked or "", 400), dim=True),
                )
                for citation in cited.citations
            ],
        )  # fmt: skip
    yield from output.coverage_lines(cited, "--json")
    yield output.extraction_totals(cited)


def finished_run(
    run: Run, joint: "Sequence[ClaimVerdict]", *, decided: str, on_pages: bool, each: bool
) -> Iterator[Block]:
    """A run, what a policy decided on it, and what to do next."""
    yield from run_view(run, joint, terminal_width(sys.stdout), each=each)
    if decided:
        yield ""
        yield decided
    grouped = any(len(group) > 1 for group in output.run_groups(run, each=each))
    yield from steps(after_run(run, on_pages=on_pages, grouped=grouped))


def finished_claims(report: "ClaimReport", *, marked: str, each: bool) -> Iterator[Block]:
    """A report on claims under the marked text, and what to do next."""
    if marked:
        yield marked
        yield ""
    yield from claims_view(report, each=each)
    grouped = any(len(group) > 1 for group in output.claim_groups(report, each=each))
    yield from steps(after_claims(report, grouped=grouped))


def finished_references(report: ReferenceReport, *, written: bool, each: bool) -> Iterator[Block]:
    """A reference list as it was found, and what to do next."""
    yield from reference_view(report, terminal_width(sys.stdout), each=each)
    grouped = any(len(group) > 1 for group in output.reference_groups(report, each=each))
    yield from steps(after_references(report, written=written, grouped=grouped))


def steps(sentences: Sequence[str]) -> Iterator[Block]:
    """What to do next, each on a line of its own."""
    if sentences:
        yield ""
        yield Styled("Next", bold=True)
    for sentence in sentences:
        yield f"  {sentence}"


def run_view(
    run: Run, joint: "Sequence[ClaimVerdict]", width: int, *, each: bool = False
) -> Iterator[Block]:
    """A row for each group of results, claims with several sources, and the totals."""
    roomy = width >= _ROOMY
    if run.citations:
        yield TerminalTable(
            (TerminalColumn("Verdict"), TerminalColumn("Sure", right=True),
             TerminalColumn("Citations", most=width // 4 if roomy else 14), TerminalColumn("Why")),
            [_run_row(group, roomy) for group in output.run_groups(run, each=each)],
        )  # fmt: skip
    yield from output.joint_lines(run, joint)
    numbers = Counter(mark_of(result) for result in run.counted)
    if numbers:
        yield _totals((numbers[mark], STYLES[mark]) for mark in SEVERITY if numbers[mark])
    yield from output.coverage_lines(run, "--all", each=each)
    yield Styled(output.run_totals(run), dim=True)
    if not run.complete:
        yield output.INCOMPLETE
    if "references" in run.config and run.reference_checks:
        yield from reference_view(ReferenceReport(checks=run.reference_checks), width, each=each)


def reference_view(report: ReferenceReport, width: int, *, each: bool = False) -> Iterator[Block]:
    """A row for each entry or group of entries, with what differs, and the totals."""
    roomy = width >= _ROOMY
    if report.checks:
        yield TerminalTable(
            (
                TerminalColumn("Finding"),
                TerminalColumn("Entry", most=width // 4 if roomy else 14),
                TerminalColumn("What"),
            ),
            [_reference_row(group, roomy) for group in output.reference_groups(report, each=each)],
        )
    counts = report.counts()
    if counts:
        yield _totals(
            (counts[status], FINDINGS[status]) for status in FINDING_ORDER if status in counts
        )
    for index in report.indexes():
        if index["asked"]:
            yield Styled(
                f"{index_name(str(index['name']))}: asked about {index['asked']}, answered "
                f"{index['answered']}, failed {index['failed']}",
                dim=True,
            )


def claims_view(report: "ClaimReport", *, each: bool = False) -> Iterator[Block]:
    """A row for each claim with both sides if sources differ, or for each group without one."""
    if report.claims:
        yield TerminalTable(
            (
                TerminalColumn("Verdict"),
                TerminalColumn("Sure", right=True),
                TerminalColumn("Claim"),
            ),
            [_claim_row(group) for group in output.claim_groups(report, each=each)],
        )
    yield from report.notes
    yield output.claim_totals(report)


def _run_row(group: Sequence[CitationResult], roomy: bool) -> Sequence[str | Styled]:
    first = group[0]
    corrected = correction_text(first)
    why = plain(output.reason(first), 240 if roomy else 120)
    return (
        _sign(STYLES[mark_of(first)], roomy),
        Styled(output.confidence(first) if first.judgment else "", dim=True),
        counted_names([plain(result.citation.raw, 24) for result in group]),
        f"{why}\nSuggested correction: {plain(corrected, 400)}" if corrected else why,
    )


def _reference_row(
    group: Sequence[tuple[int, ReferenceCheck]], roomy: bool
) -> Sequence[str | Styled]:
    number, first = group[0]
    lines = [] if len(group) > 1 else [plain(first.entry.title or first.text, 160)]
    if first.retraction is not None:
        dated = f" on {plain(first.retraction.date, 12)}" if first.retraction.date else ""
        notice = NOTICES[first.retraction.kind]
        lines.append(f"{notice.glyph} {notice.word}{dated}")
    lines += [
        f"{FIELD_NAMES.get(field.field, field.field)}: {plain(field.entry_value or '—', 80)} ↔ "
        f"{plain(field.record_value or '—', 80)}"
        for field in first.fields
        if field.agrees is False
    ]
    if first.why and first.status != "differs":
        lines.append(plain(first.why, 240))
    return (
        _sign(FINDINGS[first.status], roomy),
        counted_names([output.entry_label(number, check) for number, check in group]),
        "\n".join(lines),
    )


def _claim_row(group: "Sequence[GroundedClaim]") -> Sequence[str | Styled]:
    first = group[0]
    style = STYLES[_CLAIM_MARKS.get(first.verdict, "unverifiable")]
    lines = [output.claims_of(group, 160)]
    lines += [plain(output.where(first), 160)] if output.where(first) else []
    lines += [
        f"{side.stance} {side.confidence:.0%}, {plain(side.source_ref or '', 80)}: "
        f"“{plain(side.quote or '', 200)}”"
        for side in first.sides
    ]
    return (
        Styled(f"{style.glyph} {first.verdict.capitalize()}", style.colour),
        Styled(f"{first.confidence:.0%}", dim=True),
        "\n".join(lines),
    )


def _sign(style: VerdictStyle | FindingStyle, roomy: bool) -> Styled:
    return Styled(f"{style.glyph} {style.word if roomy else style.short}", style.colour)


def _totals(numbers: Iterable[tuple[int, VerdictStyle | FindingStyle]]) -> Block:
    """The numbers of a result in one line, each with its sign."""
    parts: list[str | Styled] = []
    for number, style in numbers:
        parts += [
            "   " if parts else "",
            Styled(f"{style.glyph} {number:,} {style.word.lower()}", style.colour),
        ]
    return parts
