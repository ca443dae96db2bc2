"""What a marker stands for: its sentence, the list or the paragraph that it closes."""

from collections.abc import Collection
from typing import Literal

from workbench.citations.scope_reader import MOST_PARTS
from workbench.records import Citation, ClaimScope, Extraction, ScopeKind, Span

__all__ = ["MOST_PARTS", "Scopes", "with_scope"]


class Scopes:
    """The scopes of the citations of one text; offsets count code points of the text as given.

    Making it costs nothing; the text is read once, when something is first asked. Never raises.
    """

    def __init__(self, extraction: Extraction) -> None:
        self._extraction = extraction

    def choices(self, citation: Citation) -> tuple[ClaimScope, ...]:
        """The scopes that can be chosen for a citation: its sentence first, then wider ones.

        Empty for a citation without a claim. The one that the rules guess is marked as a guess.
        """
        raise NotImplementedError

    def parts(self, citation: Citation) -> tuple[Span, ...]:
        """The claims that make up the scope of a citation, in text order, `MOST_PARTS` at most.

        Empty for a citation without a claim.
        """
        raise NotImplementedError

    def part_citations(self, citation: Citation) -> tuple[Citation, ...]:
        """The citation once per part of its scope, each with that part as its claim.

        Each has its part's own context, the same id and target, and neither scope nor wording. A
        citation whose scope is its sentence, or has one part, comes back as it is.
        """
        raise NotImplementedError

    def with_kind(self, citation: Citation, kind: ScopeKind) -> Citation:
        """The citation with a chosen scope; with its sentence where it has no scope of the kind.

        A citation without a claim comes back without a scope.
        """
        raise NotImplementedError


def with_scope(
    extraction: Extraction,
    kind: ScopeKind | Literal["guess"],
    ids: Collection[str] | None = None,
) -> Extraction:
    """The extraction with a scope for its citations, or for those of `ids`; offsets stay.

    Args:
        extraction: What a text cites.
        kind: The scope to choose, where it can be chosen: else the sentence. `guess` guesses those
            that nobody chose, and anew those of `ids`.
        ids: The citations meant; left out: all.
    """
    raise NotImplementedError
