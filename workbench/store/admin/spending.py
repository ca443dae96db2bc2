"""Accounts of what calls cost, written before the calls are made, so that a kill forgets nothing.

A run, a batch and a series that improves a prompt have one account each, for good. What has no id
of its own (judging labelled items, checking claims) has an account for each attempt: one that was
cut off is continued by the next attempt at the same thing, one that came to its end is closed.
"""

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from workbench.records.spending import (
    NO_SPENDING,
    PricedCall,
    Reservation,
    Spending,
    SpendingUpdate,
)
from workbench.store.store import Repository, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SLACK_USD = 1e-8
"""A hundredth of a microdollar: sums of floats are not exact."""
_COLUMNS = "settled_usd, reserved_usd, unpriced_calls"


class SpendingAccount(Repository):
    """One account; a write is one unit of work (about 20 ms), whatever the number of its calls."""

    def __init__(
        self, store: Store, account_id: str, purpose: str = "", before_usd: float = 0.0
    ) -> None:
        """`before_usd` is what was spent before the account was opened."""
        super().__init__(store)
        self.id = account_id
        self._purpose = purpose or account_id
        self._before_usd = before_usd
        self._opened_at = datetime.now(UTC)

    def write(
        self,
        costs: Mapping[int, float | None],
        calls: Sequence[PricedCall],
        cap_usd: float | None,
    ) -> SpendingUpdate:
        """Settle reservations and make new ones, in one transaction.

        `costs` are USD by reservation: None for a call at an unknown price, 0 for one that was
        never made. Calls that do not fit under the cap with everything in the account, from
        whichever process, get no reservation. A reservation that two processes settle keeps the
        higher cost.
        """
        with self._store.transaction() as connection:
            self._open(connection)
            if costs:
                self._settle(connection, costs)
            spending = self._read(connection)
            used = spending.settled_usd + spending.reserved_usd
            granted: list[PricedCall | None] = []
            for call in calls:
                worst = call.worst_usd
                refused = cap_usd is not None and call.billed_usd is None and (
                    worst is None or used + worst > cap_usd + SLACK_USD
                )  # fmt: skip
                granted.append(None if refused else call)
                if not refused:
                    used += (worst if call.billed_usd is None else call.billed_usd) or 0.0
            ids = self._add_calls(connection, granted)
            return SpendingUpdate(ids=ids, spending=self._read(connection))

    def unsettled(self, keys: Collection[str]) -> Mapping[str, Sequence[Reservation]]:
        """Reservations from before this account was opened here that have no cost, by their key."""
        rows = self._rows(
            "select key, id, reserved_usd from spending_calls where account_id = ? "
            "and settled_at is null and reserved_at < ? "
            "and key in (select unnest(?::varchar[])) order by id",
            [self.id, self._opened_at, list(keys)],
        )
        reservations: dict[str, list[Reservation]] = {}
        for key, identifier, amount in rows:
            reservation = Reservation(id=identifier, worst_usd=amount, earlier=True)
            reservations.setdefault(key, []).append(reservation)
        return reservations

    def settle_kept(self) -> None:
        """Settle the calls of a process that was killed when it had kept their answers.

        Of several calls with one key the last was answered; what became of the others nobody knows.
        """
        with self._store.transaction() as connection:
            costs = connection.execute(
                "select max(c.id), any_value(if(c.reserved_usd is null, null, j.cost_usd)) "
                "from spending_calls c join judgments j using (key) where c.account_id = ? "
                "and c.settled_at is null and c.reserved_at < ? and j.created_at >= c.reserved_at "
                "group by c.key",
                [self.id, self._opened_at],
            ).fetchall()
            if costs:
                self._settle(connection, dict(costs))

    def spending(self) -> Spending:
        """What the account has come to."""
        with self._store.transaction() as connection:
            return self._read(connection)

    def opened(self) -> Spending:
        """What the account has come to, opened now where it was not yet."""
        with self._store.transaction() as connection:
            self._open(connection)
            return self._read(connection)

    def close(self) -> None:
        """What it was opened for has come to its end: the next attempt begins with nothing."""
        self._rows("update spending_accounts set closed_at = now() where id = ?", [self.id])

    def _open(self, connection: "DuckDBPyConnection") -> None:
        connection.execute(
            "insert into spending_accounts values (?, ?, ?, 0, 0, now(), null) "
            "on conflict do nothing",
            [self.id, self._purpose, self._before_usd],
        )

    def _read(self, connection: "DuckDBPyConnection") -> Spending:
        rows = connection.execute(
            f"select {_COLUMNS} from spending_accounts where id = ?", [self.id]
        ).fetchall()
        return _spending(rows[0]) if rows else NO_SPENDING

    def _add(
        self, connection: "DuckDBPyConnection", settled: float, reserved: float, unpriced: int
    ) -> None:
        # what no reservation is left of is 0, not what sums of floats leave
        connection.execute(
            "update spending_accounts set settled_usd = settled_usd + ?, reserved_usd = "
            "if(reserved_usd + ? < 1e-12, 0, reserved_usd + ?), "
            "unpriced_calls = unpriced_calls + ? where id = ?",
            [settled, reserved, reserved, unpriced, self.id],
        )

    def _settle(self, connection: "DuckDBPyConnection", costs: Mapping[int, float | None]) -> None:
        values = [list(costs), list(costs.values()), self.id]
        costs_sql = "(select unnest(?::bigint[]) as id, unnest(?::double[]) as cost) given"
        open_rows = (
            f"from {costs_sql} where c.id = given.id and c.account_id = ? and (c.settled_at is null "
            "or coalesce(given.cost, 0) > coalesce(c.cost_usd, 0))"
        )
        ((settled, reserved, released),) = connection.execute(
            "select coalesce(sum(coalesce(given.cost, 0) - coalesce(c.cost_usd, 0)), 0), "
            "coalesce(sum(c.reserved_usd) filter (c.settled_at is null), 0), "
            "count(*) filter (c.settled_at is null and c.reserved_usd is null "
            f"and given.cost is not null) from spending_calls c, {open_rows[5:]}",
            values,
        ).fetchall()
        connection.execute(
            "update spending_calls c set cost_usd = given.cost, settled_at = now(), key = '' "
            f"{open_rows}",
            values,
        )
        self._add(connection, settled, -reserved, -released)

    def _add_calls(
        self, connection: "DuckDBPyConnection", granted: Sequence[PricedCall | None]
    ) -> tuple[int | None, ...]:
        calls = [call for call in granted if call is not None]
        if not calls:
            return (None,) * len(granted)
        ids = iter(
            [
                identifier
                for (identifier,) in connection.execute(
                    "select nextval('spending_call_ids') from range(?)", [len(calls)]
                ).fetchall()
            ]
        )
        call_ids = tuple(None if call is None else int(next(ids)) for call in granted)
        now = datetime.now(UTC)
        rows = []
        for identifier, call in zip(call_ids, granted, strict=True):
            if call is not None:
                billed = call.billed_usd
                ended = None if billed is None else now
                key = call.key if billed is None else ""
                worst = call.worst_usd if billed is None else billed
                rows.append((identifier, self.id, call.judge, key, worst, now, billed, ended))
        with connection.appender("spending_calls") as appender:
            appender.append_rows(rows)
        reserved = [call.worst_usd for call in calls if call.billed_usd is None]
        self._add(
            connection,
            sum(call.billed_usd or 0.0 for call in calls),
            sum(amount or 0.0 for amount in reserved),
            sum(amount is None for amount in reserved),
        )
        return call_ids


