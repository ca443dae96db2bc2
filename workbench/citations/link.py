"""Tie each mark to the reference entry that it names, or say why it cannot be tied."""

from typing import NamedTuple

from workbench.citations.entries import fold
from workbench.citations.marks import Mark
from workbench.citations.references import Listed
from workbench.records import Target

_NO_LIST = "The text has no reference list, so nothing says what {what} stands for."


class Linked(NamedTuple):
    """A mark with its source: the entry's index, where it points, or why it has no target."""

    mark: Mark
    reference: int | None
    target: Target | None
    unlinked: str | None


class _Index:
    """The entries of a text by label and by the names that they begin with."""

    def __init__(self, listed: list[Listed]) -> None:
        self.listed = listed
        self.labels: dict[str, list[int]] = {}
        self.keys: dict[str, list[int]] = {}
        self.words: dict[str, list[int]] = {}
        for number, one in enumerate(listed):
            if one.label is not None:
                self.labels.setdefault(one.label, []).append(number)
                self.keys.setdefault(fold(one.label), []).append(number)
            for word in name_words(one):
                self.words.setdefault(word, []).append(number)
        self.numbers = [int(label) for label in self.labels if label.isdigit()]
        self.plain = [n for n, one in enumerate(listed) if one.label is None]


def name_words(one: Listed) -> set[str]:
    """The folded words of an entry's author part, by which an author-year mark finds it."""
    words = set()
    for name in one.entry.authors or (one.entry.lead,):
        surname = name.split(",")[0]
        words.add(fold(surname))
        words.update(fold(word.strip('.,;:()[]*_"“”&')) for word in name.split())
    lead = [w.strip('.,;:()[]*_"“”') for w in one.entry.lead.split()]
    words.update(fold(w) for w in lead if w[:1].isupper() or not w.isascii())
    initials = "".join(w[0] for w in lead[:8] if w[:1].isupper())
    for size in range(2, len(initials) + 1):
        words.add(fold(initials[:size]))
    words.discard("")
    return words


def link_marks(marks: list[Mark], listed: list[Listed]) -> list[Linked]:
    """Each mark with its source, in the order given.

    Numbers and keys go to the entry with that label; a label that stands twice in one list with two
    different sources cannot be tied. Where a text has several lists, the first one after the mark
    is meant, else the last before it. Author-year marks go to the entry with that author and year.
    """
    index = _Index(listed)
    linked: list[Linked] = []
    for mark in marks:
        if mark.style == "ibid":
            linked.append(_ibid(mark, linked))
        elif mark.kind in ("numbered", "key"):
            linked.append(_labelled(mark, index))
        elif mark.kind == "author_year":
            linked.append(_by_author(mark, index))
        else:
            linked.append(Linked(mark, None, mark.target, None if mark.target else _NO_ADDRESS))
    return linked


_NO_ADDRESS = "This mark names no address and no entry."


def _tie(mark: Mark, index: _Index, number: int) -> Linked:
    """A mark with the entry at `number`; its own address, where it has one, comes first."""
    own = index.listed[number].entry.target
    target = mark.target or own
    if target is None:
        what = _named(index.listed[number])
        return Linked(mark, number, None, f"{what} gives no address to look up.")
    return Linked(
        mark, number, Target(form=target.form, value=target.value, reference=number), None
    )


def _named(one: Listed) -> str:
    if one.label:
        return f"Entry {one.label}"
    words = one.entry.title or one.entry.lead.strip()
    return f"The entry “{words[:60]}”" if words else "The entry"


def _labelled(mark: Mark, index: _Index) -> Linked:
    """A number or key to the entry with that label."""
    label = mark.identifier
    what = f"[{label}]"
    candidates = index.labels.get(label) or index.keys.get(fold(label), [])
    if not candidates and mark.kind == "key":
        candidates = _by_key(label, index)
    candidates = _same_style(mark, index, candidates)
    if candidates:
        return _choose(mark, index, candidates, what)
    if mark.target:
        return Linked(mark, None, mark.target, None)
    if not index.listed:
        return Linked(mark, None, None, _NO_LIST.format(what=what))
    if not index.labels and label.isdigit() and 0 < int(label) <= len(index.plain):
        return _tie(mark, index, index.plain[int(label) - 1])
    reason = f"The reference list has no entry {what}"
    if label.isdigit() and index.numbers:
        low, high = min(index.numbers), max(index.numbers)
        reason += f"; its numbers run from {low} to {high}"
    return Linked(mark, None, None, reason + ".")


