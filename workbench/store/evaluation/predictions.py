"""What judges said of labelled items, side by side or under another policy."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.records.evaluation import (
    CitationOutcome,
    JudgeKey,
    ReferenceOutcome,
    RunOutcomes,
)
from workbench.records.reference_sets import Prediction
from workbench.store.evaluation.evaluation_examples import (
    GROUP_KEY_SQL,
    SAME_JUDGE_SQL,
    SECONDARY_KINDS,
    judge_values,
)
from workbench.store.rows import PAIRS, pair_values
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


Named = Mapping[str, str | bool | list[str]]


class PredictionRepository(Repository):
    """Reading what judges said, reasons included."""

    def in_runs(self, split_id: str, parts: Sequence[str]) -> list[Prediction]:
        """The verdicts that the labelled items of some parts have in their runs, in run order."""
        query = _ITEMS.format(
            said="v.verdict, v.score, v.error_kind, v.record",
            opinions="",
            where="v.score is not null",
        )
        with self._store.transaction() as connection:
            return read_predictions(connection, query, {"split": split_id, "parts": list(parts)})

    def claims(self, items: Sequence[str]) -> dict[str, str]:
        """The claims of items, by the items' names; those without one are left out."""
        keys = [item.partition("/") for item in items]
        return dict(
            self._rows(
                f"select run_id || '/' || citation_id, claim from current_verdicts semi join {PAIRS} "
                "using (run_id, citation_id) where claim is not null",
                pair_values((key[0], key[2]) for key in keys),
            )
        )

    def of_judge(self, judge: JudgeKey, split_id: str, parts: Sequence[str]) -> list[Prediction]:
        """What one judge says of them: in its runs, else the newest time that it was asked."""
        is_own_sql = SAME_JUDGE_SQL
        query = _ITEMS.format(
            said=f"case when {is_own_sql} then v.verdict else o.verdict end, "
            f"case when {is_own_sql} then v.score else o.score end, "
            f"case when {is_own_sql} then v.error_kind else o.error_kind end, "
            f"case when {is_own_sql} then v.record else o.record end",
            opinions="left join (select * from current_offline_judgments where judge = $judge "
            "and prompt = $prompt) o on o.run_id = g.run_id and o.citation_id = g.citation_id",
            where=f"(({is_own_sql} and v.run_id is not null) or o.run_id is not null)",
        )
        with self._store.transaction() as connection:
            return read_predictions(
                connection,
                query,
                {**judge_values(judge), "split": split_id, "parts": list(parts)},
            )

    def labels(self, split_id: str, parts: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The gold label of each item of some parts, and its part, in run order."""
        rows = self._rows(
            "select g.run_id || '/' || g.citation_id, g.label, s.part from gold_labels g "
            "join runs r on r.id = g.run_id join split_items s on s.run_id = g.run_id "
            "and s.citation_id = g.citation_id and s.split_id = $split "
            "left join current_verdicts v on v.run_id = g.run_id "
            "and v.citation_id = g.citation_id "
            f"where s.part in (select unnest($parts::varchar[])) "
            f"and coalesce(v.kind, '') not in {SECONDARY_KINDS} "
            "order by r.created_at, g.run_id, v.position, g.citation_id",
            {"split": split_id, "parts": list(parts)},
        )
        return {item: (label, part) for item, label, part in rows}


_ITEMS = f"""
select g.run_id || '/' || g.citation_id, {GROUP_KEY_SQL}, g.label, {{said}}
from gold_labels g join runs r on r.id = g.run_id
    semi join (select * from split_items where split_id = $split
        and part in (select unnest($parts::varchar[]))) s
        on s.run_id = g.run_id and s.citation_id = g.citation_id
    left join current_verdicts v on v.run_id = g.run_id and v.citation_id = g.citation_id
    left join imported_items i on i.run_id = g.run_id and i.citation_id = g.citation_id
    {{opinions}}
where coalesce(v.kind, '') not in {SECONDARY_KINDS} and {{where}}
order by r.created_at, g.run_id, v.position, g.citation_id
"""


def read_predictions(
    connection: "DuckDBPyConnection", query: str, values: Named
) -> list[Prediction]:
    """The rows of a query: item, group, people's label, judge's label, score, error, record.

    The record is that of a verdict or of a judgment.
    """
    predictions = []
    for item, group, human, label, score, error, record in connection.execute(
        query, dict(values)
    ).fetchall():
        # read here: to the database's JSON functions a text with lone surrogates is no JSON
        document = (json.loads(record) if record else None) or {}
        judgment = document.get("judgment", document) or None
        predictions.append(
            Prediction(
                item=item,
                group=group,
                human=human,
                label=label,
                score=score or 0.0,
                rationale=judgment["rationale"] if judgment else "",
                error=error,
                cost_usd=judgment.get("cost_usd") or 0.0 if judgment else 0.0,
                latency_ms=judgment.get("latency_ms") if judgment else None,
            )
        )
    return predictions


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
