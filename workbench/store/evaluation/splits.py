"""Labelled items in parts, dealt once, of which looks at the test part leave a trace; thresholds."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.errors import NotFoundError, StoreError, UsageError
from workbench.records.evaluation import (
    Split,
    SplitCandidate,
    SplitSize,
    TestSetAccess,
    Threshold,
    Tie,
)
from workbench.records.export_formats import PartName
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.store.evaluation.evaluation_examples import GROUP_KEY_SQL, SECONDARY_KINDS
from workbench.store.rows import read_number
from workbench.store.store import Repository

_IMPORTED = "left join imported_items i on i.run_id = g.run_id and i.citation_id = g.citation_id"
_IMPORTED_ITEMS = _IMPORTED.replace("g.", "s.")
_LABELLED = "(select distinct run_id, citation_id from counted_current_labels)"
"""Disputed items too: once adjudicated they have their part."""


class Splits(Repository):
    """The splits of the labelled items.

    All methods raise StoreError where there is no such split.
    """

    def all(self) -> list[Split]:
        """Every split, newest first."""
        return self._records(Split, "from splits order by created_at desc, id")

    def get(self, name_or_id: str) -> Split:
        """The newest split of that name, or the one with that id."""
        for split in self.all():
            if name_or_id in (split.id, split.name):
                return split
        raise StoreError(f"There is no split {name_or_id!r} in {self._store.path}.")

    def add(
        self, name: str, *, seed: int, shares: Mapping[str, float], ties: Sequence[Tie], by: str
    ) -> Split:
        """A new split without items.

        Raises:
            UsageError: The name is empty.
        """
        title = " ".join(replace_surrogates(name).split())[:100]
        if not title:
            raise UsageError("A split needs a name.")
        split = Split(
            id=str(uuid.uuid4()),
            name=title,
            seed=seed,
            shares=dict(shares),
            ties=tuple(ties),
            created_by=normalize_reviewer_name(by),
            created_at=self._now(),
        )
        self._insert("splits", split)
        return split

    def unplaced(self, split_id: str | None) -> int:
        """How many labelled items with a verdict are in no part of a split yet."""
        return self._number(
            f"select count(*) from {_LABELLED} semi join (select * from current_verdicts "
            f"where kind not in {SECONDARY_KINDS}) using (run_id, citation_id) "
            "anti join (select * from split_items where split_id = ?) "
            "using (run_id, citation_id)",
            [split_id],
        )

    def candidates(self, split_id: str | None) -> list[SplitCandidate]:
        """Every labelled item with a verdict, in a fixed order."""
        return self._records(
            SplitCandidate,
            f"select g.run_id, g.citation_id, {GROUP_KEY_SQL} as question, "
            "v.source_sha256 as page, v.host as domain, s.part, s.run_id is not null as placed "
            f"from {_LABELLED} g "
            "join current_verdicts v using (run_id, citation_id) "
            f"join runs r on r.id = g.run_id {_IMPORTED} "
            "left join (select * from split_items where split_id = ?) s "
            "on s.run_id = g.run_id and s.citation_id = g.citation_id "
            f"where v.kind not in {SECONDARY_KINDS} "
            "order by r.created_at, g.run_id, v.position, g.citation_id",
            [split_id],
        )

    def parts(self, split_id: str) -> dict[tuple[str, str], PartName | None]:
        """The part of each labelled item with a verdict, by run and citation.

        Items in no part of the split yet are left out.
        """
        rows = self._rows(
            "select run_id, citation_id, part from split_items "
            "semi join counted_current_labels using (run_id, citation_id) "
            f"semi join (select * from current_verdicts where kind not in {SECONDARY_KINDS}) "
            "using (run_id, citation_id) where split_id = ?",
            [split_id],
        )
        return {(run_id, citation_id): part for run_id, citation_id, part in rows}

    def place(self, split_id: str, placed: Sequence[tuple[str, str, str | None]]) -> None:
        """Add items to parts: run, citation, part; an item that is in one already stays."""
        if not placed:
            return
        self._rows(
            "insert into split_items select $split, run_id, citation_id, part, $now from ("
            "select unnest($runs::varchar[]) as run_id, "
            "unnest($citations::varchar[]) as citation_id, unnest($parts::varchar[]) as part) "
            "anti join (select * from split_items where split_id = $split) "
            "using (run_id, citation_id)",
            {
                "split": split_id,
                "now": self._now(),
                "runs": [run_id for run_id, _, _ in placed],
                "citations": [citation_id for _, citation_id, _ in placed],
                "parts": [part for _, _, part in placed],
            },
        )

    def sizes(self, split_id: str) -> list[SplitSize]:
        """The size of each part, the largest first; labels that were withdrawn do not count.

        Counting is no look at the figures of a part.
        """
        return self._records(
            SplitSize,
            "with held as (select s.part, s.run_id, s.citation_id, "
            f"g.label, {GROUP_KEY_SQL} as question from split_items s "
            f"join {_LABELLED} l using (run_id, citation_id) "
            "left join gold_labels g using (run_id, citation_id) "
            f"join runs r on r.id = s.run_id {_IMPORTED_ITEMS} "
            "where s.split_id = $split), "
            "people as (select part, count(distinct reviewer) as humans from held "
            "join counted_current_labels using (run_id, citation_id) where by_person group by part) "
            "select h.part, count(h.label) as items, coalesce(any_value(p.humans), 0) as humans, "
            'count(distinct h.question) filter (h.label is not null) as "groups", '
            "count(*) - count(h.label) as no_gold_label "
            "from held h left join people p on p.part is not distinct from h.part "
            "group by h.part order by count(h.label) desc, h.part",
            {"split": split_id},
        )

    def shared(self, split_id: str, part: str) -> frozenset[str]:
        """Items of a part whose question, page or claim occurs outside of it too.

        Looking for them is no look at the figures of a part.
        """
        return frozenset(
            self._column(
                "with held as (select s.part is not distinct from $part as here, "
                f"g.run_id || '/' || g.citation_id as item, {GROUP_KEY_SQL} as question, "
                "v.source_sha256 as page, lower(trim(v.claim)) as claim from split_items s "
                "join gold_labels g using (run_id, citation_id) "
                f"join runs r on r.id = g.run_id {_IMPORTED} "
                "left join current_verdicts v on v.run_id = g.run_id "
                "and v.citation_id = g.citation_id where s.split_id = $split) "
                "select item from held where here and ("
                "question in (select question from held where not here) "
                "or page in (select page from held where not here and page is not null) "
                "or claim in (select claim from held where not here and claim is not null))",
                {"split": split_id, "part": part},
            )
        )

    def open_test(self, split_id: str, *, by: str, reason: str, figures: str) -> TestSetAccess:
        """The trace of a look at the test part, which is kept before anything is shown.

        Raises:
            UsageError: No reason is given.
        """
        why = " ".join(replace_surrogates(reason).split())[:1000]
        if not why:
            raise UsageError("The test set is locked; give a reason to unlock it.")
        split = self.get(split_id)
        opening = TestSetAccess(
            id=str(uuid.uuid4()),
            split_id=split.id,
            reviewer=normalize_reviewer_name(by),
            reason=why,
            figures=replace_surrogates(figures),
            created_at=self._now(),
        )
        self._insert("test_set_accesses", opening)
        return opening

    def openings(self, split_id: str) -> list[TestSetAccess]:
        """Every look at the test part of a split, newest first."""
        return self._records(
            TestSetAccess,
            "from test_set_accesses where split_id = ? order by created_at desc, id",
            [split_id],
        )


class Thresholds(Repository):
    """The saved thresholds."""

    def save(self, draft: Threshold) -> Threshold:
        """The threshold as it is kept: with the next id, its moment and its author's checked name.

        Raises:
            UsageError: It has no author, or its edges decide nothing.
        """
        _check_edges(draft.accept, draft.reject, draft.kinds)
        with self._store.transaction() as connection:
            number = read_number(connection, "select count(*) from thresholds")
            threshold = replace(
                draft,
                id=f"t{number + 1}",
                created_by=normalize_reviewer_name(draft.created_by),
                created_at=self._now(),
                note=replace_surrogates(draft.note.strip())[:1000],
            )
            connection.execute(
                "insert into thresholds values (?, ?, ?)",
                [threshold.id, json.dumps(threshold.to_dict()), threshold.created_at],
            )
        return threshold

    def all(self) -> list[Threshold]:
        """Every saved threshold, newest first."""
        records = self._column("select record from thresholds order by created_at desc, id desc")
        return [Threshold.from_dict(json.loads(record)) for record in records]

    def get(self, threshold_id: str) -> Threshold:
        """One saved threshold.

        Raises:
            NotKept: There is none of that id.
        """
        for threshold in self.all():
            if threshold.id == threshold_id:
                return threshold
        raise NotFoundError(
            f"There is no threshold {threshold_id!r} in {self._store.path}; "
            "`workbench calibrate --thresholds` lists them."
        )

    def count_runs(self, threshold_id: str) -> int:
        """How many runs name a saved threshold."""
        named = "json_extract_string(config, '$.threshold.id')"
        ids = f"select case when json_valid(config) then {named} end from runs"
        return self._column(ids).count(threshold_id)


def _check_edges(accept: float | None, reject: float | None, kinds: Mapping[str, float]) -> None:
    """Refuse edges that would put every score from 0 to 1 on the same side, or that cross."""
    if accept is None and reject is None and not kinds:
        raise UsageError(
            "A threshold needs an edge: a score from which it accepts, or below which it rejects."
        )
    for edge in (accept, reject, *kinds.values()):
        if edge is not None and not 0 < edge < 1:
            raise UsageError(
                f"A threshold at {edge:g} decides all scores the same way; it must be between 0 "
                f"and 1."
            )
    if accept is not None and reject is not None and reject > accept:
        raise UsageError(
            f"A band that accepts from {accept:g} cannot reject below {reject:g}; the edges cross."
        )
