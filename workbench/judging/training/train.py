"""Train the embedded judge: `python -m workbench.judging.training.train --data ../shared/data`.

Reads the labelled pairs and development sets of a data folder and writes `frequencies.json`,
`passages.json` and, by an encoder that is there, `weights.json` into `data/judge`. Seeds are fixed: the same
data give the same files. None of the text that is read is written; `frequencies.json` counts stems
that many documents share.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workbench.judging.passages import load_chooser
from workbench.judging.tokenization import Rarity, find_words
from workbench.judging.training import fit_passages
from workbench.judging.training.fit_reading import keep_reading
from workbench.judging.training.pairs import Pair, load_pairs
from workbench.shipped import JUDGE_DATA

LEAST_DOCUMENTS = 6
"""A stem is kept in the frequency table from this many documents on."""


def count_stems(pairs: Sequence[Pair]) -> Rarity:
    """Document frequencies of stems over the distinct sources of the pairs."""
    counts: Counter[str] = Counter()
    sources = dict.fromkeys(pair.source for pair in pairs)
    for source in sources:
        counts.update({word.stem for word in find_words(source) if not word.stop})
    frequent = {stem: n for stem, n in counts.items() if n >= LEAST_DOCUMENTS and len(stem) < 24}
    return Rarity(len(sources), dict(sorted(frequent.items())))


def count_frequencies(data: Path, out: Path) -> None:
    """Write `frequencies.json` into `out`."""
    rarity = count_stems(list(load_pairs(data)))
    table = {"documents": rarity.documents, "stems": rarity.counts}
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    (out / "frequencies.json").write_text(text + "\n", encoding="utf-8")


STEPS: Mapping[str, Callable[[Path, Path], None]] = {
    "words": count_frequencies, "passages": fit_passages.train, "reading": keep_reading,
}  # fmt: skip
"""In their order: each reads what the ones before it wrote."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The training command; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m workbench.judging.training.train")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=JUDGE_DATA)
    parser.add_argument("--only", choices=STEPS, help="one of the steps")
    parser.add_argument("--check", action="store_true", help="measure the choice of passages")
    options = parser.parse_args(arguments)
    if options.check:
        print(json.dumps(fit_passages.check(options.data / "wice" / "articles_dev.jsonl")))
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    for step in [options.only] if options.only else STEPS:
        STEPS[step](options.data, options.out)
        load_chooser.cache_clear()
    return 0


if __name__ == "__main__":
    sys.exit(main())
