"""What a parser hands back, and how it says that there is nothing to hand back."""

from dataclasses import dataclass

from workbench.errors import ErrorKind

MAX_CHARS = 2_000_000
"""Text beyond this is cut and the source flagged `truncated`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageIssue:
    """Why a page may not be the source it stands for."""

    reason: str
    """`soft_404`, `login_wall`, `cookie_wall`, `bot_challenge`, `script_shell`, `parked_domain`,
    `abstract_only`, `words_run_together` or `empty`."""
    confidence: float
    """0 to 1; how sure the rule is that the page is not the source."""
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """The text of a source; `pages` are half-open spans of code points of that text."""

    text: str
    pages: tuple[tuple[int, int], ...] = ()
    scanned: tuple[int, ...] = ()
    """Numbers of the pages that are pictures over an invisible layer of recognized text."""
    title: str | None = None
    author: str | None = None
    date: str | None = None
    site: str | None = None
    truncated: bool = False
    doubt: PageIssue | None = None


class Unparsable(Exception):
    """The bytes hold no readable text: a reason code and a sentence."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
