"""The state of the citations of many runs, as a policy's preview needs them: one query for all."""

from datetime import datetime

from workbench.records.evaluation import CitationOutcome, ReferenceOutcome, RunOutcomes
from workbench.store.store import Repository

_RUNS = """
select r.id, r.name, r.output_sha256, r.created_at
from counted_runs r join last_run_completions e on e.run_id = r.id and e.finished
where r.judge_name <> ''
    and ($since::timestamptz is null or r.created_at >= $since::timestamptz)
    and ($until::timestamptz is null or r.created_at < $until::timestamptz)
order by r.created_at desc, r.id
"""
_STANCES = f"""
select v.run_id, v.kind, v.target_form, v.verdict, v.score, v.unsure, g.label
from current_verdicts v semi join ({_RUNS}) r on r.id = v.run_id
    left join gold_labels g on g.run_id = v.run_id and g.citation_id = v.citation_id
"""
_REFERENCES = f"""
select c.run_id, c.status, json_extract_string(c.record, '$.retraction.kind')
from current_reference_checks c semi join ({_RUNS}) r on r.id = c.run_id
order by c.run_id, c.position
"""


class RunOutcomeRepository(Repository):
    """Reading the state of citations; all methods raise StoreError when the file cannot be used."""

    def read(self, since: datetime | None, until: datetime | None) -> list[RunOutcomes]:
        """The judged runs of a span of time that came to their end, newest first."""
        span = {"since": since, "until": until}
        with self._store.transaction() as connection:
            runs = connection.execute(_RUNS, span).fetchall()
            stances: dict[str, list[CitationOutcome]] = {run[0]: [] for run in runs}
            for run_id, *outcome in connection.execute(_STANCES, span).fetchall():
                stances[run_id].append(CitationOutcome._make(outcome))
            references: dict[str, list[ReferenceOutcome]] = {run[0]: [] for run in runs}
            for run_id, *outcome in connection.execute(_REFERENCES, span).fetchall():
                references[run_id].append(ReferenceOutcome._make(outcome))
        return [
            RunOutcomes(
                id=run_id,
                name=name,
                output_sha256=sha256,
                created_at=at,
                stances=stances[run_id],
                references=references[run_id],
            )
            for run_id, name, sha256, at in runs
        ]

    def state(self) -> str:
        """A short text that changes whenever a run ends or a verdict or label is added."""
        return self._state(
            "run_completions", "verdicts", "labels", "label_withdrawals", "reference_checks"
        )
