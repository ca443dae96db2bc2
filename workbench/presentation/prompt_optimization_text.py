"""An optimisation run of a prompt, as a document and as text."""

from workbench.calibration.compare import corrected_confidence
from workbench.records.format import usd
from workbench.records.optimization import Optimisation, OptimisationStep, Round, SeriesReport
from workbench.records.text import Json, JsonDict

OUTCOMES = {
    "proposed": "under way",
    "refused": "refused",
    "malformed": "no proposal",
    "failed": "not answered",
    "exhausted": "nothing more",
    "passed": "under way",
    "worse": "worse on train",
    "kept": "kept",
    "not_kept": "not kept",
}


def document(report: SeriesReport) -> JsonDict:
    """The series as JSON: its settings, each round with its figures, and the current best."""
    rounds: list[Json] = [_round(round_) for round_ in report.rounds]
    return {
        **report.series.to_dict(),
        "confidence": corrected_confidence(report.series.rounds, report.series.alpha),
        "begin": {step.stage: _figures(step) for step in report.begin},
        "steps": rounds,
        "kept": report.kept,
        "best": report.best.id,
        "best_title": report.best.title,
        "cost_usd": round(report.cost_usd, 6),
        "reserved_usd": round(report.reserved_usd, 6),
        "looks_before": report.looks_before,
        "finished": report.finished,
        "ending": None
        if report.ending is None
        else {"outcome": report.ending.outcome, "sentence": report.ending.sentence},
        "rule_of_keeping": rule_of_keeping(report.series),
    }


def text(report: SeriesReport) -> str:
    """The series for a terminal: a table of its rounds, then each edit with its outcome."""
    series = report.series
    lines = [
        f"{series.id}: {series.prompt} judged by {' + '.join(series.judge)}, edits by "
        f"{series.proposer}",
        rule_of_keeping(series),
    ]
    if report.looks_before:
        lines.append(
            f"Earlier optimisation runs used dev {report.looks_before:,} times; the figures are "
            f"not corrected for this."
        )
    lines += ["", f"{'round':<6}{'outcome':<16}{'train':<38}{'dev':<38}{'gain on dev':<28}cost"]
    begin = {step.stage: step for step in report.begin}
    lines.append(
        f"{0:<6}{'begins':<16}{_incumbent(begin.get('train')):<38}{_incumbent(begin.get('dev')):<38}"
        f"{'':<28}{usd(sum(step.cost_usd for step in report.begin))}"
    )
    lines += [_line(round_) for round_ in report.rounds]
    for round_ in report.rounds:
        lines += ["", f"Round {round_.number}: {round_.why or OUTCOMES[round_.state]}"]
        if round_.proposal.reason:
            lines.append(f"Proposed: {round_.proposal.reason}")
        if round_.diff is not None and round_.diff.text:
            lines.append(round_.diff.text)
    lines += ["", summary(report)]
    return "\n".join(lines)


def summary(report: SeriesReport) -> str:
    """How it ended and which prompt is best now, in sentences."""
    sentences = [report.ending.sentence] if report.ending else []
    if report.kept:
        sentences.append(
            f"{report.kept} of {len(report.rounds)} proposals kept; the current prompt is "
            f"{report.best.title}. It was chosen on dev, so its figures there are optimistic: "
            "unlock the test set once for unbiased figures."
        )
    elif report.rounds:
        sentences.append(f"Nothing was kept: {report.best.title} is unchanged.")
    sentences.append(f"The optimisation run cost {usd(report.cost_usd)}.")
    return " ".join(sentences)


def rule_of_keeping(series: Optimisation) -> str:
    """When a candidate is kept, with the confidence level of its interval."""
    level = 100 * corrected_confidence(series.rounds, series.alpha)
    return (
        f"A candidate is kept if the {level:.4g} % interval of its gain in balanced accuracy on "
        "dev is above 0 and a swap test agrees: over all "
        f"{series.rounds} rounds, the chance of keeping one that is no better is at most "
        f"{series.alpha:.0%}. The test set is not read."
    )


def edges(step: OptimisationStep | None) -> str:
    """The gain of a candidate with its corrected interval; empty without one."""
    return step.figures.corrected.text if step and step.figures else ""


def _line(round_: Round) -> str:
    return (
        f"{round_.number:<6}{OUTCOMES[round_.state]:<16}{_candidate(round_.train):<38}"
        f"{_candidate(round_.dev):<38}{edges(round_.dev):<28}{usd(round_.cost_usd)}"
    )


def _incumbent(step: OptimisationStep | None) -> str:
    figures = step.figures if step else None
    return f"{figures.incumbent.text}, n = {figures.n:,}" if figures else ""


def _candidate(step: OptimisationStep | None) -> str:
    figures = step.figures if step else None
    return f"{figures.candidate.text}, n = {figures.n:,}" if figures else ""


def _round(round_: Round) -> JsonDict:
    return {
        "round": round_.number,
        "outcome": round_.state,
        "why": round_.why,
        "reason": round_.proposal.reason,
        "incumbent": round_.proposal.incumbent,
        "candidate": (round_.dev or round_.proposal).candidate,
        "edit": round_.diff.to_dict() if round_.diff else None,
        "shown": list(round_.proposal.items),
        "train": _figures(round_.train),
        "dev": _figures(round_.dev),
        "cost_usd": round(round_.cost_usd, 6),
        "seconds": round(round_.seconds, 3),
    }


def _figures(step: OptimisationStep | None) -> JsonDict | None:
    return step.figures.to_dict() if step and step.figures else None
