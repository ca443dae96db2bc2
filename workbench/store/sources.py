"""What the store knows of sources beyond their texts: who cites them, what reviewers decided.

Decisions append. "It is the article" is a row that names a body by its hash; taking it back is
another row. What a reviewer handed over is a row beside the snapshot that holds the bytes.
"""

import json
from collections.abc import Collection, Sequence

from workbench.records.citation import Reference
from workbench.records.source import Source
from workbench.records.stored_sources import (
    RunVersion,
    SourceCitation,
    SourceOverride,
    SuppliedSource,
)
from workbench.records.text import replace_surrogates
from workbench.records.verdict import CitationResult, parse_source
from workbench.store.rows import sort_key, stored_text
from workbench.store.store import Repository


class SourceRepository(Repository):
    """Sources as the store knows them."""

    # -- who leans on what ------------------------------------------------------------------

    def run_versions(self, run_id: str | None = None) -> list[RunVersion]:
        """A stamp of each run, or of one, newest run first; a changed run has another stamp."""
        where, values = ("where r.id = ?", [run_id]) if run_id else ("", [])
        return self._records(
            RunVersion,
            "select r.id as run_id, r.name, r.judge, r.created_at, "
            "count(v.citation_id) as verdicts, max(v.created_at) as newest, "
            "coalesce(bool_or(e.finished), false) as ended "
            "from runs r left join verdicts v on v.run_id = r.id "
            f"left join last_run_completions e on e.run_id = r.id {where} "
            "group by r.id, r.name, r.judge, r.created_at order by r.created_at desc, r.id",
            values,
        )

    def uses(self, run_ids: Collection[str]) -> dict[str, tuple[SourceCitation, ...]]:
        """The citations of some runs with their current verdicts, in text order, by run id.

        Citations that have no verdict yet come as they were announced, without `judged_at`.
        """
        ids = list(run_ids)
        if not ids:
            return {}
        with self._store.transaction() as connection:
            runs = connection.execute(
                "select id, name, reference_list, placeholders from runs "
                "where id in (select unnest(?))",
                [ids],
            ).fetchall()
            rows = connection.execute(
                "select v.run_id, v.record, v.created_at, v.text_sha256, v.version, b.verdict, "
                "b.error_kind from current_verdicts v left join verdicts b "
                "on b.run_id = v.run_id and b.citation_id = v.citation_id "
                "and b.version = v.version - 1 where v.run_id in (select unnest(?))",
                [ids],
            ).fetchall()
        citations: dict[str, list[SourceCitation]] = {}
        names: dict[str, str] = {}
        references: dict[str, list[Reference]] = {}
        for run_id, name, listed, _ in runs:
            names[run_id] = name
            references[run_id] = [Reference.from_dict(item) for item in json.loads(listed)]
            citations[run_id] = []
        for run_id, record, judged_at, text, version, before, before_error in rows:
            result = CitationResult.from_dict(json.loads(record))
            citations[run_id].append(
                SourceCitation(
                    run_id=run_id,
                    run_name=names[run_id],
                    result=result,
                    reference=_entry(result, references[run_id]),
                    judged_at=judged_at,
                    text_sha256=text,
                    version=version,
                    before=before,
                    before_error=before_error,
                )
            )
        for run_id, name, _, placeholders in runs:
            judged_ids = {use.result.citation.id for use in citations[run_id]}
            citations[run_id] += [
                SourceCitation(
                    run_id=run_id, run_name=name, result=result, reference=_entry(result, listed)
                )
                for listed in [references[run_id]]
                for result in map(CitationResult.from_dict, json.loads(placeholders))
                if result.citation.id not in judged_ids
            ]
        return {
            run_id: tuple(sorted(uses, key=lambda use: sort_key(use.result)))
            for run_id, uses in citations.items()
        }

    def texts(self, sha256: str) -> list[Source]:
        """Every text that was ever read out of a body, oldest first; facts but text are empty."""
        rows = self._rows(
            "select content_type, title, body, pages from source_texts where sha256 = ? "
            "order by first_seen, text_sha256",
            [sha256],
        )
        sources = []
        for content_type, title, body, pages in rows:
            source = parse_source(
                {
                    "url": "", "final_url": "", "content_type": content_type, "bytes": 0,
                    "sha256": sha256, "title": title or None, "truncated": False,
                },
                text=stored_text(body),
                pages=json.loads(pages),
            )  # fmt: skip
            if source is not None:
                sources.append(source)
        return sources

    # -- what reviewers decided -------------------------------------------------------------

    def accept(self, acceptance: SourceOverride) -> None:
        """Remember that a reviewer calls a body the source it stands for."""
        self._insert("acceptances", acceptance, omit=("withdrawn_by", "withdrawn_at"))

    def withdraw_acceptance(self, acceptance_id: str, reviewer: str) -> None:
        """Take an acceptance back by a new entry; a second time changes nothing."""
        self._rows(
            "insert into acceptance_withdrawals values (?, ?, now()) on conflict do nothing",
            [acceptance_id, replace_surrogates(reviewer)],
        )

    def acceptances(self, sha256s: Collection[str] | None = None) -> list[SourceOverride]:
        """Every acceptance ever given, those taken back too, oldest first.

        Args:
            sha256s: Of these bodies only; None for all.
        """
        where = "" if sha256s is None else "where a.sha256 in (select unnest(?))"
        return self._records(
            SourceOverride,
            "select a.*, w.reviewer as withdrawn_by, w.created_at as withdrawn_at "
            "from acceptances a left join acceptance_withdrawals w "
            f"on w.acceptance_id = a.id {where} order by a.created_at, a.id",
            [] if sha256s is None else [list(sha256s)],
        )

    def accepted(self) -> frozenset[str]:
        """The hashes of the bodies that are accepted: what `verify` takes as `accepted`."""
        return frozenset(self._column("select distinct sha256 from current_acceptances"))

    def add_supplied(self, supplied: SuppliedSource) -> None:
        """Remember that a snapshot was given by a reviewer."""
        self._insert("supplied_sources", supplied)

    def supplied(self) -> list[SuppliedSource]:
        """Everything that reviewers gave, oldest first."""
        return self._records(SuppliedSource, "from supplied_sources order by created_at, id")


def _entry(result: CitationResult, references: Sequence[Reference]) -> Reference | None:
    target = result.citation.target
    number = target.reference if target else None
    return references[number] if number is not None and number < len(references) else None
