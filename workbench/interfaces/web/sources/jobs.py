"""Background actions on sources, one at a time for each source; no page, no session.

An action runs in a thread of its own: it continues when the page is left, and each verdict is in the
store as soon as it is judged. Its result stays available until it is closed.
"""

from collections.abc import Callable
from pathlib import Path

from workbench.services import cached_views
from workbench.services.jobs import Background, BackgroundTask
from workbench.services.sources.actions import ActionResult, Tell

Act = BackgroundTask[ActionResult]
_ACTS: Background[ActionResult] = Background(
    "workbench-source",
    "An internal error stopped this task. Results so far are saved; see the log for details. Try "
    "again.",
    # the pages' cached views of ended runs have old verdicts then
    after=cached_views.clear_cached_views,
)
find, dismiss = _ACTS.find, _ACTS.dismiss


def start(store: Path, source_id: str, what: str, work: Callable[[Tell], ActionResult]) -> Act:
    """Start an action in a thread; it replaces an earlier one that has ended.

    Raises:
        UsageError: Another action on the source is running.
    """
    act = Act(what=what)

    def tell(done: int, of: int) -> None:
        act.done, act.of = done, of

    return _ACTS.start(store, source_id, act, lambda: work(tell))
