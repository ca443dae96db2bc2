"""Fit the classifier of sentences without a citation (`workbench.language.assertions`).

    python -m workbench.judging.training.fit_sentences

reads `data/sentences/lines.jsonl.gz` and writes `data/sentences/weights.json.gz`: multinomial logistic
regression by Adagrad (Duchi, Hazan and Singer 2011), weights averaged over the passes, the largest
`KEPT` features, rounded to whole numbers of one byte. The same lines give the same file.
"""

import gzip
import json
import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from workbench.language.assertions import KINDS, Language, features_of
from workbench.records.citation import SentenceKind
from workbench.shipped import SHIPPED_DATA

LINES = SHIPPED_DATA / "sentences" / "lines.jsonl.gz"
WEIGHTS = SHIPPED_DATA / "sentences" / "weights.json.gz"
PASSES = 8
RATE, BIAS_RATE = 0.3, 0.02
SHRINK = 1e-4
KEPT = 20_000
UNCITED_BIAS = 0.9
"""An assertion that is taken for something else is not listed: that costs more than one listed in vain."""


class LabelledSentence(NamedTuple):
    """A sentence with what it is there for."""

    text: str
    kind: SentenceKind
    language: Language


def fit(lines: Sequence[LabelledSentence]) -> tuple[dict[str, list[int]], list[float]]:
    """Return the weights of each feature by kind, and the bias of each kind."""
    shuffled = random.Random(0)
    found = [features_of(line.text, line.language) for line in lines]
    counts = Counter(feature for features in found for feature in sorted(features))
    places = {name: at for at, name in enumerate(n for n, count in counts.items() if count > 1)}
    examples = [
        (
            np.array(sorted(places[name] for name in features if name in places), dtype=int),
            len(features) ** -0.5,
            KINDS.index(line.kind),
        )
        for features, line in zip(found, lines, strict=True)
    ]
    weights, bias = np.zeros((len(places), len(KINDS))), np.zeros(len(KINDS))
    squares = np.full_like(weights, 0.01)
    weights_sum, bias_sum = np.zeros_like(weights), np.zeros_like(bias)
    for _ in range(PASSES):
        shuffled.shuffle(examples)
        for at, size, kind in examples:
            scores = weights[at].sum(0) * size + bias
            error = np.exp(scores - scores.max())
            error /= error.sum()
            error[kind] -= 1
            gradient = error * size + SHRINK * weights[at]
            squares[at] += gradient**2
            weights[at] -= RATE * gradient / np.sqrt(squares[at])
            bias -= BIAS_RATE * error
        weights_sum += weights
        bias_sum += bias
    bias_sum[KINDS.index("uncited")] += PASSES * UNCITED_BIAS
    scale = 127 / np.abs(weights_sum).max()
    spread = np.abs(weights_sum - weights_sum.mean(1, keepdims=True)).max(1)
    kept = set(np.argsort(-spread, kind="stable")[:KEPT].tolist())
    whole = np.round(weights_sum * scale).astype(int)
    by_name = {name: whole[at].tolist() for name, at in places.items() if at in kept}
    return by_name, [round(float(value), 3) for value in bias_sum * scale]


def main() -> None:
    """Fit and write the classifier that is shipped."""
    rows = map(json.loads, gzip.decompress(LINES.read_bytes()).decode("utf-8").splitlines())
    weights, bias = fit([LabelledSentence(r["text"], r["kind"], r["language"]) for r in rows])
    document = {"bias": bias, "weights": [[name, *weights[name]] for name in sorted(weights)]}
    raw = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    WEIGHTS.write_bytes(gzip.compress(raw, 9, mtime=0))


if __name__ == "__main__":
    main()
