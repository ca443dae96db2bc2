"""The folder of a batch: its options, its finished runs, what could not be read, what was paid.

`runs.jsonl` grows by one line an output. A process that is killed loses at most the outputs under
way; what was paid for in them is in `judgments.duckdb` and is found again by `resume`, beside the
account of what every call may cost and did cost, which the cap of all passes is held by.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import UsageError, storing
from workbench.judging.budget import Budget
from workbench.pipeline.options import VerifyOptions
from workbench.records.spending import Spending
from workbench.records.text import Json, JsonDict
from workbench.services.batch.summary import Summary
from workbench.services.spending import lasting_budget
from workbench.store.store import Store

RUNS, FAILED, SETUP, PAID = "runs.jsonl", "failed.jsonl", "batch.json", "judgments.duckdb"
FREE = ("local", "nli", "scripted", "handoff")
BATCH_ACCOUNT = "batch"
_SETUP = (
    "allow_fetch", "allowed_domains", "max_citations", "offline", "panel", "scope", "snapshots",
    "sources", "standalone", "together",
)  # fmt: skip
"""Options that every pass of a batch has to have in common."""


def read_runs(out: Path) -> Iterator[JsonDict]:
    """The finished runs of a batch, in the order in which they were finished."""
    path = out / RUNS
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield json.loads(line)


def finished_keys(path: Path, summary: Summary) -> set[str]:
    """The keys of finished outputs; a line that was cut off by a kill is taken away."""
    if not path.exists():
        return set()
    complete_bytes = 0
    keys: set[str] = set()
    with path.open("rb+") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            complete_bytes += len(line)
            run = json.loads(line)
            keys.add(run["input_key"])
            summary.add(run)
        file.truncate(complete_bytes)
    return keys


def check_setup(out: Path, options: VerifyOptions, resume: bool) -> None:
    """Nothing, once the folder is ready for a batch with these options.

    Raises:
        UsageError: It holds results already, or those of other options.
    """
    setup_path, setup = out / SETUP, _setup_of(options)
    started = (out / RUNS).exists() and (out / RUNS).stat().st_size > 0
    if started and not resume:
        raise UsageError(
            f"{out} contains the results of a batch: continue it with --resume, or choose another "
            f"folder."
        )
    if started and setup_path.exists():
        previous = {**_setup_of(VerifyOptions()), **json.loads(setup_path.read_text("utf-8"))}
        differ = sorted(
            name for name in {*previous, *setup} if previous.get(name) != setup.get(name)
        )
        if differ:
            raise UsageError(
                f"The batch in {out} was started with other options ({', '.join(differ)}): resume "
                f"it with the same ones, or choose another folder."
            )
    setup_path.write_text(json.dumps(setup, indent=2) + "\n", "utf-8")


def _setup_of(options: VerifyOptions) -> JsonDict:
    """What the runs of a batch have in common, as its folder keeps it."""
    return {
        "judge": list(options.specs),
        **{name: _plain(getattr(options, name)) for name in _SETUP},
        "references": options.references.names() if options.references else None,
    }


def append_line(path: Path, document: JsonDict) -> None:
    """One line, whole, handed to the operating system before anything else is done.

    Raises:
        StorageError: There is no room for it; then nothing of it stays.
    """
    line = json.dumps(document).encode() + b"\n"
    with storing(path), path.open("ab", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            written = 0
            while written < len(line):  # a disk that fills up takes a part first
                written += file.write(line[written:])
        except OSError:
            file.truncate(end)
            raise


def _plain(value: object) -> Json:
    """An option as JSON."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value)


def judgment_cache(out: Path, judge: list[str]) -> Store | None:
    """Where paid judgments are found again and kept; free ones are not worth the file."""
    if all(spec.partition(":")[0] in FREE for spec in judge):
        return None
    return Store(out / PAID)


def unrecorded_cost_usd(store: Store | None, summary: Summary) -> float:
    """What earlier passes paid for beyond their finished runs."""
    if store is None or not store.path.exists():
        return 0.0
    return max(0.0, store.paid_usd() - summary.cost_usd)


def batch_budget(store: Store | None, max_cost_usd: float | None, summary: Summary) -> Budget:
    """The money of a batch over all its passes; what is reserved or spent is kept in its folder.

    Raises:
        UsageError: The cap is no finite amount of at least 0, or the database cannot be used.
    """
    if store is None:  # judges that cost nothing
        return Budget(max_cost_usd, None, Spending(settled_usd=summary.cost_usd))
    return lasting_budget(store, BATCH_ACCOUNT, max_cost_usd, summary.cost_usd)
