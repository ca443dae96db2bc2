"""Storing verdicts while a run is in progress, several in one unit of work."""

import threading

from workbench.records import CitationResult
from workbench.store.store import Store

FLUSH_S = 0.4
"""A verdict is on disk at most this long after it was given: what a crash can lose."""


class VerdictWriteBuffer:
    """A buffer before a store: a unit of work costs some 20 ms, too much for each verdict alone."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._pending: dict[str, list[CitationResult]] = {}
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
            if self._timer is None:
                self._timer = threading.Timer(FLUSH_S, self._on_time)
                self._timer.daemon = True
                self._timer.start()

    def flush(self) -> None:
        """Keep all that is pending now."""
        with self._lock:
            pending, self._pending = self._pending, {}
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

    def _on_time(self) -> None:
        try:
            self.flush()
        except Exception as error:  # raised to the run at its next verdict
            self._error = error
