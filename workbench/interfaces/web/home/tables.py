"""The state of the work, in tables and figures that link to their items; pure."""

from dataclasses import replace
from datetime import date

from workbench.interfaces.web.links import HIGHEST_COST, items_link, labelled_on
from workbench.presentation.escape import truncate
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.presentation.verdicts import ERROR_TEXT, STYLES
from workbench.records.dashboard import DashboardSummary, HostErrors
from workbench.records.format import count_of, duration, format_timestamp, usd, word_for
from workbench.records.queue import ItemFilter
from workbench.records.spending import Spending, format_cost
from workbench.records.verdict import HUMAN_LABELS


def totals(summary: DashboardSummary) -> list[tuple[Cell, str]]:
    """The totals of the whole database in one line; citations without a verdict apart."""
    disputed = ItemFilter(reviewers_differ=True, examples=summary.examples)
    own = replace(disputed, reviewers_differ=False, imported=False)
    spending = Spending(
        settled_usd=summary.cost_usd,
        reserved_usd=summary.reserved_usd,
        unpriced_calls=summary.unpriced_calls,
    )
    cited = word_for(summary.citations, "citation")
    judged = [
        (Cell(text=f"{summary.citations - summary.unjudged:,}"), "with a verdict"),
        (Cell(text=f"{summary.unjudged:,}"), "not judged yet"),
    ]
    return [
        (Cell(text=f"{summary.runs:,}", link=Link(page="runs")), word_for(summary.runs, "run")),
        (_number(summary.citations, own), cited if summary.unjudged else f"{cited} with a verdict"),
        *(judged if summary.unjudged else ()),
        (_number(summary.reviewed, replace(own, reviewed=True, own_labels=True)), "reviewed"),
        (_number(summary.citations - summary.labelled, replace(own, reviewed=False)), "to review"),
        (_number(summary.disputed, disputed), word_for(summary.disputed, "disagreement")),
        (
            Cell(text=format_cost(spending), link=Link(page="runs", query={"sort": HIGHEST_COST})),
            "spent",
        ),
    ]


def imported_text(summary: DashboardSummary) -> str:
    """What came in files, in a sentence; empty where nothing did."""
    if not summary.imported_labels:
        return ""
    sentence = f"Imported: {count_of(summary.imported_labels, 'label')}"
    if summary.imported_sets:
        sentence += f" in {count_of(summary.imported_sets, 'data set')}"
    return f"{sentence}; not counted among runs and reviewers."


def reviewers_table(summary: DashboardSummary, today: date) -> Table:
    """Reviewers with their numbers of labels and their pace."""
    rows = []
    for line in summary.reviewers:
        name = truncate(line.name, 60)
        labels = f"{count_of(line.labels, 'label')} of {name}"
        rows.append(
            (
                Cell(text=name, link=items_link(line.items)),
                _number(line.labels, line.items, labels),
                _number(
                    line.today, labelled_on(today, [line.name]), f"{line.today:,} of {name} today"
                ),
                "–" if line.median_s is None else duration(line.median_s),
                format_timestamp(line.last_at),
            )
        )
    last = Column(word="Last label, UTC", spare=True, width="9.5rem")
    return Table.of(
        accessible_label="Reviewers, most labels first",
        columns=("Reviewer", "Labels", "Today", "Time per item", last),
        rows=rows,
    )


def verdicts_table(summary: DashboardSummary) -> Table:
    """Verdicts of the judge and labels of people, in the verdicts' order."""
    rows = []
    for mark in HUMAN_LABELS:
        judged = summary.verdicts.get(mark, 0) if mark != "cannot_tell" else 0
        people = summary.labels.get(mark, 0)
        word = STYLES[mark].word.lower()
        by_judge = ItemFilter(
            verdicts=() if mark == "cannot_tell" else (mark,),
            imported=False,
            examples=summary.examples,
        )
        by_people = ItemFilter(labels=(mark,), own_labels=True)
        if judged or people:
            rows.append(
                (
                    Cell(marks=(mark,)),
                    _number(judged, by_judge, f"{judged:,} {word} by the judge"),
                    _number(people, by_people, f"{people:,} {word} by people"),
                )
            )
    return Table.of(
        accessible_label="The judge's verdicts and human labels",
        columns=("Verdict", "Judge", "Human labels"),
        rows=rows,
    )


def errors_table(summary: DashboardSummary) -> Table:
    """Why citations of a host have no verdict; the hosts with most of them first."""
    hosts: dict[str, list[HostErrors]] = {}
    for line in summary.errors:
        hosts.setdefault(line.host, []).append(line)
    rows = []
    for host, lines in hosts.items():
        kinds = tuple(error.error_kind for error in lines)
        everything = replace(lines[0].items, error_kinds=kinds, examples=summary.examples)
        name = host or "No address"
        for number, line in enumerate(lines):
            reason = ERROR_TEXT.get(line.error_kind, line.error_kind)
            rows.append(
                (
                    Cell(text="", accessible_label=name)
                    if number
                    else Cell(text=truncate(name, 60), link=items_link(everything)),
                    reason,
                    _number(line.citations, line.items, f"{line.citations:,} of {name}: {reason}"),
                )
            )
    return Table.of(
        accessible_label="Unresolved citations by host and reason",
        columns=("Host", Column(word="Reason"), "Citations"),
        rows=rows,
    )


def label_days_table(summary: DashboardSummary) -> Table:
    """The labels of each day and reviewer, newest day first."""
    rows = []
    for line in reversed(summary.label_days):
        name, day = truncate(line.reviewer, 60), f"{line.day:%Y-%m-%d}"
        labels = f"{count_of(line.labels, 'label')} of {name} on {day}"
        number = _number(line.labels, labelled_on(line.day, [line.reviewer]), labels)
        pace = "–" if line.median_s is None else duration(line.median_s)
        rows.append((day, name, number, pace))
    return Table.of(
        accessible_label="Labels by day and reviewer",
        columns=("Day, UTC", Column(word="Reviewer"), "Labels", "Time per item"),
        rows=rows,
    )


def run_days_table(summary: DashboardSummary) -> Table:
    """The runs of each day and their cost, newest day first."""
    rows = []
    for line in reversed(summary.run_days):
        day = f"{line.day:%Y-%m-%d}"
        runs = Cell(
            text=f"{line.runs:,}",
            link=Link(page="runs", query={"find": day}),
            accessible_label=f"{count_of(line.runs, 'run')} on {day}",
        )
        rows.append((day, runs, usd(line.cost_usd)))
    return Table.of(
        accessible_label="Runs and cost by day", columns=("Day, UTC", "Runs", "Cost"), rows=rows
    )


def _number(number: int, chosen: ItemFilter, said: str = "") -> Cell:
    return Cell(
        text=f"{number:,}", link=items_link(chosen) if number else None, accessible_label=said
    )
