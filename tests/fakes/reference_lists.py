"""Runs with checked reference lists, for tests of what people say of them."""

from tests.fakes import records as make
from workbench.records.bibliography import (
    Author,
    FieldComparison,
    ReferenceCheck,
    ReferenceEntry,
    RetractionNotice,
)
from workbench.records.text import Span
from workbench.store.bibliography.checks import ReferenceCheckRepository
from workbench.store.store import Store


def check(number, status="matches", score=0.95, **more):
    """A checked entry: the work of that number."""
    title = f"Work {number}"
    return ReferenceCheck(
        label=str(number),
        span=Span(number * 10, number * 10 + 9),
        text=f"[{number}] Roe, A. ({1990 + number}). {title}.",
        entry=ReferenceEntry(
            title=title, authors=(Author(family="Roe", given="A."),), year=1990 + number
        ),
        status=status,
        score=score,
        record={"title": title, "DOI": f"10.1000/{number}"} if status == "matches" else None,
        record_from="crossref" if status == "matches" else None,
        **more,
    )


def differing(number, **more):
    """An entry whose year is another than the record's."""
    comparison = FieldComparison(
        field="year", entry_value="1990", record_value="1991", agrees=False, why="Another year."
    )
    return check(number, "differs", 0.8, fields=(comparison,), **more)


def retracted(number):
    """An entry of a work that was retracted."""
    return check(number, retraction=RetractionNotice(kind="retracted", source="crossref"))


def add_list(store: Store, run_id, checks, name="List", text=None):
    """A run of its own output, with its reference list checked."""
    text = f"{make.TEXT} {run_id}" if text is None else text
    run = make.run(run_id, text=text)
    store.add_run(run, text, name)
    store.finish_run(run)
    ReferenceCheckRepository(store).add(run_id, list(enumerate(checks)))
