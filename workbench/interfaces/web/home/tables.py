"""Where work stands, in tables and figures that lead to the items behind them; pure."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta

from workbench.calibration import Remaining, remaining
from workbench.interfaces.web.links import Column, Link, LinkCell, Table, cells, items_link
from workbench.presentation.citation_card import format_timestamp
from workbench.presentation.escape import truncate
from workbench.presentation.run_totals import dollars
from workbench.presentation.verdicts import ERROR_WORDS, STYLES
from workbench.records import (
    CITATION_KINDS,
    HUMAN_LABELS,
    VERDICT_LABELS,
    DashboardSummary,
    HostErrors,
    ItemFilter,
    QueueSummary,
    Spending,
    cost_words,
)


def pluralize(number: int, word: str, words: str = "") -> str:
    """A number with its word: `1 item`, `1,200 items`."""
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def duration(seconds: float) -> str:
    """A span of time as people say it: `40 s`, `12 min`, `2 h 10 min`, `3 d 4 h`."""
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if hours else f"{days} d"


def time_left(left: Remaining | None) -> tuple[str, str]:
    """How long the rest takes, and how sure that is."""
    if left is None:
        return "–", "no pace yet"
    if not left.seconds:
        return "done", ""
    sure = f"{duration(left.low)}–{duration(left.high)}, n = {left.n}"
    return f"about {duration(left.seconds)}", sure


def day_range(day: date) -> tuple[str, str]:
    """A day's first moment and the next day's, in UTC."""
    start = datetime.combine(day, time(), UTC)
    return start.isoformat(), (start + timedelta(days=1)).isoformat()


def labelled_on(day: date, reviewers: Sequence[str] = ()) -> ItemFilter:
    """The items that were labelled on a day."""
    since, until = day_range(day)
    return ItemFilter(labelled_from=since, labelled_before=until, reviewers=tuple(reviewers))


def totals(glance: DashboardSummary) -> list[tuple[LinkCell, str]]:
    """The whole file in one line."""

    def items(number: int, chosen: ItemFilter) -> LinkCell:
        return LinkCell(text=f"{number:,}", link=items_link(chosen))

    runs = Link(page="runs")
    return [
        (LinkCell(text=f"{glance.runs:,}", link=runs), "run" if glance.runs == 1 else "runs"),
        *_cited(glance),
        (items(glance.labelled, ItemFilter(reviewed=True)), "reviewed"),
        (items(glance.citations - glance.labelled, ItemFilter(reviewed=False)), "to review"),
        (items(glance.disputed, ItemFilter(reviewers_differ=True)), "where labels differ"),
        (
            LinkCell(text=_spent(glance), link=Link(page="runs", query={"sort": "Dearest"})),
            "spent",
        ),
    ]


def _spent(glance: DashboardSummary) -> str:
    """What all runs cost, and what of it is unknown."""
    spending = Spending(
        settled_usd=glance.cost_usd,
        reserved_usd=glance.reserved_usd,
        unpriced_calls=glance.unpriced_calls,
    )
    return cost_words(spending, dollars)


def _cited(glance: DashboardSummary) -> list[tuple[LinkCell, str]]:
    """All citations; where some were imported and never judged, they are told apart."""
    everything = LinkCell(text=f"{glance.citations:,}", link=items_link(ItemFilter()))
    if not glance.unjudged:
        return [(everything, "citations with a verdict")]
    return [
        (everything, "citations"),
        (LinkCell(text=f"{glance.citations - glance.unjudged:,}"), "with a verdict"),
        (LinkCell(text=f"{glance.unjudged:,}"), "imported, not judged yet"),
    ]


def queues_table(lines: Sequence[QueueSummary], paces: Mapping[str, Sequence[float]]) -> Table:
    """The open queues and how far they are."""
    rows = []
    for line in lines:
        queue = line.queue
        facts = [
            "adjudication" if queue.role == "adjudication" else "",
            "blind" if queue.blind else "",
            f"{queue.reviews} reviews an item" if queue.reviews > 1 else "",
            "for " + ", ".join(truncate(name, 30) for name in queue.reviewers)
            if queue.reviewers
            else "for anybody",
        ]
        left, sure = time_left(remaining(line.wanted - line.given, paces.get(queue.id, ())))
        way = Link(page="queues", query={"queue": queue.id})
        rows.append(
            cells(
                [
                    LinkCell(
                        text=truncate(queue.name, 80),
                        link=way,
                        more=", ".join(fact for fact in facts if fact),
                    ),
                    LinkCell(
                        text=f"{line.done:,} of {line.items:,}",
                        link=items_link(ItemFilter(queue=queue.id, kinds=CITATION_KINDS)),
                        said=f"{line.done:,} of {pluralize(line.items, 'item')} done",
                        bar=line.share,
                    ),
                    LinkCell(text=left, more=sure),
                    ", ".join(truncate(name, 30) for name in line.at_work) or "nobody",
                    format_timestamp(line.last_at) if line.last_at else "–",
                ]
            )
        )
    return Table(
        said="Open queues, newest first",
        columns=(
            Column(word="Queue"),
            Column(word="Done", numeric=True, width="9rem"),
            Column(word="Time left", width="13rem"),
            Column(word="At work now", spare=True, width="14rem"),
            Column(word="Last label, UTC", spare=True, width="9.5rem"),
        ),
        rows=tuple(rows),
    )


def reviewers_table(glance: DashboardSummary, today: date) -> Table:
    """Who labelled how much, and at which pace."""
    rows = [
        cells(
            [
                LinkCell(text=truncate(line.name, 60), link=items_link(line.items)),
                LinkCell(
                    text=f"{line.labels:,}",
                    link=items_link(line.items),
                    said=f"{pluralize(line.labels, 'label')} of {truncate(line.name, 60)}",
                ),
                LinkCell(
                    text=f"{line.today:,}",
                    link=items_link(labelled_on(today, [line.name])) if line.today else None,
                    said=f"{line.today:,} of {truncate(line.name, 60)} today",
                ),
                "–" if line.median_s is None else duration(line.median_s),
                format_timestamp(line.last_at),
            ]
        )
        for line in glance.reviewers
    ]
    return Table(
        said="Reviewers, who labelled most first",
        columns=(
            Column(word="Reviewer"),
            Column(word="Labels", numeric=True),
            Column(word="Today", numeric=True),
            Column(word="An item takes", numeric=True),
            Column(word="Last, UTC", spare=True, width="9.5rem"),
        ),
        rows=tuple(rows),
    )


def verdicts_table(glance: DashboardSummary) -> Table:
    """What the judge said and what people said, in the verdicts' order."""
    rows = []
    for mark in HUMAN_LABELS:
        judged = glance.verdicts.get(mark, 0) if mark != "cannot_tell" else 0
        people = glance.labels.get(mark, 0)
        if not (judged or people):
            continue
        word = STYLES[mark].word.lower()
        by_judge = ItemFilter(verdicts=tuple(one for one in VERDICT_LABELS if one == mark))
        rows.append(
            cells(
                [
                    LinkCell(marks=(mark,)),
                    _number(judged, by_judge, f"{judged:,} {word} by the judge"),
                    _number(people, ItemFilter(labels=(mark,)), f"{people:,} {word} by people"),
                ]
            )
        )
    return Table(
        said="Verdicts of the judge and labels of people",
        columns=(
            Column(word="Verdict"),
            Column(word="Judge", numeric=True),
            Column(word="Labels of people", numeric=True),
        ),
        rows=tuple(rows),
    )


