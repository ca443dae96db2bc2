"""Shares, rests, changes, differences and multiples: of two figures, of which one is the base. Pure."""

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import combinations

from workbench.language.figure_words import (
    exact,
    figure_words,
)
from workbench.language.operand_fit import Candidate, Operation
from workbench.language.operand_groups import MOST_IN_GROUP, GroupSearch
from workbench.language.source_figures import (
    SourceFigure,
    keys_of,
)

_FROM = re.compile(r"(?:\b(?:from|von|de|desde|des|d['’])\s|[从由自])\W{0,2}\Z", re.I)
_TO = re.compile(r"(?:\b(?:to|auf|à|a|hasta)\s|[至到])(?:\w+\s){0,2}\W{0,2}\Z", re.I)
_AGAINST = re.compile(
    r"\b(?:from|against|compared with|compared to|versus|vs|after|nach|gegenüber|statt|contre"
    r"|après|frente a|tras|than|instead of)\s(?:\w+\s){0,2}\W{0,2}\Z",
    re.I,
)
_BEFORE = re.compile(
    r"\b(?:previous|prior|preceding|year before|before|last|earlier|ago|then|\d{4}|vorjahr\w*"
    r"|zuvor|vorher|davor|letzte\w*|vergangen\w*|vor|früher|précédent\w*|avant|dernier"
    r"|dernière|plus tôt|auparavant"
    r"|anterior\w*|pasado|pasada|antes|previo|previa|atrás)\b|去年|前年|上|此前|之前|年前",
    re.IGNORECASE,
)


