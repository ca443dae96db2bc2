"""How likely a step is what a claim means, by what stands around its operands; weights are fitted. Pure.

`workbench/judging/training/calculations.py` fits the weights to lines of claims with their operands.
"""

import math
import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache

from workbench.language.assertions import Language
from workbench.language.calculation_steps import CalculationStep, named
from workbench.language.claim_cues import ClaimCues
from workbench.language.figure_words import ClaimedFigure, FigureWords, figure_words
from workbench.language.source_figures import SourceFigure
from workbench.shipped import SHIPPED_DATA

_CHANGES = frozenset(("rise", "fall", "more", "fewer"))
EXPECTED: dict[str, frozenset[str]] = {
    "rest": frozenset(("rest", "negation")),
    "change": _CHANGES,
    "points": _CHANGES | {"gap"},
    "difference": _CHANGES | {"gap", "rest"},
    "sum": frozenset(("sum",)),
    "average": frozenset(("average",)),
    "quotient": frozenset(("per", "average")),
    "product": frozenset(("sum",)),
}
"""The words that a claim has where it means an operation."""
_COMPARING = _CHANGES | {"gap", "sum", "average", "per", "rest", "negation"}


def features_of(
    step: CalculationStep, figure: ClaimedFigure, cues: ClaimCues, words: FigureWords
) -> dict[str, float]:
    """Return what speaks for and against a step, by name."""
    operation, operands = step.operation, step.operands
    percent = figure.form == "ratio"
    name = f"{operation} %" if percent else operation
    if operation in ("product", "share") and operands[0].kind == "%":
        name += " of %"
    found = {name: 1.0}
    expected = EXPECTED.get(operation, frozenset())
    if expected & cues.near:
        found[f"{operation} cued"] = 1.0
    elif expected & cues.wide:
        found[f"{operation} cued elsewhere"] = 1.0
    against = (_COMPARING - expected) & cues.near
    if against:
        found[f"{operation} cued otherwise"] = 1.0
    if operation in ("change", "difference") and cues.is_level:
        found["change to a level"] = 1.0
    found |= _words_of(step, cues)
    found |= _places_of(operands)
    if figure.noun:
        found["noun"] = max(float(o.noun == figure.noun) for o in operands)
        found["noun near"] = max(o.near.get(figure.noun, 0) for o in operands)
    if figure.form == "number" and not figure.kind and operation != "duration":
        found["bare kinds"] = float(any(o.kind for o in operands))
    if operation in ("change", "points", "difference", "times"):
        found |= _order_of(step, cues, words)
    if operation in ("share", "rest") and len(operands) == 2 and not step.group:
        found |= _whole_of(step, cues, words)
    if operation == "rest":
        found["rest denied"] = float(
            _denied(operands[0], words) != bool({"rest", "negation"} & cues.wide)
        )
        found["rest unknown words"] = cues.unknown
    elif operation in ("share", "conversion") and percent:
        found["share unknown words"] = cues.unknown
        found["share denied"] = float(
            _denied(operands[0], words) != bool({"rest", "negation"} & cues.wide)
        )
    if step.group:
        found |= _group_of(step, cues)
    if operation == "quotient":
        found["per"] = max(
            max((operands[1].near.get(k, 0) for k in cues.per), default=0),
            float(operands[1].noun in cues.per),
        )
    if operation in ("product", "quotient"):
        rated = words.cues["per"].search(
            re.split(r"\d|[.;。；]\s", operands[0].after[:28])[0]
        ) or words.cues["per"].search(operands[0].before[-12:])
        found[f"{operation} of a rate"] = float(bool(rated))
    return found


def _words_of(step: CalculationStep, cues: ClaimCues) -> dict[str, float]:
    """How well the words beside operands are those of the claim."""
    operands = step.operands if step.operation != "rank" else step.operands[:1]
    if not operands:
        return {}
    union = mean = missed = 0.0
    count = len(operands)
    for weight, *near in zip(cues.weights.values(), *map(cues.fits, operands), strict=True):
        most = max(near)
        union += weight * most
        mean += weight * sum(near) / count
        if most < 0.35:
            missed += weight
    found = {
        "words": union / cues.total,
        "words of each": mean / cues.total,
        "words missed": missed / cues.total,
    }
    if step.operation == "rank":
        fits = {
            id(o): sum(w * f for w, f in zip(cues.weights.values(), cues.fits(o), strict=True))
            / cues.total
            for o in step.group
        }
        own = fits.pop(id(operands[0]))
        found["ranked"] = own - max(fits.values())
        found["ranked group"] = (own + sum(fits.values())) / (1 + len(fits))
    years = {o.year for o in operands if o.year}
    if cues.years and years:
        found["same year" if years & cues.years else "another year"] = 1.0
        if years - cues.years and years & cues.years:
            found["also another year"] = 1.0
    return found


