"""The figures of a run in one line, what its end means, and which sources were not used."""

from collections.abc import Iterable, Mapping

from workbench.presentation.coverage import coverage_figure
from workbench.presentation.escape import macro, truncate
from workbench.presentation.run_view import ReviewState
from workbench.presentation.verdicts import ERROR_TEXT, MARKS, STYLES
from workbench.records.evaluation import source_type
from workbench.records.format import count_of, format_timestamp
from workbench.records.run_listing import RunSummary
from workbench.records.source import SourceMatch
from workbench.records.spending import format_cost
from workbench.records.text import Json, JsonDict
from workbench.records.verdict import PASS_MARK, Run, parse_source_matches

MOST_SHOWN = 10


def unmatched_sources(matches: Iterable[SourceMatch]) -> list[str]:
    """A sentence for each given source that answers no citation; the first ones, and a count."""
    unmatched = [match for match in matches if match.by is None]
    lines = [f"Source not used: {match.source}. {match.why}" for match in unmatched[:MOST_SHOWN]]
    more = len(unmatched) - MOST_SHOWN
    return [*lines, f"{count_of(more, 'more source')} not used."] if more > 0 else lines


def scanned_quotes(run: Run) -> list[str]:
    """A sentence that names the scanned pages whose recognized text is quoted; empty for none."""
    pages = dict.fromkeys(
        f"{(result.source.final_url or result.source.url)} (page {quote.page})"
        for result in run.citations
        if result.source and result.judgment
        for quote in result.judgment.evidence
        if quote.scanned
    )
    if not pages:
        return []
    more = f" and {len(pages) - MOST_SHOWN} more" if len(pages) > MOST_SHOWN else ""
    return [
        f"Quotes are text recognized under scanned pages: {', '.join([*pages][:MOST_SHOWN])}{more}. "
        "Compare them with the picture of the page."
    ]


def unmatched_in_all(runs: Iterable[Mapping[str, Json]]) -> list[str]:
    """The same for the sources of several runs: those that answer no citation in any of them."""
    used: set[str] = set()
    unused: dict[str, SourceMatch] = {}
    for run in runs:
        for match in parse_source_matches(run.get("source_matches")):
            if match.by:
                used.add(match.source)
            else:
                unused.setdefault(match.source, match)
    return unmatched_sources(match for name, match in unused.items() if name not in used)


def run_summary_json(run: RunSummary) -> JsonDict:
    """A run's line of a list."""
    return {
        "id": run.id,
        "name": run.name,
        "output_sha256": run.output_sha256,
        "created_at": run.created_at.isoformat(),
        "judge": list(run.judge),
        "finished": run.finished,
        "total_citations_found": run.found,
        "total_resolved": run.resolved,
        "total_supported": run.supported,
        "labelled": run.labelled,
        "data_set": run.data_set,
        "references": run.references,
        "reference_problems": run.reference_problems,
        "total_cost_usd": None if run.unpriced_calls else run.cost_usd,
        "reserved_usd": run.reserved_usd,
        "price_unknown": run.unpriced_calls > 0,
    }


_TEMPLATE = "run_totals.html.jinja"


def figures(review: ReviewState, *, people: bool = True) -> str:
    """Found, resolved, supported, score, errors by kind, cost and time of a run, as HTML.

    With `people` first what their labels make of them.
    """
    run, waiting = review.run, len(review.pending)
    counted = [result for result in run.counted if result.citation.id not in review.pending]
    resolved = sum(result.status == "ok" for result in counted)
    supported = sum(result.verdict == "supported" for result in counted)
    unsure = sum(result.verdict == "supported" and result.unsure for result in counted)
    decided = outcome_text(review) if people and review.labels else ""
    score, word = score_text(run) if not waiting else ("–", "score")
    by_judge = " by the judge" if review.labels or not people else ""
    of_them = f", {unsure:,} of them unsure" if unsure else ""
    cells = [
        (f"{run.total_citations_found:,}", "found"),
        (f"{resolved:,}", "resolved"),
        (f"{supported:,}", f"supported{by_judge}{of_them}"),
        (score, f"judge's {word}" if by_judge and word.startswith("score") else word),
        *coverage_figure(run.coverage),
        (format_cost(run.spending), "cost"),
    ]
    if waiting:
        cells.insert(1, (f"{waiting:,}", "to be judged"))
    threshold = "" if waiting else threshold_line(run)
    return macro(_TEMPLATE, "figures", cells, _errors(review), decided, threshold)


def decisions(review: ReviewState) -> dict[str, tuple[str, str]]:
    """What the judge and what people say of each counted citation; empty for who says nothing."""
    labels = review.labels if review.active is None else review.active
    given = {name: label.label for name, label in labels.items()}
    open_names = review.pending.union(r.citation.id for r in review.run.counted if r.unjudged)
    return {
        name: ("" if name in open_names else result.verdict, given.get(name, ""))
        for result in review.run.counted
        if (name := result.citation.id)
    }


def outcome_text(review: ReviewState) -> str:
    """How many citations are supported: as people decided where they did, else by the judge."""
    pairs = decisions(review).values()
    supported = sum((label or verdict) == "supported" for verdict, label in pairs)
    decided = sum(bool(label) for _, label in pairs)
    changed = sum(label not in ("", verdict) for verdict, label in pairs if verdict)
    words = f"{supported:,} of {len(pairs):,} supported"
    if decided:
        words += f", {decided:,} decided by people"
    return f"{words} ({changed:,} changed)" if changed else words


