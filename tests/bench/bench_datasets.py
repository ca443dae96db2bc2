"""Data sets in and out: seconds and memory as the number of rows grows fourfold.

Rows stream, so that time grows with their number; what memory grows by is the list of what is
taken, not its texts. Seconds are of the processor, which other work on the machine does not
stretch. Run it as a script; the largest size is 100,000 with `--full`.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

SIZES = (5_000, 20_000)
FULL = (25_000, 100_000)
SOURCE = "The bridge was opened to the public in 1931 and is 120 metres long. " * 20


def write_pairs(path: Path, rows: int) -> None:
    with path.open("w") as file:
        for n in range(rows):
            pair = {
                "id": f"p{n}",
                "claim": f"Fact {n}: it is 120 metres long.",
                "source": f"{SOURCE}{n}",
                "label": ("supported", "not_supported")[n % 2],
                "group": f"g{n // 3}",
            }
            file.write(json.dumps(pair) + "\n")


def measure(step: str, folder: Path) -> dict[str, float]:
    """One step in a process of its own: seconds, and the most memory it held, in MB."""
    code = f"from tests.bench.bench_datasets import run; run({step!r}, {str(folder)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def run(step: str, folder: str) -> None:
    from workbench.services.export import ExportSelection, export_dataset
    from workbench.services.imports import import_file
    from workbench.store.store import Store

    store = Store(Path(folder) / "a.duckdb")
    begun = process_time()
    if step == "import":
        import_file(store, "pairs", Path(folder) / "pairs.jsonl")
    else:
        export_dataset(store, step, Path(folder) / f"out-{step}", ExportSelection())
    seconds = process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "MB": peak}))


def main() -> None:
    sizes = FULL if "--full" in sys.argv else SIZES
    steps = ("import", "jsonl", "parquet", "pairs", "label-studio")
    measured: dict[str, list[dict[str, float]]] = {step: [] for step in steps}
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_pairs(Path(folder) / "pairs.jsonl", rows)
            for step in steps:
                measured[step].append(measure(step, Path(folder)))
    head = f"{'rows':>9}{'seconds':>9}{'MB':>7}"
    print(f"{'step':<14}{head}{head}")
    for step, (small, large) in measured.items():
        cells = "".join(
            f"{rows:>9,}{figures['seconds']:>9.1f}{figures['MB']:>7.0f}"
            for rows, figures in zip(sizes, (small, large), strict=True)
        )
        time, memory = (large[name] / small[name] for name in ("seconds", "MB"))
        print(f"{step:<14}{cells}   x{time:.1f} time, x{memory:.1f} memory")


if __name__ == "__main__":
    main()
