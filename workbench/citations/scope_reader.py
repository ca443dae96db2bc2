"""What a marker stands for: its sentence, unless the text shows that it is a list or a paragraph.

Rules, in this order; what none of them names stays with its sentence:

1. A line of markers alone (`[2]`, `Sources: [2]`) below a list or paragraph without another marker
   stands for that list or paragraph.
2. A marker at the end of a line that leads to a list (`It had these effects [2]:`) stands for the
   list when no item has a marker.
3. A marker at the end of a list's last item stands for the list when it is the only one there, and
   its own item is too short to need a source; or when a line with a colon leads to the list, and
   the items are short or no full stop shuts the marker into the last.

A marker behind a paragraph's last full stop keeps the sentence: that is where most styles put the
marker of a single sentence, so it says nothing of the rest. A reviewer can choose the paragraph.

Markers that stand together count as one. Markers that are words of their sentence (`see [2]`, a
link's label, `Smith (2019)`), quotations, figures and what a provider ties to a source keep the
sentence.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from workbench.citations.groups import MarkGroups
from workbench.citations.layout import Layout
from workbench.citations.stretches import Home, ListStretch, Stretch, Stretches
from workbench.records import Citation, ClaimScope, ScopeKind, Span

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,2}|[^\W_]+(?:['’.-][^\W_]+)*")
"""A word; two Chinese letters count as one."""
_TOO_SHORT = 4
"""An item of fewer words needs no source of its own."""
_SHORT = 12
"""Items of at most so many words are short."""


class ScopeReader:
    """The scopes that citations of one text can have; offsets count its code points."""

    def __init__(
        self, layout: Layout, spans: Sequence[tuple[int, int]], citations: Sequence[Citation]
    ) -> None:
        """Take a text's layout, its sentences as claims (empty for markers alone), its citations.

        The text is read when something is first asked.
        """
        self._layout = layout
        self._groups = MarkGroups(layout.text, citations)
        self._stretches = Stretches(layout, spans, self._groups)

    def wider(self, citation: Citation) -> dict[ScopeKind, Stretch]:
        """The list and the paragraph that a citation may stand for, where they hold its claim."""
        home = self._stretches.home(citation)
        if home is None or citation.claim is None:
            return {}
        listed = self._stretches.list_at(home)
        found: dict[ScopeKind, Stretch | None] = {
            "list": listed.stretch if listed else None,
            "paragraph": self._stretches.paragraph_at(home),
        }
        claim = citation.claim.span
        return {kind: one for kind, one in found.items() if one and _holds(one, claim)}

    def guess(self, citation: Citation) -> ClaimScope | None:
        """The list or paragraph that a citation stands for by the rules; None: its sentence."""
        home = self._stretches.home(citation)
        if home is None or citation.claim is None:
            return None
        group = self._groups.number_of(citation)
        if group < 0 or not (home.below or self._ends_line(group)):
            return None
        listed = self._stretches.list_at(home)
        kind: ScopeKind = "list"
        stretch = listed.stretch if listed else None
        if listed is None or not self._stands_for_list(home, listed, group):
            kind = "paragraph"
            leads = listed is not None and listed.leading
            stretch = None if leads else self._paragraph_above(home, group)
        if stretch is None or not _holds(stretch, citation.claim.span):
            return None
        return ClaimScope(
            kind=kind, span=stretch.span, text=stretch.span.of(self._layout.text), guess=True
        )

    def _ends_line(self, group: int) -> bool:
        """Whether markers stand at the end of a line, beside its words."""
        layout, groups = self._layout, self._groups
        line = layout.lines[layout.line_at(groups.starts[group])]
        return groups.closes(group, line.end) and groups.is_beside(group)

    def _stands_for_list(self, home: Home, listed: ListStretch, group: int) -> bool:
        """Rules 1 to 3."""
        groups, stretch = self._groups, listed.stretch
        if not self._is_alone(stretch, group):
            return False
        if home.below:
            return True
        if listed.leading:
            assert listed.lead_end is not None  # it stands in that line
            return listed.colon and groups.closes(group, listed.lead_end)
        if groups.starts[group] < listed.last_item or not groups.closes(group, stretch.end):
            return False
        own = stretch.parts[-1]
        if self._words(own.start, min(own.end, groups.starts[group])) < _TOO_SHORT:
            return True
        short = all(self._words(part.start, part.end) <= _SHORT for part in stretch.parts)
        return listed.colon and (short or not groups.is_shut_in(group))

    def _paragraph_above(self, home: Home, group: int) -> Stretch | None:
        """The paragraph that a line of markers alone stands for, by rule 1."""
        if not home.below:
            return None
        stretch = self._stretches.paragraph_at(home)
        return stretch if stretch and self._is_alone(stretch, group) else None

    def _is_alone(self, stretch: Stretch, group: int) -> bool:
        """Whether no other marker stands in a stretch."""
        own = stretch.span.start <= self._groups.starts[group] < stretch.end
        return self._groups.count(stretch.span.start, stretch.end) == int(own)

    def _words(self, start: int, end: int) -> int:
        """How many words a part has, up to one more than a short item."""
        count = 0
        for _ in _WORD.finditer(self._layout.text, start, end):
            count += 1
            if count > _SHORT:
                break
        return count


def _holds(stretch: Stretch, claim: Span) -> bool:
    """Whether a claim stands within a stretch."""
    return stretch.span.start <= claim.start and claim.end <= stretch.span.end


def with_guesses(reader: ScopeReader, citations: Sequence[Citation]) -> tuple[Citation, ...]:
    """The citations with their scope as guessed, whatever they have."""
    found = []
    for citation in citations:
        guess = reader.guess(citation)
        found.append(citation if citation.scope == guess else replace(citation, scope=guess))
    return tuple(found)