def errors_table(glance: DashboardSummary) -> Table:
    """Why citations of a host have no verdict; the hosts with most of them first."""
    hosts: dict[str, list[HostErrors]] = {}
    for line in glance.errors:
        hosts.setdefault(line.host, []).append(line)
    most = max((sum(one.citations for one in lines) for lines in hosts.values()), default=1)
    rows = []
    for host, lines in hosts.items():
        total = sum(one.citations for one in lines)
        everything = ItemFilter(hosts=(host,), error_kinds=tuple(one.error_kind for one in lines))
        name = host or "No address"
        for number, line in enumerate(lines):
            reason = ERROR_WORDS.get(line.error_kind, line.error_kind)
            said = f"{line.citations:,} of {name}: {reason}"
            first = LinkCell(text=truncate(name, 60), link=items_link(everything), bar=total / most)
            rows.append(
                cells(
                    [
                        LinkCell(text="", said=name) if number else first,
                        reason,
                        LinkCell(
                            text=f"{line.citations:,}", link=items_link(line.items), said=said
                        ),
                    ]
                )
            )
    return Table(
        said="Citations without a verdict by host and reason",
        columns=(
            Column(word="Host"),
            Column(word="Reason"),
            Column(word="Citations", numeric=True),
        ),
        rows=tuple(rows),
    )