def score_text(run: Run) -> tuple[str, str]:
    """The overall score and what it means for the run."""
    if run.overall_score is None:
        return "–", "no score"
    below_mark = run.overall_score < PASS_MARK
    return f"{run.overall_score:.2f}", f"score, below {PASS_MARK:g}" if below_mark else "score"


def state_of(review: ReviewState, live: bool) -> str:
    """What it means if a run did not end normally; else an empty string."""
    run = review.run
    if live or not run.citations:
        return ""
    notes = []
    if review.pending:
        notes.append(
            f"Stopped or interrupted: {count_of(len(review.pending), 'citation')} not judged. "
            f"Finished verdicts are stored and can be reviewed; Continue judges the rest."
        )
    if run.waiting:
        notes.append(
            f"{count_of(run.waiting, 'citation')} open: waiting for a chat's answers. Ask a chat has the "
            "questions and takes the answers."
        )
    not_judged = run.errors.get("cost_cap_reached", 0)
    if not_judged:
        notes.append(f"Cost cap: {count_of(not_judged, 'citation')} not judged. {_why_capped(run)}")
    if not notes and run.counted and all(result.unjudged for result in run.counted):
        return "These items were imported and have not been judged yet."
    if not notes and run.counted and not run.total_resolved:
        unused = run.source_matches and not any(match.by for match in run.source_matches)
        notes.append(
            f"None of the {count_of(len(run.source_matches), 'provided source')} answers a "
            "citation, so nothing could be judged."
            if unused
            else "No source was available, so nothing could be judged. Provide the sources as "
            "files, or allow fetching, and check again."
        )
    return " ".join([*notes, *unmatched_sources(run.source_matches), *scanned_quotes(run)])


def _why_capped(run: Run) -> str:
    """Why the first call was refused: cap reached, or too little left for the next call."""
    messages = [
        result.error.message
        for result in run.counted
        if result.error is not None and result.error.kind == "cost_cap_reached"
    ]
    text = messages[0].removeprefix("Not judged: ")
    return f"{text[:1].upper()}{text[1:]}"


def origin(run: Run) -> str:
    """Judge, day and sources of a run in one line of plain text."""
    parts = [" + ".join(truncate(spec, 60) for spec in run.judge), format_timestamp(run.created_at)]
    if run.config.get("allow_fetch"):
        parts.append("fetching allowed")
    total = run.timings.get("total")
    if total:
        parts.append(f"{total:.1f} s")
    return " · ".join(parts)


def threshold_line(run: Run) -> str:
    """The saved threshold that a run refers to and how it decides the run; empty without one.

    Above it a verdict counts as supported without review, below the lower edge as not supported;
    everything between, and everything without a verdict, needs a person.
    """
    threshold = run.config.get("threshold")
    if not isinstance(threshold, Mapping):
        return ""
    accept, reject = _edge(threshold.get("accept")), _edge(threshold.get("reject"))
    kinds = _kinds(threshold.get("kinds"))
    accepted = rejected = 0
    for result in run.counted:
        if result.status != "ok" or result.judgment is None:
            continue
        kind = source_type(result.source.content_type) if result.source else ""
        upper, lower = kinds.get(kind, accept), kinds.get(kind, reject)
        accepted += upper is not None and result.judgment.score >= upper
        rejected += lower is not None and result.judgment.score < lower
    edges = [f"accept from {accept:.3g}"] if accept is not None else []
    edges += [f"reject below {reject:.3g}"] if reject is not None else []
    kinds_text = (f"{kind}: accept from {at:.3g}, reject below it" for kind, at in kinds.items())
    rules = "; ".join(filter(None, (", ".join(edges), *kinds_text)))
    decided = [f"{accepted:,} accepted"] if accept is not None or kinds else []
    decided += [f"{rejected:,} rejected"] if reject is not None or kinds else []
    decided.append(f"{len(run.counted) - accepted - rejected:,} for a person")
    name = truncate(str(threshold.get("id")), 20)
    sentence = f"Threshold {name}: {rules}. {', '.join(decided)}."
    judge = str(threshold.get("judge") or "")
    if judge and judge != " + ".join(run.judge):
        sentence += f" It was chosen for {truncate(judge, 60)}, which did not judge this run."
    return sentence


def _kinds(value: Json) -> dict[str, float]:
    """The kinds of source that have a limit of their own."""
    if not isinstance(value, Mapping):
        return {}
    limits = {truncate(kind, 20): _edge(limit) for kind, limit in value.items()}
    return {kind: limit for kind, limit in limits.items() if limit is not None}


def _edge(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def legend() -> str:
    """Every mark with its word and meaning, as HTML."""
    return macro(_TEMPLATE, "legend", [STYLES[mark] for mark in MARKS])


def _errors(review: ReviewState) -> str:
    """The errors of a run by kind, most frequent first; empty where there are none."""
    errors = {
        kind: number
        for kind, number in sorted(review.run.errors.items(), key=lambda item: -item[1])
        if not (kind == "cancelled" and review.pending)
    }
    names = {str(kind): name for kind, name in ERROR_TEXT.items()}
    return " · ".join(f"{number:,} {names.get(kind, kind)}" for kind, number in errors.items())
