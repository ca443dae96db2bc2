"""Many outputs through the pipeline on this machine: a few at once, each kept as it is done."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from workbench.errors import StorageError, WorkbenchError, storage_error, storing
from workbench.interfaces.batch.inputs import Entry, entries, load_entry, read_entry
from workbench.records.text import JsonDict
from workbench.services.batch.directory import (
    FAILED,
    RUNS,
    Summary,
    append_line,
    batch_budget,
    check_setup,
    finished_keys,
    judgment_cache,
    unrecorded_cost_usd,
)
from workbench.services.database import Database
from workbench.services.judges import run_sync
from workbench.services.runs import find_judgment, keep_judgment
from workbench.services.verification import Budget, VerifyOptions, verify_with

AT_ONCE = 8


def run_batch(
    paths: Sequence[Path],
    out: Path,
    options: VerifyOptions,
    *,
    resume: bool = False,
    at_once: int = AT_ONCE,
    tell: Callable[[Summary], None] = lambda summary: None,
    cancel: threading.Event | None = None,
) -> Summary:
    """The state of the batch when all outputs are done, or when it was stopped.

    Memory holds `at_once` outputs and one line for each finished one's key.

    Args:
        paths: Files, folders and JSONL files.
        out: The folder of the results.
        options: Of each output's run; the cost cap is one for the whole batch, earlier passes
            included.
        resume: Go on with a batch whose results are in the folder; its options must be the same.
        at_once: Outputs under way at the same time.
        tell: Is told after each output.
        cancel: Ends the batch early; outputs under way are given up and run again by `resume`.

    Raises:
        UsageError: There are results already, the options differ, or a path does not exist.
    """
    with storing(out):
        out.mkdir(parents=True, exist_ok=True)
        check_setup(out, options, resume)
    summary = Summary()
    finished = finished_keys(out / RUNS, summary)
    paid = judgment_cache(out, options.specs)
    summary.cost_usd += unrecorded_cost_usd(paid, summary)
    budget = batch_budget(paid, options.max_cost_usd, summary)
    work = _Work(
        out=out,
        options=options,
        summary=summary,
        finished=finished,
        purse=budget,
        paid=paid,
        at_once=at_once,
        tell=tell,
        cancel=cancel or threading.Event(),
    )
    summary.count(budget.spending)
    run_sync(work.all(entries(paths)))
    summary.count(budget.spending)
    if work.refused is not None:
        raise StorageError(f"{work.refused} `--resume` continues the batch.")
    return summary


@dataclass(slots=True, kw_only=True)
class _Work:
    out: Path
    options: VerifyOptions
    summary: Summary
    finished: set[str]
    at_once: int
    tell: Callable[[Summary], None]
    cancel: threading.Event
    purse: Budget
    """The money of the whole batch."""
    paid: Database | None
    refused: StorageError | None = None
    """Why nothing more can be stored."""

    async def all(self, pending_entries: Iterator[Entry]) -> None:
        """Take entry after entry; a few are under way at once."""
        slots = asyncio.Semaphore(self.at_once)
        with storing(self.out):
            (self.out / FAILED).write_bytes(b"")
        try:
            async with asyncio.TaskGroup() as tasks:
                while not self.cancel.is_set():
                    await slots.acquire()
                    entry = await asyncio.to_thread(next, pending_entries, None)
                    if entry is None:
                        break
                    tasks.create_task(self._run_guarded(entry, slots))
        finally:
            await self.purse.aclose()
        self.summary.stopped = self.cancel.is_set()

    async def _run_guarded(self, entry: Entry, slots: asyncio.Semaphore) -> None:
        try:
            self.summary.outputs += 1
            await self._run(entry)
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except Exception as error:  # one output must not end ten thousand others
            self._stop_or_fail(entry, error)
        finally:
            slots.release()
            self.tell(self.summary)

    async def _run(self, entry: Entry) -> None:
        entry = await asyncio.to_thread(load_entry, entry)
        if entry.key in self.finished:
            self.summary.resumed += 1
            return
        output = await asyncio.to_thread(read_entry, entry)
        options = replace(self.options, purse=self.purse, cancel=self.cancel)
        if self.paid is not None:
            options = replace(
                options,
                recall=partial(find_judgment, self.paid),
                remember=partial(keep_judgment, self.paid),
            )
        run = await verify_with(output.text, output.of(options))
        if not run.finished:  # it was cancelled: the next pass runs it again
            return
        document: JsonDict = {"input": entry.name, "input_key": entry.key, **run.to_dict()}
        append_line(self.out / RUNS, document)
        self.finished.add(entry.key)
        self.summary.add(document)

    def _stop_or_fail(self, entry: Entry, error: Exception) -> None:
        """Note why an output failed; a disk that is full would fail all others, and ends it all."""
        refused = storage_error(error)
        if refused is None:
            foreseen = isinstance(error, WorkbenchError)
            what = f"The workbench failed on it ({type(error).__name__})."
            try:
                self._fail(entry, str(error) if foreseen else what)
            except StorageError as full:
                refused = full
        if refused is not None:
            self.refused = refused
            self.cancel.set()

    def _fail(self, entry: Entry, reason: str) -> None:
        self.summary.failed += 1
        append_line(self.out / FAILED, {"input": entry.name, "reason": reason})