def _same_style(mark: Mark, index: _Index, candidates: list[int]) -> list[int]:
    """Footnotes among footnotes; `[1]` among entries `[1]` before those in a list `1.`."""
    wanted = ("footnote",) if mark.style == "footnote" else ("square", "key")
    for styles in (wanted, ("square", "key", "ordinal", "plain")):
        same = [n for n in candidates if index.listed[n].style in styles]
        if same:
            return same
    return candidates


def _choose(mark: Mark, index: _Index, candidates: list[int], what: str) -> Linked:
    """One of several entries with the same label."""
    if len(candidates) > 1:
        after = [n for n in candidates if index.listed[n].start >= mark.end]
        section = index.listed[(after or candidates)[0 if after else -1]].section
        candidates = [n for n in candidates if index.listed[n].section == section]
    if len(candidates) > 1:
        values = {
            (t.form, t.value) if t else None
            for t in (index.listed[n].entry.target for n in candidates)
        }
        if len(values) > 1 and not mark.target:
            reason = f"The reference list has {len(candidates)} different entries {what}."
            return Linked(mark, None, None, reason)
    return _tie(mark, index, candidates[0])


def _by_key(label: str, index: _Index) -> list[int]:
    """Entries that a key like `smith2019a` names by author and year."""
    letters = label.rstrip("abcdefghijklmnopqrstuvwxyz") or label
    digits = letters[-4:]
    if not digits.isdigit():
        return []
    at = label.rindex(digits)
    name = fold(label[:at].strip("_-:.+"))
    return [n for n in index.words.get(name, []) if index.listed[n].entry.year == int(digits)]


def _by_author(mark: Mark, index: _Index) -> Linked:
    """An author and a year to the one entry that has both."""
    what = f"{' & '.join(mark.names[:2])} {mark.year}"
    candidates = _candidates(mark, index)
    digits, letter = mark.year[:4], mark.year[4:5]
    fitting = [n for n in candidates if str(index.listed[n].entry.year or "n.d.") == digits]
    if letter:
        exact = [n for n in fitting if index.listed[n].entry.letter == letter]
        unlettered = [n for n in fitting if not index.listed[n].entry.letter]
        fitting = exact or (unlettered if len(unlettered) == 1 else [])
    if len(fitting) > 1:
        fitting = _closest(mark, index, fitting)
    if len(fitting) == 1:
        return _tie(mark, index, fitting[0])
    if mark.target:
        return Linked(mark, None, mark.target, None)
    if len(fitting) > 1:
        reason = f"{len(fitting)} entries fit {what}."
    elif candidates:
        years = sorted(
            {str(index.listed[n].entry.year) for n in candidates if index.listed[n].entry.year}
        )
        reason = f"The reference list has {mark.names[0]}"
        reason += (
            f" of {', '.join(years)}, not of {mark.year}."
            if years
            else f", but not of {mark.year}."
        )
    elif index.listed:
        reason = f"The reference list has no entry for {what}."
    else:
        reason = _NO_LIST.format(what=what)
    return Linked(mark, None, None, reason)


def _candidates(mark: Mark, index: _Index) -> list[int]:
    """Entries that have the first author's name in their author part."""
    first = mark.names[0] if mark.names else ""
    found = index.words.get(fold(first))
    if found:
        return found
    words = [fold(w) for w in first.split() if w[:1].isupper() or not w.isascii()]
    sets = [set(index.words.get(w, ())) for w in words if w]
    shared = set.intersection(*sets) if sets else set()
    if shared:
        return sorted(shared)
    acronym = fold("".join(w[0] for w in first.split() if w[:1].isupper()))
    return index.words.get(acronym, []) if len(acronym) > 1 else []


def _closest(mark: Mark, index: _Index, fitting: list[int]) -> list[int]:
    """Of several works of one name and year, those with the same first author and co-authors."""

    def rank(number: int) -> tuple[bool, int]:
        one = index.listed[number]
        lead = fold((one.entry.authors or (one.entry.lead,))[0].split(",")[0])
        words = name_words(one)
        first = fold(mark.names[0])
        others = sum(fold(name.split()[-1]) in words for name in mark.names[1:])
        return lead == first or lead.startswith(first), others

    best = max(rank(number) for number in fitting)
    kept = [number for number in fitting if rank(number) == best]
    targets = {index.listed[number].entry.target for number in kept}
    return kept[:1] if len(targets) == 1 and None not in targets else kept


def _ibid(mark: Mark, linked: list[Linked]) -> Linked:
    """`ibid.`: what the mark before it cites."""
    for before in reversed(linked):
        if before.mark.end <= mark.start and before.mark.kind not in ("quote", "statistic"):
            named = mark._replace(kind=before.mark.kind, identifier=before.mark.identifier)
            return Linked(named, before.reference, before.target, before.unlinked)
    reason = f"“{mark.identifier}” has no citation before it."
    return Linked(mark, None, None, reason)
