"""The one rule for matches that overlap."""

from workbench.citations.marks import Mark
from workbench.records import CITATION_KINDS

_RANK = {kind: rank for rank, kind in enumerate(CITATION_KINDS)}


def resolve_overlaps(marks: list[Mark]) -> list[Mark]:
    """The marks that stay, in text order.

    Of marks that overlap, the one that begins first stays; of those that begin together, the
    longest; of those with one span, the kind that comes first in `CITATION_KINDS`, with all its
    marks (`[1, 2]` is two). So a DOI inside a URL is that URL, once, and `[1](url)` is mark 1.
    Quotations and statistics say what is claimed and not where from: they are not settled here.
    """
    kept: list[Mark] = []
    edge = -1
    named: set[str] = set()
    for mark in sorted(marks, key=_order):
        if mark.start >= edge:
            edge = mark.end
            named = {mark.identifier}
            kept.append(mark)
        elif mark[:3] == kept[-1][:3] and mark.identifier not in named:
            named.add(mark.identifier)
            kept.append(mark)
    return kept


def _order(mark: Mark) -> tuple[int, int, int]:
    return mark.start, -mark.end, _RANK[mark.kind]
