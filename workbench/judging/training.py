"""Train the embedded judge: `python -m workbench.judging.training --data ../shared/data`.

Reads the labelled pairs and development sets of a data folder and writes `frequencies.json` and
`weights.json` into `data/judge`, the latter with the figures of a cross-validation over groups.
Experts and gate are fitted on the two sets that look like the work (a claim with its whole cited
page, an expert's claim with extracts); the penalties on these and on corruptions of their true
claims; the contradiction head on the sets that label contradictions. Seeds are fixed: the same data
give the same files. None of the text that is read is written; `frequencies.json` counts stems that
many documents share.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.corrupt import CORRUPTIONS, corrupt, find_names
from workbench.judging.embedded import DATA, look
from workbench.judging.experts import Examples, cross_validate, fit_contradiction, fit_mixture
from workbench.judging.features import FEATURES
from workbench.judging.pairs import Pair, load_pairs
from workbench.judging.passages import load_chooser, select_passages
from workbench.judging.reader import Reader, load_reader
from workbench.judging.segment import segment
from workbench.judging.words import Rarity, find_words

if TYPE_CHECKING:
    from workbench.judging.logistic import Floats

SEED = 20261121
BUDGET = 3000
LEAST_DOCUMENTS = 6
"""A stem is kept in the frequency table from this many documents on."""
READ = ("read_supported", "read_contradicted")
"""What the cross-encoder adds: log-odds of both of its answers."""
OWN = ("wice", "expertqa")
"""The sets that look like the work."""
GENERAL = (
    "factcheck_gpt", "citation_integrity", "mt_rag_human", "q2_wow", "fool_me_twice",
    "summedits_clean", "check_covid", "bump", "conjnli_dev",
    "diasumfact_qmsum", "evidence_inference",
)  # fmt: skip
LABELS = {"foreign": "not_supported", "verbatim": "supported"}
"""Labels of made pairs; a corruption is `contradicted`."""
MOST_PAIRS = 700
"""At most so many pairs of another set are read."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is measured of one pair; `kind` and `true` as in `experts.Examples`."""

    values: tuple[float, ...]
    label: str
    origin: str
    group: str
    kind: str | None = None
    true: int | None = None


def count_stems(pairs: Sequence[Pair]) -> Rarity:
    """Document frequencies of stems over the distinct sources of the pairs."""
    counts: Counter[str] = Counter()
    sources = dict.fromkeys(pair.source for pair in pairs)
    for source in sources:
        counts.update({word.stem for word in find_words(source) if not word.stop})
    kept = {stem: n for stem, n in counts.items() if n >= LEAST_DOCUMENTS and len(stem) < 24}
    return Rarity(len(sources), dict(sorted(kept.items())))


def chosen(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The pairs that are trained on: both own sets whole, the others in part."""
    generator = random.Random(SEED)
    by_origin: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_origin.setdefault(pair.origin, []).append(pair)
    for origin in OWN:
        yield from by_origin[origin]
    for origin in GENERAL:
        found = by_origin[origin]
        generator.shuffle(found)
        yield from found[:MOST_PAIRS]


def measure(pairs: Sequence[Pair], reader: Reader | None) -> list[Row]:
    """The rows of the pairs, and of what is made of the own sets' true claims behind them."""
    generator = random.Random(SEED)
    names = (*FEATURES, *READ) if reader else FEATURES
    rows: list[Row] = []
    own = [pair for pair in pairs if pair.origin in OWN]

    def add(claim: str, pair: Pair, kind: str | None, true: int | None, source: str) -> None:
        passages = select_passages(claim, source, BUDGET)
        values = look(claim, passages, reader)[1]
        label = LABELS.get(kind or "", "contradicted") if kind else pair.label
        numbers = tuple(values[name] for name in names)
        rows.append(Row(numbers, label, pair.origin, pair.group, kind, true))

    for pair in pairs:
        add(pair.claim, pair, None, None, pair.source)
        if pair.origin in OWN and pair.label == "supported":
            true, others = len(rows) - 1, find_names(pair.source)
            for kind in CORRUPTIONS:
                false = corrupt(pair.claim, kind, generator, others)
                if false is not None:
                    add(false, pair, kind, true, pair.source)
            other = generator.choice([p for p in own if p.group != pair.group])
            add(pair.claim, pair, "foreign", true, other.source)
            sentences = [s.of(pair.source) for s in segment(pair.source)]
            whole = [s for s in sentences if 50 < len(s) < 250 and s[0].isupper()]
            if whole:
                add(generator.choice(whole), pair, "verbatim", None, pair.source)
        if len(rows) % 500 == 0:
            print(f"{len(rows)} rows", file=sys.stderr)
    return rows


def examples(rows: Sequence[Row], names: Sequence[str], every: Sequence[str]) -> Examples:
    """The rows as arrays, with the features `names` out of `every`."""
    import numpy as np

    columns = [list(every).index(name) for name in names]
    x: Floats = np.array([row.values for row in rows], dtype=np.float64)[:, columns]
    return Examples(
        names=tuple(names),
        x=x,
        labels=[row.label for row in rows],
        origins=[row.origin for row in rows],
        groups=[row.group for row in rows],
        kinds=[row.kind for row in rows],
        true=[row.true for row in rows],
    )


def train(data: Path, out: Path) -> Mapping[str, Mapping[str, float]]:
    """Train on a data folder and write the model into `out`; returns the figures."""
    pairs = list(load_pairs(data))
    out.mkdir(parents=True, exist_ok=True)
    rarity = count_stems(pairs)
    table = {"documents": rarity.documents, "stems": rarity.counts}
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    (out / "frequencies.json").write_text(text + "\n", encoding="utf-8")
    load_chooser.cache_clear()
    reader = load_reader(out)
    rows = measure(list(chosen(pairs)), reader)
    every = (*FEATURES, *READ) if reader else FEATURES
    model: dict[str, object] = {"version": "2", "seed": SEED}
    figures: dict[str, Mapping[str, float]] = {}
    for part, names in (("lexical", FEATURES), ("fused", every)):
        if part == "fused" and not reader:
            continue
        given = examples(rows, names, every)
        figures[part] = cross_validate(given)
        model[part] = {
            **fit_mixture(given).to_dict(),
            "contradicted": fit_contradiction(given).to_dict(),
        }
    model["figures"] = figures
    stored = json.dumps(model, indent=1)
    (out / "weights.json").write_text(stored + "\n", encoding="utf-8")
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """The training command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m workbench.judging.training")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=DATA)
    given = parser.parse_args(arguments)
    print(json.dumps(train(given.data, given.out), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
