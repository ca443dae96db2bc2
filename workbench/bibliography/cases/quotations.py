"""Whether the words that a citation quotes stand in the decision's text.

What the rules of quotation allow is no difference: omissions (`. . .`), letters and words altered
or added in brackets, `(emphasis added)` and its kind, marks of quotations within, typographic
signs, words divided at a line's end, and citations or notes that the quotation leaves out where it
says so.
"""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from workbench.records.bibliography import FieldComparison
from workbench.records.citation import Citation

MOST_WORDS = 400_000
"""Words of a decision's text that are searched; the longest decisions have a quarter of this."""
SHOWN = 300
"""Characters of the nearest words that are shown."""
_NEAR = 0.6
"""Share of the quotation's words that the nearest place must have to be shown."""
_LONGEST_GAP = 400
"""Words that an ellipsis may leave out."""
_CANDIDATES = 12
"""Places of a text that are compared in full: those that share most words."""

_REMARK = re.compile(
    r"[(\[](?:emphas[ie]s|citations?|internal|quotations?|quoting|alterations?|footnotes?|brackets?"
    r"|ellips[ie]s|cleaned up|sic)\b[^()\[\]]{0,120}[)\]]",
    re.IGNORECASE,
)
_GAP = re.compile(r"(?:\.\s?){3,4}|\u2026|\*\s\*\s\*|\[\s?(?:\.\s?){3}\s?\]")
_BRACKETED = re.compile(r"\[([^\[\]]{0,80})\]")
_DIVIDED = re.compile(r"(\w)[-\u2010\u00ad]\s*\n\s*(\w)")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ANY = "\x00"
"""Stands for a word altered or added in brackets."""
_ENDING = "\x01"
"""Stands for a word's ending altered in brackets: plead[ed]."""


class _Word(NamedTuple):
    """A word as it is compared, at `text[start:end]`."""

    plain: str
    start: int
    end: int


def check_quotation(quotation: str, text: str | None) -> FieldComparison:
    """A quotation beside the decision's text: `agrees` is None without a text.

    Where its words are not in the text `agrees` is False, and `record_value` holds the words
    nearest to them (the window with the highest ratio of `difflib.SequenceMatcher`), or None where
    nothing comes near.
    """
    pieces = _pieces(quotation)
    if not text or not text.strip() or not any(pieces):
        return FieldComparison(
            field="quotation", entry_value=quotation, record_value=None, agrees=None
        )
    words = _words(text)[:MOST_WORDS]
    if _find(pieces, words) is not None:
        return FieldComparison(
            field="quotation", entry_value=quotation, record_value=quotation, agrees=True
        )
    quoted = [word for piece in pieces for word in piece if word != _ANY]
    nearest = _nearest(quoted, words)
    if nearest is None:
        why = "The quotation is not in the decision's text."
        return FieldComparison(
            field="quotation", entry_value=quotation, record_value=None, agrees=False, why=why
        )
    passage = " ".join(text[nearest[0] : nearest[1]].split())[:SHOWN]
    return FieldComparison(
        field="quotation",
        entry_value=quotation,
        record_value=passage,
        agrees=False,
        why=f"The quotation differs from the decision's text: “{passage}”.",
    )


def quotations_beside(citation: Citation, citations: Sequence[Citation]) -> tuple[str, ...]:
    """The words quoted from a decision where it is cited.

    A quotation's target is that of the mark it rests on; it belongs to a citation of the same
    decision for the same claim.
    """
    if citation.target is None or citation.claim is None:
        return ()
    return tuple(
        other.identifier
        for other in citations
        if other.kind == "quote"
        and other.target == citation.target
        and other.claim is not None
        and other.claim.span == citation.claim.span
    )


def _pieces(quotation: str) -> list[list[str]]:
    """The quotation's words between its omissions; bracketed words stand for any."""
    plain = _REMARK.sub(" ", _straight(quotation))
    pieces = []
    for piece in _GAP.split(plain):
        # [T]he and [its] alter a word; [sic] and remarks are gone already.
        marked = _BRACKETED.sub(_bracketed, piece)
        words: list[str] = []
        for token in re.findall(rf"{_ANY}|[^\W_]+(?:'[^\W_]+)*{_ENDING}?", marked):
            if token != _ANY or words[-1:] != [_ANY]:
                words.append(token.lower() if token != _ANY else _ANY)
        pieces.append(words)
    return [piece for piece in pieces if any(word != _ANY for word in piece)]


