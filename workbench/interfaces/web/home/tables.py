"""The state of the work, in tables and figures that link to their items; pure."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from workbench.interfaces.web.links import HIGHEST_COST, items_link, labelled_on
from workbench.presentation.corrections import accepted_text
from workbench.presentation.escape import truncate
from workbench.presentation.tables import Cell, Column, Link, Table
from workbench.presentation.verdicts import ERROR_TEXT, STYLES
from workbench.records.citation import CITATION_KINDS
from workbench.records.corrections import CorrectionCounts
from workbench.records.dashboard import DashboardSummary, HostErrors
from workbench.records.format import count_of, duration, format_timestamp, usd, word_for
from workbench.records.queue import ItemFilter, QueueSummary
from workbench.records.spending import Spending, format_cost
from workbench.records.verdict import HUMAN_LABELS, VERDICT_LABELS
from workbench.services.calibration import Remaining, remaining


def time_left(remaining_time: Remaining | None) -> tuple[str, str]:
    """The remaining time, and its uncertainty."""
    if remaining_time is None:
        return "–", "no data yet"
    if not remaining_time.seconds:
        return "done", ""
    interval_text = (
        f"{duration(remaining_time.low)}–{duration(remaining_time.high)}, n = {remaining_time.n}"
    )
    return f"about {duration(remaining_time.seconds)}", interval_text


def totals(summary: DashboardSummary) -> list[tuple[Cell, str]]:
    """The totals of the whole database in one line."""

    def items(number: int, chosen: ItemFilter) -> Cell:
        return Cell(text=f"{number:,}", link=items_link(chosen))

    runs = Link(page="runs")
    return [
        (Cell(text=f"{summary.runs:,}", link=runs), word_for(summary.runs, "run")),
        *_cited(summary),
        (
            items(
                summary.reviewed,
                ItemFilter(
                    reviewed=True, own_labels=True, imported=False, examples=summary.examples
                ),
            ),
            "reviewed",
        ),
        (
            items(
                summary.citations - summary.labelled,
                ItemFilter(reviewed=False, imported=False, examples=summary.examples),
            ),
            "to review",
        ),
        (
            items(summary.disputed, ItemFilter(reviewers_differ=True, examples=summary.examples)),
            word_for(summary.disputed, "disagreement"),
        ),
        (Cell(text=_spent(summary), link=Link(page="runs", query={"sort": HIGHEST_COST})), "spent"),
    ]


def imported_text(summary: DashboardSummary) -> str:
    """What came in files, in a sentence; empty where nothing did."""
    if not summary.imported_labels:
        return ""
    sentence = f"Imported: {count_of(summary.imported_labels, 'label')}"
    if summary.imported_sets:
        sentence += f" in {count_of(summary.imported_sets, 'data set')}"
    return f"{sentence}; not counted among runs and reviewers."


def _spent(summary: DashboardSummary) -> str:
    """The cost of all runs, and how many have an unknown cost."""
    spending = Spending(
        settled_usd=summary.cost_usd,
        reserved_usd=summary.reserved_usd,
        unpriced_calls=summary.unpriced_calls,
    )
    return format_cost(spending)


def _cited(summary: DashboardSummary) -> list[tuple[Cell, str]]:
    """The number of citations; those without a verdict are counted separately."""
    everything = Cell(
        text=f"{summary.citations:,}",
        link=items_link(ItemFilter(imported=False, examples=summary.examples)),
    )
    if not summary.unjudged:
        return [(everything, f"{word_for(summary.citations, 'citation')} with a verdict")]
    return [
        (everything, word_for(summary.citations, "citation")),
        (Cell(text=f"{summary.citations - summary.unjudged:,}"), "with a verdict"),
        (Cell(text=f"{summary.unjudged:,}"), "not judged yet"),
    ]


def queues_table(lines: Sequence[QueueSummary], paces: Mapping[str, Sequence[float]]) -> Table:
    """The open queues and their progress."""
    rows = []
    for line in lines:
        queue = line.queue
        facts = [
            "adjudication" if queue.role == "adjudication" else "",
            "blind" if queue.blind else "",
            f"{queue.reviews} reviews per item" if queue.reviews > 1 else "",
            "for " + ", ".join(truncate(name, 30) for name in queue.reviewers)
            if queue.reviewers
            else "open to everyone",
        ]
        duration_text, interval_text = time_left(
            remaining(line.reviews_needed - line.reviews_given, paces.get(queue.id, ()))
        )
        link = Link(page="queues", query={"queue": queue.id})
        rows.append(
            (
                Cell(
                    text=truncate(queue.name, 80),
                    link=link,
                    more=", ".join(fact for fact in facts if fact),
                ),
                Cell(
                    text=f"{line.done:,} of {line.items:,}",
                    link=items_link(ItemFilter(queue=queue.id, kinds=CITATION_KINDS)),
                    accessible_label=f"{line.done:,} of {count_of(line.items, 'item')} done",
                    bar=line.share,
                ),
                Cell(text=duration_text, more=interval_text),
                ", ".join(truncate(name, 30) for name in line.at_work) or "nobody",
                format_timestamp(line.last_at) if line.last_at else "–",
            )
        )
    return Table.of(
        accessible_label="Open queues, newest first",
        columns=(
            "Queue",
            Column(word="Done", numeric=True, width="9rem"),
            Column(word="Time left", width="13rem"),
            Column(word="Active reviewers", spare=True, width="14rem"),
            Column(word="Last label, UTC", spare=True, width="9.5rem"),
        ),
        rows=rows,
    )


def reviewers_table(summary: DashboardSummary, today: date) -> Table:
    """Reviewers with their numbers of labels and their pace."""
    rows = [
        (
            Cell(text=truncate(line.name, 60), link=items_link(line.items)),
            Cell(
                text=f"{line.labels:,}",
                link=items_link(line.items),
                accessible_label=f"{count_of(line.labels, 'label')} of {truncate(line.name, 60)}",
            ),
            Cell(
                text=f"{line.today:,}",
                link=items_link(labelled_on(today, [line.name])) if line.today else None,
                accessible_label=f"{line.today:,} of {truncate(line.name, 60)} today",
            ),
            "–" if line.median_s is None else duration(line.median_s),
            format_timestamp(line.last_at),
        )
        for line in summary.reviewers
    ]
    return Table.of(
        accessible_label="Reviewers, most labels first",
        columns=(
            "Reviewer",
            "Labels",
            "Today",
            "Time per item",
            Column(word="Last label, UTC", spare=True, width="9.5rem"),
        ),
        rows=rows,
    )


def corrections_table(counts: Sequence[CorrectionCounts]) -> Table:
    """For each judge the corrections that it proposed, and what reviewers made of them."""
    return Table.of(
        accessible_label="Proposed corrections",
        columns=("Judge", "Proposed", "Taken", "Edited", "Refused", "Accepted"),
        rows=(
            (
                truncate(line.judge, 60),
                f"{line.proposed:,}",
                f"{line.taken:,}",
                f"{line.edited:,}",
                f"{line.refused:,}",
                accepted_text(line) or "–",
            )
            for line in counts
        ),
    )


def verdict_items(summary: DashboardSummary, mark: str) -> ItemFilter:
    """The citations that a figure of a verdict counts."""
    return ItemFilter(
        verdicts=tuple(verdict for verdict in VERDICT_LABELS if verdict == mark),
        imported=False,
        examples=summary.examples,
    )


def verdicts_table(summary: DashboardSummary) -> Table:
    """Verdicts of the judge and labels of people, in the verdicts' order."""
    rows = []
    for mark in HUMAN_LABELS:
        judged = summary.verdicts.get(mark, 0) if mark != "cannot_tell" else 0
        people = summary.labels.get(mark, 0)
        if not (judged or people):
            continue
        word = STYLES[mark].word.lower()
        by_judge = verdict_items(summary, mark)
        rows.append(
            (
                Cell(marks=(mark,)),
                _number(judged, by_judge, f"{judged:,} {word} by the judge"),
                _number(
                    people,
                    ItemFilter(labels=(mark,), own_labels=True),
                    f"{people:,} {word} by people",
                ),
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
    most = max((sum(error.citations for error in lines) for lines in hosts.values()), default=1)
    rows = []
    for host, lines in hosts.items():
        total = sum(error.citations for error in lines)
        everything = ItemFilter(
            hosts=(host,),
            error_kinds=tuple(error.error_kind for error in lines),
            imported=False,
            examples=summary.examples,
        )
        name = host or "No address"
        for number, line in enumerate(lines):
            reason = ERROR_TEXT.get(line.error_kind, line.error_kind)
            label = f"{line.citations:,} of {name}: {reason}"
            first = Cell(text=truncate(name, 60), link=items_link(everything), bar=total / most)
            rows.append(
                (
                    Cell(text="", accessible_label=name) if number else first,
                    reason,
                    Cell(
                        text=f"{line.citations:,}",
                        link=items_link(line.items),
                        accessible_label=label,
                    ),
                )
            )
    return Table.of(
        accessible_label="Unresolved citations by host and reason",
        columns=("Host", Column(word="Reason"), "Citations"),
        rows=rows,
    )


def labels_by_day(summary: DashboardSummary, today: date, days: int) -> dict[date, int]:
    """The number of labels on each of the last days, oldest first."""
    counts = _days(today, days)
    for line in summary.label_days:
        if line.day in counts:
            counts[line.day] += line.labels
    return counts


def cost_by_day(summary: DashboardSummary, today: date, days: int) -> dict[date, float]:
    """The cost in USD of the runs of each of the last days, oldest first."""
    costs = dict.fromkeys(_days(today, days), 0.0)
    for line in summary.run_days:
        if line.day in costs:
            costs[line.day] += line.cost_usd
    return costs


def label_days_table(summary: DashboardSummary) -> Table:
    """The labels of each day and reviewer, newest day first."""
    rows = [
        (
            f"{line.day:%Y-%m-%d}",
            truncate(line.reviewer, 60),
            _number(
                line.labels,
                labelled_on(line.day, [line.reviewer]),
                f"{count_of(line.labels, 'label')} of {truncate(line.reviewer, 60)} "
                f"on {line.day:%Y-%m-%d}",
            ),
            "–" if line.median_s is None else duration(line.median_s),
        )
        for line in reversed(summary.label_days)
    ]
    return Table.of(
        accessible_label="Labels by day and reviewer",
        columns=("Day, UTC", Column(word="Reviewer"), "Labels", "Time per item"),
        rows=rows,
    )


def run_days_table(summary: DashboardSummary) -> Table:
    """The runs of each day and their cost, newest day first."""
    rows = [
        (
            f"{line.day:%Y-%m-%d}",
            Cell(
                text=f"{line.runs:,}",
                link=runs_on(line.day),
                accessible_label=f"{count_of(line.runs, 'run')} on {line.day:%Y-%m-%d}",
            ),
            usd(line.cost_usd),
        )
        for line in reversed(summary.run_days)
    ]
    return Table.of(
        accessible_label="Runs and cost by day", columns=("Day, UTC", "Runs", "Cost"), rows=rows
    )


def runs_on(day: date) -> Link:
    """The list of runs, filtered by one day."""
    return Link(page="runs", query={"find": f"{day:%Y-%m-%d}"})


def _number(number: int, chosen: ItemFilter, said: str) -> Cell:
    return Cell(
        text=f"{number:,}", link=items_link(chosen) if number else None, accessible_label=said
    )


def _days(today: date, days: int) -> dict[date, int]:
    return {today - timedelta(days=days_ago): 0 for days_ago in range(days - 1, -1, -1)}
