"""Many outputs through the pipeline: a few at once, each kept as soon as it is done.

`runs.jsonl` grows by one line an output. A process that is killed loses at most the outputs under
way; what was paid for in them is in `judgments.duckdb` and is found again by `resume`.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError
from workbench.fronts.batch.inputs import Entry, entries, read_entry
from workbench.judging import run_sync
from workbench.pipeline import averify
from workbench.records import Json, JsonDict
from workbench.store import Store

AT_ONCE = 8
RUNS, FAILED, SETUP, PAID = "runs.jsonl", "failed.jsonl", "batch.json", "judgments.duckdb"
FREE = ("local", "scripted")


@dataclass(slots=True, kw_only=True)
class Summary:
    """How a batch stands."""

    outputs: int = 0
    """Read so far, those of earlier passes included."""
    done: int = 0
    resumed: int = 0
    """Of the done ones, those that an earlier pass had finished."""
    passed: int = 0
    failed: int = 0
    """Outputs that could not be read or run; `failed.jsonl` names each with its reason."""
    citations: int = 0
    resolved: int = 0
    supported: int = 0
    cost_usd: float = 0.0
    errors: dict[str, int] = field(default_factory=dict)
    stopped: bool = False

    @property
    def score(self) -> float | None:
        """Supported over resolved citations of all outputs; None when nothing was resolved."""
        return round(self.supported / self.resolved, 4) if self.resolved else None

    def add(self, run: Mapping[str, Json]) -> None:
        """Count one run's document."""
        self.done += 1
        self.passed += bool(run["passed"] and run["complete"])
        self.citations += _int(run["total_citations_found"])
        self.resolved += _int(run["total_resolved"])
        self.supported += _int(run["total_supported"])
        cost = run["total_cost_usd"]
        self.cost_usd += cost if isinstance(cost, int | float) else 0.0
        errors = run["errors"]
        for kind, number in errors.items() if isinstance(errors, dict) else ():
            self.errors[kind] = self.errors.get(kind, 0) + _int(number)

    def to_dict(self) -> JsonDict:
        """The published JSON of `workbench batch`."""
        return {
            "outputs": self.outputs,
            "done": self.done,
            "resumed": self.resumed,
            "passed": self.passed,
            "failed": self.failed,
            "total_citations_found": self.citations,
            "total_resolved": self.resolved,
            "total_supported": self.supported,
            "overall_score": self.score,
            "total_cost_usd": round(self.cost_usd, 6),
            "errors": dict(sorted(self.errors.items())),
            "stopped": self.stopped,
        }


def run_batch(
    paths: Sequence[Path],
    out: Path,
    *,
    judge: Sequence[str] = ("local",),
    resume: bool = False,
    max_cost_usd: float | None = None,
    at_once: int = AT_ONCE,
    tell: Callable[[Summary], None] = lambda summary: None,
    cancel: threading.Event | None = None,
    **options: object,
) -> Summary:
    """How the batch stands when all outputs are done, or when it was stopped.

    Memory holds `at_once` outputs and one line for each finished one's key.

    Args:
        paths: Files, folders and JSONL files.
        out: The folder of the results.
        judge: SPECs, as for `verify`.
        resume: Go on with a batch whose results are in the folder; its options must be the same.
        max_cost_usd: A cap for the whole batch, earlier passes included.
        at_once: Outputs under way at the same time.
        tell: Is told after each output.
        cancel: Ends the batch early; outputs under way are given up and run again by `resume`.
        options: Of `verify`.

    Raises:
        UsageError: There are results already, the options differ, or a path does not exist.
    """
    out.mkdir(parents=True, exist_ok=True)
    setup: JsonDict = {
        "judge": list(judge),
        **{name: _plain(value) for name, value in sorted(options.items())},
    }
    _check_setup(out, setup, resume)
    summary = Summary()
    finished = _finished(out / RUNS, summary)
    work = _Work(
        out=out,
        judge=list(judge),
        options=options,
        summary=summary,
        finished=finished,
        cap=max_cost_usd,
        at_once=at_once,
        tell=tell,
        cancel=cancel or threading.Event(),
    )
    run_sync(work.all(entries(paths)))
    return summary


