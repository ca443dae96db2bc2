"""Find a judge's quotes in the passages it read and give them their place in the source.

Normalisation, applied to quote and source alike: runs of white space are one space; curly, low and
angle quotation marks are straight; every dash is a hyphen; ligatures and compatibility forms are
spelled out (NFKC, a character at a time); soft hyphens, zero-width, control, private-use and other
invisible characters are dropped; `⟨` and `⟩`, which prompts show for `<` and `>`, are these again.
Case and wording are not touched: a paraphrase is not a quote. A quote may leave something out with
an ellipsis of its own: the parts must stand in the source in that order.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.judging.statements import passage_of, why_no_statement
from workbench.records import Evidence, Passage, Span, fold_compatible

SHORTEST = 8
"""A quote of fewer letters, digits or ideographs proves nothing unless it is the whole passage."""

_SINGLE = "‘’‚‛′‹›`´"
_DOUBLE = "“”„‟″«»「」『』"
_DASHES = "‐‑‒–—―−﹘﹣－"
_MAP = {
    **dict.fromkeys(map(ord, _SINGLE), "'"),
    **dict.fromkeys(map(ord, _DOUBLE), '"'),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    ord("…"): "...",
    # brackets stand for signs in a prompt, where a sign could open a tag
    ord("⟨"): "<",
    ord("⟩"): ">",
    ord("≮"): "<\u0338",
    ord("≯"): ">\u0338",
}
_HIDDEN = ("Cf", "Cc", "Co", "Cs")
_IGNORABLE = frozenset(
    code
    for first, last in (
        (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065),
        (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
    )
    for code in range(first, last + 1)
)  # fmt: skip
"""Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties.txt) that no category tells:
joiners, fillers and variation selectors."""
_ELLIPSIS = re.compile(r"\s*(?:\[\s*\.{3}\s*\]|\(\.{3}\)|\.{3,}|…|\[…\])\s*")
_WRAPPED = "\"'“”‘’«»„「」『』 \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteMatches:
    """Quotes found in the source, and those that were not, each with its reason."""

    evidence: tuple[Evidence, ...] = ()
    rejected: tuple[tuple[str, str], ...] = ()
    """`(quote, reason)` pairs."""


def normalise(text: str) -> tuple[str, list[int]]:
    """The text in the form quotes are compared in, and for each character its place in `text`."""
    out: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        if char.isspace():
            if out and out[-1] != " ":
                out.append(" ")
                places.append(at)
            continue
        if is_hidden(char):
            continue
        plain = " " <= char < "\x7f" and char != "`"
        form = char if plain else _MAP.get(ord(char), _compatible(char))
        for letter in form:
            if letter.isspace():
                if not out or out[-1] == " ":
                    continue
                letter = " "
            out.append(letter)
            places.append(at)
    return "".join(out), places


def is_hidden(char: str) -> bool:
    """Whether a character is invisible.

    That is: format, control, private use, a lone surrogate, or ignorable by default.
    """
    if char.isascii():
        return not (char.isprintable() or char.isspace())
    if ord(char) in _IGNORABLE:
        return True
    return unicodedata.category(char) in _HIDDEN and not char.isspace()


def locate_quotes(quotes: Sequence[str], passages: Sequence[Passage]) -> QuoteMatches:
    """Each quote as evidence with its offsets in the source, or rejected with a reason.

    The evidence's `quote` is the source's own wording, `source[start:end]`; a quote that stands in
    several places gets the first. A quote with an ellipsis gives one piece of evidence for each of
    its parts. One that states nothing (a heading, a question, a title in a list) is rejected.
    Duplicates are dropped.
    """
    forms = [normalise(passage.text) for passage in passages]
    evidence: list[Evidence] = []
    rejected: list[tuple[str, str]] = []
    for quote in quotes:
        if not quote.strip(_WRAPPED + "."):
            rejected.append((quote, "the quote is empty"))
            continue
        # As given first: only where that fails are quotation marks around it taken as the judge's.
        places = _place(quote, passages, forms) or _place(quote.strip(_WRAPPED), passages, forms)
        if places is None:
            rejected.append((quote, "the quote does not stand in the passages"))
        elif sum(_weight(place.quote) for place in places) < _least(passages):
            rejected.append((quote, f"the quote is shorter than {SHORTEST} letters or digits"))
        elif all(reasons := [_states_nothing(place, passages) for place in places]):
            rejected.append((quote, f"the quote is only a {reasons[0]}"))
        else:
            evidence.extend(place for place in places if place not in evidence)
    return QuoteMatches(evidence=tuple(evidence), rejected=tuple(rejected))


def _place(
    quote: str, passages: Sequence[Passage], forms: Sequence[tuple[str, list[int]]]
) -> list[Evidence] | None:
    """Where the parts of one quote stand, in their order; None when one of them does not."""
    evidence: list[Evidence] = []
    first, offset = 0, 0
    needles = [normalise(part)[0].strip() for part in _ELLIPSIS.split(quote)]
    for needle in filter(None, needles):
        for i in range(first, len(passages)):
            passage_text, places = forms[i]
            at = passage_text.find(needle, offset if i == first else 0)
            if at < 0:
                continue
            start, end = places[at], places[at + len(needle) - 1] + 1
            span = Span(passages[i].start + start, passages[i].start + end)
            evidence.append(Evidence(quote=passages[i].text[start:end], span=span))
            first, offset = i, at + len(needle)
            break
        else:
            return None
    return evidence or None


def _states_nothing(place: Evidence, passages: Sequence[Passage]) -> str | None:
    """Why a found quote bears nothing out; None where it states something."""
    passage = passage_of(place.span, passages)
    return why_no_statement(place.span, passage) if passage else None


def _compatible(char: str) -> str:
    """NFKC of one character and plain ideographs for radicals; combining marks left alone."""
    if unicodedata.combining(char):
        return char
    return unicodedata.normalize("NFKC", fold_compatible(char))


def _weight(quote: str) -> int:
    """Letters and digits of a quote; an ideograph says as much as two letters."""
    return sum(2 if ord(c) > 0x2E7F else 1 for c in quote if c.isalnum())


def _least(passages: Sequence[Passage]) -> int:
    """The weight a quote needs: all of it where the source itself is as short as that."""
    total = sum(_weight(passage.text) for passage in passages)
    return max(1, min(SHORTEST, total))
