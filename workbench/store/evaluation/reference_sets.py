"""Frozen sets of labelled items, the times that judges were asked about them, and what they said.

A set holds which items it is of, which version of each, the hashes of their texts and the label at
freezing. Later labels, corrected claims and sources that were read again change none of that; an
output that is erased takes its items out of every set, and the size at freezing tells of it.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields

from workbench.errors import StoreError, UsageError
from workbench.records.evaluation import JudgingRequest, OfflineJudgment, ReferenceCandidate
from workbench.records.reference_sets import (
    Prediction,
    ReferenceEvaluation,
    ReferenceExample,
    ReferenceExampleStatus,
    ReferenceSet,
)
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.records.verdict import CitationResult
from workbench.store.evaluation.evaluation_examples import GROUP_KEY_SQL, SECONDARY_KINDS
from workbench.store.evaluation.offline_judgments import (
    EACH,
    OfflineJudgmentRepository,
    read_questions,
)
from workbench.store.evaluation.predictions import read_predictions
from workbench.store.rows import Row, append_rows, insert_record, read_number
from workbench.store.store import Repository

LONGEST = 100
_COLUMNS = tuple(field.name for field in fields(ReferenceExample))
_CLAIM = "sha256(coalesce(v.claim, ''))"


class ReferenceSetRepository(Repository):
    """The anchor sets.

    All methods raise StoreError where there is no such set.
    """

    def candidates(self, split_id: str, parts: Sequence[str]) -> list[ReferenceCandidate]:
        """The labelled items of some parts of a split that a judge can be asked about, in order."""
        rows = self._rows(
            f"select g.run_id, g.citation_id, v.version, {GROUP_KEY_SQL}, g.label, {_CLAIM}, "
            "v.source_sha256, v.text_sha256, coalesce(v.host, '') from gold_labels g "
            "join current_verdicts v using (run_id, citation_id) "
            "join runs r on r.id = g.run_id left join imported_items i "
            "on i.run_id = g.run_id and i.citation_id = g.citation_id "
            "semi join (select * from split_items where split_id = $split "
            "and part in (select unnest($parts::varchar[]))) s "
            "on s.run_id = g.run_id and s.citation_id = g.citation_id "
            "semi join source_texts t "
            "on t.sha256 = v.source_sha256 and t.text_sha256 = v.text_sha256 "
            f"where v.kind not in {SECONDARY_KINDS} "
            "and g.label not in ('unverifiable', 'cannot_tell') "
            "order by r.created_at, g.run_id, v.position, g.citation_id",
            {"split": split_id, "parts": list(parts)},
        )
        return [ReferenceCandidate(anchor=_anchor(row), domain=row[8]) for row in rows]

    def freeze(
        self,
        name: str,
        items: Sequence[ReferenceExample],
        *,
        seed: int,
        parts: Sequence[str],
        by: str,
        note: str = "",
    ) -> ReferenceSet:
        """The set as it is kept, with the next id.

        Raises:
            UsageError: The name is empty or taken, or there are no items.
        """
        title = " ".join(replace_surrogates(name).split())[:LONGEST]
        if not title:
            raise UsageError("A reference set needs a name.")
        if not items:
            raise UsageError(
                "There is nothing to copy: no labelled example of these splits has a readable "
                "source."
            )
        with self._store.transaction() as connection:
            existing = connection.execute("select name, id from reference_sets").fetchall()
            if title in {name for name, _ in existing}:
                raise UsageError(
                    f"A reference set {title!r} already exists and cannot be changed; choose "
                    f"another name."
                )
            frozen = ReferenceSet(
                id=f"a{max((int(id[1:]) for _, id in existing), default=0) + 1}",
                name=title,
                size=len(items),
                strata=dict(sorted(Counter(example.gold for example in items).items())),
                seed=seed,
                parts=tuple(parts),
                sha256=anchors_sha256(items),
                created_by=normalize_reviewer_name(by),
                created_at=self._now(),
                note=replace_surrogates(note.strip())[:1000],
            )
            insert_record(connection, "reference_sets", frozen)
            append_rows(
                connection,
                "reference_examples",
                [(frozen.id, number, *astuple(example)) for number, example in enumerate(items)],
            )
        return frozen

    def all(self) -> list[ReferenceSet]:
        """Every set, newest first."""
        return self._records(ReferenceSet, "from reference_sets order by created_at desc, id desc")

    def get(self, name_or_id: str) -> ReferenceSet:
        """The set with that id or name."""
        for reference_set in self.all():
            if name_or_id in (reference_set.id, reference_set.name):
                return reference_set
        raise StoreError(
            f"There is no reference set {name_or_id!r} in {self._store.path}; `workbench drift "
            f"list` lists them."
        )

    def states(self, anchor_id: str, split_id: str | None) -> list[ReferenceExampleStatus]:
        """The current state of each anchor that is left, in the order of the set."""
        items = ", ".join(f"a.{column}" for column in _COLUMNS)
        rows = self._rows(
            f"select {items}, g.label, "
            f"v.text_sha256 is distinct from a.text_sha256 or {_CLAIM} <> a.claim_sha256, "
            "t.sha256 is not null, s.part from reference_examples a "
            "left join gold_labels g using (run_id, citation_id) "
            "left join current_verdicts v "
            "on v.run_id = a.run_id and v.citation_id = a.citation_id "
            "left join source_texts t "
            "on t.sha256 = a.source_sha256 and t.text_sha256 = a.text_sha256 "
            "left join (select * from split_items where split_id = $split) s "
            "on s.run_id = a.run_id and s.citation_id = a.citation_id "
            "where a.reference_set_id = $anchor order by a.position",
            {"anchor": anchor_id, "split": split_id},
        )
        return [
            ReferenceExampleStatus(
                anchor=_anchor(row), label=row[8], moved=row[9], readable=row[10], part=row[11]
            )
            for row in rows
        ]

    # -- evaluations ------------------------------------------------------------------------

    def begin(self, anchor_id: str, judge: str, prompt: str, *, by: str) -> ReferenceEvaluation:
        """A new asking of a set without an answer yet."""
        with self._store.transaction() as connection:
            number = read_number(
                connection,
                "select count(*) from reference_evaluations where reference_set_id = ?",
                [anchor_id],
            )
            evaluation = ReferenceEvaluation(
                id=f"{anchor_id}.{number + 1}",
                anchor_id=anchor_id,
                judge=judge,
                prompt=prompt,
                created_by=normalize_reviewer_name(by),
                created_at=self._now(),
                answers=0,
                cost_usd=0.0,
                last_at=None,
            )
            insert_record(
                connection,
                "reference_evaluations",
                evaluation,
                omit=("anchor_id", "answers", "cost_usd", "last_at"),
                reference_set_id=anchor_id,
            )
        return evaluation

    def evaluations(self, anchor_id: str) -> list[ReferenceEvaluation]:
        """Every asking of a set, oldest first."""
        return self._records(
            ReferenceEvaluation,
            "select a.id, a.reference_set_id as anchor_id, a.judge, a.prompt, a.created_by, "
            "a.created_at, count(o.run_id) as answers, coalesce(sum(o.cost_usd), 0) as cost_usd, "
            "max(o.created_at) as last_at "
            "from reference_evaluations a left join offline_judgments o on o.evaluation_id = a.id "
            "where a.reference_set_id = ? group by all order by a.created_at, a.id",
            [anchor_id],
        )

    def unanswered(self, evaluation: ReferenceEvaluation) -> list[ReferenceExample]:
        """The readable anchors that an asking has no answer to, in the order of the set."""
        return self._records(
            ReferenceExample,
            f"select {', '.join(_COLUMNS)} from reference_examples "
            "anti join (select run_id, citation_id from offline_judgments where evaluation_id = $asking) "
            "using (run_id, citation_id) "
            "semi join (select sha256 as source_sha256, text_sha256 from source_texts) "
            "using (source_sha256, text_sha256) where reference_set_id = $anchor order by position",
            {"asking": evaluation.id, "anchor": evaluation.anchor_id},
        )

    def questions(self, anchors: Sequence[ReferenceExample]) -> Iterator[JudgingRequest]:
        """The anchors with what it takes to ask about them, as frozen, some at a time."""
        for start in range(0, len(anchors), EACH):
            some = {
                (anchor.run_id, anchor.citation_id): anchor.version
                for anchor in anchors[start : start + EACH]
            }
            with self._store.transaction() as connection:
                requests = read_questions(connection, list(some), some)
            yield from requests

    def add(
        self,
        evaluation: ReferenceEvaluation,
        opinions: Sequence[OfflineJudgment],
        first: Sequence[tuple[str, CitationResult]] = (),
    ) -> None:
        """Remember what was said in an asking; the runs' own verdicts stay as they are.

        What would be an item's `first` verdict is dropped: an anchor is watched, not reviewed.
        """
        OfflineJudgmentRepository(self._store, self._now).add(opinions, evaluation_id=evaluation.id)

    def predictions(self, evaluation: ReferenceEvaluation) -> list[Prediction]:
        """What the judge said in an asking, held against the frozen labels; in the set's order."""
        with self._store.transaction() as connection:
            return read_predictions(
                connection,
                "select a.run_id || '/' || a.citation_id, a.question, a.gold, o.verdict, o.score, "
                "o.error_kind, o.record from reference_examples a join ("
                "select * from offline_judgments where evaluation_id = $asking qualify row_number() over ("
                "partition by run_id, citation_id order by created_at desc) = 1) o "
                "using (run_id, citation_id) where a.reference_set_id = $anchor order by a.position",
                {"asking": evaluation.id, "anchor": evaluation.anchor_id},
            )

    def predictions_in_runs(self, anchor_id: str) -> list[Prediction]:
        """The verdicts that the items had in their runs at freezing; without those not judged."""
        with self._store.transaction() as connection:
            return read_predictions(
                connection,
                "select a.run_id || '/' || a.citation_id, a.question, a.gold, v.verdict, v.score, "
                "v.error_kind, v.record from reference_examples a "
                "join verdicts v using (run_id, citation_id, version) "
                "where a.reference_set_id = $anchor and v.score is not null order by a.position",
                {"anchor": anchor_id},
            )


def anchors_sha256(items: Sequence[ReferenceExample]) -> str:
    """The SHA-256, in hexadecimal, of a set's items.

    Canonical form: ASCII-escaped JSON of the sorted rows of run, citation, label, and the hashes of
    claim, source and source text.
    """
    rows = sorted(
        (
            example.run_id, example.citation_id, example.gold, example.claim_sha256, example.source_sha256,
            example.text_sha256,
        )
        for example in items
    )  # fmt: skip
    return hashlib.sha256(json.dumps(rows).encode("ascii")).hexdigest()


def _anchor(row: Row) -> ReferenceExample:
    return ReferenceExample(**dict(zip(_COLUMNS, row, strict=False)))
