"""Sentences as their sources bear them out: what judges propose, and what reviewers make of it.

A proposed correction changes the output's claim where the source does not bear it out. It is not
the `ClaimSpanCorrection` by which a reviewer says where a claim stands or how it is meant: that one
is judged again, while this one leaves the claim and its verdict as they are.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from workbench.records.codec import INLINE, Record
from workbench.records.text import JsonDict, Span, Spanned

MOST_WORDS = 500
"""Words, or letters of Chinese, of a text that are compared."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
WORD = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])\w)+(?:['’.,-](?:(?![{_CJK}])\w)+)*")
"""A word; of scripts without blanks between words, a letter."""
_TOKEN = re.compile(rf"{WORD.pattern}|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEdit(Spanned, Record):
    """One change of a text: what stands in the span becomes `text`.

    An empty span is an insertion, an empty text a deletion.
    """

    span: Span = field(metadata=INLINE)
    text: str


def word_edits(old: str, new: str) -> tuple[TextEdit, ...] | None:
    """The changes that make `new` of `old`, in order and not touching; None for texts too long.

    Offsets are code points of `old`. A word is left or replaced as a whole, punctuation is a word
    of its own. Applied, they give `new` but for the white space of `old`, which stays: a run of
    several blanks, as a marker leaves that was blanked, is never part of a change. Time grows with
    the product of both lengths, so more than `MOST_WORDS` are not compared.
    """
    before, after = _tokens(old), _tokens(new)
    if max(len(before), len(after)) > MOST_WORDS:
        return None
    common = common_places([span.of(old) for span in before], [span.of(new) for span in after])
    edits: list[TextEdit] = []
    i = j = 0
    for at, beside in [*common, (len(before), len(after))]:
        if at > i or beside > j:
            edits += _gap_edits(_Gap(old, new, before, after, Span(i, at), Span(j, beside)))
        i, j = at + 1, beside + 1
    return tuple(edits)


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """The text with the edits made, which are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


DiffKind = Literal["same", "deleted", "inserted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSegment:
    """A part of a claim and its correction: kept, struck out, or put in."""

    kind: DiffKind
    text: str


def diff_segments(claim: str, edits: Sequence[TextEdit]) -> tuple[DiffSegment, ...]:
    """The parts in order; those kept and deleted joined are the claim, offsets are code points."""
    segments: list[DiffSegment] = []
    at = 0
    for edit in edits:
        segments += [
            DiffSegment(kind="same", text=claim[at : edit.start]),
            DiffSegment(kind="deleted", text=edit.span.of(claim)),
            DiffSegment(kind="inserted", text=edit.text),
        ]
        at = edit.end
    segments.append(DiffSegment(kind="same", text=claim[at:]))
    return tuple(segment for segment in segments if segment.text)


def segments_between(claim: str, text: str) -> tuple[DiffSegment, ...]:
    """The parts of a claim and of the text that takes its place."""
    edits = word_edits(claim, text)
    if edits is None:
        return (DiffSegment(kind="deleted", text=claim), DiffSegment(kind="inserted", text=text))
    return diff_segments(claim, edits)


def common_places(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """The longest row of words that both have in the same order, as pairs of places."""
    longest = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(second) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if first[i] == second[j] else max(below[j], row[j + 1])
    places = []
    i = j = 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            places.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return places


def _tokens(text: str) -> list[Span]:
    return [Span(match.start(), match.end()) for match in _TOKEN.finditer(text)]


@dataclass(frozen=True, slots=True)
class _Gap:
    """Words of the old text and of the new one that stand between the same two words of both."""

    old: str
    new: str
    before: Sequence[Span]
    after: Sequence[Span]
    out: Span
    """Which of `before` go."""
    come: Span
    """Which of `after` come."""

    def blanks(self, words: Sequence[Span], text: str, at: int) -> Span:
        """The white space before the word at a place; before the first, and behind the last."""
        start = words[at - 1].end if at else 0
        return Span(start, words[at].start if at < len(words) else len(text))


def _gap_edits(gap: _Gap) -> list[TextEdit]:
    words = [span.of(gap.new) for span in gap.after[gap.come.start : gap.come.end]]
    fresh = ""
    if words:
        first, last = gap.after[gap.come.start], gap.after[gap.come.end - 1]
        fresh = " ".join(gap.new[first.start : last.end].split())
    lead_new = gap.blanks(gap.after, gap.new, gap.come.start)
    tail_new = gap.blanks(gap.after, gap.new, gap.come.end)
    if gap.out.start == gap.out.end:
        return [_insertion(gap, fresh, lead_new, tail_new)]
    runs = _runs(gap)
    lead = gap.blanks(gap.before, gap.old, gap.out.start)
    tail = gap.blanks(gap.before, gap.old, gap.out.end)
    start, end = runs[0].start, runs[-1].end
    inner = gap.out.start > 0 and gap.out.end < len(gap.before)
    if fresh:
        spaced_before = lead_new.end > lead_new.start
        spaced_after = tail_new.end > tail_new.start
        if gap.out.start and spaced_before and lead.start == lead.end:
            fresh = " " + fresh
        elif gap.out.start and not spaced_before and lead.end - lead.start == 1:
            start = lead.start
        if gap.out.end < len(gap.before) and spaced_after and tail.start == tail.end:
            fresh += " "
        elif gap.out.end < len(gap.before) and not spaced_after and tail.end - tail.start == 1:
            end = tail.end
    elif inner:
        spaced = lead_new.end > lead_new.start
        both = lead.end > lead.start and tail.end > tail.start
        if lead.end - lead.start == 1 and (both or not spaced):
            start = lead.start
        elif tail.end - tail.start == 1 and (both or not spaced):
            end = tail.end
        if spaced and lead.start == lead.end and tail.start == tail.end:
            fresh = " "
    elif gap.out.start and lead.end - lead.start == 1:
        start = lead.start
    elif not gap.out.start and tail.end - tail.start == 1 and gap.out.end < len(gap.before):
        end = tail.end
    runs[0] = Span(start, runs[0].end)
    runs[-1] = Span(runs[-1].start, end)
    return [
        TextEdit(span=run, text=fresh if number == 0 else "") for number, run in enumerate(runs)
    ]


def _insertion(gap: _Gap, fresh: str, lead_new: Span, tail_new: Span) -> TextEdit:
    spaced_before, spaced_after = lead_new.end > lead_new.start, tail_new.end > tail_new.start
    at = gap.out.start
    if at:
        place = gap.before[at - 1].end
        apart = gap.blanks(gap.before, gap.old, at)
        closed = apart.start == apart.end and at < len(gap.before)
        fresh = (" " if spaced_before else "") + fresh + (" " if closed and spaced_after else "")
        return TextEdit(span=Span(place, place), text=fresh)
    place = gap.before[0].start if gap.before else len(gap.old)
    return TextEdit(
        span=Span(place, place), text=fresh + (" " if spaced_after and gap.before else "")
    )


def _runs(gap: _Gap) -> list[Span]:
    """The stretches of the words that go, cut where several blanks stand between two of them."""
    runs: list[Span] = []
    for word in gap.before[gap.out.start : gap.out.end]:
        if runs and word.start - runs[-1].end < 2:
            runs[-1] = Span(runs[-1].start, word.end)
        else:
            runs.append(word)
    return runs


LONGEST_CORRECTION = 1000
"""Code points of a corrected claim."""
LONGEST_WHY = 500
CORRECTED_LABELS: frozenset[str] = frozenset({"partially_supported", "contradicted"})
"""Labels for which judges may propose the claim as the source bears it out."""

CorrectionChoice = Literal["taken", "edited", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedCorrection(Record):
    """A claim as the source bears it out, in a judge's words."""

    text: str
    """The claim's text with the edits made."""
    edits: tuple[TextEdit, ...]
    """Offsets are into the claim's text; in order, not overlapping, at least one."""
    why: str
    judge: str
    """The SPEC of the judge that proposes it."""

    def of_claim(self, claim: str) -> "ProposedCorrection | None":
        """The same edits of the claim as it stands in the text; None where they do not fit it."""
        if any(edit.end > len(claim) for edit in self.edits):
            return None
        text = apply_edits(claim, self.edits)
        return ProposedCorrection(text=text, edits=self.edits, why=self.why, judge=self.judge)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionDecision(Spanned, Record):
    """What a reviewer made of a proposed correction; a later decision replaces an earlier one."""

    id: str
    run_id: str
    citation_id: str
    choice: CorrectionChoice
    span: Span = field(metadata=INLINE)
    """The claim's place in the output's text."""
    claim: str
    """What stands there."""
    proposed: str
    text: str | None
    """The claim as it should read; None where the proposal was refused."""
    judge: str
    """The SPEC of the judge that proposed it."""
    reviewer: str
    created_at: datetime
    reason: str = ""
    """Why it was refused, where the reviewer says so."""
    replaces: str | None = None
    """Id of the reviewer's earlier decision on the same citation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionCounts:
    """How many corrections a judge proposed, and what reviewers made of them."""

    judge: str
    proposed: int = 0
    taken: int = 0
    edited: int = 0
    refused: int = 0
    accepted_ci95: tuple[float, float] | None = None
    """The exact 95 % interval of the accepted share (Clopper and Pearson 1934); None without
    decisions."""

    @property
    def decided(self) -> int:
        """Proposals that a reviewer decided on."""
        return self.taken + self.edited + self.refused

    @property
    def accepted_share(self) -> float | None:
        """Taken or edited, of those decided; None without decisions."""
        return (self.taken + self.edited) / self.decided if self.decided else None

    def to_dict(self) -> JsonDict:
        """The published JSON of the counts."""
        share = self.accepted_share
        return {
            "judge": self.judge,
            "proposed": self.proposed,
            "taken": self.taken,
            "edited": self.edited,
            "refused": self.refused,
            "accepted_share": None if share is None else round(share, 4),
            "accepted_ci95": [round(bound, 4) for bound in self.accepted_ci95]
            if self.accepted_ci95
            else None,
        }


def standing_decisions(decisions: Iterable[CorrectionDecision]) -> dict[str, CorrectionDecision]:
    """The newest current decision on each citation of a run, whoever made it."""
    ordered = sorted(decisions, key=lambda decision: (decision.created_at, decision.id))
    return {decision.citation_id: decision for decision in ordered}
