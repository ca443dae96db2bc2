"""Two judges or prompts over the labelled items that both were asked about."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import median

from workbench.calibration import Flips, JudgeTable, flips, judge_table
from workbench.records import HUMAN_LABELS, VERDICT_LABELS, Judged, Said
from workbench.store import JudgedBook, JudgeName, SaidBook, Store

_VERDICTS = {str(label): label for label in VERDICT_LABELS}
_LABELS = {str(label): label for label in HUMAN_LABELS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two judges on the items that both judged."""

    judge: JudgeName
    table: JudgeTable
    cost_usd: float | None
    """The mean of an item; None without items."""
    latency_ms: float | None
    """The median of an item; None where it is not known."""
    alone: int
    """Items with its verdict that the other one has none on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The second judge against the first."""

    first: Side
    second: Side
    flips: Flips
    parts: tuple[str, ...]

    @property
    def judged(self) -> int:
        """Items that both judged and that test a judge."""
        return self.flips.comparison.n


def pairing(
    store: Store, first: JudgeName, second: JudgeName, split_id: str, parts: Sequence[str]
) -> Pairing:
    """Two judges on the same items; what was reckoned before is kept until something is added.

    Raises:
        StoreError: The database cannot be used.
    """
    state = JudgedBook(store).state()
    return _reckoned(store.path, state, first, second, split_id, tuple(parts))


@lru_cache(maxsize=8)
def _reckoned(
    path: Path,
    state: str,
    first: JudgeName,
    second: JudgeName,
    split_id: str,
    parts: tuple[str, ...],
) -> Pairing:
    book = SaidBook(Store(path))
    of_first, of_second = (book.of_judge(one, split_id, parts) for one in (first, second))
    found = flips(of_first, of_second)
    return Pairing(
        first=_side(first, [one.first for one in found.items], of_first),
        second=_side(second, [one.second for one in found.items], of_second),
        flips=found,
        parts=parts,
    )


def _side(judge: JudgeName, both: Sequence[Said], every: Sequence[Said]) -> Side:
    known = {one.item for one in both}
    spans = [one.latency_ms for one in both if one.latency_ms is not None]
    return Side(
        judge=judge,
        table=judge_table([_judged(one) for one in both]),
        cost_usd=sum(one.cost_usd for one in both) / len(both) if both else None,
        latency_ms=median(spans) if spans else None,
        alone=sum(one.item not in known and not one.error for one in every),
    )


def _judged(one: Said) -> Judged:
    return Judged(
        item=one.item,
        judge=_VERDICTS[one.label],
        score=one.score,
        human=_LABELS[one.human],
        group=one.group,
    )


def forget() -> None:
    """Drop what is kept at hand."""
    _reckoned.cache_clear()