def run_account(store: Store, run_id: str, before_usd: float = 0.0) -> SpendingAccount:
    """The account of a run; the same for everyone who continues it."""
    return SpendingAccount(store, f"run:{run_id}", "run", before_usd)


def attempt_account(
    store: Store, purpose: str, lapses_after: timedelta | None = None
) -> SpendingAccount:
    """The account of an attempt that was cut off at the same thing, or a new one.

    With `lapses_after` an attempt that reserved nothing for so long is gone on with no more.

    Raises:
        StoreError: The file cannot be used.
    """
    since = None if lapses_after is None else datetime.now(UTC) - lapses_after
    with store.transaction() as connection:
        rows = connection.execute(
            "select id from spending_accounts a where purpose = $purpose and closed_at is null "
            "and ($since is null or coalesce((select max(reserved_at) from spending_calls "
            "where account_id = a.id), opened_at) > $since) order by opened_at desc limit 1",
            {"purpose": purpose, "since": since},
        ).fetchall()
    return SpendingAccount(store, rows[0][0] if rows else f"attempt:{uuid.uuid4()}", purpose)


def _spending(row: tuple[float, float, int]) -> Spending:
    settled, reserved, unpriced = row
    return Spending(settled_usd=settled, reserved_usd=reserved, unpriced_calls=unpriced)
