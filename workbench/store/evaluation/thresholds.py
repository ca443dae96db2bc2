"""Saved thresholds; each stays as it was saved."""

import json
from collections.abc import Mapping
from dataclasses import replace

from workbench.errors import NotFoundError, UsageError
from workbench.records.calibration import Threshold
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.store.rows import read_number
from workbench.store.store import Repository


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
