"""How long `import workbench` takes, compared with an empty interpreter.

Run: python tests/bench/bench_import.py
"""

import statistics
import subprocess
import sys
import time

ROUNDS = 7


def median_s(code: str) -> float:
    """The median wall time of a fresh interpreter that runs some code, in seconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


if __name__ == "__main__":
    empty = median_s("pass")
    for code in (
        "import workbench",
        "from workbench import extract",
        "from workbench import verify",
    ):
        print(f"{code:<32} {median_s(code) - empty:.3f} s beyond an empty interpreter")
