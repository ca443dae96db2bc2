"""Tie each mark to the reference entry that it names, or say why it cannot be tied."""

import re
from bisect import bisect_left
from typing import NamedTuple

from workbench.citations.author_names import CJK_NAME, fold
from workbench.citations.marks import Mark
from workbench.citations.references import ReferenceEntry
from workbench.records import Target

_NO_LIST = "The text has no reference list, so nothing says what {what} stands for."
_KEY_YEAR = re.compile(r"(?P<name>.*?)[\W_]*(?P<year>(?:1[89]|20)\d\d)(?P<rest>[a-z]*)\Z")
_AROUND = '.,;:()[]*_"“”&'


class Linked(NamedTuple):
    """A mark with its source: the entry's index, where it points, or why it has no target."""

    mark: Mark
    reference: int | None
    target: Target | None
    unlinked: str | None


def link_marks(marks: list[Mark], listed: list[ReferenceEntry]) -> list[Linked]:
    """Each mark with its source, in the order given.

    Numbers and keys go to the entry with that label; a label that stands twice in one list with two
    different sources cannot be tied. Where a text has several lists, the first one after the mark
    is meant, else the last before it. Author-year marks go to the entry with that author and year,
    addresses to the entry with that address.
    """
    index = _Index(listed)
    linked: list[Linked] = []
    authors: dict[str, Linked] = {}  # the last mark of each surname, for `op. cit.`
    for mark in marks:
        if mark.kind == "native":
            one = _given(mark, index)
        elif mark.style == "ibid":
            one = _ibid(mark, linked)
        elif mark.style == "op cit":
            one = _op_cit(mark, authors, index)
        elif mark.kind in ("numbered", "key"):
            one = _labelled(mark, index)
        elif mark.kind == "author_year":
            one = _by_author(mark, index)
        else:
            one = _addressed(mark, index)
        linked.append(one)
        for name in mark.names:
            authors[fold(name.split()[-1])] = one
    return linked


def first_names(listed: list[ReferenceEntry]) -> frozenset[str]:
    """Folded names that reference entries begin with."""
    return frozenset().union(*(name_words(one) for one in listed))


def name_words(one: ReferenceEntry) -> set[str]:
    """The folded words of an entry's author part, by which an author-year mark finds it."""
    words = set()
    for name in one.entry.authors:
        surname = name.split(",")[0]
        words.add(fold(surname))
        words.update(fold(word.strip(_AROUND)) for word in surname.split())
        if not surname.isascii() and CJK_NAME.fullmatch(surname):
            words.update(surname[:size] for size in (1, 2, 3))  # the family name comes first
    lead = [word.strip(_AROUND) for word in one.entry.lead.split()[:16]]
    words.update(fold(word) for word in lead if word[:1].isupper() or not word.isascii())
    initials = "".join(word[0] for word in lead[:8] if word[:1].isupper())
    words.update(fold(initials[:size]) for size in range(2, len(initials) + 1))
    words.discard("")
    return words


class _Index:
    """The entries of a text by label, by address and by the names that they begin with."""

    def __init__(self, listed: list[ReferenceEntry]) -> None:
        self.listed = listed
        self.labels: dict[str, list[int]] = {}
        self.keys: dict[str, list[int]] = {}
        self.addresses: dict[str, int] = {}
        for number, one in enumerate(listed):
            if one.label is not None:
                self.labels.setdefault(one.label, []).append(number)
                self.keys.setdefault(fold(one.label), []).append(number)
            for address in (one.entry.target.value if one.entry.target else None, one.entry.doi):
                if address:
                    self.addresses.setdefault(_plain_address(address), number)
        plain = [n for n, one in enumerate(listed) if one.label is None]
        dated = sum(bool(listed[n].entry.authors and listed[n].entry.year) for n in plain)
        self.plain = plain if dated * 2 < len(plain) else []
        """Entries without labels, which numbers count; a list by authors is not counted."""
        numbers = [int(label) for label in self.labels if label.isdigit()]
        self.range = f"; its numbers run from {min(numbers)} to {max(numbers)}" if numbers else ""
        self.lists: dict[tuple[str, bool], list[list[int]]] = {}
        """For a label and whether a footnote asks: its entries, list by list."""
        self.found: dict[tuple[tuple[str, ...], str], list[int]] = {}
        """Entries for authors and a year that were looked up before."""
        self._words: dict[str, list[int]] | None = None

    @property
    def words(self) -> dict[str, list[int]]:
        """Entries by the names they begin with; read only where a text names authors."""
        if self._words is None:
            self._words = {}
            for number, one in enumerate(self.listed):
                for word in name_words(one):
                    self._words.setdefault(word, []).append(number)
        return self._words

    def by_label(self, mark: Mark) -> list[list[int]]:
        """The entries with a mark's label, one group for each list of the text."""
        footnote = mark.style == "footnote"
        asked = (mark.identifier, footnote)
        if asked not in self.lists:
            label = mark.identifier
            numbers = self.labels.get(label) or self.keys.get(fold(label), [])
            if not numbers and mark.kind == "key":
                numbers = _by_key(label, self)
            groups: dict[int, list[int]] = {}
            for number in _same_style(footnote, self, numbers):
                groups.setdefault(self.listed[number].section, []).append(number)
            self.lists[asked] = list(groups.values())
        return self.lists[asked]


