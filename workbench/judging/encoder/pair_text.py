"""What the encoder reads of a claim and its source: three short texts, the same in training.

The claim; what its context says it is about; and the best passages with their title and headings.
Pure.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.judging.passages import choose, load_chooser
from workbench.judging.tokenization import UNSPACED, without_markers
from workbench.records import NO_CONTEXT, JudgeContext, Passage, Span, fold_compatible

LONGEST = 192
"""Tokens of a pair: what one core reads in some 35 ms."""
CLAIM_TOKENS = 72
CONTEXT_TOKENS = 24
FIXED_TOKENS = 4
"""Marks of beginning and end."""
CHARS_OF_TOKEN = 3.7
IDEOGRAPHS_OF_TOKEN = 1.35
"""What a token holds at least on average; measured are 3.7 to 4.3, and 1.35 to 1.55."""
CONTEXT_CHARS = 240
HEADING_CHARS = 80
JOIN = "\n"
_GAP = re.compile(r"\s+(?=[.,;:!?。，；：！？])|\s+$|(?<=\s)\s+")

_WIDE_GAP = re.compile(r"\s{2,}(?=[.,;:!?)\]。，；：！？）】])|(?<=\s)\s+")
"""Left where markers were blanked before: one space before a stop is how some texts are written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairText:
    """A claim, its context and its source as the encoder reads them."""

    claim: str
    context: str
    source: str
    spans: tuple[tuple[Span, Span], ...] = ()
    """Where each passage's text stands in `source`, and in the source document."""


def pair_text(
    claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
) -> PairText:
    """A claim and the best of its passages, as texts; spans count code points.

    Compatibility characters are read as the plain ones they stand for, one for one.
    """
    plain, around = fold_compatible(_plain(claim)), fold_compatible(context_text(context))
    passages = [replace(passage, text=fold_compatible(passage.text)) for passage in passages]
    title = _line(context.source.title)
    narrowed = narrow(plain, passages, source_chars(plain, around, title, passages), context)
    parts: list[str] = []
    spans: list[tuple[Span, Span]] = []
    if title and not any(title in passage.text for passage in narrowed):
        parts.append(title)
    length = sum(len(part) + len(JOIN) for part in parts)
    last: tuple[str, str] = ("", "")
    for passage in narrowed:
        above = (_line(passage.heading), (passage.table_header or "").strip())
        for line in above if above != last else ():
            if line and line != title:
                parts.append(line)
                length += len(line) + len(JOIN)
        last = above
        parts.append(passage.text)
        spans.append((Span(length, length + len(passage.text)), passage.span))
        length += len(passage.text) + len(JOIN)
    return PairText(
        claim=plain,
        context=around,
        source=JOIN.join(parts),
        spans=tuple(spans),
    )


def source_chars(claim: str, context: str, title: str, passages: Sequence[Passage]) -> int:
    """How many code points of the passages fit beside claim, context and title in `LONGEST` tokens.

    What is chosen to that length is read to its end; a longer choice, in the order of the source,
    would lose its last part, whatever stands there.
    """
    used = (
        min(CLAIM_TOKENS, _tokens(claim)) + min(CONTEXT_TOKENS, _tokens(context)) + _tokens(title)
    )
    text = "".join(passage.text for passage in passages)
    return int((LONGEST - FIXED_TOKENS - used) * len(text) / max(1.0, _tokens(text)))


def _tokens(text: str) -> float:
    """About how many tokens a text has."""
    wide = len(UNSPACED.findall(text))
    return wide / IDEOGRAPHS_OF_TOKEN + (len(text) - wide) / CHARS_OF_TOKEN


def narrow(
    claim: str, passages: Sequence[Passage], budget_chars: int, context: JudgeContext = NO_CONTEXT
) -> list[Passage]:
    """The best parts of the passages, by the same choice that took these from the source.

    Passages are joined by blank lines, so that no chosen part runs over two of them.
    """
    if sum(len(passage.text) for passage in passages) <= budget_chars:
        return list(passages)
    joint = "\n\n".join(passage.text for passage in passages)
    chosen = choose(load_chooser(), claim, joint, budget_chars, context.source.title)
    return list(_mapped(chosen, passages))


def _mapped(chosen: Sequence[Passage], passages: Sequence[Passage]) -> Iterator[Passage]:
    """Passages of the joined text as parts of the passages that were joined."""
    start = 0
    for passage in passages:
        end = start + len(passage.text)
        for part in chosen:
            first, last = max(part.start, start), min(part.end, end)
            if first < last:
                inside = Span(first - start, last - start)
                yield replace(
                    passage,
                    span=Span(passage.start + inside.start, passage.start + inside.end),
                    text=inside.of(passage.text),
                    score=part.score,
                )
        start = end + 2


def context_text(context: JudgeContext) -> str:
    """What a claim's context says it is about, the nearest first; empty when nothing is known."""
    lines = (
        context.table_row,
        " > ".join(map(_line, context.headings[-2:])),
        context.before.strip()[-CONTEXT_CHARS // 2 :],
        context.question,
    )
    return " | ".join(" ".join(line.split()) for line in lines if line and line.strip())[
        :CONTEXT_CHARS
    ]


def _plain(claim: str) -> str:
    """The claim without citation markers, and without the gaps that they leave."""
    plain = without_markers(claim)
    return (_WIDE_GAP if plain == claim else _GAP).sub("", plain).strip()


def _line(text: str | None) -> str:
    """A heading or title on one short line."""
    return " ".join((text or "").split())[:HEADING_CHARS]
