"""Sums, means and ranks: of all figures of a column, row or list, or of those that a claim names. Pure."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from workbench.language.figure_words import (
    figure_words,
)
from workbench.language.operand_fit import Candidate, OperandFit, Operation
from workbench.language.source_figures import (
    SourceFigure,
)

MOST_OPERANDS, MOST_IN_GROUP = 30, 24
"""Figures beyond this many, those least like the claim, are not combined."""


class GroupSearch(OperandFit):
    """The search for groups of figures."""

    def _groups(self) -> Iterator[list[SourceFigure]]:
        """Figures of one kind that stand in one column, row, list or sentence."""
        columns: dict[tuple[int, int], list[SourceFigure]] = {}
        rows: dict[tuple[int, int], list[SourceFigure]] = {}
        lines: dict[int, list[SourceFigure]] = {}
        for figure in self.pool:
            if figure.table >= 0:
                columns.setdefault((figure.table, figure.column), []).append(figure)
                rows.setdefault((figure.table, figure.line), []).append(figure)
            else:
                lines.setdefault(figure.line, []).append(figure)
        for group in (*columns.values(), *rows.values(), *lines.values()):
            by_kind: dict[str, list[SourceFigure]] = {}
            for figure in group:
                by_kind.setdefault(figure.kind, []).append(figure)
            for members in by_kind.values():
                if len(members) > 2 and members[0].value == sum(m.value for m in members[1:]):
                    yield members[1:]  # the first is what they add up to
                elif len(members) > 1 and members[0].kind != "year":
                    yield members
        following: list[SourceFigure] = []
        for line in sorted(lines):
            following = [f for f in following if line - f.line <= 3]
            following += lines[line]
            by_kind = {}
            for figure in following:
                by_kind.setdefault(figure.kind, []).append(figure)
            for members in by_kind.values():
                if len({m.line for m in members}) > 1:
                    yield members

    def _sets(
        self, operation: Operation, kind: str | None = None, less: float = 0.0
    ) -> Iterator[Candidate]:
        """Sums and means: of all of a group, of those that the claim names, of neighbors."""
        seen: set[tuple[int, ...]] = set()
        wanted = self._counted()
        for group in self._groups():
            members = [
                m
                for m in group
                if not m.is_total
                and (m.text[0].isdigit() or not m.text.isalpha() or self.language == "zh")
            ]
            if kind is not None and members and members[0].kind != kind or len(members) < 2:
                continue
            if len(members) > MOST_IN_GROUP:
                continue
            if (
                operation == "sum"
                and kind is None
                and "sum" not in self.wide
                and members[0].table < 0
            ):
                continue
            if kind is None and members[0].kind in ("%", "points"):
                continue
            if self.figure.kind and members[0].kind and self.figure.kind != members[0].kind:
                continue
            if self.figure.kind and not members[0].kind and members[0].table < 0:
                continue
            named = self._named(members)
            choices = [(members, -0.6 if len(named) > 1 and len(named) < len(members) else 0.4)]
            if 1 < len(named) < len(members):
                choices.append((named, 0.5))
            if members[0].table < 0 and len(members) <= 8:
                choices += [
                    (members[a:b], -0.15) for a in range(len(members)) for b in range(a + 2, len(members) + 1)
                ]  # fmt: skip
            for chosen, extra in choices:
                key = tuple(sorted(id(m) for m in chosen))
                if key in seen and extra < 0.4:
                    continue
                seen.add(key)
                if (
                    members[0].table >= 0
                    and extra >= 0.4
                    and any(m.head & self.keys.keys() for m in chosen)
                ):
                    extra += 0.3
                if wanted:
                    extra += 0.4 if wanted == len(chosen) else -0.9
                if len(chosen) == 2 and operation == "average":
                    extra -= 0.3
                if len({m.noun for m in chosen if m.noun}) > 1:
                    extra -= 0.5
                if len({m.line for m in chosen}) > 1 and chosen[0].table < 0:
                    extra -= 0.3
                total = sum((m.value for m in chosen), Decimal(0))
                bond = sum(self._bond(a, b) for a, b in zip(chosen, chosen[1:], strict=False)) / (
                    len(chosen) - 1
                )
                fit = bond + extra + self.anchor(chosen) - less
                texts = " + ".join(m.text for m in chosen)
                if operation == "average":
                    result, shown = total / len(chosen), f"({texts}) ÷ {len(chosen)}"
                else:
                    result, shown = total, texts
                if kind == "%":
                    result /= 100
                yield Candidate(
                    operation,
                    tuple(chosen),
                    result,
                    fit,
                    shown,
                    certain=extra >= 0.4 and members[0].table >= 0,
                )

    def _named(self, members: list[SourceFigure]) -> list[SourceFigure]:
        """Those whose own words the claim has, and those between two that it names as a range."""
        named = self._called(members)
        if len(named) == 2 and re.search(
            r"(?:\bfrom|\bbetween|\bvon|\bzwischen|\bde|\bentre|\bdesde|从|自).{1,20}?(?:\bto|\band|\bthrough|\bbis|\bund|\bà|\bet|\ba|\by|\bhasta|至|到|–|-)",
            self.claim,
            re.I,
        ):
            return members[members.index(named[0]) : members.index(named[1]) + 1]
        return named

    def _called(self, members: Sequence[SourceFigure]) -> list[SourceFigure]:
        if any(m.label for m in members) and len({m.label for m in members}) > 1:
            shared = frozenset.intersection(*(m.label for m in members if m.label))
            return [m for m in members if (m.label - shared) & self.keys.keys()]
        if any(m.head for m in members) and len({m.head for m in members}) > 1:
            shared = frozenset.intersection(*(m.head for m in members))
            return [m for m in members if (m.head - shared) & self.keys.keys()]
        called = [m for m in members if m.noun in self.keys]
        if len(called) > 1 and len({m.noun for m in members}) == len(members):
            return called
        names = [k for k in self.names if k in self.weight]
        return [
            member for member in members
            if any(member.near.get(k, 0) > max(m.near.get(k, 0) for m in members if m is not member) for k in names)
        ]  # fmt: skip

    def _ranks(self) -> Iterator[Candidate]:
        if "average" in self.wide and not self.source.averages:
            return
        seen: set[tuple[int, ...]] = set()
        for group in self._groups():
            members = [
                m
                for m in group
                if not m.is_total and (m.text[:1].isdigit() or not m.text.isalpha())
            ]
            key = tuple(id(m) for m in members)
            if not 3 <= len(members) <= MOST_IN_GROUP or key in seen:
                continue
            seen.add(key)
            nouns = [m.noun for m in members]
            if (
                members[0].table < 0
                and not members[0].kind
                and 1 < len({*nouns} - {""}) < len(nouns)
            ):
                continue
            if (
                members[0].table < 0
                and not members[0].kind
                and not any(nouns)
                and not all(re.search(r"[A-ZÀ-Ý]\w*\W{1,3}\Z", m.before) for m in members)
            ):
                continue
            if (
                any(m.table >= 0 for m in members)
                and len({m.line for m in members}) == 1
                and not all(m.head for m in members)
            ):
                continue
            scored = sorted(
                ((self._entity(m, members), m.start, m) for m in members),
                reverse=True,
                key=lambda s: s[:2],
            )
            if len(scored) < 2 or scored[0][0] < 0.15 or scored[0][0] - scored[1][0] < 0.05:
                continue
            entity = scored[0][2]
            values = sorted({m.value for m in members}, reverse=self.figure.value > 0)
            place = values.index(entity.value) + 1
            result = Decimal(place if self.figure.value > 0 else -place)
            fit = (
                1.0
                + self.anchor(members)
                + min(scored[0][0], 1.0)
                + (0.3 if members[0].table >= 0 else 0)
            )
            if "total" in self.wide and any(
                figure_words(self.language).cues["total"].match(m.after[:12].strip())
                for m in members
            ):
                fit += 0.5
            if members[0].table < 0:
                fit -= 0.3 * len({m.line for m in members})
                fit += 0.4 if self._counted() == len(members) else 0
            ordered = sorted(members, key=lambda m: m.value, reverse=self.figure.value > 0)
            shown = (
                f"{' > '.join(m.text for m in ordered[:6])}"
                if self.figure.value > 0
                else f"{' < '.join(m.text for m in ordered[:6])}"
            )
            yield Candidate(
                "rank",
                (entity, *(m for m in ordered if m is not entity)),
                result,
                fit,
                shown,
                certain=members[0].table >= 0,
            )

    def _entity(self, figure: SourceFigure, members: Sequence[SourceFigure]) -> float:
        """How much the claim is about one of several figures."""
        if figure.label and len({m.label for m in members}) > 1:
            shared = frozenset.intersection(*(m.label for m in members))
            own = figure.label - shared
            return len(own & self.keys.keys()) / max(len(own), 1)
        if figure.head and len({m.head for m in members}) > 1:
            own = figure.head - frozenset.intersection(*(m.head for m in members))
            return len(own & self.keys.keys()) / max(len(own), 1)
        called = [m for m in members if m.noun in self.keys]
        if len(called) == 1 and len({m.noun for m in members}) == len(members):
            return float(figure is called[0])
        scores = {True: 0.0, False: 0.0}
        named = False
        for key in self.keys:
            values = [m.near.get(key, 0.0) for m in members]
            most = max(values)
            if most >= 0.3 and values.count(most) == 1:
                named |= key in self.names
                if figure.near.get(key, 0.0) == most:
                    scores[key in self.names] += most * most
        return scores[True] if named else scores[False]