def _tie(mark: Mark, index: _Index, number: int) -> Linked:
    """A mark with the entry at `number`; its own address, where it has one, comes first."""
    target = mark.target or index.listed[number].entry.target
    if target is None:
        what = _named(index.listed[number])
        return Linked(mark, number, None, f"{what} gives no address to look up.")
    tied = Target(form=target.form, value=target.value, reference=number)
    return Linked(mark, number, tied, None)


def _named(one: ReferenceEntry) -> str:
    words = one.entry.title or one.entry.lead.strip()
    if one.label and not (words and one.start == one.end):
        return f"Entry {one.label}"
    return f"The source “{words[:60]}”" if words else "The source"


def _plain_address(address: str) -> str:
    """An address for comparison: without scheme, resolver, `www.` and closing slash."""
    plain = re.sub(r"^https?://(?:www\.)?(?:(?:dx\.)?doi\.org/)?", "", address, flags=re.IGNORECASE)
    return plain.rstrip("/").lower()


def _given(mark: Mark, index: _Index) -> Linked:
    """A mark that a provider made, with the source that it gave."""
    if mark.style:  # what is wrong with the provider's offsets
        return Linked(mark, mark.reference, None, mark.style)
    if mark.reference is None:
        return Linked(mark, None, None, "The provider gave no source for this.")
    return _tie(mark, index, mark.reference)


def _addressed(mark: Mark, index: _Index) -> Linked:
    """A mark that names its source by itself, with the entry of the same address if any."""
    if mark.target is None:
        reason = f"No full citation that “{mark.identifier}” could point back to stands before it."
        return Linked(mark, None, None, reason)
    number = index.addresses.get(_plain_address(mark.target.value)) if index.addresses else None
    if number is None:
        return Linked(mark, None, mark.target, None)
    return _tie(mark, index, number)


def _labelled(mark: Mark, index: _Index) -> Linked:
    """A number or key to the entry with that label."""
    label = mark.identifier
    groups = index.by_label(mark)
    if groups:
        return _choose(mark, index, groups)
    if mark.target:
        return _addressed(mark, index)
    if not index.listed:
        return Linked(mark, None, None, _NO_LIST.format(what=f"[{label}]"))
    if not index.labels and label.isdigit() and 0 < int(label) <= len(index.plain):
        return _tie(mark, index, index.plain[int(label) - 1])
    shown = index.range if label.isdigit() else ""
    return Linked(mark, None, None, f"The reference list has no entry [{label}]{shown}.")


def _same_style(footnote: bool, index: _Index, numbers: list[int]) -> list[int]:
    """Footnotes among footnotes; `[1]` among entries `[1]` before those in a list `1.`."""
    wanted = ("footnote",) if footnote else ("square", "key")
    for styles in (wanted, ("square", "key", "ordinal", "plain")):
        same = [n for n in numbers if index.listed[n].style in styles]
        if same:
            return same
    return numbers


def _choose(mark: Mark, index: _Index, groups: list[list[int]]) -> Linked:
    """The entry of the list that is meant; a label that stands twice in it cannot be tied."""
    after = bisect_left(groups, mark.end, key=lambda group: index.listed[group[0]].start)
    group = groups[min(after, len(groups) - 1)]
    if len(group) > 1 and not mark.target:
        own = index.listed[group[0]].entry.target
        if any(index.listed[number].entry.target != own for number in group[1:]):
            reason = f"The reference list has {len(group)} different entries [{mark.identifier}]."
            return Linked(mark, None, None, reason)
    return _tie(mark, index, group[0])


def _by_key(label: str, index: _Index) -> list[int]:
    """Entries that a key like `smith2019a` names by author and year."""
    found = _KEY_YEAR.match(label)
    if found is None:
        return []
    year = int(found["year"])
    named = index.words.get(fold(found["name"]), [])
    return [n for n in named if index.listed[n].entry.year == year]


