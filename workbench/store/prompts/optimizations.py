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
from workbench.store.labels.agreement import ItemKey
from workbench.store.row_mapping import record_json
from workbench.store.rows import PAIRS, pair_values, read_number
from workbench.store.store import Repository

DEV_LOOKS = "stage = 'dev' and round > 0"


class OptimizationRepository(Repository):
    """The series and their steps; what is kept is never changed."""

    def add(self, planned: Optimisation) -> Optimisation:
        """The series as it is kept, without a step, with the next id."""
        with self._store.transaction() as connection:
            number = read_number(connection, "select count(*) from optimizations")
            added = replace(planned, id=f"o{number + 1}", created_at=self._now())
            connection.execute(
                "insert into optimizations values (?, ?, ?)",
                [added.id, json.dumps(added.to_dict()), added.created_at],
            )
        return added

    def all(self) -> list[Optimisation]:
        """Every series, newest first."""
        records = self._column("select record from optimizations order by created_at desc, id desc")
        return [parse_optimisation(record) for record in records]

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
        self._rows(
            "insert into optimization_steps values (?, ?, ?, ?, ?, ?, ?)",
            [
                optimization_id, step.round, step.stage, record_json(row), step.cost_usd, now,
                step.candidate,
            ],
        )  # fmt: skip
        return parse_step(json.dumps(row))

    def steps(self, optimization_id: str) -> list[OptimisationStep]:
        """The steps of a series, oldest first."""
        records = self._column(
            "select record from optimization_steps where optimization_id = ? "
            "order by created_at, rowid",
            [optimization_id],
        )
        return [parse_step(record) for record in records]

    def looks_before(self, series: Optimisation) -> int:
        """How often series that began before it looked at dev of the same split."""
        others = [
            other.id
            for other in self.all()
            if other.split_id == series.split_id
            and (other.created_at, other.id) < (series.created_at, series.id)
        ]
        return self._number(
            f"select count(*) from optimization_steps where {DEV_LOOKS} "
            "and optimization_id in (select unnest(?::varchar[]))",
            [others],
        )

    def judged_cost(self, series: Optimisation, judge: JudgeKey) -> float:
        """What a judge's opinions cost since a series began, in USD; those not yet in a step too.

        Answers that were paid for before and only found again count at their price.
        """
        (cost,) = self._column(
            "select coalesce(sum(cost_usd), 0) from offline_judgments where judge = $judge "
            "and prompt = $prompt and created_at >= $since and evaluation_id is null",
            {"judge": judge.name, "prompt": judge.prompt, "since": series.created_at},
        )
        return float(cost)

    def reasons(self, keys: Sequence[ItemKey]) -> Mapping[ItemKey, tuple[str, ...]]:
        """What reviewers said of items besides the label: note and fault, without names."""
        rows = self._rows(
            "select run_id, citation_id, label, note, coalesce(fault, '') from counted_current_labels "
            f"semi join {PAIRS} using (run_id, citation_id) "
            "where note <> '' or fault is not null order by created_at, id",
            pair_values(keys),
        )
        reasons: dict[ItemKey, tuple[str, ...]] = {}
        for run_id, citation_id, label, note, fault in rows:
            where = f", fault in {fault}" if fault else ""
            reason = f"{label}{where}: {note}".rstrip(": ")
            reasons[run_id, citation_id] = (*reasons.get((run_id, citation_id), ()), reason)
        return reasons
