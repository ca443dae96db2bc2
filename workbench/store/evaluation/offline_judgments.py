"""What judges said of items outside of their runs, and which labelled items lack it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.records.evaluation import JudgeKey, JudgingRequest, OfflineJudgment
from workbench.records.matrix import CellJudgment
from workbench.records.source import Source
from workbench.records.verdict import NOT_ASKED, CitationResult, Judgment, parse_source
from workbench.store.evaluation.evaluation_examples import SAME_JUDGE_SQL, judge_values
from workbench.store.labels.agreement import ItemKey
from workbench.store.rows import (
    append_rows,
    ensure_not_erased,
    pair_values,
    read_chat_judgments,
    record_json,
    sort_key,
    stored_text,
    verdict_row,
)
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

EACH = 200
"""So many items are read in one unit of work."""


class OfflineJudgmentRepository(Repository):
    """Opinions of judges on labelled items."""

    def unjudged(
        self,
        judge: str,
        prompt: str = "",
        *,
        split_id: str | None = None,
        parts: Sequence[str] = (),
        disputed: bool = False,
    ) -> list[ItemKey]:
        """The items with a gold label which a judge was not asked about, in run order.

        Items whose source is known to be out of reach are left out: no judge can be asked.

        Args:
            judge: Name of the judge: its SPEC, or a panel's as `JudgeName.name` gives it.
            prompt: Id of the prompt.
            split_id: Only items in a part of this split …
            parts: … and in one of these.
            disputed: Also labelled items without a gold label, which each reviewer's own label
                is held against.
        """
        labelled = (
            "(select distinct run_id, citation_id from counted_current_labels)"
            if disputed
            else "gold_labels"
        )
        return self._rows(
            f"select g.run_id, g.citation_id from {labelled} g "
            "join runs r on r.id = g.run_id "
            "left join current_verdicts v on v.run_id = g.run_id "
            "and v.citation_id = g.citation_id "
            "left join (select * from current_offline_judgments where judge = $judge "
            f"and prompt = $prompt and coalesce(error_kind, '') not in {NOT_ASKED}) o "
            "on o.run_id = g.run_id and o.citation_id = g.citation_id "
            "where o.run_id is null and (v.run_id is null or (v.text_sha256 is not null "
            f"and (not ({SAME_JUDGE_SQL}) or coalesce(v.error_kind, '') in {NOT_ASKED}))) "
            "and ($split is null or (g.run_id, g.citation_id) in (select (run_id, citation_id) "
            "from split_items where split_id = $split "
            "and part in (select unnest($parts::varchar[])))) "
            "order by r.created_at, g.run_id, v.position, g.citation_id",
            {
                **judge_values(JudgeKey.of(judge, prompt)),
                "split": split_id,
                "parts": list(parts),
            },
        )

    def of_chats(self, run_id: str) -> dict[str, tuple[Judgment, ...]]:
        """What chats said of a run's citations beside its own judge, by citation, in their order."""
        with self._store.transaction() as connection:
            rows = read_chat_judgments(connection, "run_id = $run", {"run": run_id})
        return {citation_id: judgments for (_, citation_id), judgments in rows.items()}

    def questions(self, keys: Sequence[ItemKey]) -> Iterator[JudgingRequest]:
        """The items behind the keys with what it takes to ask about them, some at a time."""
        for start in range(0, len(keys), EACH):
            with self._store.transaction() as connection:
                requests = read_questions(connection, keys[start : start + EACH])
            yield from requests

    def add(
        self,
        opinions: Sequence[OfflineJudgment],
        first: Sequence[tuple[str, CitationResult]] = (),
        *,
        evaluation_id: str | None = None,
    ) -> None:
        """Remember what a judge said; the newest one of a judge and prompt counts.

        Args:
            opinions: What it said.
            first: Run and result of items that had no verdict: from now on that is their
                verdict.
            evaluation_id: The asking of an anchor set in which it was said.
        """
        now = self._now()
        with self._store.transaction() as connection:
            _add_first(connection, first, now)
            for run_id in {opinion.run_id for opinion in opinions}:
                ensure_not_erased(connection, run_id)
            rows = [
                (
                    opinion.run_id,
                    opinion.citation_id,
                    opinion.judge,
                    opinion.prompt,
                    opinion.judgment.label if opinion.judgment else "unverifiable",
                    opinion.judgment.score if opinion.judgment else None,
                    opinion.judgment.confidence if opinion.judgment else None,
                    opinion.error,
                    record_json(opinion.judgment.to_dict()) if opinion.judgment else None,
                    opinion.cost_usd,
                    now,
                    evaluation_id,
                )
                for opinion in opinions
            ]
            append_rows(connection, "offline_judgments", rows)


