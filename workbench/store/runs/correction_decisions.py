"""What reviewers made of proposed corrections; rows are only inserted."""

import json
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError, UsageError
from workbench.records.corrections import (
    LONGEST_CORRECTION,
    CorrectionChoice,
    CorrectionCounts,
    CorrectionDecision,
)
from workbench.records.reviewers import normalize_reviewer_name
from workbench.records.text import replace_surrogates
from workbench.records.verdict import CitationResult
from workbench.store.rows import SPAN, ensure_not_erased, insert_record, read_records, where_of
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


LONGEST_REASON = 500
_PROPOSED = """
select correction_judge, count(distinct (run_id, citation_id)) from verdicts
where correction_judge is not null and ($run is null or run_id = $run)
group by all
"""
_DECIDED = """
select judge, choice, count(*) from (
    select * from current_correction_decisions where $run is null or run_id = $run
    qualify row_number() over (
        partition by run_id, citation_id order by created_at desc, id desc
    ) = 1
) group by all
"""


class CorrectionDecisionRepository(Repository):
    """Decisions on proposed corrections; a later one of a reviewer replaces the earlier one."""

    def add(self, decision: CorrectionDecision) -> None:
        """Keep a decision as it is, once.

        Raises:
            StoreError: The run's output was erased.
        """
        with self._store.transaction() as connection:
            ensure_not_erased(connection, decision.run_id)
            _insert(connection, decision)

    def give(
        self,
        run_id: str,
        citation_id: str,
        reviewer: str,
        choice: CorrectionChoice,
        *,
        text: str | None = None,
        reason: str = "",
    ) -> CorrectionDecision | None:
        """The decision that was added; None where the reviewer's current one says the same.

        `text` is the claim as the reviewer words it, for `edited` alone; the proposal's own words
        are `taken`.

        Raises:
            UsageError: Nothing is proposed for that citation, the text is empty, too long or the
                claim again, or the name cannot be used.
            NotFoundError: There is no such run, or no such citation in it.
        """
        reviewer = normalize_reviewer_name(reviewer)
        with self._store.transaction() as connection:
            ensure_not_erased(connection, run_id)
            result = _current_result(connection, run_id, citation_id)
            judgment, claim = result.judgment, result.citation.claim
            proposal = judgment.proposed_correction if judgment else None
            if proposal is None or claim is None:
                raise UsageError("No correction is proposed for this citation.")
            choice, words = _decided(choice, text, claim.text, proposal.text)
            own = read_correction_decisions(
                connection,
                *where_of(run_id=run_id, citation_id=citation_id, reviewer=reviewer),
            )
            previous = own[-1] if own else None
            decision = CorrectionDecision(
                id=str(uuid.uuid4()),
                run_id=run_id,
                citation_id=citation_id,
                choice=choice,
                span=claim.span,
                claim=replace_surrogates(claim.text),
                proposed=replace_surrogates(proposal.text),
                text=words,
                judge=proposal.judge,
                reviewer=reviewer,
                created_at=self._now(),
                reason=" ".join(replace_surrogates(reason).split())[:LONGEST_REASON],
                replaces=previous.id if previous else None,
            )
            if previous and _said(previous) == _said(decision):
                return None
            _insert(connection, decision)
        return decision

    def withdraw(self, run_id: str, citation_id: str, reviewer: str) -> CorrectionDecision | None:
        """The reviewer's current decision, taken back; the one it had replaced is current again."""
        reviewer = normalize_reviewer_name(reviewer)
        with self._store.transaction() as connection:
            own = read_correction_decisions(
                connection,
                *where_of(run_id=run_id, citation_id=citation_id, reviewer=reviewer),
            )
            if not own:
                return None
            connection.execute(
                "insert into correction_decision_withdrawals values (?, ?, ?)",
                [own[-1].id, reviewer, self._now()],
            )
        return own[-1]

    def listed(
        self, run_id: str | None = None, citation_id: str | None = None
    ) -> list[CorrectionDecision]:
        """Current decisions of all reviewers, oldest first: of all runs, or of what is named."""
        with self._store.transaction() as connection:
            return read_correction_decisions(
                connection, *where_of(run_id=run_id, citation_id=citation_id)
            )

    def counts(self, run_id: str | None = None) -> list[CorrectionCounts]:
        """How many corrections each judge proposed and what became of them, without intervals.

        Of several reviewers' decisions on a citation the newest counts.
        """
        with self._store.transaction() as connection:
            values = {"run": run_id}
            proposed = dict(connection.execute(_PROPOSED, values).fetchall())
            decided = connection.execute(_DECIDED, values).fetchall()
        numbers: dict[str, dict[str, int]] = {
            judge: {"proposed": number} for judge, number in proposed.items()
        }
        for judge, choice, number in decided:
            numbers.setdefault(judge, {})[choice] = number
        return [
            CorrectionCounts(
                judge=judge,
                proposed=number.get("proposed", 0),
                taken=number.get("taken", 0),
                edited=number.get("edited", 0),
                refused=number.get("refused", 0),
            )
            for judge, number in sorted(numbers.items())
        ]


def _decided(
    choice: CorrectionChoice, text: str | None, claim: str, proposed: str
) -> tuple[CorrectionChoice, str | None]:
    """The choice and the text that is stored.

    Raises:
        UsageError: The text cannot be used.
    """
    if choice == "refused":
        return choice, None
    if choice == "taken":
        return choice, replace_surrogates(proposed)
    words = replace_surrogates(text or "").strip()
    if not 0 < len(words) <= max(LONGEST_CORRECTION, len(proposed)):
        raise UsageError(
            f"A corrected claim has 1 to {LONGEST_CORRECTION:,} characters; write one sentence."
        )
    if words.split() == claim.split():
        raise UsageError("This is the current claim; refuse the proposal instead.")
    return ("taken" if words.split() == proposed.split() else "edited"), words


def _said(decision: CorrectionDecision) -> tuple[str, str, str | None, str]:
    return decision.choice, decision.proposed, decision.text, decision.reason


def _current_result(
    connection: "DuckDBPyConnection", run_id: str, citation_id: str
) -> CitationResult:
    rows = connection.execute(
        "select record from current_verdicts where run_id = ? and citation_id = ?",
        [run_id, citation_id],
    ).fetchall()
    if not rows:
        raise NotFoundError(f"The run {run_id} has no citation {citation_id[:80]!r}.")
    return CitationResult.from_dict(json.loads(rows[0][0]))


def _insert(connection: "DuckDBPyConnection", decision: CorrectionDecision) -> None:
    insert_record(
        connection,
        "correction_decisions",
        decision,
        omit=("span",),
        once=True,
        start_at=decision.start,
        end_at=decision.end,
    )


def read_correction_decisions(
    connection: "DuckDBPyConnection", where: str, values: Sequence[object] = ()
) -> list[CorrectionDecision]:
    """The reviewers' current decisions of a `where` clause, in the order in which they were made."""
    return read_records(
        connection,
        CorrectionDecision,
        f"select * exclude (start_at, end_at), {SPAN} from current_correction_decisions "
        f"where {where} order by created_at, id",
        values,
    )
