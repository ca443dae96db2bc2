"""How far the embedded judge can be trusted, in two sentences made from its own figures.

Shown wherever the judge is offered; all figures stand in `data/judge/MODEL_CARD.md`.
"""

import json
from functools import lru_cache
from pathlib import Path

from workbench.judging.encoder.reader import reader_missing
from workbench.shipped import JUDGE_DATA

PAGES, EXTRACTS = "wice", "expertqa"


@lru_cache(maxsize=2)
def embedded_limits(folder: Path = JUDGE_DATA) -> str:
    """What it gets right and where it is weak; empty where its figures cannot be read.

    The figures are those of held-out claims: with the encoder where that runs, else by words alone.
    """
    try:
        stored = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
        reads = "reading" in stored and reader_missing(folder) is None
        figures = stored["reading"]["figures"] if reads else stored["figures"]
        areas = [_percent(figures[f"{origin} auroc"]) for origin in (PAGES, EXTRACTS)]
        right = [_percent(figures[f"{origin} supported precision"]) for origin in (PAGES, EXTRACTS)]
        names = [_percent(1 - figures[f"{origin} name"]) for origin in (PAGES, EXTRACTS)]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return (
        f"Of a supported and another claim, both held out, it scores the supported one higher in "
        f"{areas[0]} of pairs on whole pages and {areas[1]} on extracts under experts' answers; of the "
        f"claims it calls supported, {right[0]} and {right[1]} are. "
        f"Swapped names of one source escape it in {names[0]} and {names[1]}; contradictions in "
        "other words often do: read before you trust."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
