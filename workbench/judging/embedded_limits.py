"""How far the embedded judge can be trusted, in sentences made from its own figures.

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
    """Say what it is for and how often it is right; empty where its figures cannot be read.

    Those of answers are measured end to end by `tests/bench/bench_judge.py --record`; the others are
    of claims held out in training, with the encoder where that runs, else by words alone.
    """
    try:
        stored = json.loads((folder / "weights.json").read_text(encoding="utf-8"))
        figures = stored["words" if reader_missing(folder) else "reading"]["figures"]
        areas = [_percent(figures[f"{origin} auroc"]) for origin in (PAGES, EXTRACTS)]
        answers = stored["answers"]
        right, missed = (_percent(answers[name]) for name in ("right", "missed_contradictions"))
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return (
        "It sorts what to look at first. "
        f"On {answers['citations']:,} citations of made-up answers {right} of its labels were right, "
        f"and it called {missed} of the contradictions supported. On people's labels it scores a "
        f"supported claim above another one in {areas[0]} of pairs on whole pages and {areas[1]} on "
        "extracts. Read the quotes before you trust a label."
    )


@lru_cache(maxsize=2)
def embedded_accuracy(folder: Path = JUDGE_DATA) -> str:
    """Say how many of its labels were right, in one sentence; empty where that cannot be read."""
    try:
        answers = json.loads((folder / "weights.json").read_text(encoding="utf-8"))["answers"]
        right, citations = _percent(answers["right"]), answers["citations"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return f"It was right on {right} of {citations:,} made-up citations."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
