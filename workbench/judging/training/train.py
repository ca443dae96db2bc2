"""Train the embedded judge: `python -m workbench.judging.training.train --data ../shared/data`.

Reads the labelled pairs and development sets of a data folder and writes `frequencies.json`,
`passages.json` and `weights.json` into `data/judge`, the last with the figures of a
cross-validation over groups. Experts and gate are fitted on the two sets that look like the work (a
claim with its whole cited page, an expert's claim with extracts) and on corruptions of their true
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

from workbench.judging.embedded import compute_features
from workbench.judging.embedded_model import load_model
from workbench.judging.encoder.reader import load_reader
from workbench.judging.features import FEATURES
from workbench.judging.passages import load_chooser, select_passages
from workbench.judging.segment import segment
from workbench.judging.tokenization import Rarity, find_words
from workbench.judging.training import fit_passages
from workbench.judging.training.cross_validation import cross_validate
from workbench.judging.training.fit_reading import (
    development_rows,
    fit_reading,
    own_rows,
)
from workbench.judging.training.mixture_training import (
    TrainingExamples,
    fit_contradiction_model,
    fit_mixture,
    split_folds,
)
from workbench.judging.training.pairs import Pair, load_pairs
from workbench.judging.training.synthetic_negatives import (
    CORRUPTIONS,
    Corruption,
    find_names,
    make_negative,
)
from workbench.records import NO_CONTEXT
from workbench.shipped import JUDGE_DATA

SEED = 20261121
BUDGET = 3000
LEAST_DOCUMENTS = 6
"""A stem is kept in the frequency table from this many documents on."""
OWN = ("wice", "expertqa")
"""The sets that look like the work."""
GENERAL = (
    "factcheck_gpt", "citation_integrity", "mt_rag_human", "q2_wow", "fool_me_twice",
    "summedits_clean", "check_covid", "bump", "conjnli_dev",
    "diasumfact_qmsum", "evidence_inference",
)  # fmt: skip
DRAWS: Mapping[Corruption, int] = {"number": 3, "name": 3, "negation": 1, "opposite": 1}
"""So many corruptions of a kind are made of a true claim, equal ones counted once."""
CORRUPTED = ("factcheck_gpt", "citation_integrity", "mt_rag_human", "bump", "check_covid")
MOST_CORRUPTED = 120
"""True claims of these sets that are corrupted, too: the first of each."""
MOST_PAIRS = 700
"""At most this many pairs of another set are read."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is measured of one pair; `kind` and `true` as in `experts.Examples`."""

    values: tuple[float, ...]
    label: str
    origin: str
    group: str
    kind: str | None = None
    true: int | None = None


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """A claim with a source: a labelled pair, or one derived from it."""

    pair: Pair
    claim: str
    source: str
    label: str
    kind: str | None = None
    true: int | None = None
    """The place of the true case it was made from."""


def count_stems(pairs: Sequence[Pair]) -> Rarity:
    """Document frequencies of stems over the distinct sources of the pairs."""
    counts: Counter[str] = Counter()
    sources = dict.fromkeys(pair.source for pair in pairs)
    for source in sources:
        counts.update({word.stem for word in find_words(source) if not word.stop})
    frequent = {stem: n for stem, n in counts.items() if n >= LEAST_DOCUMENTS and len(stem) < 24}
    return Rarity(len(sources), dict(sorted(frequent.items())))


