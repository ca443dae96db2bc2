"""The tables of the model card, from the figures in `weights.json`.

`python -m workbench.judging.training.model_card` writes them into `data/judge/MODEL_CARD.md`, between
the marks that stand there; a test compares the two.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from workbench.judging.training.encoder.surroundings import language_of
from workbench.shipped import JUDGE_DATA

CARD = "MODEL_CARD.md"
LANGUAGES: Mapping[str, str] = {
    "de": "German", "en": "English", "es": "Spanish", "fr": "French", "zh": "Chinese",
}  # fmt: skip
FIRST = ("wice", "expertqa")
KINDS = ("number", "name", "stranger", "negation", "opposite", "foreign")
_BLOCK = "<!-- {name}: begin -->\n{table}\n<!-- {name}: end -->"


def filled_card(folder: Path = JUDGE_DATA) -> str:
    """The card with its tables as the figures have them.

    Raises:
        ValueError: The card lacks the marks of a table.
    """
    card = (folder / CARD).read_text("utf-8")
    stored = json.loads((folder / "weights.json").read_text("utf-8"))
    figures = stored["reading"]["figures"]
    for name, table in (
        ("sets", sets_table(figures)),
        ("corruptions", corruptions_table(figures, stored["figures"])),
    ):
        pattern = _BLOCK.format(name=name, table="[^\\x00]*?")
        # a function, so that nothing in the table is read as a reference to a group
        card, replaced = re.subn(pattern, partial(_filled, name, table), card)
        if not replaced:
            raise ValueError(f"{CARD} has no marks `<!-- {name}: begin -->` … `end`: put them in.")
    return card


def _filled(name: str, table: str, _match: re.Match[str]) -> str:
    return _BLOCK.format(name=name, table=table)


def sets_table(figures: Mapping[str, float]) -> str:
    """One row for each set that was measured."""
    names = [key.removesuffix(" pairs") for key in figures if key.endswith(" pairs")]
    names.sort(key=lambda name: (name not in FIRST, name))
    rows = [
        [
            name,
            "five" if name == "own" else LANGUAGES[language_of(name)],
            f"{figures[f'{name} pairs']:.0f}, {figures[f'{name} supported']:.0%}",
            f"{_number(figures[f'{name} auroc'])} [{_number(figures[f'{name} auroc, 95 % from'])}, "
            f"{_number(figures[f'{name} auroc, 95 % to'])}]",
            *(_number(figures[f"{name} {part} auroc"]) for part in ("features", "read")),
            *(
                _number(figures[f"{name} {figure}"])
                for figure in ("calibration error", "labels agree", "labels macro F1")
            ),
        ]
        for name in names
    ]
    heads = [
        "set", "language", "pairs, supported", "AUROC [95 %]", "features alone", "encoder alone",
        "calibration error", "labels agree", "macro F1",
    ]  # fmt: skip
    return _table(heads, rows)


def corruptions_table(figures: Mapping[str, float], features: Mapping[str, float]) -> str:
    """How often a true claim outscores what was made of it, of both sets like the work."""
    rows = [
        [
            kind,
            *(
                _number(value) if value is not None else ""
                for origin in FIRST
                for value in (figures.get(f"{origin} {kind}"), features.get(f"{origin} {kind}"))
            ),
        ]
        for kind in KINDS
    ]
    parts = ("", ", features alone")
    heads = ["true claim outscores", *(f"{origin}{part}" for origin in FIRST for part in parts)]
    return _table(heads, rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _number(value: float) -> str:
    """Three digits behind the point, none before it."""
    return f"{value:.3f}".removeprefix("0")


if __name__ == "__main__":
    (JUDGE_DATA / CARD).write_text(filled_card(), "utf-8")
