"""The state of the work, in figures; each comes with the filter that finds the items behind it."""

from datetime import timedelta

from workbench.errors import UsageError
from workbench.records.dashboard import (
    DashboardSummary,
    HostErrors,
    ReviewerDays,
    ReviewerStats,
    RunDay,
)
from workbench.records.queue import ItemFilter
from workbench.store.rows import read_column, read_number, read_records
from workbench.store.runs.items import EXAMPLE_RUNS, OWN_LABEL_SQL, SECONDARY_KINDS, count_items
from workbench.store.store import Repository


class DashboardQueries(Repository):
    """Figures over the whole file."""

    def summary(self, *, zone: str = "UTC", days: int = 30, hosts: int = 12) -> DashboardSummary:
        """The current progress of the work.

        Args:
            zone: Name of the time zone in which a day begins, for example `Europe/Vienna`.
            days: How many days back the daily figures go.
            hosts: Of how many hosts the errors are listed.

        Raises:
            UsageError: There is no such time zone.
        """
        import duckdb

        with self._store.transaction() as connection:
            try:
                (day,) = read_column(
                    connection, "select (? at time zone ?)::date", [self._now(), zone]
                )
            except duckdb.Error:
                raise UsageError(
                    f"There is no time zone {zone!r}; name one like Europe/Vienna or UTC."
                ) from None
            ((outputs, runs, cost, reserved, unpriced),) = connection.execute(_TOTALS).fetchall()
            ((labelled, reviewed),) = connection.execute(_LABELLED).fetchall()
            ((imported_labels, imported_sets),) = connection.execute(_IMPORTED).fetchall()
            verdicts = dict(connection.execute(_VERDICTS).fetchall())
            labels = dict(connection.execute(_LABELS).fetchall())
            errors = read_records(connection, HostErrors, _ERRORS, {"hosts": hosts})
            people = read_records(connection, ReviewerStats, _PEOPLE, {"zone": zone, "today": day})
            window = {"zone": zone, "since": day - timedelta(days=days - 1)}
            label_days = read_records(connection, ReviewerDays, _LABEL_DAYS, window)
            run_days = read_records(connection, RunDay, _RUN_DAYS, window)
            own_runs = read_number(connection, f"select exists ({_OWN_RUNS})")
            examples = False if own_runs else None
            disputed = count_items(connection, ItemFilter(reviewers_differ=True, examples=examples))
        return DashboardSummary(
            outputs=outputs,
            runs=runs,
            citations=sum(verdicts.values()),
            unjudged=verdicts.get("pending", 0),
            labelled=labelled,
            reviewed=reviewed,
            imported_labels=imported_labels,
            imported_sets=imported_sets,
            disputed=disputed,
            examples=examples,
            cost_usd=cost,
            reserved_usd=reserved,
            unpriced_calls=unpriced,
            verdicts=verdicts,
            labels=labels,
            errors=tuple(errors),
            reviewers=tuple(people),
            label_days=tuple(label_days),
            run_days=tuple(run_days),
        )


_OWN_RUNS = f"""
select 1 from runs anti join imported_runs i on i.run_id = runs.id where id not in {EXAMPLE_RUNS}
"""
# examples count only as long as there is no run of one's own
_LEFT_OUT = f"(select id from {EXAMPLE_RUNS} where exists ({_OWN_RUNS}))"
_COUNTED = (
    f"current_verdicts where kind not in {SECONDARY_KINDS} "
    f"and run_id not in (select run_id from imported_runs) and run_id not in {_LEFT_OUT}"
)
_TOTALS = f"""
select (select count(*) from outputs),
    (select count(*) from runs anti join imported_runs i on i.run_id = runs.id
        where id not in {_LEFT_OUT}),
    coalesce(sum(cost_usd), 0)::double, coalesce(sum(reserved_usd), 0)::double,
    coalesce(sum(unpriced_calls), 0)::integer
from run_spending where run_id not in {_LEFT_OUT}
"""
_LABELLED = f"""
select count(*), count(*) filter (own) from (
    select run_id, citation_id, bool_or({OWN_LABEL_SQL}) as own
    from counted_current_labels group by run_id, citation_id
) semi join (select run_id, citation_id from {_COUNTED}) using (run_id, citation_id)
"""
_IMPORTED = f"""
select (select count(*) from counted_current_labels where not {OWN_LABEL_SQL}),
    (select count(distinct name) from imports
        where id in (select import_id from imported_items))
"""
# what no judge has looked at yet is none of the verdicts
_VERDICTS = (
    "select case when status = 'skipped' and error_kind is null then 'pending' else verdict end "
    f"as said, count(*) from {_COUNTED} group by said order by said"
)
_LABELS = (
    "select label, count(*) from counted_current_labels "
    f"where {OWN_LABEL_SQL} group by label order by label"
)
_ERRORS = f"""
with errors as (
    select coalesce(host, '') as host, error_kind, count(*) as number
    from {_COUNTED} and error_kind is not null group by all
),
worst as (
    select host, sum(number) as total from errors group by host
    order by total desc, host limit $hosts
)
select host, error_kind, number as citations from errors join worst using (host)
order by total desc, host, number desc, error_kind
"""
_PEOPLE = f"""
select reviewer as name, count(*) as labels,
    count(*) filter ((created_at at time zone $zone)::date = $today) as today,
    max(created_at) as last_at, median(seconds) as median_s
from counted_active_labels where {OWN_LABEL_SQL} group by reviewer order by count(*) desc, reviewer
"""
_LABEL_DAYS = f"""
select (created_at at time zone $zone)::date as day, reviewer, count(*) as labels,
    median(seconds) as median_s
from counted_active_labels where {OWN_LABEL_SQL} and day >= $since
group by day, reviewer order by day, reviewer
"""
_RUN_DAYS = f"""
select (r.created_at at time zone $zone)::date as day, count(*) as runs,
    coalesce(sum(e.cost_usd), 0)::double as cost_usd
from runs r join run_spending e on e.run_id = r.id
where day >= $since and r.id not in (select run_id from imported_runs)
    and r.id not in {_LEFT_OUT} group by day order by day
"""