@dataclass(slots=True, kw_only=True)
class _Work:
    out: Path
    judge: list[str]
    options: Mapping[str, object]
    summary: Summary
    finished: set[str]
    cap: float | None
    at_once: int
    tell: Callable[[Summary], None]
    cancel: threading.Event
    reserved: float = 0.0
    """Of the cap, by the outputs under way."""

    async def all(self, listed: Iterator[Entry]) -> None:
        """Take entry after entry; a few are under way at once."""
        room = asyncio.Semaphore(self.at_once)
        (self.out / FAILED).write_bytes(b"")
        async with asyncio.TaskGroup() as tasks:
            while not self.cancel.is_set():
                await room.acquire()
                entry = await asyncio.to_thread(next, listed, None)
                if entry is None:
                    break
                tasks.create_task(self._one(entry, room))
        self.summary.stopped = self.cancel.is_set()

    async def _one(self, entry: Entry, room: asyncio.Semaphore) -> None:
        try:
            self.summary.outputs += 1
            await self._run(entry)
        except WorkbenchError as error:
            self._fail(entry, str(error))
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except Exception as error:  # one output must not end ten thousand others
            self._fail(entry, f"The workbench broke off on it ({type(error).__name__}).")
        finally:
            room.release()
            self.tell(self.summary)

    async def _run(self, entry: Entry) -> None:
        output = await asyncio.to_thread(read_entry, entry)
        if output.key in self.finished:
            self.summary.resumed += 1
            return
        share = self._share()
        self.reserved += share or 0.0
        try:
            given = {**self.options, **self._memory(), "max_cost_usd": share}
            if output.sources is not None:
                given["sources"] = output.sources
            run = await averify(
                output.text,
                self.judge,
                cancel=self.cancel,
                **given,  # type: ignore[arg-type]
            )
        finally:
            self.reserved -= share or 0.0
        if not run.finished:  # it was cancelled: the next pass runs it again
            return
        document: JsonDict = {"input": output.name, "input_key": output.key, **run.to_dict()}
        _append(self.out / RUNS, document)
        self.finished.add(output.key)
        self.summary.add(document)

    def _share(self) -> float | None:
        """What one more output may cost at most: an equal part of what is left of the cap."""
        if self.cap is None:
            return None
        left = max(0.0, self.cap - self.summary.cost_usd - self.reserved)
        return left / self.at_once

    def _memory(self) -> dict[str, object]:
        """Where paid judgments are found again and kept; free ones are not worth the file."""
        if all(spec.partition(":")[0] in FREE for spec in self.judge):
            return {}
        store = Store(self.out / PAID)
        return {"recall": store.get_judgment, "remember": store.add_judgment}

    def _fail(self, entry: Entry, reason: str) -> None:
        self.summary.failed += 1
        _append(self.out / FAILED, {"input": entry.name, "reason": reason})


def read_runs(out: Path) -> Iterator[JsonDict]:
    """The finished runs of a batch, in the order in which they were finished."""
    path = out / RUNS
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield json.loads(line)


def _finished(path: Path, summary: Summary) -> set[str]:
    """The keys of finished outputs; a line that was cut off by a kill is taken away."""
    if not path.exists():
        return set()
    whole = 0
    found: set[str] = set()
    with path.open("rb+") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            run = json.loads(line)
            found.add(run["input_key"])
            summary.add(run)
        file.truncate(whole)
    return found


def _check_setup(out: Path, setup: JsonDict, resume: bool) -> None:
    kept = out / SETUP
    started = (out / RUNS).exists() and (out / RUNS).stat().st_size > 0
    if started and not resume:
        raise UsageError(
            f"{out} holds the results of a batch: go on with it by --resume, or name another "
            "folder."
        )
    if started and kept.exists():
        before = json.loads(kept.read_text("utf-8"))
        if before != setup:
            differ = sorted(
                name for name in {*before, *setup} if before.get(name) != setup.get(name)
            )
            raise UsageError(
                f"The batch in {out} was begun with other options ({', '.join(differ)}): resume it "
                "with the same ones, or name another folder."
            )
    kept.write_text(json.dumps(setup, indent=2) + "\n", "utf-8")


def _append(path: Path, document: JsonDict) -> None:
    """One line, whole, handed to the operating system before anything else goes on."""
    with path.open("ab", buffering=0) as file:
        file.write(json.dumps(document).encode() + b"\n")


def _plain(value: object) -> Json:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value)


def _int(value: Json) -> int:
    return int(value) if isinstance(value, int | float) else 0
