"""Acts on sources that go on in the background, one at a time for a source; no page, no session.

An act lives in a thread of its own: it goes on when the page is left, and what it judged is in the
store as soon as it is judged. Its outcome stays at hand until somebody has read it.
"""

from collections.abc import Callable
from pathlib import Path

from workbench.services import cached_views
from workbench.services.background import Background, BackgroundTask
from workbench.services.sources.actions import ActionResult, Tell

Act = BackgroundTask[ActionResult]
_ACTS: Background[ActionResult] = Background(
    "workbench-source",
    "An internal error interrupted this. What was judged before it is stored, and the "
    "log has the details. Try again.",
    # what the pages keep at hand of ended runs has other verdicts then
    after=cached_views.clear_cached_views,
)
find, put_away = _ACTS.find, _ACTS.put_away


def start(store: Path, source_id: str, what: str, work: Callable[[Tell], ActionResult]) -> Act:
    """An act whose thread has been started; it takes the place of an earlier one that has ended.

    Raises:
        UsageError: Another act on the source goes on.
    """
    act = Act(what=what)

    def tell(done: int, of: int) -> None:
        act.done, act.of = done, of

    return _ACTS.start(store, source_id, act, lambda: work(tell))
