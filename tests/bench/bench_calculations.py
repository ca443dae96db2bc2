"""How often figures that follow from a source are verified, and others are not, by kind and language.

    python tests/bench/bench_calculations.py FILE… [--show]

Each line of a file is `{"id", "language", "kind", "source", "claim", "figure", "label", "operands"}`;
`label` is `follows` or `does_not_follow`. With `--show` the lines that went wrong are printed too.
"""

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

OUTCOMES = ("verified", "contradicted", "none")


def outcome(row: dict) -> tuple[str, list]:
    """What is found of a line's figure: `verified`, `contradicted` or `none`, with all that is found."""
    from workbench.judging.passages import select_passages
    from workbench.language.calculations import find_calculations

    texts = [
        (p.start, p.text, p.heading or "", p.table_header or "")
        for p in select_passages(row["claim"], row["source"])
    ]
    found = find_calculations(row["claim"], texts)
    at = row["claim"].find(row["figure"])
    own = [c for c in found if c.start < at + len(row["figure"]) and at < c.end]
    if not own:
        return "none", found
    return ("verified" if any(c.agrees for c in own) else "contradicted"), found


def table(rows: Sequence[tuple[str, str, str]]) -> str:
    """Counts of the outcomes by a name (kind or language) and label."""
    counts = Counter(rows)
    heads = f"{'verified':>10}{'contrad.':>10}{'none':>6}"
    lines = [f"{'':16}{'follows':>10}{heads}{'does not':>10}{heads}"]
    for name in [*sorted({row[0] for row in rows}), "all"]:
        line = f"{name:16}"
        for label in ("follows", "does_not_follow"):
            each = [
                sum(
                    n
                    for (a, b, c), n in counts.items()
                    if (a == name or name == "all") and b == label and c == o
                )
                for o in OUTCOMES
            ]
            line += f"{sum(each):>10}{each[0]:>10}{each[1]:>10}{each[2]:>6}"
        lines.append(line)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    for path in options.files:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        begun = time.perf_counter()
        outcomes = [outcome(row) for row in rows]
        spent = time.perf_counter() - begun
        told = [(row, result) for row, (result, _) in zip(rows, outcomes, strict=True)]
        print(f"{path.name}: {len(rows)} lines, {1000 * spent / len(rows):.1f} ms each")
        print(table([(row["kind"], row["label"], result) for row, result in told]))
        print(table([(row["language"], row["label"], result) for row, result in told]))
        print(
            table([(row.get("near_miss", "follows"), row["label"], result) for row, result in told])
        )
        if options.show:
            for row, (result, found) in zip(rows, outcomes, strict=True):
                if (result == "verified") == (row["label"] == "follows"):
                    continue
                print(
                    f"\n{row['id']} {row['kind']} {row.get('near_miss', '')} → {result}; {row['label']}"
                )
                print(
                    f"  {row['source']}\n  CLAIM {row['claim']} [{row['figure']}] "
                    f" {row.get('calculation', '')} {row.get('true_figure', '')}"
                )
                for c in found:
                    print(f"  · {c.operation}: {c.expression} | {c.claimed} | {c.agrees}")


if __name__ == "__main__":
    main()
