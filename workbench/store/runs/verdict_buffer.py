"""Storing verdicts while a run is in progress, several in one unit of work."""

import threading

from workbench.records.bibliography import ReferenceCheck
from workbench.records.verdict import CitationResult
from workbench.store.bibliography.checks import ReferenceCheckRepository
from workbench.store.store import Store

FLUSH_S = 0.4
"""A verdict is on disk at most this long after it was given: what a crash can lose."""


class VerdictWriteBuffer:
    """A buffer before a store: a unit of work costs some 20 ms, too much for each verdict alone."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._checks = ReferenceCheckRepository(store)
        self._pending: dict[str, list[CitationResult]] = {}
        self._pending_checks: dict[str, list[tuple[int, ReferenceCheck]]] = {}
        self._timer: threading.Timer | None = None
        self._error: Exception | None = None

    def add_verdict(self, run_id: str, result: CitationResult) -> None:
        """Take one verdict; it is kept within `FLUSH_S`.

        Raises:
            StoreError: An earlier verdict could not be kept.
        """
        with self._lock:
            if self._error:
                raise self._error
            self._pending.setdefault(run_id, []).append(result)
            self._flush_soon()

    def add_check(self, run_id: str, position: int, check: ReferenceCheck) -> None:
        """Take the check of an entry; it is kept within `FLUSH_S`.

        Raises:
            StoreError: An earlier verdict or check could not be kept.
        """
        with self._lock:
            if self._error:
                raise self._error
            self._pending_checks.setdefault(run_id, []).append((position, check))
            self._flush_soon()

    def _flush_soon(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(FLUSH_S, self._on_time)
            self._timer.daemon = True
            self._timer.start()

    def flush(self) -> None:
        """Keep all that is pending now."""
        with self._lock:
            pending, self._pending = self._pending, {}
            checks, self._pending_checks = self._pending_checks, {}
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        while pending:
            run_id = next(iter(pending))
            try:
                self._store.add_verdicts(run_id, pending[run_id])
            except BaseException:
                # a disk may have room again later
                with self._lock:
                    for waiting, results in pending.items():
                        self._pending[waiting] = [*results, *self._pending.get(waiting, ())]
                raise
            del pending[run_id]
        for run_id, run_checks in checks.items():
            self._checks.add(run_id, run_checks)

    def _on_time(self) -> None:
        try:
            self.flush()
        except Exception as error:  # raised to the run at its next verdict
            self._error = error
