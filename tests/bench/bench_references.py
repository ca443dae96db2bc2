"""How references are judged end to end: real and fabricated entries beside a registry of real works.

    python tests/bench/bench_references.py [FOLDER] [--styles N] [--fit]

The folder holds `hallmark_dev.jsonl` (default `../shared/data/references`). The registry is made of
its valid entries and of the true works behind its fabricated ones; each entry is rendered in a style
of `bench_reference_entries.py`, read, looked up and compared as the product does. Printed is, style
by style, the share of real entries that match, of real ones that are called `other_work` or
`not_found`, and of fabricated or altered ones that do not pass; then each kind of fabrication. Where
a style leaves a field out (`et al.`, no DOI) nobody can see that it was altered.

`--fit` fits the regression of `bibliography/check.py` on entries with all their fields, and
prints its weights and how it does on folds that it was not fitted on.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402

from tests.bench.bench_reference_entries import FOLDER, STYLES, Work  # noqa: E402
from workbench.bibliography import check as existence  # noqa: E402
from workbench.bibliography.csl import record_of_entry  # noqa: E402
from workbench.bibliography.keys import title_key  # noqa: E402
from workbench.records.bibliography import Author, ReferenceCheck, ReferenceEntry  # noqa: E402
from workbench.records.citation import Reference  # noqa: E402
from workbench.records.text import JsonDict, Span  # noqa: E402
from workbench.services.permissions import Permissions  # noqa: E402
from workbench.services.references.checking import (  # noqa: E402
    ReferenceOptions,
    ReferenceRequest,
    check_list,
    reference_options,
)
from workbench.settings import Settings  # noqa: E402

UNREAL = {"plausible_fabrication", "chimeric_title", "hybrid_fabrication"}
"""Kinds whose work does not exist; the others describe a real one wrongly."""


def entry_of_row(row: JsonDict) -> ReferenceEntry:
    return ReferenceEntry(
        title=row["title"],
        authors=tuple(
            Author(family=person["family"], given=person["given"] or "")
            for person in row.get("authors") or ()
        ),
        authors_complete=not row.get("et_al"),
        year=row.get("year"),
        venue=row.get("venue"),
        doi=row.get("doi"),
        type="paper-conference" if row.get("kind") == "inproceedings" else "article",
    )


def registry_of(rows: list[JsonDict]) -> list[JsonDict]:
    """The real works, each once."""
    records: dict[str, JsonDict] = {}
    for row in rows:
        real = row if row["label"] == "valid" else row.get("true") or {}
        if real.get("authors"):
            key = title_key(real["title"])
            records.setdefault(key, record_of_entry(entry_of_row(real), row["id"]))
    return list(records.values())


def options_for(records: list[JsonDict]) -> ReferenceOptions:
    data = json.dumps(records).encode()
    request = ReferenceRequest(registry_files=(("registry.json", data),))
    with tempfile.TemporaryDirectory() as folder:
        options = reference_options(Settings(data_dir=Path(folder)), Permissions(), request)
    assert options is not None
    return options


def rendered(row: JsonDict, style: str) -> str:
    pick = random.Random(row["id"])
    work = Work(
        title=row["title"].rstrip("."),
        people=[(person["family"], person["given"] or "") for person in row["authors"]],
        year=row["year"],
        venue=row["venue"] or "arXiv preprint",
        conference=row["kind"] == "inproceedings",
        doi=row["doi"] or "",
        pick=pick,
    )
    return STYLES[style](work)


def as_reference(text: str, entry: ReferenceEntry | None = None) -> Reference:
    return Reference(label=None, span=Span(0, len(text)), text=text, entry=entry)


def shares(
    rows: list[JsonDict], checks: tuple[ReferenceCheck, ...]
) -> tuple[str, dict[str, Counter[str]]]:
    states: dict[str, Counter[str]] = defaultdict(Counter)
    for row, check in zip(rows, checks, strict=True):
        states[row["type"] or "valid"][check.status] += 1
    real = states["valid"]
    altered = sum((count for kind, count in states.items() if kind != "valid"), Counter())
    passed = altered["matches"] + altered["not_checked"]
    accused = real["other_work"] + real["not_found"]
    line = (
        f"real that match {real['matches'] / real.total():.3f}   accused "
        f"{accused / real.total():.3f}   altered that are caught {1 - passed / altered.total():.3f}"
    )
    return line, states


def fit(rows: list[JsonDict], options: ReferenceOptions) -> None:
    """Logistic regression with a ridge of 1 by Newton's method, and its figures on five folds."""
    values: list[dict[str, float]] = []
    original = existence.existence_features

    def recorded(*arguments: object) -> dict[str, float]:
        values.append(original(*arguments))
        return values[-1]

    existence.existence_features = recorded
    inputs, exists, folds = [], [], []
    for row in rows:
        values.clear()
        check_list([as_reference(row["title"], entry_of_row(row))], options)
        if values:
            inputs.append([*values[-1].values(), 1.0])
            exists.append(row["type"] not in UNREAL)
            title = (row.get("true") or row)["title"]
            folds.append(sum(title_key(title).encode()) % 5)
    existence.existence_features = original
    x, y, fold = np.array(inputs), np.array(exists, float), np.array(folds)

    def weights(chosen: np.ndarray) -> np.ndarray:
        a, b = x[chosen], y[chosen]
        ridge = np.diag([*[1.0] * (x.shape[1] - 1), 1e-6])
        w = np.zeros(x.shape[1])
        for _ in range(50):
            p = 1 / (1 + np.exp(-a @ w))
            w -= np.linalg.solve(
                (a * (p * (1 - p))[:, None]).T @ a + ridge, a.T @ (p - b) + ridge @ w
            )
        return w

    p = np.zeros(len(y))
    for number in range(5):
        p[fold == number] = 1 / (1 + np.exp(-x[fold == number] @ weights(fold != number)))
    above = (p[y == 1][:, None] > p[y == 0]).mean() + (p[y == 1][:, None] == p[y == 0]).mean() / 2
    names = [*existence.existence_features((), 0.0, 0.0), "bias"]
    print({name: round(float(w), 3) for name, w in zip(names, weights(y >= 0), strict=True)})
    print(f"n {len(y)}, exist {int(y.sum())}, AUROC {above:.3f}, Brier {((p - y) ** 2).mean():.3f}")
    for low, high in ((0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 0.99), (0.99, 1.01)):
        chosen = (p >= low) & (p < high)
        if chosen.any():
            print(
                f"  said {low:.2f} to {min(high, 1):.2f}: {chosen.sum():4} entries, mean "
                f"{p[chosen].mean():.3f}, exist {y[chosen].mean():.3f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--styles", type=int, default=len(STYLES))
    parser.add_argument("--fit", action="store_true")
    arguments = parser.parse_args()
    lines = (arguments.folder / "hallmark_dev.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["authors"]]
    records = registry_of(rows)
    options = options_for(records)
    print(f"{len(rows)} entries, {len(records)} works in the registry")
    if arguments.fit:
        fit(rows, options)
        return
    fields = [as_reference(row["title"], entry_of_row(row)) for row in rows]
    line, states = shares(rows, check_list(fields, options).checks)
    print(f"{'all fields':22} {line}")
    total: dict[str, Counter[str]] = defaultdict(Counter)
    for style in list(STYLES)[: arguments.styles]:
        began = time.perf_counter()
        listed = [as_reference(rendered(row, style)) for row in rows]
        line, by_kind = shares(rows, check_list(listed, options).checks)
        spent = (time.perf_counter() - began) / len(rows)
        print(f"{style:22} {line}   {spent * 1000:.1f} ms an entry", flush=True)
        for kind, count in by_kind.items():
            total[kind] += count
    print("\nkind                     caught with all fields   over the styles")
    for kind in sorted(total):
        caught = [
            1
            - (count["matches"] + (count["not_checked"] if kind != "valid" else 0)) / count.total()
            for count in (states[kind], total[kind])
        ]
        print(f"{kind:24} {caught[0]:.3f}{'':20}{caught[1]:.3f}")


if __name__ == "__main__":
    main()
