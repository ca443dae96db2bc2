"""Work in the background, one piece at a time for a database and a name.

Each piece lives in a thread of its own: it continues when the page is left. Its outcome is stored
until it has been read. No page, no session.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from workbench.errors import UsageError, WorkbenchError, storage_error

_LOG = logging.getLogger(__name__)
Outcome = TypeVar("Outcome")


@dataclass(slots=True, kw_only=True)
class BackgroundTask(Generic[Outcome]):
    """One piece of work under way or done. Written by its thread."""

    what: str
    """What is running, in words."""
    of: int = 0
    """Things to do, and how many of them are done."""
    done: int = 0
    cost_usd: float = 0.0
    outcome: Outcome | None = None
    error: str = ""
    started: float = field(default_factory=time.monotonic)
    cancel: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def tell(self, done: int, cost_usd: float) -> None:
        """Take how far it has come."""
        self.done, self.cost_usd = done, cost_usd

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self.started


class Background(Generic[Outcome]):
    """The pieces of work of one sort.

    Args:
        thread: What their threads are called.
        broken: The message for one that failed on an error of the workbench itself.
        after: Called when one has ended, whatever its outcome.
    """

    def __init__(self, thread: str, broken: str, after: Callable[[], None] | None = None) -> None:
        self._thread, self._broken, self._after = thread, broken, after
        self._held: dict[tuple[Path, str], BackgroundTask[Outcome]] = {}
        self._lock = threading.Lock()

    def start(
        self, store: Path, name: str, piece: BackgroundTask[Outcome], do: Callable[[], Outcome]
    ) -> BackgroundTask[Outcome]:
        """The piece, whose thread has been started; it takes the place of one that has ended.

        Raises:
            UsageError: Another one of that name is running.
        """
        with self._lock:
            before = self._held.get((store, name))
            if before is not None and not before.ended.is_set():
                raise UsageError(f"{before.what} is still running: wait until it ends.")
            self._held[store, name] = piece
        threading.Thread(target=self._run, args=(piece, do), name=self._thread, daemon=True).start()
        return piece

    def find(self, store: Path, name: str) -> BackgroundTask[Outcome] | None:
        """The piece of that name that is running, or whose outcome was not dismissed yet."""
        with self._lock:
            return self._held.get((store, name))

    def dismiss(self, store: Path, name: str) -> None:
        """Forget the outcome of a piece that has ended."""
        with self._lock:
            piece = self._held.get((store, name))
            if piece is not None and piece.ended.is_set():
                del self._held[store, name]

    def _run(self, piece: BackgroundTask[Outcome], do: Callable[[], Outcome]) -> None:
        try:
            piece.outcome = do()
        except WorkbenchError as error:
            piece.error = str(error)
        except Exception as error:
            refused = storage_error(error)
            if refused is None:
                _LOG.exception("Work in the background broke off")
            piece.error = str(refused) if refused else self._broken
        finally:
            if self._after:
                self._after()
            piece.ended.set()