def chosen(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """The pairs that are trained on: both own sets whole, the others in part."""
    generator = random.Random(SEED)
    by_origin: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_origin.setdefault(pair.origin, []).append(pair)
    for origin in OWN:
        yield from by_origin[origin]
    for origin in GENERAL:
        origin_pairs = by_origin[origin]
        generator.shuffle(origin_pairs)
        yield from origin_pairs[:MOST_PAIRS]


def cases(pairs: Sequence[Pair]) -> list[TrainingExample]:
    """The pairs, each true claim followed by its corruptions."""
    generator = random.Random(SEED)
    own_pairs = [pair for pair in pairs if pair.origin in OWN]
    remaining = dict.fromkeys(CORRUPTED, MOST_CORRUPTED)
    training_examples: list[TrainingExample] = []
    for pair in pairs:
        training_examples.append(TrainingExample(pair, pair.claim, pair.source, pair.label))
        if pair.label != "supported" or (pair not in own_pairs and not remaining.get(pair.origin)):
            continue
        true, others = len(training_examples) - 1, find_names(pair.source)
        for kind in CORRUPTIONS:
            negatives = [
                make_negative(pair.claim, kind, generator, others) for _ in range(DRAWS[kind])
            ]
            for false in dict.fromkeys(text for text in negatives if text):
                training_examples.append(
                    TrainingExample(pair, false, pair.source, "contradicted", kind, true)
                )
        stranger = generator.choice([p for p in own_pairs if p.group != pair.group])
        swapped = make_negative(pair.claim, "name", generator, find_names(stranger.source))
        if swapped is not None:
            training_examples.append(
                TrainingExample(pair, swapped, pair.source, "contradicted", "stranger", true)
            )
        if pair.origin not in OWN:
            remaining[pair.origin] -= 1
            continue
        other = generator.choice([p for p in own_pairs if p.group != pair.group])
        training_examples.append(
            TrainingExample(pair, pair.claim, other.source, "not_supported", "foreign", true)
        )
        sentences = [s.of(pair.source) for s in segment(pair.source)]
        full_sentences = [s for s in sentences if 50 < len(s) < 250 and s[0].isupper()]
        if full_sentences:
            claim = generator.choice(full_sentences)
            training_examples.append(
                TrainingExample(pair, claim, pair.source, "supported", "verbatim")
            )
    return training_examples


def measure(training_cases: Sequence[TrainingExample]) -> list[Row]:
    """What the judge sees of each case."""
    rows: list[Row] = []
    for case in training_cases:
        values = compute_features(
            case.claim, select_passages(case.claim, case.source, BUDGET)
        ).values
        numbers = tuple(values[name] for name in FEATURES)
        pair = case.pair
        rows.append(Row(numbers, case.label, pair.origin, pair.group, case.kind, case.true))
        if len(rows) % 500 == 0:
            print(f"{len(rows)} of {len(training_cases)} rows", file=sys.stderr)
    return rows


def examples(rows: Sequence[Row]) -> TrainingExamples:
    """The rows as arrays, with folds for cross-validation."""
    import numpy as np

    return split_folds(
        TrainingExamples(
            names=FEATURES,
            x=np.array([row.values for row in rows], dtype=np.float64),
            labels=[row.label for row in rows],
            origins=[row.origin for row in rows],
            groups=[row.group for row in rows],
            kinds=[row.kind for row in rows],
            true=[row.true for row in rows],
        )
    )


def train(data: Path, out: Path) -> Mapping[str, float]:
    """Train on a data folder and write the model into `out`; returns the figures."""
    pairs = list(load_pairs(data))
    out.mkdir(parents=True, exist_ok=True)
    rarity = count_stems(pairs)
    table = {"documents": rarity.documents, "stems": rarity.counts}
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    (out / "frequencies.json").write_text(text + "\n", encoding="utf-8")
    load_chooser.cache_clear()
    fit_passages.train(data, out)
    load_chooser.cache_clear()
    training_cases = cases(list(chosen(pairs)))
    training = examples(measure(training_cases))
    figures = cross_validate(training)
    part = {
        **fit_mixture(training).to_dict(),
        "contradicted": fit_contradiction_model(training).to_dict(),
    }
    model = {"version": "6", "seed": SEED, "lexical": part, "figures": figures}
    stored = json.dumps(model, indent=1)
    (out / "weights.json").write_text(stored + "\n", encoding="utf-8")
    load_model.cache_clear()
    reader = load_reader(out)
    if reader is not None:
        # a foreign source or a copied sentence does not belong to the claim's place
        texts = [
            (
                case.claim,
                case.source,
                NO_CONTEXT if case.kind in ("foreign", "verbatim") else case.pair.context,
            )
            for case in training_cases
        ]
        rows = own_rows(texts, training, reader)
        rows += development_rows(data, load_model(out), reader)
        fitted, reading_figures = fit_reading(rows)
        reading = {**fitted.to_dict(), "figures": reading_figures}
        stored = json.dumps({**model, "reading": reading}, indent=1)
        (out / "weights.json").write_text(stored + "\n", encoding="utf-8")
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """The training command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m workbench.judging.training.train")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=JUDGE_DATA)
    options = parser.parse_args(arguments)
    print(json.dumps(train(options.data, options.out), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
