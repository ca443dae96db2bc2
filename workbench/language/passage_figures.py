"""The figures of passages: of sentences, of tables and lists by row and column, and of dates. Pure."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import lru_cache

from workbench.language.assertions import Language
from workbench.language.figure_words import (
    DateRead,
    exact,
    figure_words,
    half_units,
    read_dates,
    worded_figures,
)
from workbench.language.quantities import Quantity, find_quantities
from workbench.language.source_figures import (
    RELATIVE_TIMES,
    SourceFigure,
    SourceReading,
    apart_by,
    belongs_to,
    is_label,
    is_year,
    keys_of,
    kind_of,
    noun_of,
)
from workbench.language.tokenization import is_unspaced, segment
from workbench.language.units import FOREIGN, SCALE, SMALL, Measure, read_currency, read_measure

MOST_FIGURES = 160
"""Figures of a text beyond this many are left out."""
FAR, PAST_FIGURE, CUT, STRONG_CUT = 3, 0.6, 0.7, 0.4
"""A word that is so many words away counts half; what another figure, a comma, and any stronger cut between
a word and a figure leave of its nearness."""
_ORDINALS = frozenset(
    "first second third fourth fifth sixth seventh eighth ninth tenth once twice half dozen".split()
)
_ORDINAL_END = re.compile(r"(?:st|nd|rd|th|er|re|e|è|ème|º|ª|\.º)\b|\.\s(?=[A-ZÄÖÜa-z])")
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|by|until|till|from|to|of|for|after|before|between|and|im jahr|im|seit"
    r"|bis|von|ab|en|depuis|jusqu['’]en|de|à|desde|hasta|entre|y|et|und"
    r"|during|through|late|early|mid|year|season|spring|summer|autumn|winter|fall|año|an|année|jahr|anno|circa|c\.|ca\.|and|\w+ber|january|february|march|april|may|june|july|august"
    r"|januar|februar|märz|mai|juni|juli|janvier|février|mars|avril|juin|juillet|août|enero|febrero|marzo|abril|mayo|junio|julio|agosto)|[(–-]|^|[|\t])\s?\Z",
    re.IGNORECASE,
)
_CELL = re.compile(r"[|\t]")
_CUT = re.compile(
    r"[,;:()—–，；：（）、]|\s-\s|(?<!\w)(?:and|und|et|y|while|whereas|but|während|aber|tandis|mais|mientras|pero)(?!\w)",
    re.I,
)
_LABELLED = re.compile(
    r"[ \t]*(?:[-*•·–]\s+|\d{1,2}[.)]\s+)?(?P<label>(?=[^:：|\n]{0,30}[^\W\d])[^:：|\n]{2,70}?|\d{4})\s*[:：–—=]\s*\S"
)
_OF = re.compile(
    r"\d\s(?:of|out of|von|sur|de|des|/)\s(?:the|all|den|der|los|las|its|les)?\s?\Z", re.I
)
_IN_UNIT = re.compile(
    r"\b(?:in|en)\s(?P<unit>per ?cent|%|percentages?|prozent|pourcentage|pour cent|porcentaje"
    r"|por ciento|(?:millions? of |thousands? of |millionen "
    r"|tausend )?[^\W\d]{4,12})(?=[,.;:)]|$)",
    re.I,
)
_CLOCK = re.compile(r"\s?(?:a\.?m\b|p\.?m\b|o['’]clock|uhr\b|点|时(?!间)|:\d\d)", re.I)
_AND = re.compile(
    r"\s?(?:,|;|、|，)?\s?(?:and|und|et|y|e|or|oder|ou|o|和|及|以及|resp\.|bzw\.)?\s?"
)
_RULE = re.compile(r"[\s|:\-=+]+\Z")


def read_source(texts: Iterable[tuple[int, str, str, str]], language: Language) -> SourceReading:
    """Return the figures of passages: each its place in the source, text, heading and table header."""
    figures: list[SourceFigure] = []
    times: list[SourceFigure] = []
    seen: set[str] = set()
    line = table = 0
    for at, *texts_of_passage in texts:
        reader = _read_passage(*texts_of_passage, language)
        figures += (_moved(figure, at, line, table) for figure in reader.figures)
        times += (_moved(figure, at, line, table) for figure in reader.times)
        seen |= reader.seen
        line, table = line + reader.line + 5, table + reader.table + 1
        if len(figures) > MOST_FIGURES:
            break
    return SourceReading(figures[:MOST_FIGURES], times[:MOST_FIGURES], frozenset(seen))


@lru_cache(512)  # one source is read for many claims
def _read_passage(text: str, heading: str, header: str, language: Language) -> "_Passage":
    reader = _Passage(text, heading, header, language)
    reader.read()
    return reader


def _moved(figure: SourceFigure, at: int, line: int, table: int) -> SourceFigure:
    """Return a figure of a passage as one of its source."""
    return replace(
        figure, start=figure.start + at, end=figure.end + at, line=figure.line + line,
        table=figure.table + table if figure.table >= 0 else -1,
    )  # fmt: skip


@dataclass
class _Passage:
    text: str
    heading: str
    header: str
    language: Language
    line: int = 0
    table: int = 0
    figures: list[SourceFigure] = field(default_factory=list)
    times: list[SourceFigure] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    earlier: dict[str, float] = field(default_factory=dict)
    """Words of the sentence before."""
    in_table: bool = False
    heads: list[frozenset[str]] = field(default_factory=list)
    head_texts: list[str] = field(default_factory=list)
    caption: dict[str, float] = field(default_factory=dict)
    last: str = ""
    above: str = ""
    """The line above a list or table."""

    def read(self) -> None:
        words = self.words = figure_words(self.language)
        continental = self.language in ("de", "fr", "es")
        quantities = find_quantities(self.text, continental)
        dates = read_dates(self.text, self.language)
        for name in (self.heading,):
            self.earlier |= dict.fromkeys((key for key, *_ in keys_of(name, words)), 0.2)
        if self.header:
            self._open_table(self.header)
        spans = segment(self.text, unwrap=True)
        labelled = [
            bool(_LABELLED.match(span.of(self.text))) and span.end - span.start < 160
            for span in spans
        ]
        q = d = 0
        for number, span in enumerate(spans):
            inside: list[Quantity] = []
            while q < len(quantities) and quantities[q].start < span.end:
                if quantities[q].start >= span.start:
                    inside.append(quantities[q])
                q += 1
            days: list[DateRead] = []
            while d < len(dates) and dates[d].start < span.end:
                if dates[d].start >= span.start:
                    days.append(dates[d])
                d += 1
            self.line += 1
            sentence = span.of(self.text)
            if _RULE.match(sentence):
                continue
            is_row = len(_CELL.findall(sentence)) >= 2 or "\t" in sentence
            listed = labelled[number] and (
                labelled[number - 1 : number] == [True]
                or labelled[number + 1 : number + 2] == [True]
            )
            if is_row:
                self._row(span.start, sentence, inside)
            elif listed:
                self._item(span.start, sentence, inside, days)
            else:
                rows = self.in_table and [f for f in self.figures if f.table == self.table]
                self._close_table()
                self._sentence(span.start, sentence, inside, days)
                named = _IN_UNIT.search(sentence) if rows else None
                for figure in rows or ():
                    if named:
                        self._give_unit(figure, f"({named['unit']})")
                    for key in self.earlier:
                        figure.near.setdefault(key, 0.25)

    def _close_table(self) -> None:
        if self.in_table:
            self.table += 1
        self.in_table, self.heads, self.head_texts = False, [], []

    def _open_table(self, header: str) -> None:
        self.in_table = True
        self.caption = {key: 0.3 * weight for key, weight in self.earlier.items()}
        self.heads = [
            frozenset(key for key, *_ in keys_of(cell, self.words)) for cell in _cells(header)
        ]
        self.head_texts = [cell.strip() for cell in _cells(header)]
        for head in self.heads:
            self.seen |= head

    def _row(self, start: int, row: str, quantities: Sequence[Quantity]) -> None:
        if not self.heads:
            self._open_table(row)
            return
        cells, offset = list(_cells(row)), 0
        places = []
        for cell in cells:
            begun = row.index(cell, offset) if cell else offset
            places.append((begun, begun + len(cell)))
            offset = begun + len(cell)
        label_text = cells[0] if cells else ""
        label = frozenset(key for key, *_ in keys_of(label_text, self.words))
        self.seen |= label
        total = bool(self.words.cues["total"].match(label_text.strip(" *_")))
        for quantity in quantities:
            column = next(
                (n for n, (a, b) in enumerate(places) if a <= quantity.start - start < b), -1
            )
            if column < 0 or (
                column == 0
                and label
                - {
                    key
                    for key, *_ in keys_of(
                        row[quantity.start - start : quantity.end - start], self.words
                    )
                }
            ):
                continue
            if column == 0:
                continue
            head = self.heads[column] if column < len(self.heads) else frozenset()
            head_text = self.head_texts[column] if column < len(self.head_texts) else ""
            near = {**self.caption, **dict.fromkeys(head, 0.9), **dict.fromkeys(label, 1.0)}
            figure = self._figure(quantity, near)
            if figure is None:
                continue
            figure.table, figure.column = self.table, column
            figure.label, figure.head = label, head
            figure.is_total = total or bool(self.words.cues["total"].match(head_text))
            self._give_unit(
                figure,
                head_text
                if "(" in head_text or "%" in head_text
                else f"({head_text.partition(',')[2]})",
            )
            if label_text.isdigit() and is_year(label_text):
                figure.when = float(label_text)
            elif is_year(head_text.strip()):
                figure.when = float(head_text.strip())
            else:
                figure.when = _relative(head_text) or _relative(label_text)
            figure.year = next((key for key in (*head, *label) if is_year(key)), "")
            self.figures.append(figure)

    def _give_unit(self, figure: SourceFigure, heading: str) -> None:
        """Give a bare figure the unit that a heading has in parentheses: Sales (m euros)."""
        if figure.kind:
            return
        match = re.search(r"[(（]\s?(?:in |en |in )?([^()（）]{1,24})[)）]", heading)
        if match is None:
            if "%" in heading:
                figure.kind = "%"
            return
        inside = match[1].strip()
        if "%" in inside or re.match(
            r"per ?cent|prozent|pour ?cent|por ciento|porcent", inside, re.I
        ):
            figure.kind = "%"
            return
        scale = re.search(
            r"(?<![^\W\d])(million|thousand|billion|millionen|mio|mrd|tsd|tausend|millions|milliers|millones|miles|mn|bn|m|k|thousands|[万亿千百])\b\.?(?:\s(?:of|de|d['’]))?\s?|[万亿千百]",
            inside,
            re.I,
        )
        name = (scale[0].lower().strip(". ").split()[0] if scale else "").rstrip("s")
        worth = {"tsd": 1e3, "millier": 1e3, "mile": 1e3, "milliers": 1e3}.get(name) or SCALE.get(
            name
        )
        if scale and worth and (name != "m" or len(inside) > 1):
            figure.value *= exact(worth)
            inside = inside[: scale.start()] + inside[scale.end() :]
        currency, _ = read_currency("1 " + inside, 0, 1)
        if currency:
            figure.kind = currency
        elif (measured := read_measure("1 " + inside, 1)) is not None:
            measure: Measure = measured[0]
            figure.kind, figure.value = measure.dimension, figure.value * exact(measure.factor)

    def _item(
        self, start: int, item: str, quantities: Sequence[Quantity], days: Sequence[DateRead]
    ) -> None:
        if self.heads or not self.in_table:
            self._close_table()
            self.in_table = True
            self.caption = {key: 0.3 * weight for key, weight in self.earlier.items()}
            self.heads = []
            self.above = self.last
        match = _LABELLED.match(item)
        assert match is not None
        words = keys_of(item, self.words)
        label = frozenset(key for key, a, *_ in words if a < match.end("label"))
        self.seen |= {key for key, *_ in words}
        total = bool(self.words.cues["total"].match(match["label"].strip(" *_-")))
        column = 0
        for quantity in quantities:
            if quantity.start - start < match.end("label"):
                continue
            near = {**self.caption, **dict.fromkeys(label, 1.0)}
            near |= {
                key: 0.7
                for key, a, *_ in words
                if a >= match.end("label") and abs(a - (quantity.start - start)) < 40
            }
            figure = self._figure(quantity, near)
            if figure is None:
                continue
            column += 1
            figure.table, figure.column, figure.label = self.table, column, label
            figure.is_total = total
            self._give_unit(figure, self.above)
            figure.head = frozenset(
                key
                for key, a, *_ in words
                if 0 <= a - (quantity.end - start) < 14 and a >= match.end("label")
            )
            figure.year = next((key for key in label if is_year(key)), "")
            figure.when = float(figure.year) if figure.year else None
            self.figures.append(figure)
        self._times(start, item, words, days, quantities)

    def _sentence(
        self, start: int, sentence: str, quantities: Sequence[Quantity], days: Sequence[DateRead]
    ) -> None:
        self.last = sentence
        busy = [
            (q.start - start, q.end - start) for q in quantities
            if not (q.is_year and self.text[q.start : q.end].isdigit())
            or self.language == "zh" and self.text[q.end : q.end + 1] != "年"
        ]  # fmt: skip
        words = [
            word for word in keys_of(sentence, self.words)
            if not any(a <= word[1] < b and word[0].isdigit() for a, b in busy)
        ]  # fmt: skip
        self.seen |= {key for key, *_ in words}
        cuts = _cuts(sentence)
        places = [quantity.start - start for quantity in quantities]
        years = [(key, a) for key, a, *_ in words if is_year(key)]
        found: list[SourceFigure] = []
        for quantity in quantities:
            if any(day.start <= quantity.start < day.end for day in days):
                continue
            low, high = quantity.start - start, quantity.end - start
            near = self._near(words, low, high, cuts, places)
            figure = self._figure(quantity, near)
            if figure is None:
                continue
            if years:
                marks = [at for at, _ in cuts]
                year, at = min(years, key=lambda year: apart_by(low, year[1], marks, places))
                if belongs_to(low, at, marks, places):
                    figure.year, figure.when = year, float(year)
            found.append(figure)
        for number, unit, a, b in half_units(sentence):
            measured = read_measure(" " + unit, 0)
            found = [f for f in found if not (f.start - start < b and a < f.end - start)]
            if measured:
                found.append(
                    self._worded(
                        start,
                        sentence,
                        a,
                        b,
                        number * exact(measured[0].factor),
                        measured[0].dimension,
                        words,
                    )
                )
        for worded in worded_figures(sentence):
            if worded.form != "ratio":
                continue
            a, b = worded.start, worded.end
            if not any(char.isdigit() for char in sentence[a:b]):
                found = [f for f in found if not (f.start - start < b and a < f.end - start)]
            found.append(self._worded(start, sentence, a, b, worded.value * 100, "%", words))
        found.sort(key=lambda figure: figure.start)
        self._date(start, sentence, found, [at for at, _ in cuts], places)
        for one, other in zip(found[-2::-1], found[:0:-1], strict=True):
            between = self.text[one.end : other.start]
            if between.strip() and _AND.fullmatch(between):
                one.listed = other.listed = True
            if (
                not one.kind
                and other.quantity
                and other.kind not in ("", "year")
                and _AND.fullmatch(between)
                and between.strip()
            ):
                worth = (
                    abs(other.value / exact(other.quantity.value))
                    if other.quantity.value
                    else Decimal(1)
                )
                one.kind, one.value = other.kind, one.value * worth
                if (
                    one.quantity
                    and one.quantity.scale == 1
                    and other.quantity.scale > 1
                    and one.value < 1000 * worth
                ):
                    one.value *= exact(other.quantity.scale) / 1
        self.figures += found
        self._times(start, sentence, words, days, quantities)
        self.earlier = {key: max(0.25, 0) for key, *_ in words} | {
            key: 0.1
            for key, weight in self.earlier.items()
            if weight >= 0.2 and key not in {k for k, *_ in words}
        }

    def _near(
        self,
        words: Sequence[tuple[str, int, int, bool]],
        low: int,
        high: int,
        cuts: Sequence[tuple[int, float]],
        places: Sequence[int],
    ) -> dict[str, float]:
        """How near the words of a sentence stand to one of its figures, 0 to 1."""
        near = dict(self.earlier)
        starts = [word[1] for word in words]
        for key, a, b, _ in words:
            if a < high and b > low:
                near[key] = max(near.get(key, 0.0), 0.0 if is_year(key) else 1.0)
                continue
            first, last = (b, low) if b <= low else (high, a)
            weight = 1 / (1 + (bisect_left(starts, last) - bisect_left(starts, first)) / FAR)
            for cut, passes in cuts:
                if first <= cut <= last:
                    weight *= passes
            weight *= PAST_FIGURE ** sum(first <= place < last for place in places if place != low)
            near[key] = max(near.get(key, 0.0), weight)
        return near

    def _worded(
        self,
        start: int,
        sentence: str,
        a: int,
        b: int,
        value: Decimal,
        kind: str,
        words: Sequence[tuple[str, int, int, bool]],
    ) -> SourceFigure:
        """A fraction or duration in words."""
        near = self._near(words, a, b, _cuts(sentence), ())
        return SourceFigure(
            value,
            kind,
            "",
            None,
            sentence[a:b],
            start + a,
            start + b,
            self.line,
            near=near,
            before=sentence[max(0, a - 40) : a],
            after=sentence[b : b + 40],
        )

    def _date(
        self,
        start: int,
        sentence: str,
        figures: list[SourceFigure],
        cuts: Sequence[int],
        places: Sequence[int],
    ) -> None:
        """Date figures by the words beside them: the year before, this year, four years ago."""
        marks = [
            (m.start(), offset) for offset, cue in RELATIVE_TIMES for m in cue.finditer(sentence)
        ]
        explicit = [f.when for f in figures if f.when]
        for figure in figures:
            low = figure.start - start
            if not marks:
                continue
            at, offset = min(marks, key=lambda mark: apart_by(low, mark[0], cuts, places))
            apart = apart_by(low, at, cuts, places)
            if figure.year and figure.when is not None:
                year_at = sentence.find(figure.year)
                if apart_by(low, year_at, cuts, places) <= apart:
                    continue
            if apart > 80 or not belongs_to(low, at, cuts, places):
                continue
            if offset == -1 and explicit:
                figure.year = str(int(max(explicit)) - 1)
                figure.when = max(explicit) - 1
                figure.near[figure.year] = 1.0
            else:
                figure.when, figure.year = 10_000 + offset, ""

    def _times(
        self,
        start: int,
        sentence: str,
        words: Sequence[tuple[str, int, int, bool]],
        days: Sequence[DateRead],
        quantities: Sequence[Quantity],
    ) -> None:
        """Dates and years of a sentence, as figures that durations are between."""
        found = [(day.start, day.end, day) for day in days]
        found += [
            (q.start, q.end, DateRead(int(q.value), 0, 0, q.start, q.end))
            for q in quantities
            if q.is_year and not q.measure and not q.currency and self.text[q.start : q.end].isdigit()
            and not any(day.start <= q.start < day.end for day in days)
        ]  # fmt: skip
        cuts = _cuts(sentence)
        for a, b, day in sorted(found, key=lambda item: item[0]):
            near = self._near(words, a - start, b - start, cuts, ())
            self.times.append(
                SourceFigure(
                    Decimal(day.year), "date", "", None, self.text[a:b], a, b, self.line,
                    near=near, date=day,
                    before=self.text[max(start, a - 40) : a], after=self.text[b : b + 40],
                )
            )  # fmt: skip

    def _figure(self, quantity: Quantity, near: dict[str, float]) -> SourceFigure | None:
        text = self.text[quantity.start : quantity.end]
        after = self.text[quantity.end : quantity.end + 40]
        if text.lower() in _ORDINALS or (
            text[-1:].isdigit()
            and _ORDINAL_END.match(after)
            and not quantity.measure
            and re.match(r"(?:st|nd|rd|th|e|è|ème|º|ª)\b", after)
        ):
            return None
        if (
            self.language != "en"
            and text.lower() in SMALL
            and text.lower() not in FOREIGN
            or _CLOCK.match(after)
        ):
            return None
        if text.lower() in ("one", "a", "un", "ein") or quantity.value == 0 and not text.isdigit():
            return None
        before = self.text[max(0, quantity.start - 40) : quantity.start].rpartition("\n")[2]
        if is_label(self.text, quantity):
            return None
        if (
            text.lower() in SMALL
            and quantity.kind == "length"
            and re.match(r"\sfoot\s[a-z]", after)
        ):
            return None
        is_year = (
            (self.language != "zh" or after.startswith("年"))
            and quantity.is_year and not quantity.measure and not quantity.currency and text.isdigit()
            and (quantity.kind in ("", "year") or bool(_YEAR_BEFORE.search(before)))
        )  # fmt: skip
        kind, value = kind_of(quantity)
        if kind == "volume" and re.match(r"\sl['’]", after):
            kind, value = "", exact(quantity.value)
        if quantity.scale == 1e6 and re.search(r"\sm\.?\Z", text) and not quantity.currency:
            kind, value = "length", value / 1_000_000
        if kind == "length" and re.match(r"\sfoot\s(?!long|tall|high|wide|deep)[a-z]", after):
            kind, value = "", exact(quantity.value)
        noun = noun_of(quantity, self.words)
        if (
            self.language == "zh"
            and not kind
            and is_unspaced(after[:1])
            and after[0] not in self.words.common
        ):
            noun = after[0]
        return SourceFigure(
            value, "year" if is_year else kind, noun, quantity, text,
            quantity.start, quantity.end, self.line, near=near,
            is_whole=bool(_OF.search(before)), before=before, after=after.partition("\n")[0],
        )  # fmt: skip


def _relative(words: str) -> float | None:
    """Return when a heading dates its figures, against today; None where it does not."""
    return next((10_000.0 + offset for offset, cue in RELATIVE_TIMES if cue.search(words)), None)


def _cuts(sentence: str) -> list[tuple[int, float]]:
    """Return where a sentence is cut, and how much a cut lets pass."""
    found = []
    for match in _CUT.finditer(sentence):
        at, cut = match.start(), match[0]
        if cut in ",." and sentence[at - 1 : at].isdigit() and sentence[at + 1 : at + 2].isdigit():
            continue
        found.append((at, CUT if cut in ",，、()（）" else STRONG_CUT))
    return found


def _cells(row: str) -> Iterator[str]:
    yield from _CELL.split(row.strip().strip("|")) if "|" in row else row.split("\t")