class PairSearch(GroupSearch):
    """The search for pairs of figures."""

    def _shares(self, less: float) -> Iterator[Candidate]:
        rest = "rest" in self.wide or "negation" in self.wide
        for part, whole in self._two(
            lambda a, b: (
                self._alike(a, b) and a.kind not in ("%", "points") and 0 < a.value <= b.value
            )
        ):
            if part.value == whole.value:
                continue
            of = self._of(part, whole)
            bond = self._bond(part, whole) + (of or -0.4)
            if bond <= 0:
                continue
            fit = bond + self.anchor((part, whole), both=0.25) + self._of_whole(whole) - less
            share = part.value / whole.value
            told = f"{part.text} ÷ {whole.text}"
            direct, other = (
                (fit - 0.5, fit + 0.1) if self._denied(part) != rest else (fit, fit - 0.6)
            )
            yield Candidate(
                "share", (part, whole), share, direct, told, certain=not rest and of > 0
            )
            if self._denied(part) != rest or self._other_word(part):
                yield Candidate(
                    "rest", (part, whole), 1 - share, other, f"1 − {told}", certain=False
                )
        around: dict[int, float] = {}
        for part, members in self._part_of_sum():
            if id(members) not in around:
                around = {id(members): self.anchor(members) * 0.4}
            total = sum((m.value for m in members), Decimal(0))
            if total <= 0:
                continue
            bond = 0.2 + min(self._bond(part, m) for m in members if m is not part)
            fit = bond + self.anchor((part,)) * 0.6 + around[id(members)] - less
            shown = f"{part.text} ÷ ({' + '.join(m.text for m in members)})"
            yield Candidate(
                "share",
                (part, *(m for m in members if m is not part)),
                part.value / total,
                fit,
                shown,
                certain=False,
            )
        for one in self.pool:
            if one.kind != "%" or not 0 < one.value < 100:
                continue
            fit, turned = 1.5 + self.anchor((one,)) - less, self._denied(one) != rest
            sign = "" if "%" in one.text or not one.text[-1:].isdigit() else " %"
            if turned or self._other_word(one):
                yield Candidate(
                    "rest",
                    (one,),
                    1 - one.value / 100,
                    fit + (0.2 if turned else -0.6),
                    f"100 % − {one.text}{sign}",
                    certain=False,
                )
            if self.figure.worded or not one.text[-1:].isdigit():
                yield Candidate(
                    "conversion",
                    (one,),
                    one.value / 100,
                    fit - (0.5 if turned else 0),
                    f"{one.text}{sign}",
                    certain=False,
                )
        if rest or any(self._other_word(one) for one in self.pool[:1]):
            for group in self._groups():
                percents = [m for m in group if m.kind == "%"]
                if len({m.line for m in percents}) > 1:
                    continue
                for a, b in combinations(range(len(percents) + 1), 2):
                    some = percents[a:b]
                    if (
                        1 < len(some) < 5
                        and (total := sum((m.value for m in some), Decimal(0))) < 100
                    ):
                        bond = sum(
                            self._bond(x, y) for x, y in zip(some, some[1:], strict=False)
                        ) / (len(some) - 1)
                        shown = f"100 % − {' − '.join(m.text + ' %' for m in some)}"
                        yield Candidate(
                            "rest",
                            tuple(some),
                            1 - total / 100,
                            bond + 0.5 + self.anchor(some) - less,
                            shown,
                            certain=False,
                        )

    def _of_whole(self, whole: SourceFigure) -> float:
        """How well a figure counts what the claim's figure is a share of: a quarter of the turnover."""
        after = re.match(
            r"\W{0,2}(?:of|der|des|de(?: la| los| las)?|du|del|von|d['’]|aller|all|的)\s?(?P<rest>[^,.;，。]{1,40})",
            self.claim[self.figure.end :],
            re.I,
        )
        keys = (
            [
                key
                for key, *_ in keys_of(after["rest"], figure_words(self.language))[:3]
                if key in self.weight
            ]
            if after
            else []
        )
        return 1.0 * sum(self.fits(whole, key) for key in keys) / len(keys) - 0.25 if keys else 0.0

    def _denied(self, part: SourceFigure) -> bool:
        """Whether the source says of a figure that it did not, or is the rest."""
        cues = figure_words(self.language).cues
        clause = (
            re.split(r"[,;.:，。；]|\b(?:and|und|et|y)\b", part.before)[-1]
            + " | "
            + re.split(r"[,;.，。；]\s|[，。；]|\b(?:and|und|et|y)\b", part.after)[0]
        )
        return bool(cues["negation"].search(clause) or cues["rest"].search(clause))

    def _other_word(self, part: SourceFigure) -> bool:
        """Whether the claim says a word of the part's that the source does not have."""
        clause = [
            key
            for key, start, _, _ in keys_of(self.claim, figure_words(self.language))
            if self.clause[0] <= start < self.clause[1]
        ]
        unknown = [key for key in clause if key not in self.source.words and not key[0].isdigit()]
        return bool(unknown)

    def _part_of_sum(self) -> Iterator[tuple[SourceFigure, tuple[SourceFigure, ...]]]:
        for group in self._groups():
            members = tuple(m for m in group if not m.is_total)
            if len(members) < 2 or any(m.kind in ("%", "points") for m in members):
                continue
            if (
                len(members) > MOST_IN_GROUP
                or members[0].table < 0
                and (
                    len({m.line for m in members}) > 1
                    or len(members) > 5
                    or not all(m.noun for m in members)
                )
            ):
                continue
            for part in members:
                yield part, members

    def _of(self, part: SourceFigure, whole: SourceFigure) -> float:
        """What speaks for one figure being a part of another."""
        if part.table >= 0 and part.table == whole.table:
            return 1.0 if whole.is_total and not part.is_total else 0.0
        between = self._between(part, whole)
        if between is not None and re.fullmatch(
            r"\W?\s?(?:\w+\s){0,2}(?:of|out of|von|der|sur|des|parmi|de|del|entre|from|among|/)\s(?:\w+['’]?\s?){0,3}",
            between,
            re.I,
        ):
            return 1.2
        back = self._between(whole, part)
        if back is not None and re.search(
            r"of (?:which|whom|these|them|those)|davon|darunter|dont|de (?:los|las) (?:cuales"
            r"|que)|其中|中有|including|parmi|entre ell[ao]s|von denen",
            back,
            re.I,
        ):
            return 1.1
        apart = part.line - whole.line
        if apart == 0 and part.start > whole.end or 0 < apart <= 2:
            opened = re.search(
                r"(?:^|[.;:,]\s)(?:of|out of|from|among|von|unter|sur|parmi|des|de|entre)\s(?:\w+['’]?\s){0,3}\Z",
                whole.before,
                re.I,
            )
            if opened and apart == 0:
                return 1.1
            if re.match(
                r"\W?\s?(?:\w+\s){0,1}(?:of (?:them|these|those|which|whom)|davon|von ihnen"
                r"|d['’]entre eux|d['’]entre elles|de ellos|de ellas)\b",
                part.after,
                re.I,
            ):
                return 1.0
            if re.search(
                r"(?:of (?:them|these|those|which|whom),?|davon|darunter|dont|parmi (?:eux"
                r"|elles)|de ell[oa]s,?|其中|中，?)\s?(?:\w+\s){0,3}\Z",
                part.before,
                re.I,
            ):
                return 1.0
            if opened:
                return 0.7
        words = figure_words(self.language)
        if words.cues["total"].search(whole.before[-25:] + " " + whole.after[:12]):
            return 0.5
        return 0.0

    def _order(self, first: SourceFigure, second: SourceFigure) -> float:
        """What speaks for the first figure being the earlier one."""
        if first.when is not None and second.when is not None and first.when != second.when:
            return 0.9 if first.when < second.when else -0.9
        if first.when is not None and second.when is None and first.when in (9_999, 9_998, 9_997):
            return 0.7
        if second.when is not None and first.when is None and second.when in (9_999, 9_998, 9_997):
            return -0.7
        words = figure_words(self.language)
        score = 0.0
        if first.line == second.line and (first.when is None) != (second.when is None):
            score = 0.3 if first.when is not None else -0.3
        for figure, sign in ((first, 1), (second, -1)):
            before = re.split(r"[,;(]", figure.before[-22:])[-1]
            if words.cues["base"].search(before) and not re.search(r"\d", before):
                score += 0.5 * sign
            elif words.cues["later"].search(before) and not re.search(r"\d", before):
                score -= 0.35 * sign
            if re.match(
                r"\W?\s?(?:\w+\s){0,2}(?:earlier|before|previously|last year|the year before"
                r"|zuvor|vorher|früher|auparavant|plus tôt|antes|anterior|的?去年)",
                figure.after,
                re.I,
            ):
                score += 0.5 * sign
        if score:
            return max(-0.8, min(0.8, score))
        return 0.2 if first.start < second.start else -0.2

    def _pairs(
        self,
        operation: Operation,
        kind: str | None,
        compute: Callable[[Decimal, Decimal], Decimal | None],
        less: float = 0.0,
    ) -> Iterator[Candidate]:
        """Ordered pairs of figures of one kind: what is compared with, then what is compared."""
        temporal = _BEFORE.search(self.claim[self.than : self.than_end]) if self.than >= 0 else None
        entity = (
            self.than >= 0
            and not temporal
            and self.near in ("more", "fewer", "")
            and bool(self.base_keys)
        )
        for base, other in self._two(lambda a, b: self._alike(a, b) and a.value > 0):
            if (
                kind is not None
                and base.kind != kind
                or kind is None
                and operation != "points"
                and base.kind == "points"
            ):
                continue
            if base.is_total != other.is_total and base.table >= 0 and base.line != other.line:
                continue
            if (
                self.figure.kind
                and operation == "difference"
                and self.figure.kind not in (base.kind, other.kind)
            ) and (base.kind or other.kind or base.table < 0):
                continue
            result = compute(*_in_one_unit(base, other))
            bond = self._bond(base, other)
            if result is None or bond <= 0:
                continue
            order = self._order(base, other)
            bond += self._paired(base, other) - 0.7 * (base.is_whole or other.is_whole)
            if base.table < 0:
                bond += (
                    0.3
                    if base.line == other.line and self._beside(base, other)
                    else -0.3
                    if base.line != other.line
                    else 0.0
                )
            if entity:
                fit = (
                    bond
                    + self.anchor((base, other), base)
                    + (order if abs(order) > 0.3 else 0.5 * order)
                )
            else:
                fit = bond + self.anchor((base, other)) + (order if self._signed() else 0)
            certain = (
                base.table >= 0 or self._paired(base, other) > 0
                or base.when is not None and other.when is not None and base.when != other.when
            )  # fmt: skip
            if operation == "change":
                shown = f"({other.text} − {base.text}) ÷ {base.text}"
            elif operation == "ratio":
                shown = f"{other.text} ÷ {base.text}"
            else:
                shown = f"{other.text} − {base.text}"
            yield Candidate(operation, (base, other), result, fit - less, shown, certain)

    def _paired(self, base: SourceFigure, other: SourceFigure) -> float:
        """What speaks for two figures being compared where they stand: from 80 to 100; 100, up from 80."""
        between = self._between(base, other)
        if between is not None and _FROM.search(base.before[-16:]) and _TO.search(between):
            return 0.6
        between = self._between(other, base)
        return 0.4 if between is not None and _AGAINST.search(between) else 0.0

    def _times(self) -> Iterator[Candidate]:
        if self.figure.value < 1:
            yield from self._pairs("ratio", None, lambda a, b: b / a if a and b else None)
            return
        yield from self._pairs("ratio", None, lambda a, b: b / a if a and b and b >= a else None)


def _in_one_unit(one: SourceFigure, other: SourceFigure) -> tuple[Decimal, Decimal]:
    """The values of two figures of which one may leave out the unit that the other has."""
    values = one.value, other.value
    if one.kind and not other.kind and one.quantity and one.quantity.measure and one.table < 0:
        return one.value, other.value * exact(one.quantity.measure.factor)
    if other.kind and not one.kind and other.quantity and other.quantity.measure and one.table < 0:
        return one.value * exact(other.quantity.measure.factor), other.value
    return values
