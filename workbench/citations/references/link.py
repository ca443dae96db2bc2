"""Tie each mark to the reference entry that it names, or say why it cannot be tied."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from workbench.citations.marks import Mark
from workbench.citations.marks.author_year import AROUND_NAME, entry_names, fold
from workbench.citations.references.lists import ListedEntry
from workbench.records.citation import Target

if TYPE_CHECKING:
    from workbench.citations.document import Document

_NO_LIST = "The text has no reference list that explains {what}."
_KEY_YEAR = re.compile(r"(?P<name>.*?)[\W_]*(?P<year>(?:1[89]|20)\d\d)(?P<rest>[a-z]*)\Z")


class LinkedMark(NamedTuple):
    """A mark with its source: the entry's index, where it points, or why it has no target."""

    mark: Mark
    reference: int | None
    target: Target | None
    unlinked: str | None


def link_marks(marks: Iterable[Mark], document: "Document") -> list[LinkedMark]:
    """Each mark with its source, in the order given.

    Numbers and keys go to the entry with that label; a label that stands twice in one list with two
    different sources cannot be tied. Where a text has several lists, the first one after the mark
    is meant, else the last before it. Author-year marks go to the entry with that author and year,
    addresses to the entry with that address.
    """
    linked: list[LinkedMark] = []
    last_of_author: dict[str, LinkedMark] = {}  # by surname, for `op. cit.`
    for mark in marks:
        if mark.kind == "native":
            link = _native(mark, document.entry_index)
        elif mark.style == "ibid":
            link = _ibid(mark, linked)
        elif mark.style == "op cit":
            link = _op_cit(mark, last_of_author, document.entry_index)
        elif mark.kind in ("numbered", "key"):
            link = _by_label(mark, document.entry_index)
        elif mark.kind == "author_year":
            link = _by_author(mark, document.entry_index)
        else:
            link = _by_address(mark, document.entry_index)
        linked.append(link)
        for name in mark.names:
            last_of_author[fold(name.split()[-1])] = link
    return linked


