"""Which words a rewritten claim adds to the claim in the text; pure."""

from dataclasses import dataclass
from itertools import islice

from workbench.records.text import Span, replace_surrogates
from workbench.records.text_edits import MOST_WORDS, WORD, common_places
from workbench.records.verdict import CitationResult


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
