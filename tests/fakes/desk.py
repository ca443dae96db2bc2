"""A store with runs to review, and a clock that is moved by hand."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.fakes import records as make
from workbench.records.text import Excerpt, Span

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class Clock:
    """Says the moment it was set to, and a millisecond more at every call."""

    def __init__(self, now=START):
        self.now = now

    def __call__(self):
        self.now += timedelta(milliseconds=1)
        return self.now

    def advance(self, **spans):
        self.now += timedelta(**spans)


def fill(store, count=6, run_id="r1", labels=("supported", "contradicted"), **fields):
    """A finished run of `count` citations c0, c1, …; confidence falls from 0.9 by 0.1 each."""
    text = run_id + ": " + " ".join(f"Fact {n} holds [{n}]." for n in range(count))
    results = []
    for number in range(count):
        place = text.index(f"[{number}]")
        start = text.index(f"Fact {number} ")
        label = labels[number % len(labels)]
        judgment = make.judgment(
            label, confidence=round(0.9 - number / 10, 2), score=round(0.9 - number / 10, 2)
        )
        citation = make.citation(
            1,
            id=f"c{number}",
            raw=f"[{number}]",
            span=Span(place, place + len(f"[{number}]")),
            identifier=str(number),
            claim=Excerpt(span=Span(start, place), text=text[start:place]),
        )
        results.append(
            make.result(
                1, label, citation=citation, judgment=judgment, judgments=(judgment,), **fields
            )
        )
    run = make.run(run_id, results=results, text=text)
    run = replace(run, created_at=START)
    store.add_run(run, text, f"report {run_id}")
    store.finish_run(run)
    return run