def _by_author(mark: Mark, index: _Index) -> Linked:
    """An author and a year to the one entry that has both."""
    asked = (mark.names, mark.year)
    if asked not in index.found:
        index.found[asked] = _fitting(mark, index)
    fitting = index.found[asked]
    if len(fitting) == 1:
        return _tie(mark, index, fitting[0])
    if mark.target:
        return _addressed(mark, index)
    return Linked(mark, None, None, _why_not(mark, index, fitting))


def _fitting(mark: Mark, index: _Index) -> list[int]:
    """The entries that have a mark's first author and year."""
    digits, letter = mark.year[:4], mark.year[4:5]
    fitting = [
        n
        for n in _candidates(mark, index)
        if str(index.listed[n].entry.year or "n.d.") in (digits, mark.year)
    ]
    if letter.isalpha() and digits.isdigit():
        exact = [n for n in fitting if index.listed[n].entry.letter == letter]
        unlettered = [n for n in fitting if not index.listed[n].entry.letter]
        fitting = exact or (unlettered if len(unlettered) == 1 else [])
    return _closest(mark, index, fitting) if len(fitting) > 1 else fitting


def _why_not(mark: Mark, index: _Index, fitting: list[int]) -> str:
    """Why an author-year mark has no entry."""
    what = f"{' & '.join(mark.names[:2])} {mark.year}"
    if len(fitting) > 1:
        return f"{len(fitting)} entries fit {what}."
    candidates = _candidates(mark, index)[:20]
    if candidates:
        years = {index.listed[n].entry.year for n in candidates}
        shown = ", ".join(str(year) for year in sorted(year for year in years if year))
        of = f" of {shown}, not" if shown else ", but not"
        return f"The reference list has {mark.names[0]}{of} of {mark.year}."
    if index.listed:
        return f"The reference list has no entry for {what}."
    return _NO_LIST.format(what=what)


def _candidates(mark: Mark, index: _Index) -> list[int]:
    """Entries that have the first author's name in their author part."""
    if not index.listed:
        return []
    first = mark.names[0]
    found = index.words.get(fold(first))
    if found:
        return found
    words = [fold(w.strip(_AROUND)) for w in first.split() if w[:1].isupper() or not w.isascii()]
    sets = [set(index.words.get(word, ())) for word in words if word]
    shared = set.intersection(*sets) if sets else set()
    if shared:
        return sorted(shared)
    acronym = fold("".join(w[0] for w in first.split() if w[:1].isupper()))
    return index.words.get(acronym, []) if len(acronym) > 1 else []


def _closest(mark: Mark, index: _Index, fitting: list[int]) -> list[int]:
    """Of several works of one name and year, those with the same first author and co-authors."""
    ranks = {}
    for number in fitting:
        one = index.listed[number]
        lead = fold((one.entry.authors or (one.entry.lead,))[0].split(",")[0])
        words = name_words(one)
        others = sum(fold(name.split()[-1]) in words for name in mark.names[1:])
        alone = len(mark.names) == 1 and len(one.entry.authors) <= 1
        ranks[number] = (lead.startswith(fold(mark.names[0])), others, alone)
    best = max(ranks.values())
    kept = [number for number in fitting if ranks[number] == best]
    targets = {index.listed[number].entry.target for number in kept}
    return kept[:1] if len(targets) == 1 and None not in targets else kept


def _ibid(mark: Mark, linked: list[Linked]) -> Linked:
    """`ibid.`: what the mark before it cites."""
    for before in reversed(linked):
        if before.mark.end <= mark.start:
            named = mark._replace(kind=before.mark.kind, identifier=before.mark.identifier)
            return Linked(named, before.reference, before.target, before.unlinked)
    reason = f"“{mark.identifier}” has no citation before it."
    return Linked(mark, None, None, reason)


def _op_cit(mark: Mark, authors: dict[str, Linked], index: _Index) -> Linked:
    """`Smith, op. cit.`: the work of that author that was cited last, else their only entry."""
    name = fold(mark.names[0])
    before = authors.get(name)
    if before:
        named = mark._replace(identifier=before.mark.identifier)
        return Linked(named, before.reference, before.target, before.unlinked)
    found = index.words.get(name, []) if index.listed else []
    if len(found) == 1:
        return _tie(mark, index, found[0])
    return Linked(mark, None, None, f"No work of {mark.names[0]} is cited before “op. cit.”.")
