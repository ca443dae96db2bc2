"""A redraw of the References view with a list of 5,000 entries: milliseconds, and bytes sent.

python tests/bench/bench_references_view.py
"""

import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

ENTRIES = 5_000
REDRAWS = 12


def main():
    """Print what each way of redrawing costs."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WORKBENCH_DATA"] = folder
        from tests.fakes.app_page import component, open_app
        from tests.fakes.looked_up import TEXT, looked_up_run
        from workbench.settings import load_settings
        from workbench.store.bibliography.checks import ReferenceCheckRepository
        from workbench.store.store import Store

        for count in (5, ENTRIES):
            run = looked_up_run(f"list-{count}")
            times = count // 5
            run = replace(
                run,
                references=run.references * times,
                reference_checks=run.reference_checks * times,
            )
            store = Store(load_settings().database)
            store.add_run(run, TEXT, "A list")
            ReferenceCheckRepository(store).add(run.id, list(enumerate(run.reference_checks)))
            store.finish_run(run)
            since = time.perf_counter()
            at = open_app(run=run.id, view="references")
            print(f"{count:>5} entries: opened in {time.perf_counter() - since:.2f} s", end="; ")
            spent = []
            for _ in range(REDRAWS):
                since = time.perf_counter()
                at.button(key="entry-next").click().run()
                spent.append(time.perf_counter() - since)
            size = len(json.dumps(component(at, "reference-list")))
            print(
                f"a redraw {statistics.median(spent) * 1000:.0f} ms, list of {size / 1024:.0f} KiB"
            )


if __name__ == "__main__":
    main()
