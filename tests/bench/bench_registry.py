"""How long an import takes, and a look-up in it: alone, and for a whole list.

Run: python -m tests.bench.bench_registry [WORKS] [ENTRIES]
"""

import itertools
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from workbench.bibliography.csl import entry_of_record
from workbench.bibliography.keys import entry_keys
from workbench.records.registries import RecordKeys
from workbench.records.text import JsonDict
from workbench.services.references.registries import import_registry
from workbench.store.bibliography.registries import RegistryRepository, find_candidates
from workbench.store.store import Store


def works(number: int, rng: random.Random) -> list[JsonDict]:
    """Works whose words are as unevenly common as those of a language (Zipf)."""
    words = [f"w{place}{'aeiou'[place % 5]}" for place in range(30_000)]
    weights = list(itertools.accumulate(1 / (place + 5) for place in range(30_000)))
    return [
        {
            "id": f"k{place}",
            "type": "article-journal",
            "title": " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(5, 12))),
            "author": [{"family": f"Family{rng.randrange(20_000)}", "given": "A."}] * 4,
            "issued": {"date-parts": [[rng.randint(1990, 2025)]]},
            "container-title": "Journal of Things",
            "DOI": f"10.1000/x{place}",
        }
        for place in range(number)
    ]


def altered(record: JsonDict, rng: random.Random) -> RecordKeys:
    """The keys of an entry without identifier whose title lacks a third of the words."""
    keys = entry_keys(entry_of_record(record))
    words = rng.sample(keys.words, k=max(3, len(keys.words) * 2 // 3))
    return RecordKeys(title="".join(words), words=tuple(words), author=keys.author, year=keys.year)


def main(number: int, entries: int) -> None:
    rng = random.Random(7)
    records = works(number, rng)
    data = json.dumps(records).encode()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "w.duckdb")
        store.row_counts()
        begin = time.perf_counter()
        import_registry(store, data, "works.json")
        print(f"import of {number:,} works: {time.perf_counter() - begin:.1f} s")
        print(f"database: {store.path.stat().st_size / 2**20:.0f} MiB")
        chosen = rng.sample(range(number), 100)
        times, missed = [], 0
        with store.transaction() as connection:
            find_candidates(connection, [altered(records[0], rng)], None)
            for place in chosen:
                keys = altered(records[place], rng)
                begin = time.perf_counter()
                (found,) = find_candidates(connection, [keys], None)
                times.append(1000 * (time.perf_counter() - begin))
                missed += all(item.record["id"] != f"k{place}" for item in found)
        times.sort()
        print(
            f"look-up of one entry: median {statistics.median(times):.1f} ms, "
            f"95th percentile {times[94]:.1f} ms; not found: {missed} of 100"
        )
        keys = [altered(records[rng.randrange(number)], rng) for _ in range(entries)]
        begin = time.perf_counter()
        RegistryRepository(store).find_candidates(keys)
        print(f"look-up of {entries:,} entries: {time.perf_counter() - begin:.1f} s")


if __name__ == "__main__":
    main(*(int(argument) for argument in (*sys.argv[1:], *("100000", "5000")[len(sys.argv) - 1 :])))
