"""What the words around a figure of a claim say of the calculation that leads to it. Pure."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.language.assertions import Language
from workbench.language.figure_words import ClaimedFigure, FigureWords, count_of, figure_words
from workbench.language.source_figures import SourceFigure, SourceReading, key_of, keys_of
from workbench.language.tokenization import stem

_CUT = re.compile(r"[;:—–]|,(?!\d)|，|；|\s-\s|\.\s")
_DIRECTIONS = {"rise": 1, "more": 1, "fall": -1, "fewer": -1}


@dataclass(frozen=True)
class ClaimCues:
    """The words of a claim, seen from one of its figures."""

    near: frozenset[str]
    """The cues (`data/calculations/words.toml`) in the figure's clause."""
    wide: frozenset[str]
    """Those anywhere in the claim."""
    direction: int
    """1 where something is said to be more, -1 for less, 0 where neither is said."""
    is_level: bool
    """Whether the figure is what was reached: *rose to 60*."""
    weights: dict[str, float]
    """How well each word that the source has tells its figures apart."""
    scale: dict[str, float]
    total: float
    base_keys: frozenset[str]
    """Words of what is compared with: behind *than*."""
    names: frozenset[str]
    years: frozenset[str]
    per: frozenset[str]
    """Words behind *per*."""
    counted: int
    """How many things are said to be added: 5 of *all five*; 0 where that is not said."""
    by_age: bool
    """Whether a rank is one of ages: *the oldest*."""
    unknown: float
    """How many words of the figure's clause the source lacks, of all of them."""

    rows: dict[int, list[float]] = field(default_factory=dict)

    def fits(self, figure: SourceFigure) -> list[float]:
        """How near each word of `weights` stands to a figure of the source, 1 for the nearest."""
        row = self.rows.get(id(figure))
        if row is None:
            row = self.rows[id(figure)] = [self.fit(figure, key) for key in self.weights]
        return row

    def fit(self, figure: SourceFigure, key: str) -> float:
        """How near a word of the claim stands to a figure of the source, 1 for the nearest."""
        return figure.near.get(key, 0.0) / self.scale[key]


def claim_cues(
    claim: str,
    figure: ClaimedFigure,
    others: Sequence[ClaimedFigure],
    source: SourceReading,
    language: Language,
) -> ClaimCues:
    """Return the cues around a figure, and the weight of each word by the figures of the source."""
    words = figure_words(language)
    begin = max((m.end() for m in _CUT.finditer(claim, 0, figure.start)), default=0)
    end = next((m.start() for m in _CUT.finditer(claim, figure.end)), len(claim))
    own = claim[begin : figure.start], claim[figure.end : end]
    whole = claim[: figure.start], claim[figure.end :]
    near = _cues(words, own)
    text = claim[figure.start : figure.end]
    cue = next(
        (n for n in ("rise", "fall") if figure.form == "times" and words.cues[n].search(text)), ""
    )
    cue = cue or _nearest(words, own, language) or _nearest(words, whole, language)
    than, than_end = _than(claim, figure, words, language)
    if cue in ("rise", "fall") and (path := words.cues["from to"].search(claim)):
        than, than_end = path.span("base")
    spans = [(f.start, f.end) for f in others if f.form != "rank"]
    labels = {key for f in source.figures for key in f.label}
    keys: dict[str, float] = {}
    names, base = set(), set()
    known: list[bool] = []
    for key, start, _, is_name in keys_of(claim, words):
        inside = any(a <= start < b for a, b in spans)
        if inside and not (key in labels and key.isdigit()) and key != figure.noun:
            continue
        weight = 1.0 if begin <= start < end else 0.7
        if key.isdigit() and len(key) == 4:
            weight *= 1.6
        elif is_name:
            weight *= 1.3
            names.add(key)
        keys[key] = max(keys.get(key, 0.0), weight)
        if 0 <= than <= start < than_end:
            base.add(key)
        if begin <= start < end and not key[0].isdigit():
            known.append(key in source.words)
    weights, scale, total = _weigh(keys, [*source.figures, *source.times])
    is_level = words.cues["level"].search(own[0][-14:]) is not None
    by_age = figure.form == "rank" and words.cues["age"].search(text) is not None
    return ClaimCues(
        near=near, wide=_cues(words, whole), direction=_DIRECTIONS.get(cue, 0), is_level=is_level,
        weights=weights, scale=scale, total=total, base_keys=frozenset(base & weights.keys()),
        names=frozenset(names & weights.keys()),
        years=frozenset(key for key in keys if key.isdigit() and len(key) == 4),
        per=_per(claim, words), counted=_counted(claim, words), by_age=by_age,
        unknown=known.count(False) / len(known) if known else 0.0,
    )  # fmt: skip


def _cues(words: FigureWords, parts: tuple[str, str]) -> frozenset[str]:
    """The cues of a text with a figure taken out: *nahmen um 20 Prozent zu* has one across it."""
    text = "0".join(parts)
    return frozenset(name for name, cue in words.cues.items() if cue.search(text))


def _nearest(words: FigureWords, parts: tuple[str, str], language: Language) -> str:
    """The cue of a direction that stands nearest to the figure."""
    text, at = "0".join(parts), len(parts[0])
    found = []
    for name in _DIRECTIONS:
        for match in words.cues[name].finditer(text):
            is_name = language != "de" and match.start() > 0 and match[0][0].isupper()
            if not is_name:
                apart = max(at - match.end(), match.start() - at, 0)
                found.append((apart + (3 if name in ("more", "fewer") else 0), name))
    return min(found)[1] if found else ""


def _than(
    claim: str, figure: ClaimedFigure, words: FigureWords, language: Language
) -> tuple[int, int]:
    """The place of the words for what is compared with; (-1, -1) where nothing is."""
    after = figure.end if figure.form != "rank" else 0
    for name, start, end in (
        ("than", after, len(claim)),
        ("exceed", 0, figure.start),
        ("of", 0, figure.start),
    ):
        if name == "of" and not (language == "zh" and figure.form == "times"):
            continue
        matches = list(words.cues[name].finditer(claim, start, end))
        if matches:
            at = matches[0].end() if name == "than" else matches[-1].end()
            stop = words.cues["than ends"].search(claim, at, end)
            return at, stop.start() if stop else end
    return -1, -1


def _weigh(
    keys: dict[str, float], figures: Sequence[SourceFigure]
) -> tuple[dict[str, float], dict[str, float], float]:
    """Weights of the words that the source has, by how few of its figures they stand near."""
    weights, scale, missed = {}, {}, 0.0
    for key, weight in keys.items():
        near = [figure.near.get(key, 0.0) for figure in figures]
        most = max(near, default=0.0)
        if most < 0.05:
            missed += 0.4 * weight
            continue
        scale[key] = most
        share = sum(near) / most / len(near)
        weights[key] = weight * max(0.0, math.log(1 / max(share, 0.02))) / 1.6
    return weights, scale, max(sum(weights.values()) + missed, 1.5)


def _per(claim: str, words: FigureWords) -> frozenset[str]:
    found = set()
    for match in words.cues["per"].finditer(claim):
        after = claim[match.end() : match.end() + 30]
        found |= {key for key, *_ in keys_of(after, words)[:2]}
        found |= {key_of(stem(word)) for word in re.findall(r"\w+", after)[:2]}
    return frozenset(found)


def _counted(claim: str, words: FigureWords) -> int:
    for match in words.cues["counted"].finditer(claim):
        number = count_of(match["n"])
        if number >= 2 and not match["n"].isdigit():
            return int(number)
    return 0
