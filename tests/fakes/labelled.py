"""A store with labelled citations whose every score, verdict and label a test sets."""

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tests.fakes import records as make
from workbench.records.review import resolve_gold_label
from workbench.records.text import Excerpt, Span
from workbench.store.labels.imports import _insert_labels
from workbench.store.rows import add_run_row, add_sources, append_rows, verdict_row

MOMENT = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class Given:
    """One citation: what the judge says, and what people say."""

    score: float = 0.9
    verdict: str = "supported"
    people: tuple[tuple[str, str], ...] = (("Ada", "supported"),)
    """Reviewer and label."""
    host: str = ""
    error: str = ""


def add_run(store, run_id, items, *, judge=("local",), config=None, moment=MOMENT, claim="Fact"):
    """A finished run with a citation c0, c1, … for each of `items`."""
    text = f"{run_id}: " + " ".join(f"{claim} {n} at {run_id} [{n}]." for n in range(len(items)))
    results = [_result(run_id, text, number, item, claim) for number, item in enumerate(items)]
    run = replace(
        make.run(run_id, results=results, text=text),
        created_at=moment,
        judge=judge,
        config=config or {},
    )
    labels = [
        make.label(
            f"{run_id}-{number}-{reviewer}",
            label,
            run_id=run_id,
            citation_id=f"c{number}",
            reviewer=reviewer,
            created_at=moment,
            note="",
        )
        for number, item in enumerate(items)
        for reviewer, label in item.people
    ]
    # as `add_run`, `finish_run` and an import keep it, in a third of the time
    with store.transaction() as connection:
        add_run_row(connection, run, f"report {run_id}", text, results)
        add_sources(connection, [result.source for result in results], moment)
        if judge:
            verdicts = [verdict_row(run_id, result, moment) for result in results]
            append_rows(connection, "verdicts", verdicts)
            ended = (run_id, moment, run.finished, run.cost_usd, json.dumps(dict(run.timings)))
            append_rows(
                connection, "run_completions", [(*ended, run.reserved_usd, run.unpriced_calls)]
            )
        _insert_labels(connection, labels)
    return run


def _result(run_id, text, number, item, claim):
    host = item.host or f"{run_id}.example"
    marker = f"[{number}]"
    place = text.index(marker)
    start = text.index(f"{claim} {number} at")
    citation = make.citation(
        1,
        id=f"c{number}",
        raw=marker,
        span=Span(place, place + len(marker)),
        claim=Excerpt(span=Span(start, place), text=text[start:place]),
    )
    words = f"{claim} {number} at {run_id}, as {host} says."
    source = make.source(
        words, url=f"https://{host}/{number}", final_url=f"https://{host}/{number}"
    )
    if item.error:
        return replace(
            make.failure(1, item.error), citation=citation, source=replace(source, pages=())
        )
    judgment = make.judgment(item.verdict, score=item.score, confidence=0.8, evidence=())
    return make.result(
        1, item.verdict, citation=citation, source=source, judgment=judgment, judgments=(judgment,)
    )


def mixed(run_id, count, wrong=0, people=("Ada",)):
    """Half supported and half not, scores falling; of the accepted ones `wrong` are not so."""
    half = count // 2
    items = []
    for number in range(count):
        accepted = number < half
        truth = "supported" if accepted and number >= wrong else "not_supported"
        items.append(
            Given(
                score=round((0.95 if accepted else 0.2) - number / count / 10, 4),
                verdict="supported" if accepted else "not_supported",
                people=tuple((name, truth) for name in people),
            )
        )
    return items


def rated(store, label):
    """Forty runs of ten; `label` says what people say of item `n` of a run, scored (n + 0.5)/10."""
    for run in range(40):
        items = [Given(score=(n + 0.5) / 10, people=(("Ada", label(run, n)),)) for n in range(10)]
        add_run(store, f"r{run}", items)


def golds(store, run_id=None):
    """The gold label of each item of a run, or of all; none for disputed items."""
    items = {}
    for label in store.labels(run_id) if run_id else store.all_labels():
        items.setdefault((label.run_id, label.citation_id), []).append(label)
    standing = {item: resolve_gold_label(labels) for item, labels in items.items()}
    return {item: label for item, label in standing.items() if label}
