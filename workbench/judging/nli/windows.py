"""Passages as a model for pairs of texts reads them: in windows of whole sentences. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from workbench.judging.segment import segment
from workbench.records import Passage, Span

LONGEST_LINE = 200
"""Of a title, a heading or a table's header, in code points."""
OVERLAP = 0.25
"""A window begins with the last sentence of the one before, where that takes at most this share."""
TokenSpans = Callable[[str], Sequence[tuple[int, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A sentence of a passage, or a part of a long one."""

    span: Span
    """In the source."""
    text: str
    passage: int
    """Which of the passages it stands in."""
    above: str
    """Heading and table header that its passage stands under: read, never quoted."""
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceWindow:
    """Sentences that are read together."""

    pieces: tuple[Piece, ...]
    title: str = ""

    @property
    def text(self) -> str:
        """Title, headings and sentences, a line each."""
        lines = [self.title] if self.title else []
        above = ""
        for i, piece in enumerate(self.pieces):
            is_new = not i or piece.passage != self.pieces[i - 1].passage
            if is_new and piece.above and piece.above != above:
                lines.append(piece.above)
            above = piece.above
            if is_new or not lines:
                lines.append(piece.text)
            else:
                lines[-1] += f" {piece.text}"
        return "\n".join(lines)

    def alone(self, piece: Piece) -> "SentenceWindow":
        """One of its sentences under the same headings."""
        return SentenceWindow(pieces=(piece,), title=self.title)


def cut_windows(
    passages: Sequence[Passage], spans: TokenSpans, budget_tokens: int, title: str | None = None
) -> list[SentenceWindow]:
    """All sentences of the passages in windows of `budget_tokens` at most, in reading order.

    Sentences are packed greedily; one that is longer than a window by itself is cut between tokens.
    """
    title_line = one_line(title)
    title_tokens = len(spans(title_line)) + 1 if title_line else 0
    if title_tokens > budget_tokens // 4:
        title_line, title_tokens = "", 0
    budget = max(1, budget_tokens - title_tokens)
    windows: list[SentenceWindow] = []
    current: list[Piece] = []
    used = 0
    for piece, above_tokens in _pieces(passages, spans, budget):
        cost = piece.tokens + 1
        is_new = not current or current[-1].passage != piece.passage
        if current and used + cost + (above_tokens if is_new else 0) > budget:
            windows.append(SentenceWindow(pieces=tuple(current), title=title_line))
            last = current[-1]
            goes_on = (
                last.passage == piece.passage
                and last.tokens <= budget * OVERLAP
                and last.tokens + 1 + above_tokens + cost <= budget
            )
            current = [last] if goes_on and len(current) > 1 else []
            used = sum(kept.tokens + 1 for kept in current) + above_tokens
        elif is_new:
            used += above_tokens
        current.append(piece)
        used += cost
    if current:
        windows.append(SentenceWindow(pieces=tuple(current), title=title_line))
    return windows


def one_line(text: str | None) -> str:
    """A title, a heading or a header row on one line of bounded length."""
    return " ".join((text or "").split())[:LONGEST_LINE]


def _pieces(
    passages: Sequence[Passage], spans: TokenSpans, budget: int
) -> Iterator[tuple[Piece, int]]:
    """Each sentence, with the tokens of what stands above its passage."""
    for number, passage in enumerate(passages):
        lines = (one_line(passage.heading), one_line(passage.table_header))
        above = "\n".join(filter(None, lines))
        above_tokens = len(spans(above)) + 1 if above else 0
        if above_tokens > budget // 4:
            above, above_tokens = "", 0
        room = max(1, budget - above_tokens - 1)
        for sentence in segment(passage.text, unwrap=True):
            tokens = spans(sentence.of(passage.text))
            for part, count in _parts(sentence, tokens, room):
                yield (
                    Piece(
                        span=Span(passage.start + part.start, passage.start + part.end),
                        text=part.of(passage.text),
                        passage=number,
                        above=above,
                        tokens=count,
                    ),
                    above_tokens,
                )


def _parts(
    sentence: Span, tokens: Sequence[tuple[int, int]], room: int
) -> Iterator[tuple[Span, int]]:
    """The sentence, or parts of it with `room` tokens at most."""
    if len(tokens) <= room:
        yield sentence, len(tokens)
        return
    start = sentence.start
    for first in range(0, len(tokens), room):
        is_last = first + room >= len(tokens)
        end = sentence.end if is_last else sentence.start + tokens[first + room][0]
        if end > start:
            yield Span(start, end), min(room, len(tokens) - first)
            start = end
