"""What a reviewer jumps to by name: the newest runs and the open queues, without their figures."""

from datetime import datetime

from workbench.records.run_listing import NamedRef
from workbench.store.store import Store


class RecentItems:
    """Names out of the file; all methods raise StoreError when it cannot be used."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def newest(self, limit: int = 300) -> tuple[list[NamedRef], list[NamedRef]]:
        """The newest runs and the newest open queues, newest first."""
        with self._store.transaction() as connection:
            runs, queues = (
                connection.execute(
                    f"select id, name, created_at from {table} order by created_at desc, id "
                    "limit ?",
                    [limit],
                ).fetchall()
                for table in (
                    "runs",
                    "queues where id not in (select queue_id from queue_states group by queue_id "
                    "having not arg_max(is_open, created_at))",
                )
            )
        return _named_refs(runs), _named_refs(queues)


def _named_refs(rows: list[tuple[str, str, datetime]]) -> list[NamedRef]:
    return [NamedRef(id=key, name=name, created_at=created_at) for key, name, created_at in rows]
