"""The table of the model card, from the figures in `weights.json`.

`python -m workbench.judging.training.model_card` writes it into `data/judge/MODEL_CARD.md`, between
the marks that stand there; a test compares the two.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.judging.training.encoder.training_pairs import language_of
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


if __name__ == "__main__":
    (JUDGE_DATA / CARD).write_text(filled_card(), "utf-8")
