"""Measure judging: passages, the embedded judge, corruption pairs.

`python tests/bench/bench_judge.py [DATA]` prints one JSON document. DATA is a folder with `pairs/`,
`wice/` and `expertqa/` (default `../shared/data`); what is not there is skipped. Figures on data
that the shipped weights were trained on say so: the honest ones are the out-of-fold figures that
training stores in `data/judge/weights.json`.
"""

import json
import random
import sys
import time
from pathlib import Path

from workbench.experiments import LabelledPair, evaluate
from workbench.judging import open_judge, select_passages
from workbench.judging.training.fit_passages import check
from workbench.judging.training.pairs import Pair, load_pairs
from workbench.judging.training.synthetic_negatives import CORRUPTIONS, find_names, make_negative

PAGE = "In the year {} the council of Harrow counted {} trees and {} benches. "


def speed() -> dict[str, float]:
    """Milliseconds of processor time for a 10-page source, and seconds for 5 MB."""
    judge = open_judge("local")
    ten = "".join(PAGE.format(1500 + i, i * 7, i * 3) for i in range(420))
    large = "".join(PAGE.format(1500 + i % 500, i * 7, i * 3) for i in range(66_000))
    claims = [f"The council of Harrow counted {i * 7} trees in {1500 + i}." for i in range(20)]
    judge.judge(claims[0], select_passages(claims[0], ten))
    begun = time.process_time()
    passages = [select_passages(claim, ten) for claim in claims]
    chosen = time.process_time()
    for claim, claim_passages in zip(claims, passages, strict=True):
        judge.judge(claim, claim_passages)
    judged = time.process_time()
    select_passages(claims[0], large)
    return {
        "passages ms": round((chosen - begun) * 1000 / len(claims), 1),
        "judge ms": round((judged - chosen) * 1000 / len(claims), 1),
        "passages of 5 MB s": round(time.process_time() - judged, 2),
    }


def labelled(pairs: list[Pair]) -> list[LabelledPair]:
    """The pairs as `evaluate` takes them."""
    return [
        LabelledPair(id=str(i), claim=p.claim, source=p.source, label=p.label, group=p.group)
        for i, p in enumerate(pairs)
    ]


def blind(pairs: list[Pair]) -> list[LabelledPair]:
    """The same claims, each beside the source of another: a judge that reads its sources cannot pass these."""
    sources = [p.source for p in pairs]
    random.Random(5).shuffle(sources)
    swapped = [
        Pair(claim=p.claim, source=s, label=p.label, group=p.group, origin=p.origin)
        for p, s in zip(pairs, sources, strict=True)
    ]
    return labelled(swapped)


def corruptions(pairs: list[Pair]) -> dict[str, float]:
    """Share of true claims that outscore their corruption, by kind; ties count half.

    A `name` comes from the same source, a `stranger` from another.
    """
    judge, generator = open_judge("local"), random.Random(9)
    points: dict[str, list[float]] = {}
    for pair in (p for p in pairs if p.label == "supported"):
        true = judge.judge(pair.claim, select_passages(pair.claim, pair.source)).score
        names, others = find_names(pair.source), find_names(generator.choice(pairs).source)
        corrupted = [
            (kind, make_negative(pair.claim, kind, generator, names)) for kind in CORRUPTIONS
        ]
        for kind, false in [
            *corrupted,
            ("stranger", make_negative(pair.claim, "name", generator, others)),
        ]:
            if false is not None:
                other = judge.judge(false, select_passages(false, pair.source)).score
                points.setdefault(kind, []).append((true > other) + 0.5 * (true == other))
    return {kind: round(sum(scores) / len(scores), 4) for kind, scores in sorted(points.items())}


def main() -> int:
    """Print the figures; returns the exit code."""
    data = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/data")
    figures: dict[str, object] = {"speed": speed()}
    if (data / "wice").exists():
        figures["evidence recall, out of fold"] = dict(check(data / "wice" / "articles_dev.jsonl"))
        pairs = list(load_pairs(data))
        for origin in ("wice", "expertqa"):
            origin_pairs = [p for p in pairs if p.origin == origin]
            figures[f"{origin} (in training)"] = evaluate(labelled(origin_pairs)).to_dict()
            figures[f"{origin}, foreign sources"] = evaluate(blind(origin_pairs)).to_dict()
            figures[f"{origin}, corruptions"] = corruptions(origin_pairs)
    print(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
