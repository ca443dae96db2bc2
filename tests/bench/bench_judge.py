"""Measure the embedded judge: one table over every development set, and what it costs.

`python tests/bench/bench_judge.py [--data DATA] [--judge FOLDER] [--most N] [--only NAME…] [--record]`. DATA
holds `answers/`, `pairs/`, `nli/`, `wice/` and `expertqa/` (default `../shared/data`); what is not
there is skipped. FOLDER holds another build of the judge (default `data/judge`). Every set is cut
to the groups that are kept for measuring (`scorecard.is_development`), except those marked with *,
which the shipped weights were fitted on.

Columns: AUROC of *supported* by the features alone, the encoder alone, both, and both without the
claim's context; then, as shipped, balanced accuracy of *supported*, the share of right labels, the
share of contradictions called supported, the share of verdicts that the judge is sure of and how
many of these are right, and milliseconds of processor time a claim with its passages.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.scorecard import answers_of, is_development
from workbench.judging.embedded import LocalJudge, compute_features
from workbench.judging.judge_factory import open_judge
from workbench.judging.pair_reader import load_reader
from workbench.judging.passages import select_passages
from workbench.judging.reading_model import load_model
from workbench.judging.training.encoder.training_pairs import CONTRAST, load_nli, read_contrast
from workbench.judging.training.fit_passages import check
from workbench.judging.training.pairs import (
    CORRUPTIONS,
    Pair,
    find_names,
    load_pairs,
    make_negative,
)
from workbench.judging.training.statistics import auroc
from workbench.records.context import NO_CONTEXT
from workbench.shipped import JUDGE_DATA

PAGE = "In the year {} the council of Harrow counted {} trees and {} benches. "
FITTED_ON = ("wice", "expertqa")
WAYS = ("features", "encoder", "both", "no context")


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


@dataclass(frozen=True, slots=True)
class Judged:
    """What one build makes of a pair."""

    gold: str
    label: str
    sure: bool
    scores: tuple[float, float, float, float]
    """Log-odds or probability of support for each of `WAYS`: only their order counts."""
    seconds: float


def development_sets(data: Path, most: int) -> Iterator[tuple[str, list[Pair]]]:
    """The sets by name, each cut to `most` pairs, drawn by their hash."""
    by_origin: dict[str, list[Pair]] = {}
    for pair in (*read_contrast(CONTRAST), *load_pairs(data), *load_nli(data)):
        kept = pair.origin in FITTED_ON or is_development(pair.group.partition(":")[2])
        if kept:
            by_origin.setdefault(pair.origin, []).append(pair)
    for origin, pairs in sorted(by_origin.items()):
        pairs.sort(key=lambda p: sha256((p.group + p.claim).encode("utf-8", "replace")).digest())
        yield origin + ("*" if origin in FITTED_ON else ""), pairs[:most]


def judged(judge: LocalJudge, folder: Path, pair: Pair) -> Judged:
    """A pair judged by all ways."""
    begun = time.process_time()
    title = pair.context.source.title
    passages = select_passages(pair.claim, pair.source, 3000, title, pair.context)
    judgment = judge.judge(pair.claim, passages, pair.context)
    seconds = time.process_time() - begun
    values = compute_features(pair.claim, passages).values
    reader = load_reader(folder)
    read = reader.read(pair.claim, passages, pair.context).supported if reader else 0.0
    bare = judge.judge(pair.claim, passages, NO_CONTEXT).score
    features = load_model("words", folder).score(values).supported
    return Judged(
        pair.label, judgment.label, judgment.sure, (features, read, judgment.score, bare), seconds
    )


def line(name: str, found: Sequence[Judged]) -> str:
    """One line of the table; a dash where a set cannot tell."""
    supported = np.array([one.gold == "supported" for one in found])
    said = np.array([one.label == "supported" for one in found])
    both = bool(supported.any() and not supported.all())
    ranks = [
        f"{auroc(np.array([one.scores[way] for one in found]), supported.astype(float)):.3f}"
        if both else "–"
        for way in range(len(WAYS))
    ]  # fmt: skip
    balanced = (said[supported].mean() + (~said[~supported]).mean()) / 2 if both else None
    against = [one.label == "supported" for one in found if one.gold == "contradicted"]
    sure = [one.label == one.gold for one in found if one.sure]
    cells = [
        *ranks,
        share(balanced),
        share(np.mean([one.label == one.gold for one in found])),
        share(np.mean(against) if against else None),
        share(len(sure) / len(found)),
        share(np.mean(sure) if sure else None),
        f"{1000 * sum(one.seconds for one in found) / len(found):.0f}",
    ]
    return f"{name:<24}{len(found):>5}  " + "".join(f"{cell:>10}" for cell in cells)


def share(value: float | None) -> str:
    """A share with three decimals; a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def main() -> int:
    """Print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--judge", type=Path, default=JUDGE_DATA, help="folder of a build")
    parser.add_argument("--most", type=int, default=160, help="pairs of a set")
    parser.add_argument(
        "--record", action="store_true", help="measure the answers alone; keep them in weights.json"
    )
    parser.add_argument("--only", nargs="*", default=(), help="sets whose name begins so")
    options = parser.parse_args()
    if options.record:
        record_answers(options.data)
        return 0
    judge = LocalJudge(options.judge)
    head = (*WAYS, "balanced", "right", "c. as s.", "sure", "sure right", "ms")
    print(f"{'set':<24}{'n':>5}  " + "".join(f"{cell:>10}" for cell in head))
    everything: list[Judged] = []
    for name, pairs in development_sets(options.data, options.most):
        if options.only and not name.startswith(tuple(options.only)):
            continue
        found = [judged(judge, options.judge, pair) for pair in pairs]
        everything += found
        print(line(name, found), flush=True)
    if not options.only:
        print(line("all", everything))
        _end_to_end(options.data)
    return 0


def record_answers(data: Path) -> None:
    """Measure the shipped judge on answers, and keep what `embedded_limits` says of it."""
    figures = answers_of(data / "answers", "answers", "local")
    right = figures["answers: verdicts right"]
    path = JUDGE_DATA / "weights.json"
    stored = json.loads(path.read_text(encoding="utf-8")) | {
        "answers": {
            "citations": right.n,
            "right": round(right.value, 4),
            "missed_contradictions": round(
                figures["answers: contradictions called supported"].value, 4
            ),
        }
    }
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(stored["answers"])


def _end_to_end(data: Path) -> None:
    """The judge on answers, on articles' passages and on corruptions; and its speed."""
    if (data / "answers").exists():
        for name, figure in answers_of(data / "answers", "answers", "local").items():
            print(f"{name}: {figure.value:.3f} of {figure.n}")
    if (data / "wice").exists():
        for name, value in check(data / "wice" / "articles_dev.jsonl").items():
            print(f"evidence recall, out of fold, {name}: {value}")
        for origin in FITTED_ON:
            pairs = [pair for pair in load_pairs(data) if pair.origin == origin]
            for kind, value in corruptions(pairs[:300]).items():
                print(f"{origin}: true above its corruption ({kind}): {value}")
    for name, value in speed().items():
        print(f"{name}: {value}")


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


if __name__ == "__main__":
    sys.exit(main())