def _places_of(operands: Sequence[SourceFigure]) -> dict[str, float]:
    """Where operands stand to each other, and whether they are of one kind."""
    if len(operands) == 1:
        return {"alone": 1.0}
    pairs = list(zip(operands, operands[1:], strict=False))
    count = len(pairs)
    found: dict[str, float] = {}

    def add(name: str, value: float = 1.0) -> None:
        found[name] = found.get(name, 0.0) + value / count

    for one, other in pairs:
        apart = abs(one.line - other.line)
        if one.table != other.table:
            add("table and text")
        elif one.table >= 0:
            add("one row" if not apart else "one column")
        elif not apart:
            add("one sentence")
            add("letters apart", min(abs(one.start - other.start), 200) / 200)
        else:
            add(
                "next sentence" if apart == 1 else "near sentence" if apart <= 3 else "far sentence"
            )
        if one.kind != other.kind:
            add("kinds differ")
        if one.noun and other.noun:
            add("same noun" if one.noun == other.noun else "nouns differ")
        if one.is_total != other.is_total:
            add("one total")
        if one.year and other.year and one.year != other.year and not (one.label and other.label):
            add("years differ")
    return found


def _order_of(step: CalculationStep, cues: ClaimCues, words: FigureWords) -> dict[str, float]:
    """What speaks for the first operand being what is compared with."""
    base, other = step.operands
    found: dict[str, float] = {}
    if not cues.direction and step.operation != "times":
        return found
    if step.operation == "times":
        found["multiple below one"] = float(step.result < 1)
    if cues.base_keys:
        found[f"{step.operation} than"] = _leaning(cues, base, other, cues.base_keys)
        found[f"{step.operation} subject"] = _leaning(
            cues, other, base, cues.weights.keys() - cues.base_keys
        )
    if base.when is not None and other.when is not None and base.when != other.when:
        found["order of time"] = 1.0 if base.when < other.when else -1.0
    else:
        relative = (9_999, 9_998, 9_997)
        if base.when in relative or other.when in relative:
            found["order by words"] = (base.when in relative) - float(other.when in relative)
        score = 0.0
        for figure, sign in ((base, 1), (other, -1)):
            before = re.split(r"[,;(]", figure.before[-22:])[-1]
            if words.cues["base"].search(before) and not re.search(r"\d", before):
                score += sign
            elif words.cues["later"].search(before) and not re.search(r"\d", before):
                score -= 0.7 * sign
        found["order of prepositions"] = score
        found["order of text"] = 1.0 if base.start < other.start else -1.0
    return found


def _leaning(cues: ClaimCues, one: SourceFigure, other: SourceFigure, keys: Iterable[str]) -> float:
    """How much nearer words stand to one figure than to another, -1 to 1."""
    weight = sum(cues.weights[k] for k in keys)
    nearer = sum(cues.weights[k] * (cues.fit(one, k) - cues.fit(other, k)) for k in keys)
    return nearer / weight if weight else 0.0


def _whole_of(step: CalculationStep, cues: ClaimCues, words: FigureWords) -> dict[str, float]:
    """What speaks for the second operand being the whole that the first is a part of."""
    part, whole = step.operands
    found = {
        "whole behind of": float(whole.is_whole),
        "whole is total": float(whole.is_total and not part.is_total),
    }
    between = (
        part.after[: whole.start - part.end]
        if part.line == whole.line and 0 < whole.start - part.end < 40
        else ""
    )
    back = (
        whole.after[: part.start - whole.end]
        if part.line == whole.line and 0 < part.start - whole.end < 40
        else ""
    )
    found["part of whole"] = float(bool(between and words.cues["of"].search(between)))
    found["of which part"] = float(
        bool(
            words.cues["of which"].search(back)
            or words.cues["of which"].search(part.before[-24:])
            or words.cues["of which"].search(part.after[:24])
        )
    )
    found["of whole"] = float(bool(words.cues["of"].search(whole.before[-12:])))
    found["total before"] = float(
        bool(words.cues["total"].search(whole.before[-25:] + " " + whole.after[:12]))
    )
    found["whole first"] = float(whole.start < part.start)
    return found


