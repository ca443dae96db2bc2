"""Train the embedded judge.

`python -m workbench.judging.training --data ../shared/data --out data/judge` reads the labelled
pairs and development sets of a data folder, fits two logistic regressions over
`features.FEATURES` with numpy, and writes `weights.json` and `frequencies.json`. The seed is fixed:
the same data give the same files. None of the text it reads is written; `frequencies.json` counts
stems that many documents share.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.judging.features import FEATURES, read
from workbench.judging.logistic import fit
from workbench.judging.passages import select_passages
from workbench.judging.words import Rarity, find_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SEED = 20261121
BUDGET = 3000
LEAST_DOCUMENTS = 6
"""A stem is kept in the frequency table from this many documents on."""
SHARE = {
    "wice": 3.0, "expertqa": 2.0, "factcheck_gpt": 2.0, "citation_integrity": 1.0,
    "fool_me_twice": 1.0, "summedits_clean": 0.7, "check_covid": 1.0, "bump": 0.5, "scitab": 0.2,
    "evidence_inference": 0.3, "diasumfact_qmsum": 0.3, "mt_rag_human": 0.7, "wice_nst_train": 1.0,
    "expertqa_domain": 0.7, "q2_wow": 0.3, "conjnli_dev": 0.2, "scone_nli": 0.1,
}  # fmt: skip
"""How much each set weighs as a whole (its rows share it), by how close it is to cited claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A labelled pair."""

    claim: str
    source: str
    label: str
    group: str
    origin: str


def load_pairs(data: Path) -> Iterator[Pair]:
    """Every labelled pair of a data folder that may be trained on, in a fixed order."""
    for path in sorted((data / "pairs").glob("*.jsonl")):
        for row in _rows(path):
            origin = str(row["origin"])
            yield Pair(
                claim=str(row["claim"]),
                source=str(row["source"]),
                label=str(row["label"]),
                group=f"{origin}:{row['group']}",
                origin=origin,
            )
    for row in _rows(data / "wice" / "articles_dev.jsonl"):
        sentences, meta = row["evidence"], row["meta"]
        assert isinstance(sentences, list) and isinstance(meta, dict)
        yield Pair(
            claim=str(row["claim"]),
            source="\n".join(str(s) for s in sentences),
            label=str(row["label"]),
            group=f"wice:{meta['claim_title']}",
            origin="wice",
        )
    yield from _expertqa(data / "expertqa" / "rand_val.jsonl")


def _expertqa(path: Path) -> Iterator[Pair]:
    """The claims of expert answers with at least 15 words of evidence."""
    known = {"Complete": "supported", "Partial": "partially_supported"}
    known["Incomplete"] = "not_supported"
    for number, row in enumerate(_rows(path)):
        answers = row["answers"]
        assert isinstance(answers, dict)
        for answer in answers.values():
            for claim in answer["claims"]:
                text = "\n\n".join(str(e) for e in claim["evidence"])
                if claim["support"] in known and len(text.split()) >= 15:
                    yield Pair(
                        claim=str(claim["claim_string"]),
                        source=text,
                        label=known[claim["support"]],
                        group=f"expertqa:{number}",
                        origin="expertqa",
                    )


def _rows(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def count_stems(pairs: Sequence[Pair]) -> Rarity:
    """Document frequencies of stems over the distinct sources of the pairs."""
    counts: Counter[str] = Counter()
    sources = dict.fromkeys(pair.source for pair in pairs)
    for source in sources:
        counts.update({word.stem for word in find_words(source) if not word.stop})
    kept = {stem: n for stem, n in counts.items() if n >= LEAST_DOCUMENTS and len(stem) < 24}
    return Rarity(len(sources), dict(sorted(kept.items())))


def measure(pairs: Sequence[Pair], rarity: Rarity) -> "Floats":
    """The feature matrix of the pairs, a row each."""
    import numpy as np

    rows = []
    for pair in pairs:
        passages = select_passages(pair.claim, pair.source, BUDGET)
        values = read(pair.claim, passages, rarity).values
        rows.append([values[name] for name in FEATURES])
    return np.array(rows, dtype=np.float64)


def shares(origins: Sequence[str]) -> "Floats":
    """A weight for each row such that each origin weighs `SHARE` as a whole; mean 1."""
    import numpy as np

    sizes = Counter(origins)
    raw = np.array([SHARE[o] / sizes[o] for o in origins])
    scaled: Floats = raw * (len(raw) / raw.sum())
    return scaled


def _stored(
    weights: "Floats", mean: "Floats", spread: "Floats"
) -> dict[str, float | dict[str, list[float]]]:
    features = {
        name: [round(float(v), 5) for v in (mean[i], spread[i], weights[i])]
        for i, name in enumerate(FEATURES)
    }
    return {"bias": round(float(weights[-1]), 5), "features": features}


def train(data: Path, out: Path) -> Mapping[str, float]:
    """Train on a data folder and write the model into `out`; returns figures for the log."""
    import numpy as np

    pairs = list(load_pairs(data))
    rarity = count_stems(pairs)
    x = measure(pairs, rarity)
    labels = np.array([pair.label for pair in pairs])
    share = shares([pair.origin for pair in pairs])
    mean, spread = x.mean(0), np.where(x.std(0) > 1e-6, x.std(0), 1.0)
    z = (x - mean) / spread
    supported = fit(z, (labels == "supported").astype(float), share)
    rest = labels != "supported"
    contradicted = fit(z[rest], (labels[rest] == "contradicted").astype(float), share[rest])
    model = {
        "version": "1",
        "seed": SEED,
        "rows": len(pairs),
        "support_from": 0.5,
        "partial_from": 0.25,
        "contradict_from": 0.6,
        "supported": _stored(supported, mean, spread),
        "contradicted": _stored(contradicted, mean, spread),
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "weights.json").write_text(json.dumps(model, indent=1) + "\n", encoding="utf-8")
    table = {"documents": rarity.documents, "stems": rarity.counts}
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    (out / "frequencies.json").write_text(text + "\n", encoding="utf-8")
    return {"rows": len(pairs), "stems": len(rarity.counts)}


def main(arguments: Sequence[str] | None = None) -> int:
    """The training command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m workbench.judging.training")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    print(json.dumps(dict(train(given.data, given.out))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
