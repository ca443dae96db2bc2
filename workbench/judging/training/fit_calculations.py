"""Fit the weights that tell which calculation a figure of a claim means (`workbench.language.calculation_fit`).

    python -m workbench.judging.training.fit_calculations

reads `data/calculations/lines.jsonl.gz` and writes `data/calculations/weights.toml`. First the weights
of a step: a conditional logit over all steps to a figure that follows, of which those from the named
operands are right. Then those of a step that matches, by logistic regression over all figures, with
scores from five fits that had not seen the line. Both with an L2 penalty; nothing is random.
"""

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from workbench.judging.passages import select_passages
from workbench.language.calculation_fit import match_features
from workbench.language.calculation_steps import CalculationStep
from workbench.language.calculations import FigureSteps, scored_steps
from workbench.language.tokenization import without_markers
from workbench.shipped import SHIPPED_DATA

LINES = SHIPPED_DATA / "calculations" / "lines.jsonl.gz"
WEIGHTS = SHIPPED_DATA / "calculations" / "weights.toml"
STEP_PENALTY, MATCH_PENALTY = 0.01, 0.02
ROUNDS, RATE, FOLDS = 300, 0.1, 5
Array = np.ndarray[Any, np.dtype[np.float64]]


class CalculationLine(NamedTuple):
    """A labelled claim with the steps to its figure."""

    source: str
    follows: bool
    figures: list[FigureSteps]
    right: list[list[bool]]
    """Of each figure's steps, whether they are from the operands that the line names."""


def read_line(row: dict[str, Any]) -> CalculationLine:
    """Return a line with the steps to its figure."""
    claim, figure = without_markers(row["claim"]), row["figure"]
    passages = select_passages(row["claim"], row["source"])
    texts = [(p.start, p.text, p.heading or "", p.table_header or "") for p in passages]
    at = claim.find(figure)
    figures = [
        found for found in scored_steps(claim, texts)
        if found.figure.start < at + len(figure) and at < found.figure.end and found.steps
    ]  # fmt: skip
    operands = row.get("operands", [])
    right = [[s.matches and _is_from(s, operands) for s in found.steps] for found in figures]
    return CalculationLine(row["source"], row["label"] == "follows", figures, right)


def _is_from(step: CalculationStep, operands: Sequence[str]) -> bool:
    """Whether a step has the operands that a line names, where it names them as the source has them."""
    if step.operation in ("rank", "duration", "conversion"):
        return True
    left = [operand.text for operand in step.operands]
    for operand in operands:
        same = next((text for text in left if text in operand or operand in text), None)
        if same is None:
            return False
        left.remove(same)
    return not left


def _matrix(features: Sequence[dict[str, float]], names: Sequence[str]) -> Array:
    return np.array([[f.get(name, 0.0) for name in names] for f in features])


def fit_steps(lines: Sequence[CalculationLine]) -> dict[str, float]:
    """Return the weights of a step, by gradient descent (Adam)."""
    sets = [
        (found.steps, np.array(right))
        for line in lines if line.follows
        for found, right in zip(line.figures, line.right, strict=True) if any(right)
    ]  # fmt: skip
    names = sorted({name for steps, _ in sets for step in steps for name in step.features})
    data = [(_matrix([s.features for s in steps], names), right) for steps, right in sets]
    weights, mean, square = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, ROUNDS + 1):
        gradient = STEP_PENALTY * weights
        for matrix, right in data:
            odds = np.exp(matrix @ weights - (matrix @ weights).max())
            chances = odds / odds.sum()
            of_right = chances * right / (chances * right).sum()
            gradient = gradient + matrix.T @ (chances - of_right) / len(data)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return dict(zip(names, map(float, weights), strict=True))


def fit_matches(lines: Sequence[CalculationLine]) -> dict[str, float]:
    """Return the weights of a step that matches, by Newton's method, from the scores that steps have."""
    rows = [
        (match_features(max(matching, key=lambda s: s.score), found.steps, found.figure), line.follows)
        for line in lines for found in line.figures
        if (matching := [s for s in found.steps if s.matches])
    ]  # fmt: skip
    names = sorted({name for features, _ in rows for name in features})
    matrix = _matrix([features for features, _ in rows], names)
    labels = np.array([follows for _, follows in rows], float)
    weights, penalty = np.zeros(len(names)), MATCH_PENALTY * np.eye(len(names))
    for _ in range(30):
        chances = 1 / (1 + np.exp(-matrix @ weights))
        gradient = matrix.T @ (chances - labels) / len(labels) + penalty @ weights
        curvature = (matrix.T * (chances * (1 - chances))) @ matrix / len(labels) + penalty
        weights -= np.linalg.solve(curvature, gradient)
    return dict(zip(names, map(float, weights), strict=True))


def score(lines: Sequence[CalculationLine], weights: dict[str, float]) -> None:
    """Give the steps of lines their scores by other weights."""
    for line in lines:
        for found in line.figures:
            for step in found.steps:
                step.score = sum(v * weights.get(n, 0.0) for n, v in step.features.items())


def main() -> None:
    """Fit the weights to all lines and write them."""
    with gzip.open(LINES, "rt", encoding="utf-8") as file:
        lines = [read_line(json.loads(row)) for row in file]
    sources = {
        source: number for number, source in enumerate(dict.fromkeys(line.source for line in lines))
    }
    for fold in range(FOLDS):
        held = [line for line in lines if sources[line.source] % FOLDS == fold]
        score(held, fit_steps([line for line in lines if sources[line.source] % FOLDS != fold]))
    matches = fit_matches(lines)
    steps = fit_steps(lines)
    text = "# Written by workbench/judging/training/fit_calculations.py from lines.jsonl.gz: log-odds by feature.\n"
    for title, weights in (("step", steps), ("match", matches)):
        kept = {
            name: round(weight, 2)
            for name, weight in sorted(weights.items())
            if abs(weight) >= 0.02
        }
        text += f"\n[{title}]\n" + "".join(
            f'"{name}" = {weight}\n' for name, weight in kept.items()
        )
    WEIGHTS.write_text(text, "utf-8")
    print(Counter(line.follows for line in lines), len(steps), "features")


if __name__ == "__main__":
    main()
