"""How well figures of a source fit a figure of a claim: by place, kind, and the words beside them. Pure."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from workbench.language.assertions import Language
from workbench.language.figure_words import (
    ClaimedFigure,
    FigureWords,
    count_of,
    exact,
    figure_words,
)
from workbench.language.source_figures import (
    SourceFigure,
    SourceReading,
    key_of,
    keys_of,
)
from workbench.language.tokenization import stem
from workbench.language.units import read_measure

Operation = Literal[
    "share", "rest", "change", "points", "difference", "sum", "average", "ratio", "product", "rank",
    "conversion", "duration",
]  # fmt: skip
MISSED = 0.4
"""Operands whose fit is within this of the best are taken for as good."""
_PEOPLE = frozenset(
    "perso peopl inhab resid citiz head capit popul einwo kopf mensc burge habit perso pobla"
    " 居民 人 人口 每人 市民".split()
)
"""Who lives somewhere, by the beginnings of the words."""
_BEFORE = re.compile(
    r"\b(?:previous|prior|preceding|year before|before|last|earlier|ago|then|\d{4}|vorjahr\w*"
    r"|zuvor|vorher|davor|letzte\w*|vergangen\w*|vor|früher|précédent\w*|avant|dernier"
    r"|dernière|plus tôt|auparavant"
    r"|anterior\w*|pasado|pasada|antes|previo|previa|atrás)\b|去年|前年|上|此前|之前|年前",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Candidate:
    """A step from operands to a result, and how well they fit the claim."""

    operation: Operation
    operands: tuple[SourceFigure, ...]
    result: Decimal
    """Signed where a direction is claimed."""
    fit: float
    shown: str = ""
    certain: bool = True
    """Whether a result that differs may contradict the claim."""
    matches: bool = False


@dataclass
class OperandFit:
    """A claim's figure and the source that its operands are looked for in."""

    claim: str
    figure: ClaimedFigure
    others: Sequence[ClaimedFigure]
    source: SourceReading
    language: Language
    cues: set[str] = field(default_factory=set)
    rows: dict[int, list[float]] = field(default_factory=dict)
    direction: int = 0
    than: int = -1
    """Where the words begin that name what is compared with; -1 without."""

    pool: list[SourceFigure] = field(default_factory=list)
    """The figures that are combined."""

    def _read_claim(self) -> None:
        words = figure_words(self.language)
        claim, figure = self.claim, self.figure
        cut = re.compile(r"[;:—–]|,(?!\d)|，|；|\s-\s|\.\s")
        begin = max((m.end() for m in cut.finditer(claim, 0, figure.start)), default=0)
        end = next((m.start() for m in cut.finditer(claim, figure.end)), len(claim))
        self.clause = (begin, end)
        own = claim[begin : figure.start], claim[figure.end : end]
        whole = claim[: figure.start], claim[figure.end :]
        self.cues = {
            name for name, cue in words.cues.items() if any(cue.search(part) for part in own)
        }
        self.wide = {
            name for name, cue in words.cues.items() if any(cue.search(part) for part in whole)
        }
        text = claim[figure.start : figure.end]
        for name in ("rise", "fall"):  # nahmen um 20 Prozent zu
            if any(
                m.start() < len(own[0]) < m.end() for m in words.cues[name].finditer("0".join(own))
            ):
                self.cues.add(name)
        near = self._nearest(words, ("rise", "fall", "more", "fewer"), own)
        self.direction = {"rise": 1, "more": 1, "fall": -1, "fewer": -1}.get(near, 0)
        self.near = near
        self.cues = {
            name
            for name in self.cues
            if name not in ("fewer", "more") or not self._only_name(words.cues[name])
        }
        for name, sign in (("rise", 1), ("fall", -1)):
            if figure.form == "times" and words.cues[name].search(text):
                self.direction, self.near = sign, name
        if not self.direction:
            near = self._nearest(words, ("rise", "fall", "more", "fewer"), whole)
            self.direction = {"rise": 1, "more": 1, "fall": -1, "fewer": -1}.get(near, 0)
            self.near = near
        level = re.search(
            r"(?:\bto|\bat|\bauf|\bbei|\bà|\bal?|\bhasta|至|到|达|达到)\s(?:about|around|nearly|almost|rund|etwa|environ|casi|just)?\s?\Z|[至到达]约?\Z",
            claim[max(0, figure.start - 20) : figure.start],
            re.I,
        )
        self.is_level = level is not None
        than = list(words.cues["than"].finditer(claim, figure.end if figure.form != "rank" else 0))
        if self.language == "zh":
            than = list(re.finditer("比", claim))
        self.than = than[0].end() if than else -1
        self.than_end = len(claim)
        if self.language == "zh" and than:
            self.than_end = (
                next(
                    (
                        m.start()
                        for m in re.finditer(
                            "多|少|高|低|增|减|长|短|重|轻|大|小|上|下|快|慢|贵|远",
                            claim[self.than :],
                        )
                    ),
                    0,
                )
                + self.than
            )
        if not than and figure.form != "rank":
            verbs = list(
                re.finditer(
                    r"(?:exceed\w*|outnumber\w*|surpass\w*|beat\b|übertr\w+|dépass\w*|devanc\w*|super[aóe]\w*|aventaj\w*|超出|超过|高出|多于|领先)",
                    claim[: figure.start],
                    re.I,
                )
            )
            if verbs:
                self.than, self.than_end = verbs[-1].end(), figure.start

    def _nearest(self, words: FigureWords, names: Sequence[str], parts: tuple[str, str]) -> str:
        best, found = 10_000, ""
        for name in names:
            if any(
                m.start() < len(parts[0]) < m.end()
                for m in words.cues[name].finditer("0".join(parts))
            ):
                best, found = 2, name
            for m in words.cues[name].finditer(parts[0]):
                if self.language != "de" and m.start() and parts[0][m.start()].isupper():
                    continue
                apart = len(parts[0]) - m.end() + (0 if name in ("rise", "fall") else 3)
                if apart < best:
                    best, found = apart, name
            after = words.cues[name].search(parts[1])
            if (
                after
                and after.start() + 1 < best
                and not (self.language != "de" and parts[1][after.start()].isupper())
            ):
                best, found = after.start() + 1, name
        return found

    def _only_name(self, cue: re.Pattern[str]) -> bool:
        return all(
            (m.start() > 0 and self.claim[m.start()].isupper() and self.language != "de")
            for m in cue.finditer(self.claim)
        )

    def _weigh(self) -> None:
        """Weigh the words of the claim by how well they tell the figures of the source apart."""
        words = figure_words(self.language)
        spans = [(f.start, f.end) for f in self.others if f.form != "rank"]
        labels = {key for f in self.source.figures for key in f.label}
        keys: dict[str, float] = {}
        self.base_keys: set[str] = set()
        self.names: set[str] = set()
        for key, start, _end, name in keys_of(self.claim, words):
            if any(a <= start < b for a, b in spans):
                if key in labels and key.isdigit():
                    pass
                elif not (self.figure.noun and key == self.figure.noun):
                    continue
            weight = 1.0 if self.clause[0] <= start < self.clause[1] else 0.7
            if key.isdigit() and len(key) == 4:
                weight *= 1.6
            elif name:
                weight *= 1.3
                self.names.add(key)
            keys[key] = max(keys.get(key, 0), weight)
            if 0 <= self.than <= start < self.than_end:
                self.base_keys.add(key)
        self.keys = keys
        pool = [*self.source.figures, *self.source.times]
        count = len(pool) or 1
        self.scale: dict[str, float] = {}
        self.weight: dict[str, float] = {}
        missed = 0.0
        for key, weight in keys.items():
            values = [figure.near.get(key, 0.0) for figure in pool]
            most = max(values, default=0.0)
            if most < 0.05:
                missed += 0.4 * weight
                continue
            self.scale[key] = most
            share = sum(value / most for value in values) / count
            self.weight[key] = weight * max(0.0, math.log(1 / max(share, 0.02))) / 1.6
        self.said = sum(self.weight.values())
        self.total = max(self.said + missed, 1.5)
        years = [key for key in keys if key.isdigit() and len(key) == 4]
        self.years = set(years)

    def fits(self, figure: SourceFigure, key: str) -> float:
        """How near a word stands to a figure, 1 for the nearest that it has."""
        return figure.near.get(key, 0.0) / self.scale[key]

    def _row(self, figure: SourceFigure) -> list[float]:
        """How a figure fits each word of the claim, in their order."""
        row = self.rows.get(id(figure))
        if row is None:
            row = self.rows[id(figure)] = [
                figure.near.get(key, 0.0) / self.scale[key] for key in self.weight
            ]
        return row

    def anchor(
        self, members: Sequence[SourceFigure], base: SourceFigure | None = None, both: float = 0.5
    ) -> float:
        """How well the words beside figures are those of the claim, 0 to 3."""
        total = 0.0
        columns = list(zip(*map(self._row, members), strict=True))
        for number, (key, weight) in enumerate(self.weight.items()):
            if base is not None and key in self.base_keys:
                total += weight * (
                    self.fits(base, key)
                    - 0.5 * max((self.fits(m, key) for m in members if m is not base), default=0)
                )
                continue
            values = columns[number]
            most = max(values)
            total += weight * (both * sum(values) / len(values) + (1 - both) * most)
            if most < 0.35:
                total -= MISSED * weight
        value = 3 * total / self.total
        return value - self._year_conflict(members)

    def _year_conflict(self, members: Sequence[SourceFigure]) -> float:
        """What is taken off where figures are of other years than the claim's."""
        years = {member.year for member in members if member.year}
        if not self.years or not years or years & self.years:
            return 0.0
        known = self.years & self.source.words
        return 1.5 if known else 0.8

    def _signed(self) -> bool:
        return self.direction != 0

    def _bond(self, one: SourceFigure, other: SourceFigure) -> float:
        """How closely two figures belong together by their places; 0 or less where they do not."""
        if one.table >= 0 or other.table >= 0:
            if one.table != other.table:
                return -0.2 if one.table < 0 or other.table < 0 else -0.6
            if one.line == other.line or (one.column == other.column):
                return 1.3
            return -0.8
        bond = 0.0
        apart = abs(one.line - other.line)
        if apart == 0:
            bond = 1.2 - min(abs(one.start - other.start), 200) / 500
        elif apart == 1:
            bond = 0.8
        elif apart <= 3:
            bond = 0.5
        else:
            bond = 0.2
        if one.kind != other.kind:
            bond -= 0.3
        if one.noun and other.noun and one.noun == other.noun:
            bond += 0.3
        elif one.noun and other.noun:
            bond -= 0.3
        return bond

    def _alike(self, one: SourceFigure, other: SourceFigure) -> bool:
        if one.kind == other.kind:
            return True
        if one.kind and other.kind or {one.kind, other.kind} & {"%", "points", "year"}:
            return False
        if one.table >= 0 or other.table >= 0:
            return one.table == other.table
        bare = other if one.kind else one
        return (
            one.line == other.line
            and not bare.noun
            and not (self.language == "zh" and bare.after[:1].isalnum())
        )

    def _two(
        self, test: Callable[[SourceFigure, SourceFigure], bool]
    ) -> Iterator[tuple[SourceFigure, SourceFigure]]:
        for one in self.pool:
            for other in self.pool:
                if one is not other and test(one, other):
                    yield one, other

    def _between(self, first: SourceFigure, second: SourceFigure) -> str | None:
        """The words between two figures of a sentence that stand side by side; None of others."""
        if first.line != second.line or first.table >= 0 or not 0 <= second.start - first.end < 90:
            return None
        length = second.start - first.end
        after = first.after[:length]
        return (
            after
            if length <= 40
            else after + second.before[-(length - 40) :]
            if length <= 80
            else None
        )

    def _count(self, figure: SourceFigure) -> Decimal:
        """A figure in its own unit: 12 of *12 days*."""
        return exact(figure.quantity.value) if figure.quantity else figure.value

    def _counted(self) -> int:
        """How many things the claim says that it adds: all five, the three."""
        pattern = (
            r"(?:['’]s|all|the|its|their|both|alle|die|der|den|ihre|seine|les|des|ses|leurs|los"
            r"|las|sus)\s(?P<n>\w+)"
        )
        for match in re.finditer(pattern, self.claim, re.I):
            if count_of(match["n"]) >= 2 and not match["n"].isdigit():
                return int(count_of(match["n"]))
        eastern = re.search(
            r"([两二三四五六七八九])(?:个|家|座|项|地|年|天|月|种|条|者|队|人)", self.claim
        )
        return int(count_of(eastern[1])) if eastern else 0

    def _is_comparative(self) -> bool:
        """Whether *more* or *fewer* follows the figure, not *more than* before it."""
        words = figure_words(self.language)
        after = self.claim[self.figure.end : self.figure.end + 30]
        for name in ("more", "fewer"):
            match = words.cues[name].search(after)
            if match and match.start() <= 22 and not after[match.start()].isupper():
                return True
        before = self.claim[max(0, self.figure.start - 40) : self.figure.start]
        if self.language == "zh":
            return bool(
                re.search("(?:超出|超过|高出|多出|领先|高于|多于|少于|低于|落后).{0,12}\\Z", before)
            ) or (
                self.than >= 0
                and bool(re.search("[多少高低长短重轻大小快慢贵远近早晚].{0,4}\\Z", before))
            )
        if self.near not in ("more", "fewer"):
            return False
        return bool(re.search(r"\b(?:by|um|de|d['’]|en)\s(?:\w+\s){0,2}\Z", before, re.I)) or bool(
            re.search(
                r"\b(?:ahead|behind|above|below|exceed\w*|outnumber\w*|surpass\w*|trail\w*|lead\w*)\b",
                self.claim[self.clause[0] : self.clause[1]],
                re.I,
            )
        )

    def _per_keys(self) -> set[str]:
        words = figure_words(self.language)
        keys = set()
        for match in words.cues["per"].finditer(self.claim):
            after = self.claim[match.end() : match.end() + 30]
            keys |= {key for key, *_ in keys_of(after, words)[:2]}
            keys |= {key_of(stem(word)) for word in re.findall(r"\w+", after)[:2]}
        return keys

    def _per_kinds(self) -> set[str]:
        """What the unit measures that the claim's figure is told for."""
        found = (
            read_measure(" " + self.claim[m.end() :].lstrip(), 0)
            for m in figure_words(self.language).cues["per"].finditer(self.claim)
        )
        return {measure[0].dimension for measure in found if measure}

    def _beside(self, one: SourceFigure, other: SourceFigure) -> bool:
        """Whether no other figure of their kind stands between two."""
        low, high = sorted((one.start, other.start))
        return not any(low < f.start < high and f.kind == one.kind for f in self.pool)