class MatrixCells(Repository):
    """What judges said that were asked about the matrix of a run."""

    def add(self, judgments: Sequence[CellJudgment]) -> None:
        """Remember what was said; nothing is replaced."""
        with self._store.transaction() as connection:
            for run_id in {judgment.run_id for judgment in judgments}:
                ensure_not_erased(connection, run_id)
            rows = [
                (
                    said.run_id,
                    said.start_at,
                    said.end_at,
                    said.source_sha256,
                    said.judge,
                    record_json(said.judgment.to_dict()) if said.judgment else None,
                    said.created_at,
                )
                for said in judgments
            ]
            append_rows(connection, "matrix_cells", rows)

    def of_run(self, run_id: str) -> list[CellJudgment]:
        """Return what was said about the statements of a run, oldest first."""
        return self._records(
            CellJudgment,
            "select * exclude record, record as judgment from matrix_cells where run_id = ? "
            "order by created_at",
            [run_id],
        )


def _add_first(
    connection: "DuckDBPyConnection", first: Sequence[tuple[str, CitationResult]], now: datetime
) -> None:
    if not first:
        return
    versions = {
        (run_id, citation_id): version
        for run_id, citation_id, version in connection.execute(
            "select run_id, citation_id, max(version) from verdicts "
            "where run_id in (select unnest(?::varchar[])) group by run_id, citation_id",
            [list({run_id for run_id, _ in first})],
        ).fetchall()
    }
    rows = [
        verdict_row(run_id, result, now, versions.get((run_id, result.citation.id), 0) + 1)
        for run_id, result in first
    ]
    append_rows(connection, "verdicts", rows)


def read_questions(
    connection: "DuckDBPyConnection",
    keys: Sequence[ItemKey],
    versions: Mapping[ItemKey, int] | None = None,
) -> list[JudgingRequest]:
    """The items behind the keys, as they are now or as of the `versions` of their verdicts."""
    runs = list(dict.fromkeys(run_id for run_id, _ in keys))
    outputs = {
        run_id: (stored_text(body), _announced(placeholders))
        for run_id, placeholders, body in connection.execute(
            "select r.id, r.placeholders, o.body from runs r "
            "join outputs o on o.sha256 = r.output_sha256 "
            "where r.id in (select unnest(?::varchar[]))",
            [runs],
        ).fetchall()
    }
    judged = {
        (run_id, citation_id): (CitationResult.from_dict(json.loads(record)), text_sha256)
        for run_id, citation_id, record, text_sha256 in connection.execute(
            "select run_id, citation_id, record, text_sha256 from current_verdicts "
            "where run_id in (select unnest(?::varchar[]))",
            [runs],
        ).fetchall()
    }
    if versions:
        judged |= _as_of(connection, versions)
    results = {run_id: dict(announced) for run_id, (_, announced) in outputs.items()}
    for (run_id, citation_id), (judgment, _) in judged.items():
        results[run_id][citation_id] = judgment
    citations = {
        run_id: tuple(result.citation for result in sorted(by_citation.values(), key=sort_key))
        for run_id, by_citation in results.items()
    }
    requests = []
    for run_id, citation_id in keys:
        if run_id not in outputs:
            continue
        text, announced = outputs[run_id]
        stored = judged.get((run_id, citation_id))
        result = stored[0] if stored else announced.get(citation_id)
        if result is None:
            continue
        requests.append(
            JudgingRequest(
                run_id=run_id,
                result=result,
                text=text,
                citations=citations[run_id],
                source=_source(connection, result.source, stored[1] if stored else None),
                # what was imported, or not reached, is in the table without a judgment
                has_verdict=stored is not None and result.judgment is not None,
            )
        )
    return requests


def _as_of(
    connection: "DuckDBPyConnection", versions: Mapping[ItemKey, int]
) -> dict[ItemKey, tuple[CitationResult, str | None]]:
    rows = connection.execute(
        "select v.run_id, v.citation_id, v.record, v.text_sha256 from verdicts v join ("
        "select unnest($runs::varchar[]) as run_id, unnest($citations::varchar[]) as citation_id, "
        "unnest($versions::integer[]) as version) using (run_id, citation_id, version)",
        {**pair_values(versions), "versions": list(versions.values())},
    ).fetchall()
    return {
        (run_id, citation_id): (CitationResult.from_dict(json.loads(record)), text)
        for run_id, citation_id, record, text in rows
    }


def _announced(placeholders: str) -> dict[str, CitationResult]:
    results = (CitationResult.from_dict(load) for load in json.loads(placeholders))
    return {result.citation.id: result for result in results}


def _source(
    connection: "DuckDBPyConnection", facts: Source | None, text_sha256: str | None
) -> Source | None:
    if facts is None:
        return None
    rows = connection.execute(
        "select body, pages from source_texts where sha256 = $sha256 "
        "and ($text is null or text_sha256 = $text) order by first_seen limit 1",
        {"sha256": facts.sha256, "text": text_sha256},
    ).fetchall()
    if not rows:
        return None
    text = stored_text(rows[0][0])
    return parse_source(facts.to_dict(), text=text, pages=json.loads(rows[0][1]))
