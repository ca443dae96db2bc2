"""Run the browser tests beside busy processes: what fails there fails for somebody.

    python tests/bench/browser_under_load.py [--times 5] [--busy 4] [-- PYTEST ARGUMENT…]

Prints a line for each round, and exits with 1 where a test failed in any of them. With arguments
after `--`, those are run instead of all of `tests/browser`.
"""

import argparse
import multiprocessing
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def spin():
    while True:
        sum(range(100_000))


@contextmanager
def load(processes):
    """So many processes, each busy for as long as this lasts."""
    busy = [multiprocessing.Process(target=spin, daemon=True) for _ in range(processes)]
    for process in busy:
        process.start()
    try:
        yield
    finally:
        for process in busy:
            process.terminate()
            process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="rounds of the tests")
    parser.add_argument("--busy", type=int, default=4, help="busy processes beside them")
    parser.add_argument("tests", nargs="*", default=["tests/browser"], help="what pytest is given")
    options = parser.parse_args()
    failed = 0
    for number in range(1, options.times + 1):
        started = time.monotonic()
        with load(options.busy):
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "--show-capture=no", *options.tests],
                cwd=PROJECT,
                capture_output=True,
                text=True,
                check=False,
            )
        lines = done.stdout.splitlines()
        failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        failed += bool(done.returncode)
        seconds = time.monotonic() - started
        print(
            f"round {number}: exit {done.returncode}, {seconds:,.0f} s",
            *failures,
            sep="\n  ",
            flush=True,
        )
    print(f"{options.times - failed} of {options.times} rounds without a failure")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
