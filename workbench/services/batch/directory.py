"""The folder of a batch: its options, its finished runs, what could not be read, what was paid.

`runs.jsonl` grows by one line an output. A process that is killed loses at most the outputs under
way; what was paid for in them is in `judgments.duckdb` and is found again by `resume`, beside the
account of what every call may cost and did cost, which the cap of all passes is held by.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import UsageError, storing
from workbench.judging.budget import Budget
from workbench.pipeline.options import VerifyOptions
from workbench.records.bibliography import FAILED_REFERENCE_STATUSES
from workbench.records.spending import Spending
from workbench.records.text import Json, JsonDict
from workbench.services.spending import lasting_budget
from workbench.store.store import Store


@dataclass(slots=True, kw_only=True)
class Summary:
    """The state of a batch."""

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
    references: int = 0
    """Entries of the outputs' reference lists."""
    references_not_found: int = 0
    """Those whose work is not found, or whose identifier belongs to another work."""
    references_differ: int = 0
    references_retracted: int = 0
    references_not_checked: int = 0
    cost_usd: float = 0.0
    """What the runs cost, and what was paid in attempts that were cut off; known prices alone."""
    reserved_usd: float = 0.0
    """Reserved for calls that were cut off, outcome unknown."""
    unpriced_calls: int = 0
    """Calls to models whose price is unknown."""
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
        self._add_references(run.get("references"))
        errors = run["errors"]
        for kind, number in errors.items() if isinstance(errors, dict) else ():
            self.errors[kind] = self.errors.get(kind, 0) + _int(number)

    def _add_references(self, checks: Json) -> None:
        for check in checks if isinstance(checks, list) else ():
            if not isinstance(check, dict):
                continue
            status, notice = check.get("status"), check.get("retraction")
            self.references += 1
            self.references_not_found += status in FAILED_REFERENCE_STATUSES
            self.references_differ += status == "differs"
            self.references_not_checked += status == "not_checked"
            self.references_retracted += (
                isinstance(notice, dict) and notice.get("kind") == "retracted"
            )

    @property
    def spending(self) -> Spending:
        """What the batch cost so far, and what of it is unknown."""
        return Spending(
            settled_usd=self.cost_usd,
            reserved_usd=self.reserved_usd,
            unpriced_calls=self.unpriced_calls,
        )

    def count(self, spending: Spending) -> None:
        """Take over what the batch's account says; it also knows of runs that were given up."""
        self.cost_usd = max(self.cost_usd, spending.settled_usd)
        self.reserved_usd = spending.reserved_usd
        self.unpriced_calls = spending.unpriced_calls

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
            "references": self.references,
            "references_not_found": self.references_not_found,
            "references_differ": self.references_differ,
            "references_retracted": self.references_retracted,
            "references_not_checked": self.references_not_checked,
            "total_cost_usd": None if self.unpriced_calls else round(self.cost_usd, 6),
            "reserved_usd": round(self.reserved_usd, 6),
            "price_unknown": self.unpriced_calls > 0,
            "errors": dict(sorted(self.errors.items())),
            "stopped": self.stopped,
        }


def _int(value: Json) -> int:
    return int(value) if isinstance(value, int | float) else 0


RUNS, FAILED, SETUP, PAID = "runs.jsonl", "failed.jsonl", "batch.json", "judgments.duckdb"
FREE = ("local", "nli", "scripted", "handoff")
BATCH_ACCOUNT = "batch"
_SETUP = (
    "allow_fetch", "allowed_domains", "max_citations", "offline", "panel", "scope", "snapshots",
    "question", "sources", "standalone", "together",
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