def _denied(part: SourceFigure, words: FigureWords) -> bool:
    """Whether the source says of a figure that it did not, or is the rest."""
    clause = (
        re.split(r"[,;.:，。；]", part.before)[-1] + " | " + re.split(r"[,;.，。；]", part.after)[0]
    )
    return bool(words.cues["negation"].search(clause) or words.cues["rest"].search(clause))


def _group_of(step: CalculationStep, cues: ClaimCues) -> dict[str, float]:
    """How operands were chosen from their row, column or list."""
    chosen, members = step.operands, step.group
    found = {}
    if step.operation in ("sum", "average", "rest"):
        whole = len(chosen) == len(members)
        called = named(members, cues)
        found["whole group"] = float(whole)
        found["named ones"] = float(
            not whole
            and len(called) == len(chosen)
            and {id(c) for c in called} == {id(c) for c in chosen}
        )
        found["others named"] = float(
            bool(called) and not {id(c) for c in called} <= {id(c) for c in chosen}
        )
        found["many"] = min(len(chosen), 8) / 8
    if cues.counted:
        found["as many as counted" if len(chosen) == cues.counted else "not as many as counted"] = (
            1.0
        )
    found["listed"] = sum(o.listed for o in chosen) / len(chosen)
    return found


def score_steps(
    steps: Sequence[CalculationStep], figure: ClaimedFigure, cues: ClaimCues, language: Language
) -> None:
    """Give each step its features, and its score in log-odds against the other steps."""
    words, weights = figure_words(language), fitted_weights()["step"]
    for step in steps:
        step.features = features_of(step, figure, cues, words)
        step.score = sum(value * weights.get(name, 0.0) for name, value in step.features.items())


def likelihood(
    step: CalculationStep, steps: Sequence[CalculationStep], figure: ClaimedFigure
) -> float:
    """Return how likely a step that matches is what the claim means, 0 to 1, beside all that were tried."""
    weights = fitted_weights()["match"]
    features = match_features(step, steps, figure)
    score = sum(value * weights.get(name, 0.0) for name, value in features.items())
    return 1 / (1 + math.exp(-score))


def match_features(
    step: CalculationStep, steps: Sequence[CalculationStep], figure: ClaimedFigure
) -> dict[str, float]:
    """Return what tells a step that matches for a reason from one that does by chance."""
    top = max(s.score for s in steps)
    odds = {id(s): math.exp(s.score - top) for s in steps}
    matching = [s for s in steps if s.matches]
    others = [s for s in steps if not s.matches]
    alike = [s for s in others if s.operation == step.operation]
    ahead = step.score - max((s.score for s in others), default=step.score - 6)
    ahead_alike = step.score - max((s.score for s in alike), default=step.score - 4)
    fits = [_word_fit(s) for s in alike if len(s.operands) == len(step.operands)]
    better = max(fits, default=-1.0) - _word_fit(step) if fits else -1.0
    width = float((figure.most - figure.least) / abs(figure.value)) if figure.value else 0.0
    return step.features | {
        "always": 1.0,
        "ahead of others": max(-8.0, min(6.0, ahead)),
        "ahead of its operation": max(-6.0, min(6.0, ahead_alike)),
        "width allowed": math.log10(max(width, 1e-4)),
        "share that matches": math.log(len(matching) / len(steps) + 1e-3),
        "steps": math.log10(len(steps) + 1),
        "score": step.score / 5,
        "odds of a match": math.log(sum(odds[id(s)] for s in matching) / sum(odds.values()) + 1e-4),
        "better words elsewhere": max(-1.0, min(1.0, better)),
        "any better words elsewhere": max(0.0, better),
    }


def _word_fit(step: CalculationStep) -> float:
    found = step.features
    return found["words"] + found["words of each"] - found["words missed"]


@cache
def fitted_weights() -> dict[str, dict[str, float]]:
    """Return the weights of features, of a step and of one that matches."""
    path = SHIPPED_DATA / "calculations" / "weights.toml"
    weights: dict[str, dict[str, float]] = tomllib.loads(path.read_text("utf-8"))
    return weights