def labels_by_day(glance: DashboardSummary, today: date, days: int) -> dict[date, int]:
    """How many labels were given on each of the last days, oldest first; 0 where none were."""
    found = _days(today, days)
    for line in glance.label_days:
        if line.day in found:
            found[line.day] += line.labels
    return found


def cost_by_day(glance: DashboardSummary, today: date, days: int) -> dict[date, float]:
    """What the runs of each of the last days cost in USD, oldest first."""
    found = dict.fromkeys(_days(today, days), 0.0)
    for line in glance.run_days:
        if line.day in found:
            found[line.day] += line.cost_usd
    return found


def label_days_table(glance: DashboardSummary) -> Table:
    """The labels of each day and reviewer, newest day first."""
    rows = [
        cells(
            [
                f"{line.day:%Y-%m-%d}",
                truncate(line.reviewer, 60),
                _number(
                    line.labels,
                    labelled_on(line.day, [line.reviewer]),
                    f"{pluralize(line.labels, 'label')} of {truncate(line.reviewer, 60)} "
                    f"on {line.day:%Y-%m-%d}",
                ),
                "–" if line.median_s is None else duration(line.median_s),
            ]
        )
        for line in reversed(glance.label_days)
    ]
    return Table(
        said="Labels by day and reviewer",
        columns=(
            Column(word="Day, UTC"),
            Column(word="Reviewer"),
            Column(word="Labels", numeric=True),
            Column(word="An item takes", numeric=True),
        ),
        rows=tuple(rows),
    )


def run_days_table(glance: DashboardSummary) -> Table:
    """The runs of each day and their cost, newest day first."""
    rows = [
        cells(
            [
                f"{line.day:%Y-%m-%d}",
                LinkCell(
                    text=f"{line.runs:,}",
                    link=runs_on(line.day),
                    said=f"{pluralize(line.runs, 'run')} on {line.day:%Y-%m-%d}",
                ),
                dollars(line.cost_usd),
            ]
        )
        for line in reversed(glance.run_days)
    ]
    return Table(
        said="Runs and their cost by day",
        columns=(
            Column(word="Day, UTC"),
            Column(word="Runs", numeric=True),
            Column(word="Cost", numeric=True),
        ),
        rows=tuple(rows),
    )


def runs_on(day: date) -> Link:
    """The list of runs, narrowed to those of one day."""
    return Link(page="runs", query={"find": f"{day:%Y-%m-%d}"})


def _number(number: int, chosen: ItemFilter, said: str) -> LinkCell:
    return LinkCell(text=f"{number:,}", link=items_link(chosen) if number else None, said=said)


def _days(today: date, days: int) -> dict[date, int]:
    return {today - timedelta(days=back): 0 for back in range(days - 1, -1, -1)}