class EntryIndex:
    """The entries of a text by label, by address and by the names that they begin with."""

    def __init__(self, entries: list[ListedEntry]) -> None:
        self.entries = entries
        self.labels: dict[str, list[int]] = {}
        self._folded_labels: dict[str, list[int]] = {}
        self._addresses: dict[str, int] = {}
        for number, reference in enumerate(entries):
            entry, label = reference.entry, reference.label
            if label is not None:
                self.labels.setdefault(label, []).append(number)
                self._folded_labels.setdefault(fold(label), []).append(number)
            for address in (entry.target.value if entry.target else None, entry.doi):
                if address:
                    self._addresses.setdefault(_plain_address(address), number)
        plain = [number for number, reference in enumerate(entries) if reference.label is None]
        dated = sum(bool(entries[at].entry.authors and entries[at].entry.year) for at in plain)
        self.unlabelled = plain if dated * 2 < len(plain) else []
        """Entries without labels, which numbers count; a list by authors is not counted."""
        numbers = [int(label) for label in self.labels if label.isdigit()]
        self.range = f"; its numbers run from {min(numbers)} to {max(numbers)}" if numbers else ""
        self._by_label: dict[tuple[str, bool], list[list[int]]] = {}
        """For a label and whether a footnote names it: its entries, list by list."""
        self._by_work: dict[tuple[tuple[str, ...], str], list[int]] = {}
        """Entries for authors and a year that were looked up before."""

    @cached_property
    def names(self) -> list[set[str]]:
        """For each entry the folded names by which a mark finds it."""
        return [
            entry_names(reference.entry.authors, reference.entry.lead) for reference in self.entries
        ]

    @cached_property
    def by_name(self) -> dict[str, list[int]]:
        """Entries by those names; read only where a text names authors."""
        by_name: dict[str, list[int]] = {}
        for number, names in enumerate(self.names):
            for name in names:
                by_name.setdefault(name, []).append(number)
        return by_name

    def at_address(self, address: str) -> int | None:
        """The first entry with an address."""
        return self._addresses.get(_plain_address(address)) if self._addresses else None

    def with_label(self, mark: Mark) -> list[list[int]]:
        """The entries with a mark's label, one group for each list of the text."""
        footnote = mark.style == "footnote"
        key = (mark.identifier, footnote)
        if key not in self._by_label:
            label = mark.identifier
            numbers = self.labels.get(label) or self._folded_labels.get(fold(label), [])
            if not numbers and mark.kind == "key":
                numbers = self._with_key(label)
            groups: dict[int, list[int]] = {}
            for number in self._of_style(footnote, numbers):
                groups.setdefault(self.entries[number].section, []).append(number)
            self._by_label[key] = list(groups.values())
        return self._by_label[key]

    def _with_key(self, label: str) -> list[int]:
        """Entries that a key like `smith2019a` names by author and year."""
        match = _KEY_YEAR.match(label)
        if match is None:
            return []
        year = int(match["year"])
        numbers = self.by_name.get(fold(match["name"]), [])
        return [number for number in numbers if self.entries[number].entry.year == year]

    def _of_style(self, footnote: bool, numbers: list[int]) -> list[int]:
        """Footnotes among footnotes; `[1]` among entries `[1]` before those in a list `1.`."""
        preferred = ("footnote",) if footnote else ("square", "key")
        for styles in (preferred, ("square", "key", "ordinal", "plain")):
            same = [number for number in numbers if self.entries[number].style in styles]
            if same:
                return same
        return numbers

    def fitting(self, mark: Mark) -> list[int]:
        """The entries that have a mark's first author and year."""
        work = (mark.names, mark.year)
        if work not in self._by_work:
            self._by_work[work] = self._fit(mark)
        return self._by_work[work]

    def _fit(self, mark: Mark) -> list[int]:
        digits, letter = mark.year[:4], mark.year[4:5]
        fitting = [
            number
            for number in self.of_author(mark)
            if str(self.entries[number].entry.year or "n.d.") in (digits, mark.year)
        ]
        if letter.isalpha() and digits.isdigit():
            exact = [number for number in fitting if self.entries[number].entry.letter == letter]
            unlettered = [number for number in fitting if not self.entries[number].entry.letter]
            fitting = exact or (unlettered if len(unlettered) == 1 else [])
        return self._closest(mark, fitting) if len(fitting) > 1 else fitting

    def of_author(self, mark: Mark) -> list[int]:
        """Entries that have the first author's name in their author part."""
        if not self.entries:
            return []
        author = mark.names[0]
        numbers = self.by_name.get(fold(author))
        if numbers:
            return numbers
        words = [
            fold(word.strip(AROUND_NAME))
            for word in author.split()
            if word[:1].isupper() or not word.isascii()
        ]
        sets = [set(self.by_name.get(word, ())) for word in words if word]
        shared = set.intersection(*sets) if sets else set()
        if shared:
            return sorted(shared)
        acronym = fold("".join(word[0] for word in author.split() if word[:1].isupper()))
        return self.by_name.get(acronym, []) if len(acronym) > 1 else []

    def _closest(self, mark: Mark, fitting: list[int]) -> list[int]:
        """Of several works of one name and year, those with the same first author and others."""
        ranks = {}
        for number in fitting:
            entry = self.entries[number].entry
            lead = fold((entry.authors or (entry.lead,))[0].split(",")[0])
            others = sum(fold(name.split()[-1]) in self.names[number] for name in mark.names[1:])
            alone = len(mark.names) == 1 and len(entry.authors) <= 1
            ranks[number] = (lead.startswith(fold(mark.names[0])), others, alone)
        best = max(ranks.values())
        closest = [number for number in fitting if ranks[number] == best]
        targets = {self.entries[number].entry.target for number in closest}
        return closest[:1] if len(targets) == 1 and None not in targets else closest


def _linked_to(mark: Mark, index: EntryIndex, number: int) -> LinkedMark:
    """A mark with the entry at `number`; its own address, where it has one, comes first."""
    target = mark.target or index.entries[number].entry.target
    if target is None:
        entry_name = _describe_entry(index.entries[number])
        return LinkedMark(mark, number, None, f"{entry_name} gives no address to look up.")
    tied = Target(form=target.form, value=target.value, reference=number)
    return LinkedMark(mark, number, tied, None)


def _describe_entry(reference: ListedEntry) -> str:
    """An entry as a message names it."""
    words = reference.entry.title or reference.entry.lead.strip()
    if reference.label and not (words and reference.start == reference.end):
        return f"Entry {reference.label}"
    return f"The source “{words[:60]}”" if words else "The source"


def _plain_address(address: str) -> str:
    """An address for comparison: without scheme, resolver, `www.` and closing slash."""
    plain = re.sub(r"^https?://(?:www\.)?(?:(?:dx\.)?doi\.org/)?", "", address, flags=re.IGNORECASE)
    return plain.rstrip("/").lower()


