"""Acts on sources that go on in the background, one at a time for a source; no page, no session.

An act lives in a thread of its own: it goes on when the page is left, and what it judged is in the
store as soon as it is judged. Its outcome stays at hand until somebody has read it.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError
from workbench.fronts.sources_recheck import Outcome, Tell
from workbench.fronts.ui import opening

_LOG = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Act:
    """One act under way or done. Written by its thread."""

    what: str
    """What goes on, in a word or two."""
    done: int = 0
    of: int = 0
    """Citations judged again, of how many."""
    outcome: Outcome | None = None
    error: str = ""
    started: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)

    def tell(self, done: int, of: int) -> None:
        """Take how far it has come."""
        self.done, self.of = done, of


_ACTS: dict[tuple[Path, str], Act] = {}
_LOCK = threading.Lock()


def start(store: Path, source_id: str, what: str, work: Callable[[Tell], Outcome]) -> Act:
    """An act whose thread has been started; it takes the place of an earlier one that has ended.

    Raises:
        UsageError: Another act on the source goes on.
    """
    act = Act(what=what)
    with _LOCK:
        before = _ACTS.get((store, source_id))
        if before is not None and not before.ended.is_set():
            raise UsageError(f"{before.what} goes on for this source: wait for its end.")
        _ACTS[store, source_id] = act
    threading.Thread(target=_work, args=(act, work), name="workbench-source", daemon=True).start()
    return act


def find(store: Path, source_id: str) -> Act | None:
    """The act on a source that goes on, or whose outcome nobody has put away yet."""
    with _LOCK:
        return _ACTS.get((store, source_id))


def put_away(store: Path, source_id: str) -> None:
    """Forget the outcome of an act that has ended."""
    with _LOCK:
        act = _ACTS.get((store, source_id))
        if act is not None and act.ended.is_set():
            del _ACTS[store, source_id]


def _work(act: Act, work: Callable[[Tell], Outcome]) -> None:
    try:
        act.outcome = work(act.tell)
    except WorkbenchError as error:
        act.error = str(error)
    except Exception:
        _LOG.exception("An act on a source broke off")
        act.error = (
            "This broke off on an error of the workbench itself; what was judged until then is "
            "kept, and the log holds the details. Try it again."
        )
    finally:
        # what the pages keep at hand of ended runs has other verdicts now
        opening.forget()
        act.ended.set()
