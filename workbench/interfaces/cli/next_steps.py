"""Suggested next steps after a check, in sentences that name the option or the page; pure."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.presentation.reference_styles import LEAD
from workbench.records.bibliography import ReferenceReport
from workbench.records.format import count_of
from workbench.records.verdict import Run

if TYPE_CHECKING:
    from workbench.interfaces.batch import Summary
    from workbench.services.verification import ClaimReport

ADDRESS = "http://127.0.0.1:8501"
"""The default address of the pages of `workbench serve`."""
SHOW_EACH = "Lines with a count group several results; --all lists each."
_UNREACHABLE = ("timeout", "bad_status", "no_such_host", "redirect_loop", "too_large")
_UNUSABLE = ("not_text", "not_evidence", "unreadable")


def after_run(run: Run, *, on_pages: bool, grouped: bool) -> list[str]:
    """Next steps for a run, most useful first.

    Args:
        run: The run.
        on_pages: Whether `workbench serve` shows it.
        grouped: Whether a line of the listing groups several results.
    """
    kinds = {kind: number for kind, number in run.errors.items() if number}
    steps = after_errors(kinds)
    if run.waiting:
        steps.insert(
            0,
            f"{count_of(run.waiting, 'citation')}: waiting for a chat's answers. Write the questions: "
            f"workbench handoff export {run.id} --out questions.txt",
        )
    elif kinds.get("cancelled"):
        steps.insert(0, f"Continue with the rest: workbench resume {run.id}")
    if run.citations and on_pages:
        doubts = sum(result.verdict in ("contradicted", "not_supported") for result in run.counted)
        what = f"the {count_of(doubts, 'doubtful verdict')}" if doubts else "the verdicts"
        steps.append(f"Review {what}: workbench serve, then {ADDRESS}/review?run={run.id}")
    elif run.citations:
        steps.append("To review it on the pages, run it without --no-store and --db.")
    if "references" in run.config:
        steps += after_references(ReferenceReport(checks=run.reference_checks))
    return [*steps, SHOW_EACH] if grouped else steps


def after_errors(kinds: Mapping[str, int]) -> list[str]:
    """Next steps for citations without a verdict, by the number of each kind."""
    off, missing = kinds.get("fetch_disabled", 0), kinds.get("no_source", 0)
    outside, budget = kinds.get("not_allowed_domain", 0), kinds.get("cost_cap_reached", 0)
    unreachable = sum(kinds.get(kind, 0) for kind in _UNREACHABLE)
    unusable = sum(kinds.get(kind, 0) for kind in _UNUSABLE)
    failed = kinds.get("llm_judge_error", 0) + kinds.get("malformed_judge_response", 0)
    steps = [
        (off, "fetching is off. Add --allow-fetch, or provide the sources with --sources DIR."),
        (missing, "the source was not provided. Add it to --sources, or add --allow-fetch."),
        (outside, "outside the allowed domains. Allow the domain with --allow-domain."),
        (unreachable, "the source did not answer. Try again later, or provide it with --sources."),
        (
            unusable,
            "the source cannot be read. Save it as text or PDF and provide it with --sources.",
        ),
        (budget, "the budget was reached. Raise --max-cost-usd."),
        (failed, "the judge gave no usable reply. Try again, or name another --judge."),
    ]
    return [f"{count_of(number, 'citation')}: {what}" for number, what in steps if number]


def after_claims(report: "ClaimReport", *, grouped: bool = False) -> list[str]:
    """Next steps for claims that are not verified."""
    steps = []
    if disputed := report.count("contradicted"):
        steps.append(
            f"{count_of(disputed, 'claim')}: contradicted. Compare both sides and correct the text."
        )
    if open_claims := report.count("unverifiable"):
        steps.append(
            f"{count_of(open_claims, 'claim')}: unverifiable. Add their sources with --sources, or "
            "search the web with --search or --web-search."
        )
    return [*steps, SHOW_EACH] if grouped else steps


def after_references(
    report: ReferenceReport, *, written: bool = True, grouped: bool = False
) -> list[str]:
    """Next steps for the entries of a reference list; `written`: do not suggest a corrected list."""
    counts = report.counts()
    steps = []
    if unchecked := counts.get("not_checked", 0):
        steps.append(
            f"{count_of(unchecked, 'reference')}: not checked. Add --allow-fetch to ask the indexes, "
            "or --registry FILE to search your own library."
        )
    if counts.get("not_found") or counts.get("other_work"):
        steps.append(LEAD)
    if counts.get("differs") and not written:
        steps.append("To write the corrected list, add --bib corrected.bib.")
    return [*steps, SHOW_EACH] if grouped else steps


def after_batch(summary: "Summary", out: Path) -> list[str]:
    """Next steps for a batch whose results are in the folder `out`."""
    steps = []
    if summary.failed or summary.stopped:
        steps.append(
            f"{count_of(summary.failed, 'output')}: failed; {out / 'failed.jsonl'} says why. Run "
            f"the same command with --resume to continue."
        )
    steps += after_errors(summary.errors)
    if summary.done:
        steps.append(f"Review them: workbench import batch {out}, then workbench serve")
    return steps
