"""Group results with the same reason, for lists in which it would be repeated; pure."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def grouped(
    items: Iterable[_Item], key: Callable[[_Item], Hashable | None], *, each: bool = False
) -> list[list[_Item]]:
    """Items of the same key together, groups in the order of their first items.

    An item whose key is None stays alone; so does every item with `each`. Costs time linear in the
    number of items.

    >>> grouped(["off", "bad", "off"], lambda reason: reason)
    [['off', 'off'], ['bad']]
    """
    groups: list[list[_Item]] = []
    by_key: dict[Hashable, list[_Item]] = {}
    for item in items:
        name = None if each else key(item)
        if name is not None and name in by_key:
            by_key[name].append(item)
            continue
        group = [item]
        groups.append(group)
        if name is not None:
            by_key[name] = group
    return groups


def counted_names(names: Sequence[str], most: int = 12) -> str:
    """The number of names and each distinct name; a single name without a number.

    >>> counted_names(["[1]"]), counted_names(["[1]", "53 %", "[1]"])
    ('[1]', '3 × [1], 53 %')
    """
    if len(names) == 1:
        return names[0]
    different = list(dict.fromkeys(names))
    more = " …" if len(different) > most else ""
    return f"{len(names):,} × {', '.join(different[:most])}{more}"
