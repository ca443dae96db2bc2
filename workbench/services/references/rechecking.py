"""The references of a stored run looked up, or looked up again."""

import threading
from collections.abc import Callable
from dataclasses import replace

from workbench.judging.judge import run_sync
from workbench.pipeline.reference_checks import ReferenceOptions, check_references, entry_of
from workbench.records.bibliography import ReferenceCheck, ReferenceReport
from workbench.services.database import Database
from workbench.store.runs.verdict_buffer import VerdictWriteBuffer


def check_run_references(
    database: Database,
    run_id: str,
    options: ReferenceOptions,
    on_check: Callable[[int, ReferenceCheck], None] | None = None,
    cancel: threading.Event | None = None,
) -> ReferenceReport:
    """The checks of a run's references, in their order, each kept as soon as it is there.

    An entry that nobody could be asked about this time keeps what an earlier check found, and so
    does each entry that a cancelled check did not reach. `on_check` is told each entry's position
    in the run's references and the check that counts from now on.

    Raises:
        StoreError: No run has that id.
    """
    run = database.get_run(run_id)
    before = dict(enumerate(run.reference_checks))
    checks = dict(before)
    recording = VerdictWriteBuffer(database)

    def keep(position: int, check: ReferenceCheck) -> None:
        earlier = before.get(position)
        if check.status == "not_checked" and earlier and earlier.status != "not_checked":
            check = earlier
        elif check.status != "not_checked" or not (cancel and cancel.is_set()):
            recording.add_check(run_id, position, check)
        checks[position] = check
        if on_check:
            on_check(position, check)

    entries = [(reference, entry_of(reference)) for reference in run.cited_works]
    try:
        run_sync(check_references(entries, replace(options, on_check=keep, cancel=cancel)))
    finally:
        recording.flush()
    return ReferenceReport(checks=tuple(checks[position] for position in sorted(checks)))
