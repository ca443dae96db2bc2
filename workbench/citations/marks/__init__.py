"""How does a text cite? Its marks, of every form, before they have a claim and a source."""

from typing import NamedTuple

from workbench.records.citation import CitationKind, Target


class Mark(NamedTuple):
    """A citation found at `text[start:end]`; offsets are code points of the text as given."""

    start: int
    end: int
    kind: CitationKind
    identifier: str
    target: Target | None = None
    """Where it points by itself; None when an entry of a reference list has to say so."""
    names: tuple[str, ...] = ()
    """Author names, first author first, for marks that name an author and a year."""
    year: str = ""
    """The year with its letter, `2019a`, for marks that name an author and a year."""
    style: str = ""
    """`footnote`, `narrative`, `wrap`, `ibid`, `short`: a form that is linked in its own way."""
    reference: int | None = None
    """The entry that it names, for marks that a provider tied to one."""
    covers: tuple[int, int] | None = None
    """The words that a wrapping tag encloses, when they are the claim."""
