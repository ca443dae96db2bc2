"""Train the embedded judge: `python -m workbench.judging.training.train --data ../shared/data`.

Reads the labelled pairs and development sets of a data folder and writes `frequencies.json`,
`passages.json` and, by an encoder that is there, `weights.json` into `data/judge`. Seeds are fixed: the same
data give the same files. None of the text that is read is written; `frequencies.json` counts stems
that many documents share.

Last it writes the table of `MODEL_CARD.md` from the figures in `weights.json`, between the marks that
stand there; a test compares the two.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from workbench.judging.passages import load_chooser
from workbench.judging.training import fit_passages
from workbench.judging.training.encoder.training_pairs import language_of
from workbench.judging.training.fit_reading import keep_reading
from workbench.judging.training.pairs import Pair, load_pairs
from workbench.language.tokenization import Rarity, find_words
from workbench.shipped import JUDGE_DATA

CARD = "MODEL_CARD.md"
LANGUAGES: Mapping[str, str] = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "zh": "Chinese",
}  # fmt: skip
FIRST = ("wice", "expertqa", "contrast")
_BLOCK = "<!-- sets: begin -->\n{table}\n<!-- sets: end -->"


def filled_card(folder: Path = JUDGE_DATA) -> str:
    """The card with its tables as the figures have them.

    Raises:
        ValueError: The card lacks the marks of a table.
    """
    card = (folder / CARD).read_text("utf-8")
    stored = json.loads((folder / "weights.json").read_text("utf-8"))
    table = _BLOCK.format(
        table=sets_table(stored["reading"]["figures"], stored["words"]["figures"])
    )
    # a function, so that nothing in the table is read as a reference to a group
    card, replaced = re.subn(_BLOCK.format(table="[^\\x00]*?"), lambda _: table, card)
    if not replaced:
        raise ValueError(f"{CARD} has no marks `<!-- sets: begin -->` … `end`: put them in.")
    return card


def sets_table(figures: Mapping[str, float], words: Mapping[str, float]) -> str:
    """One row for each set that was measured; `words` are the figures without the encoder."""
    names = [key.removesuffix(" pairs") for key in figures if key.endswith(" pairs")]
    names.sort(key=lambda name: (not name.startswith(FIRST), name))
    rows = [
        [
            name,
            LANGUAGES[language_of(name)],
            f"{figures[f'{name} pairs']:.0f}, {figures[f'{name} supported']:.0%}",
            f"{_number(figures[f'{name} auroc'])} [{_number(figures[f'{name} auroc, 95 % from'])}, "
            f"{_number(figures[f'{name} auroc, 95 % to'])}]",
            _number(words[f"{name} auroc"]),
            *(
                _number(figures[f"{name} {figure}"])
                for figure in ("calibration error", "labels agree", "labels macro F1")
            ),
        ]
        for name in names
    ]
    heads = [
        "set", "language", "pairs, supported", "AUROC [95 %]", "by words alone",
        "calibration error", "labels agree", "macro F1",
    ]  # fmt: skip
    return _table(heads, rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _number(value: float) -> str:
    """Three digits behind the point, none before it."""
    return f"{value:.3f}".removeprefix("0")


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


def fill_card(data: Path, out: Path) -> None:
    """Write the table into the card of a folder that has one."""
    if (out / CARD).exists():
        (out / CARD).write_text(filled_card(out), "utf-8")


STEPS: Mapping[str, Callable[[Path, Path], None]] = {
    "words": count_frequencies, "passages": fit_passages.train, "reading": keep_reading,
    "card": fill_card,
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