def _bracketed(match: re.Match[str]) -> str:
    letters = match[1]
    following = match.string[match.end() : match.end() + 1]
    before = match.string[match.start() - 1 : match.start()]
    if letters.isalpha() and len(letters) <= 2 and following.isalpha() and not before.isalpha():
        return letters  # a letter whose case was changed
    return _ENDING if before.isalpha() else f" {_ANY} "


def _straight(words: str) -> str:
    """Words with plain signs, of the same length but for divided words."""
    plain = unicodedata.normalize("NFKC", words).replace("\u2019", "'").replace("\u2018", "'")
    return plain.replace("\u00ad", "")


def _words(text: str) -> list[_Word]:
    """The text's words with their offsets; one divided at a line's end is one word."""
    words: list[_Word] = []
    divided = {match.start(2): match.end(1) for match in _DIVIDED.finditer(text)}
    for match in _TOKEN.finditer(text.replace("\u2019", "'").replace("\u2018", "'")):
        plain = unicodedata.normalize("NFKC", match[0]).lower()
        if match.start() in divided and words and words[-1].end == divided[match.start()]:
            earlier = words.pop()
            plain, start = earlier.plain + plain, earlier.start
        else:
            start = match.start()
        words.append(_Word(plain, start, match.end()))
    return words


def _find(pieces: list[list[str]], words: list[_Word]) -> int | None:
    """The number of the word at which the quotation begins; None where it is not there."""
    vocabulary = {word.plain for word in words}
    whole = {word for piece in pieces for word in piece if word[-1] not in (_ANY, _ENDING)}
    if not whole <= vocabulary:
        return None
    first = next(word for word in pieces[0] if word != _ANY)
    lead = pieces[0].index(first)
    for start, word in enumerate(words):
        if start >= lead and _agrees(first, word.plain):
            end = _end_of(pieces[0][lead:], words, start)
            if end is not None and _rest_follows(pieces[1:], words, end):
                return start
    return None


def _rest_follows(pieces: list[list[str]], words: list[_Word], end: int) -> bool:
    """Whether the pieces after an omission come in order, each within reach of the one before."""
    for piece in pieces:
        reach = min(end + _LONGEST_GAP, len(words))
        ends = (_end_of(piece, words, start) for start in range(end, reach))
        following = next((place for place in ends if place is not None), None)
        if following is None:
            return False
        end = following
    return True


def _end_of(piece: list[str], words: list[_Word], start: int) -> int | None:
    """The number of the word after a piece that stands at `start`; None where it does not."""
    at = start
    for number, quoted in enumerate(piece):
        if quoted == _ANY:
            following = piece[number + 1] if number + 1 < len(piece) else None
            if following is None:
                return at
            # What the brackets replace may be longer or shorter, or nothing.
            here = range(at, min(at + 8, len(words)))
            at = next(
                (place for place in here if _agrees(following, words[place].plain)), len(words)
            )
        elif at < len(words) and _agrees(quoted, words[at].plain):
            at += 1
        elif (
            at + 1 < len(words)
            and words[at].plain.isdigit()
            and _agrees(quoted, words[at + 1].plain)
        ):
            at += 2  # the number of a note or a page
        else:
            return None
    return at


def _agrees(quoted: str, word: str) -> bool:
    """Whether a word of the quotation, or what is left of it before a bracket, is a word."""
    return word.startswith(quoted[:-1]) if quoted[-1] == _ENDING else word == quoted


def _nearest(quoted: list[str], words: list[_Word]) -> tuple[int, int] | None:
    """Where the words stand that are most like the quotation, as offsets; None where none are."""
    size = len(quoted)
    wanted = set(quoted)
    present = [word.plain in wanted for word in words]
    step = max(size // 2, 1)
    starts = range(0, max(len(words) - size, 0) + step, step)
    shared = sorted(((sum(present[at : at + size]), -at) for at in starts), reverse=True)
    best: tuple[float, int, int] | None = None
    for _, negative in shared[:_CANDIDATES]:
        low = max(-negative - size // 2, 0)
        window = words[low : -negative + size + size // 2]
        plain = [word.plain for word in window]
        matcher = SequenceMatcher(None, quoted, plain, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        matched = sum(block.size for block in blocks)
        if blocks and matched >= _NEAR * size and (best is None or matched > best[0]):
            last = blocks[-1]
            first = max(blocks[0].b - blocks[0].a, 0)
            end = min(last.b + last.size + size - last.a - last.size, len(window))
            best = (matched, window[first].start, window[end - 1].end)
    return best[1:] if best else None
