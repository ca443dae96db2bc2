"""Series that improve a prompt, step by step as they happened."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.errors import NotFoundError
from workbench.records.evaluation import JudgeKey
from workbench.records.optimization import (
    Optimisation,
    OptimisationStep,
    parse_optimisation,
    parse_step,
)
from workbench.records.reviewers import utc_now
from workbench.store.labels.agreement import ItemKey
from workbench.store.queues.queues import Clock
from workbench.store.row_mapping import record_json
from workbench.store.store import Store

DEV_LOOKS = "stage = 'dev' and round > 0"


class OptimizationRepository:
    """The series and their steps; what is kept is never changed.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def add(self, planned: Optimisation) -> Optimisation:
        """The series as it is kept, without a step, with the next id."""
        with self._store.transaction() as connection:
            ((number,),) = connection.execute("select count(*) from optimizations").fetchall()
            added = replace(planned, id=f"o{number + 1}", created_at=self._now())
            connection.execute(
                "insert into optimizations values (?, ?, ?)",
                [added.id, json.dumps(added.to_dict()), added.created_at],
            )
        return added

    def all(self) -> list[Optimisation]:
        """Every series, newest first."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                "select record from optimizations order by created_at desc, id desc"
            ).fetchall()
        return [parse_optimisation(record) for (record,) in rows]

    def get(self, optimization_id: str) -> Optimisation:
        """The series with that id.

        Raises:
            NotKept: There is none.
        """
        identifier = optimization_id.strip()
        runs = [run for run in self.all() if run.id == identifier]
        if not runs:
            raise NotFoundError(
                f"There is no optimisation {identifier[:40]!r} in {self._store.path}; `workbench "
                f"prompts optimisations` lists them."
            )
        return runs[0]

    def record(self, optimization_id: str, step: OptimisationStep) -> OptimisationStep:
        """Keep a step as it happened; the step with its time."""
        now = self._now()
        row = {**step.to_dict(), "created_at": now.isoformat()}
        with self._store.transaction() as connection:
            connection.execute(
                "insert into optimization_steps values (?, ?, ?, ?, ?, ?, ?)",
                [
                    optimization_id, step.round, step.stage, record_json(row), step.cost_usd, now,
                    step.candidate,
                ],
            )  # fmt: skip
        return parse_step(json.dumps(row))

    def steps(self, optimization_id: str) -> list[OptimisationStep]:
        """The steps of a series, oldest first."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                "select record from optimization_steps where optimization_id = ? "
                "order by created_at, rowid",
                [optimization_id],
            ).fetchall()
        return [parse_step(record) for (record,) in rows]

    def looks_before(self, series: Optimisation) -> int:
        """How often series that began before it looked at dev of the same split."""
        others = [
            other.id
            for other in self.all()
            if other.split_id == series.split_id
            and (other.created_at, other.id) < (series.created_at, series.id)
        ]
        with self._store.transaction() as connection:
            ((number,),) = connection.execute(
                f"select count(*) from optimization_steps where {DEV_LOOKS} "
                "and optimization_id in (select unnest(?::varchar[]))",
                [others],
            ).fetchall()
        return int(number)

    def judged_cost(self, series: Optimisation, judge: JudgeKey) -> float:
        """What a judge's opinions cost since a series began, in USD; those not yet in a step too.

        Answers that were paid for before and only found again count at their price.
        """
        with self._store.transaction() as connection:
            ((cost,),) = connection.execute(
                "select coalesce(sum(cost_usd), 0) from offline_judgments where judge = $judge "
                "and prompt = $prompt and created_at >= $since and evaluation_id is null",
                {"judge": judge.name, "prompt": judge.prompt, "since": series.created_at},
            ).fetchall()
        return float(cost)

    def reasons(self, keys: Sequence[ItemKey]) -> Mapping[ItemKey, tuple[str, ...]]:
        """What reviewers said of items besides the label: note and fault, without names."""
        with self._store.transaction() as connection:
            rows = connection.execute(
                "select run_id, citation_id, label, note, coalesce(fault, '') from counted_current_labels "
                "semi join (select unnest($runs::varchar[]) as run_id, "
                "unnest($citations::varchar[]) as citation_id) using (run_id, citation_id) "
                "where note <> '' or fault is not null order by created_at, id",
                {
                    "runs": [run_id for run_id, _ in keys],
                    "citations": [citation_id for _, citation_id in keys],
                },
            ).fetchall()
        reasons: dict[ItemKey, tuple[str, ...]] = {}
        for run_id, citation_id, label, note, fault in rows:
            where = f", fault in {fault}" if fault else ""
            reason = f"{label}{where}: {note}".rstrip(": ")
            reasons[run_id, citation_id] = (*reasons.get((run_id, citation_id), ()), reason)
        return reasons
