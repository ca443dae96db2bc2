"""A proposed correction of a claim, and words added to a text, as every interface shows them; pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from workbench.presentation.escape import truncate
from workbench.records.corrections import (
    MOST_WORDS,
    WORD,
    CorrectionChoice,
    CorrectionCounts,
    CorrectionDecision,
    DiffSegment,
    common_places,
    diff_segments,
    segments_between,
)
from workbench.records.format import format_timestamp
from workbench.records.text import JsonDict, Span, replace_surrogates
from workbench.records.verdict import CitationResult

if TYPE_CHECKING:
    from workbench.presentation.tables import Table


def added_words(claim: str, standalone: str) -> list[Span]:
    """The words of `standalone` that are not in the claim, in order; adjacent words are one span.

    Offsets are code points of `standalone`. Case and punctuation make no difference. Time grows
    with the product of both, of which `MOST_WORDS` are compared.
    """
    words = list(islice(WORD.finditer(standalone), MOST_WORDS))
    pairs = common_places(
        [word[0].casefold() for word in islice(WORD.finditer(claim), MOST_WORDS)],
        [word[0].casefold() for word in words],
    )
    common = {at for _, at in pairs}
    spans: list[Span] = []
    after_added = False
    for at, word in enumerate(words):
        added = at not in common
        if added and after_added:
            spans[-1] = Span(spans[-1].start, word.end())
        elif added:
            spans.append(Span(word.start(), word.end()))
        after_added = added
    return spans


@dataclass(frozen=True, slots=True, kw_only=True)
class StandaloneClaim:
    """A standalone claim, ready to be rendered."""

    name: str
    """Whose wording it is, in words."""
    parts: tuple[tuple[str, bool], ...]
    """Texts that joined are the wording, and whether each is added to the claim's words."""


def standalone_claim(result: CitationResult) -> StandaloneClaim | None:
    """A reviewer's wording of the claim, else a model's; None without one."""
    citation, judgment = result.citation, result.judgment
    wording = citation.wording or (judgment.standalone if judgment else None)
    if not wording or citation.claim is None:
        return None
    parts: list[tuple[str, bool]] = []
    at = 0
    for span in added_words(citation.claim.text, wording):
        parts += [(wording[at : span.start], False), (span.of(wording), True)]
        at = span.end
    parts.append((wording[at:], False))
    return StandaloneClaim(
        name="Judged as worded by a reviewer" if citation.wording else "Stands alone as",
        parts=tuple((replace_surrogates(text), added) for text, added in parts if text),
    )


CHOICE_TEXT: dict[CorrectionChoice, str] = {
    "taken": "Correction taken",
    "edited": "Correction edited and taken",
    "refused": "Correction refused",
}


def diff_text(segments: Sequence[DiffSegment]) -> str:
    """The parts as plain text.

    >>> diff_text(segments_between("It opened in 1913.", "It opened in 1912."))
    'It opened in [-1913-]{+1912+}.'
    """
    marks = {"same": ("", ""), "deleted": ("[-", "-]"), "inserted": ("{+", "+}")}
    return "".join(
        f"{marks[segment.kind][0]}{segment.text}{marks[segment.kind][1]}" for segment in segments
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionView:
    """A proposed correction of a citation's claim, ready to be rendered."""

    name: str
    """What is shown: the proposal, or the reviewer's text."""
    segments: tuple[DiffSegment, ...]
    why: str
    judge: str
    decision: str
    """What the reviewer decided, by whom and when; empty before that."""

    def to_dict(self) -> JsonDict:
        """The data that the review card takes."""
        return {
            "name": self.name,
            "parts": [[segment.kind, segment.text] for segment in self.segments],
            "why": self.why,
            "judge": self.judge,
            "decision": self.decision,
        }


def correction_view(
    result: CitationResult, decision: CorrectionDecision | None = None
) -> CorrectionView | None:
    """The correction to show with a citation; None without a proposal and a decision."""
    judgment, claim = result.judgment, result.citation.claim
    proposal = judgment.proposed_correction if judgment else None
    if claim is None:
        return None
    if decision is not None and decision.claim == claim.text:
        text = decision.text if decision.text is not None else decision.proposed
        reason = f": {decision.reason}" if decision.reason else ""
        return CorrectionView(
            name=CHOICE_TEXT[decision.choice],
            segments=_shown(segments_between(claim.text, text)),
            why=replace_surrogates(proposal.why) if proposal else "",
            judge=truncate(decision.judge, 60),
            decision=replace_surrogates(
                f"{truncate(decision.reviewer, 40)}, "
                f"{format_timestamp(decision.created_at)}{reason}"
            ),
        )
    if proposal is None:
        return None
    return CorrectionView(
        name="Suggested correction",
        segments=_shown(diff_segments(claim.text, proposal.edits)),
        why=replace_surrogates(proposal.why),
        judge=truncate(proposal.judge, 60),
        decision="",
    )


def correction_text(result: CitationResult) -> str:
    """The proposed correction of a citation as a line of plain text; empty without one."""
    view = correction_view(result)
    return diff_text(view.segments) if view else ""


def counts_text(counts: CorrectionCounts) -> str:
    """What reviewers made of a judge's proposals, in a line.

    >>> counts_text(CorrectionCounts(judge="local", proposed=5, taken=2, edited=1, refused=1))
    'local: 5 proposed, 2 taken, 1 edited, 1 refused; accepted 75 %'
    """
    line = (
        f"{truncate(counts.judge, 60)}: {counts.proposed} proposed, {counts.taken} taken, "
        f"{counts.edited} edited, {counts.refused} refused"
    )
    accepted = accepted_text(counts)
    return f"{line}; accepted {accepted}" if accepted else line


def accepted_text(counts: CorrectionCounts) -> str:
    """The accepted share with its interval, in per cent; empty without decisions.

    >>> accepted_text(CorrectionCounts(judge="local", taken=2, refused=1, accepted_ci95=(0.09, 0.99)))
    '67 % [9, 99]'
    """
    if counts.accepted_share is None:
        return ""
    share = f"{100 * counts.accepted_share:.0f} %"
    if counts.accepted_ci95 is None:
        return share
    low, high = counts.accepted_ci95
    return f"{share} [{100 * low:.0f}, {100 * high:.0f}]"


def corrections_table(counts: Sequence[CorrectionCounts]) -> "Table":
    """For each judge the corrections that it proposed, and what reviewers made of them."""
    from workbench.presentation.tables import Table  # not for commands that draw no table

    return Table.of(
        accessible_label="Proposed corrections",
        columns=("Judge", "Proposed", "Taken", "Edited", "Refused", "Accepted"),
        rows=(
            (
                truncate(line.judge, 60),
                *(f"{n:,}" for n in (line.proposed, line.taken, line.edited, line.refused)),
                accepted_text(line) or "–",
            )
            for line in counts
        ),
    )


def _shown(segments: Sequence[DiffSegment]) -> tuple[DiffSegment, ...]:
    return tuple(
        DiffSegment(kind=segment.kind, text=replace_surrogates(segment.text))
        for segment in segments
    )