def _native(mark: Mark, index: EntryIndex) -> LinkedMark:
    """A mark that a provider made, with the source that it gave."""
    if mark.style:  # what is wrong with the provider's offsets
        return LinkedMark(mark, mark.reference, None, mark.style)
    if mark.reference is None:
        return LinkedMark(mark, None, None, "The provider gave no source for this.")
    return _linked_to(mark, index, mark.reference)


def _by_address(mark: Mark, index: EntryIndex) -> LinkedMark:
    """A mark that names its source by itself, with the entry of the same address if any."""
    if mark.target is None:
        reason = f"There is no earlier full citation that “{mark.identifier}” could refer to."
        return LinkedMark(mark, None, None, reason)
    number = index.at_address(mark.target.value)
    if number is None:
        return LinkedMark(mark, None, mark.target, None)
    return _linked_to(mark, index, number)


def _by_label(mark: Mark, index: EntryIndex) -> LinkedMark:
    """A number or key to the entry with that label."""
    label = mark.identifier
    groups = index.with_label(mark)
    if groups:
        return _choose(mark, index, groups)
    if mark.target:
        return _by_address(mark, index)
    if not index.entries:
        return LinkedMark(mark, None, None, _NO_LIST.format(what=f"[{label}]"))
    if not index.labels and label.isdigit() and 0 < int(label) <= len(index.unlabelled):
        return _linked_to(mark, index, index.unlabelled[int(label) - 1])
    range_note = index.range if label.isdigit() else ""
    return LinkedMark(mark, None, None, f"The reference list has no entry [{label}]{range_note}.")


def _choose(mark: Mark, index: EntryIndex, groups: list[list[int]]) -> LinkedMark:
    """The entry of the cited list; a label that stands twice in it cannot be tied."""
    after = bisect_left(groups, mark.end, key=lambda group: index.entries[group[0]].start)
    group = groups[min(after, len(groups) - 1)]
    if len(group) > 1 and not mark.target:
        target = index.entries[group[0]].entry.target
        if any(index.entries[number].entry.target != target for number in group[1:]):
            reason = f"The reference list has {len(group)} different entries [{mark.identifier}]."
            return LinkedMark(mark, None, None, reason)
    return _linked_to(mark, index, group[0])


def _by_author(mark: Mark, index: EntryIndex) -> LinkedMark:
    """An author and a year to the one entry that has both."""
    fitting = index.fitting(mark)
    if len(fitting) == 1:
        return _linked_to(mark, index, fitting[0])
    if mark.target:
        return _by_address(mark, index)
    return LinkedMark(mark, None, None, _unlinked_reason(mark, index, fitting))


def _unlinked_reason(mark: Mark, index: EntryIndex, fitting: list[int]) -> str:
    """Why an author-year mark has no entry."""
    work_name = f"{' & '.join(mark.names[:2])} {mark.year}"
    if len(fitting) > 1:
        return f"{len(fitting)} entries fit {work_name}."
    candidates = index.of_author(mark)[:20]
    if candidates:
        years = {index.entries[number].entry.year for number in candidates}
        cited_years = ", ".join(str(year) for year in sorted(year for year in years if year))
        cited_note = f" of {cited_years}, not" if cited_years else ", but not"
        return f"The reference list has {mark.names[0]}{cited_note} of {mark.year}."
    if index.entries:
        return f"The reference list has no entry for {work_name}."
    return _NO_LIST.format(what=work_name)


def _ibid(mark: Mark, linked: list[LinkedMark]) -> LinkedMark:
    """`ibid.`: what the mark before it cites."""
    for earlier in reversed(linked):
        if earlier.mark.end <= mark.start:
            repeated = mark._replace(kind=earlier.mark.kind, identifier=earlier.mark.identifier)
            return LinkedMark(repeated, earlier.reference, earlier.target, earlier.unlinked)
    reason = f"“{mark.identifier}” has no citation before it."
    return LinkedMark(mark, None, None, reason)


def _op_cit(mark: Mark, last_of_author: dict[str, LinkedMark], index: EntryIndex) -> LinkedMark:
    """`Smith, op. cit.`: the work of that author that was cited last, else their only entry."""
    name = fold(mark.names[0])
    earlier = last_of_author.get(name)
    if earlier:
        repeated = mark._replace(identifier=earlier.mark.identifier)
        return LinkedMark(repeated, earlier.reference, earlier.target, earlier.unlinked)
    numbers = index.by_name.get(name, []) if index.entries else []
    if len(numbers) == 1:
        return _linked_to(mark, index, numbers[0])
    return LinkedMark(mark, None, None, f"No work of {mark.names[0]} is cited before “op. cit.”.")
