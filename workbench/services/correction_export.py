"""Decided corrections for an export: chosen, with the sources that they are about."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from workbench.citations import document_of
from workbench.datasets.corrections import (
    CorrectionTally,
    DecidedCorrection,
    DecidedSentence,
    corrected_markdown_lines,
    correction_pair_lines,
    only_run,
    sentence_lines,
)
from workbench.datasets.dataset_card import CardMetadata
from workbench.datasets.write import Dataset, write_corrections
from workbench.records.citation import Extraction
from workbench.records.corrections import CorrectionDecision
from workbench.records.text import replace_surrogates
from workbench.records.verdict import Run
from workbench.services.claim_corrections import correction_decisions
from workbench.services.database import Database
from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
from workbench.store.runs.sentences import SentenceKinds


def decided_corrections(database: Database, runs: tuple[str, ...] = ()) -> list[DecidedCorrection]:
    """The decisions that stand, in run and text order: of some runs, or of all.

    Raises:
        StoreError: There is no such run.
    """
    if not runs:
        listed = CorrectionDecisionRepository(database).listed()
        runs = tuple(dict.fromkeys(decision.run_id for decision in listed))
    rows: list[DecidedCorrection] = []
    for run_id in runs:
        summary = database.get_summary(run_id)
        decided = correction_decisions(database, run_id)
        if not decided:
            continue
        run = database.get_run(run_id)
        places = _ClaimPlaces(database.get_output(summary.output_sha256), run)
        for result in run.citations:
            decision = decided.get(result.citation.id)
            if decision is None:
                continue
            source, judgment = result.source, result.judgment
            rows.append(
                DecidedCorrection(
                    decision=decision,
                    name=summary.name,
                    output_sha256=summary.output_sha256,
                    marker=result.citation.raw,
                    places=places.of(decision),
                    quotes=tuple(evidence.quote for evidence in judgment.evidence)
                    if judgment
                    else (),
                    source_title=(source.title or "") if source else "",
                    source_url=(source.final_url or source.url or "") if source else "",
                    source_sha256=source.sha256 if source else "",
                )
            )
    return rows


class _ClaimPlaces:
    """Where the words of the claims of a run stand in its output, without the markers in them."""

    def __init__(self, text: str, run: Run) -> None:
        citations = tuple(result.citation for result in run.citations)
        self._text = text
        self._words = document_of(Extraction(text=text, citations=citations)).claim_words

    def of(self, decision: CorrectionDecision) -> Sequence[int] | None:
        """For each character of the claim its place; None where other words stand there now."""
        span = decision.span
        if replace_surrogates(span.of(self._text)) == decision.claim:
            return range(span.start, span.end)
        if replace_surrogates(self._words.clean(span.start, span.end)) == decision.claim:
            return self._words.places(span.start, span.end)
        return None


def export_corrections(
    database: Database, format_name: str, path: Path, runs: tuple[str, ...]
) -> Dataset:
    """What was written of decided corrections.

    Raises:
        UsageError: The format is that of one run and none is named, or the path cannot be written.
        StoreError: There is no such run.
    """
    tally = CorrectionTally()
    lines = correction_lines(database, format_name, runs, tally)
    names = [database.get_summary(run_id).name or run_id for run_id in runs]
    about = CardMetadata(
        title=f"Corrections of {names[0]}" if len(names) == 1 else "Corrections",
        selection=f"of {' and '.join(names[:5])}" if names else "every decision",
    )
    return write_corrections(lines, format_name, path, about=about, tally=tally)


def correction_lines(
    database: Database,
    format_name: str,
    runs: tuple[str, ...],
    tally: CorrectionTally | None = None,
) -> list[str]:
    """The lines of an export of decided corrections.

    Raises:
        UsageError: The format is that of one run and none is named.
        StoreError: There is no such run.
    """
    tally = tally or CorrectionTally()
    if format_name.startswith("sentences"):
        return list(
            sentence_lines(
                decided_sentences(database, runs), tally, as_csv=format_name.endswith("csv")
            )
        )
    if format_name == "correction-pairs":
        return list(correction_pair_lines(decided_corrections(database, runs), tally))
    run_id = only_run(runs)
    text = database.get_output(database.get_summary(run_id).output_sha256)
    return list(corrected_markdown_lines(text, decided_corrections(database, (run_id,)), tally))


def decided_sentences(database: Database, runs: tuple[str, ...] = ()) -> list[DecidedSentence]:
    """The sentences that reviewers decided on, in run and text order: of some runs, or of all."""
    rows: list[DecidedSentence] = []
    corrections = SentenceKinds(database).corrections(runs)
    for run_id, decided in groupby(corrections, lambda correction: correction.run_id):
        summary = database.get_summary(run_id)
        text = database.get_output(summary.output_sha256)
        kinds = {
            sentence.span: sentence.kind for sentence in SentenceKinds(database).by_rules(run_id)
        }
        rows += [
            DecidedSentence(
                correction=correction,
                kind=kinds[correction.span],
                text=correction.span.of(text),
                name=summary.name,
                output_sha256=summary.output_sha256,
            )
            for correction in decided
            if correction.span in kinds
        ]
    return rows


def count_corrections(database: Database, format_name: str, runs: tuple[str, ...]) -> int:
    """How many decisions a choice holds."""
    if format_name.startswith("sentences"):
        return len(decided_sentences(database, runs))
    listed = CorrectionDecisionRepository(database).listed()
    return len(
        {
            (decision.run_id, decision.citation_id)
            for decision in listed
            if not runs or decision.run_id in runs
        }
    )
