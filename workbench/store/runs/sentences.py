"""What reviewers say that sentences are there for, and what a judge found in sources on them."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError, UsageError
from workbench.records.citation import (
    SENTENCE_KINDS,
    Sentence,
    SentenceCorrection,
    SentenceKind,
    SentenceSuggestion,
)
from workbench.records.options import check_choice
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import Span, replace_surrogates
from workbench.store.labels.label_rules import ensure_citation_exists
from workbench.store.rows import (
    ensure_not_erased,
    insert_record,
    read_column,
    read_records,
    read_sentence_corrections,
    where_of,
)
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SUGGESTED = ", ".join(field.name for field in fields(SentenceSuggestion))


class SentenceKinds(Repository):
    """Corrections of what sentences of runs are there for, given and taken back like labels."""

    def correct(
        self,
        run_id: str,
        span: Span,
        kind: SentenceKind,
        author: str,
        *,
        stated_in: str | None = None,
    ) -> SentenceCorrection | None:
        """Return the correction that was added; None where the author's own one says the same.

        The sentence is named by its place in the text. One that a source states which the text
        cites elsewhere is `cited`, `stated_in` being a citation of that source.

        Raises:
            NotFoundError: There is no such run, or it has no sentence at that place.
            StoreError: Its output was erased.
            UsageError: There is no such kind or citation, or the name cannot be used.
        """
        reviewer = normalize_reviewer_name(author)
        with self._store.transaction() as connection:
            return add_sentence_correction(
                connection, self._store.path, run_id, span, kind, reviewer, self._now(),
                stated_in=stated_in,
            )  # fmt: skip

    def withdraw(
        self, run_id: str, author: str, span: Span | None = None
    ) -> SentenceCorrection | None:
        """Return the author's newest correction in a run, or of one sentence, taken back."""
        reviewer = normalize_reviewer_name(author)
        where, values = where_of(
            run_id=run_id,
            author=reviewer,
            start_at=span.start if span else None,
            end_at=span.end if span else None,
        )
        with self._store.transaction() as connection:
            own = read_sentence_corrections(
                connection, f"active_sentence_corrections where {where}", values
            )
            newest = max(own, key=lambda correction: correction.created_at, default=None)
            if newest is not None:
                connection.execute(
                    "insert into sentence_correction_withdrawals values (?, ?, ?)",
                    [newest.id, reviewer, self._now()],
                )
        return newest

    def corrections(self, run_ids: Sequence[str] = ()) -> list[SentenceCorrection]:
        """Return the corrections that count, of some runs or of all, in text order."""
        with self._store.transaction() as connection:
            return read_sentence_corrections(
                connection,
                "current_sentence_corrections where coalesce(list_contains(?::varchar[], run_id), true)",
                [list(run_ids) or None],
            )

    def by_rules(self, run_id: str) -> tuple[Sentence, ...]:
        """Return the sentences of a run with the kinds that the rules gave them.

        Raises:
            NotFoundError: There is no such run.
        """
        with self._store.transaction() as connection:
            return read_sentences(connection, self._store.path, run_id)

    def state(self) -> str:
        """Return a short text that changes with every correction and every one taken back."""
        return self._state("sentence_corrections", "sentence_correction_withdrawals")

    def suggest(self, suggestions: Iterable[SentenceSuggestion]) -> None:
        """Keep what a judge found in the sources of a run; what is there already stays as it is.

        Raises:
            StoreError: The output of the run was erased.
        """
        with self._store.transaction() as connection:
            for suggestion in suggestions:
                ensure_not_erased(connection, suggestion.run_id)
                quote = replace_surrogates(suggestion.quote)
                where, values = where_of(
                    run_id=suggestion.run_id, start_at=suggestion.start_at,
                    citation_id=suggestion.citation_id, quote=quote, label=suggestion.label,
                )  # fmt: skip
                if not read_column(
                    connection, f"select id from sentence_suggestions where {where}", values
                ):
                    insert_record(connection, "sentence_suggestions", suggestion, quote=quote)

    def suggestions(self, run_id: str) -> list[SentenceSuggestion]:
        """Return the newest suggestion on each sentence that nobody decided on since, in text order."""
        with self._store.transaction() as connection:
            return read_suggestions(connection, run_id)


def add_sentence_correction(
    connection: "DuckDBPyConnection",
    path: Path,
    run_id: str,
    span: Span,
    kind: SentenceKind,
    reviewer: str,
    now: datetime,
    *,
    stated_in: str | None = None,
    queue_id: str | None = None,
    queue_position: int | None = None,
    seconds: float | None = None,
) -> SentenceCorrection | None:
    """Return the correction that was added; None where the same one of this reviewer counts.

    Raises:
        NotFoundError: There is no such run, or it has no sentence at that place.
        StoreError: Its output was erased.
        UsageError: There is no such kind or citation, or a source is named for another kind.
    """
    ensure_not_erased(connection, run_id)
    if span not in {sentence.span for sentence in read_sentences(connection, path, run_id)}:
        raise NotFoundError(
            f"Run {run_id} has no sentence from {span.start} to {span.end}; its JSON lists them "
            "under `sentences`."
        )
    if stated_in is not None:
        ensure_citation_exists(connection, path, run_id, stated_in)
        if kind != "cited":
            raise UsageError(f"A sentence that a source states is cited, not {kind}.")
    correction = SentenceCorrection(
        id=str(uuid.uuid4()),
        run_id=run_id,
        start_at=span.start,
        end_at=span.end,
        kind=check_choice("kind", kind, SENTENCE_KINDS),
        author=reviewer,
        created_at=now,
        stated_in=stated_in,
        queue_id=queue_id,
    )
    where, values = where_of(run_id=run_id, start_at=span.start, end_at=span.end)
    for now_counts in read_sentence_corrections(
        connection, f"current_sentence_corrections where {where}", values
    ):
        if (now_counts.author, now_counts.kind, now_counts.stated_in, now_counts.queue_id) == (
            reviewer, correction.kind, stated_in, queue_id or now_counts.queue_id,
        ):  # fmt: skip
            return None
    insert_record(
        connection,
        "sentence_corrections",
        correction,
        queue_position=queue_position,
        seconds=seconds,
    )
    return correction


def read_sentences(
    connection: "DuckDBPyConnection", path: Path, run_id: str
) -> tuple[Sentence, ...]:
    """Return the sentences of a run with the kinds of the rules.

    Raises:
        NotFoundError: There is no such run in the database at `path`.
    """
    found = read_column(connection, "select sentences from runs where id = ?", [run_id])
    if not found:
        raise NotFoundError(f"There is no run {run_id!r} in {path}; see the list of runs.")
    return tuple(map(Sentence.from_dict, json.loads(found[0] or "[]")))


def read_suggestions(connection: "DuckDBPyConnection", run_id: str) -> list[SentenceSuggestion]:
    """Return the newest suggestion on each sentence that nobody decided on since, in text order."""
    return read_records(
        connection,
        SentenceSuggestion,
        f"select {_SUGGESTED} from sentence_suggestions s where run_id = ? and not exists "
        "(from current_sentence_corrections c where c.run_id = s.run_id and "
        "c.start_at = s.start_at and c.end_at = s.end_at and c.created_at >= s.created_at) "
        "qualify row_number() over (partition by start_at, end_at order by created_at desc) = 1 "
        "order by start_at",
        [run_id],
    )
