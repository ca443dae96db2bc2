"""The judge `nli:PATH`: a model for pairs of texts that the user has, asked about each window.

The rule, for a claim and its passages:

- The passages are cut into windows of whole sentences that fit the model; all are scored.
- `supported`: in the window with the highest P(support) support is the likeliest class, and no
  window contradicts more strongly.
- `contradicted`: in the window with the highest P(contradiction) that is the likeliest class, and
  it is higher than the highest P(support). Only models with a neutral class can say so.
- `not_supported` otherwise, and where what decides is only a heading, a title or a question.
  `partially_supported` is not in the vocabulary of such a model.
- `score` is the highest P(support), or what the contradiction leaves of it where that decides. It
  is the model's own probability: calibrate it on labels before a threshold rests on it.

The evidence is the sentence of the deciding window that decides most by itself. Of the context only
the source's title and the passages' headings are read; a claim is read as it stands.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from workbench.errors import JudgeError
from workbench.judging.features import read_recognized
from workbench.judging.judge import FreeJudge
from workbench.judging.nli.classifier import PairClassifier
from workbench.judging.nli.files import LocatedModel, locate
from workbench.judging.nli.spec import PairProbabilities
from workbench.judging.quotes import why_no_statement
from workbench.language.tokenization import first_sentence, segment, without_markers
from workbench.records.context import NO_CONTEXT, JudgeContext, SourceFacts
from workbench.records.source import Passage
from workbench.records.text import Span
from workbench.records.verdict import Evidence, Judgment, VerdictLabel

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


CLAIM_SHARE = 0.5
"""Of a window: a longer claim loses its end."""
MARGIN = 4
"""Tokens left free, since a text has a few more or fewer than its sentences one by one."""
ALONE = 0.5
"""A sentence that decides less than this by itself gets others of its window beside it."""
QUOTES = 3
OPEN_AT_ONCE = 3
"""Models are large: the one that was opened longest ago is let go."""
UNSURE = (0.4, 0.6)
SURE_FROM = 0.8
"""By the model's own probability, since nobody has measured a model of the user's."""
_OPENED: dict[str, PairClassifier] = {}
_LOCK = threading.Lock()


class NliJudge(FreeJudge):
    """Judges with a model of the user's own; safe to share between threads."""

    reads_headings = True
    """Heading and table header of a passage change what it answers."""

    def __init__(self, model: LocatedModel, classifier: PairClassifier) -> None:
        self._model = model
        self._classifier = classifier

    @property
    def spec(self) -> str:
        """`nli:NAME@HASH`: the folder's name and a hash over the model's bytes, without a path."""
        return self._model.spec

    def context_shown(self, context: JudgeContext) -> JudgeContext:
        """The title of the source, and whether it is a scan: nothing else fits a pair of texts."""
        title, scanned = context.source.title, context.source.scanned
        return JudgeContext(source=SourceFacts(title=title, scanned=scanned))

    async def ajudge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """What `judge` gives, computed in a thread of its own.

        Raises:
            JudgeError: There is no text to judge by, or the model fails.
        """
        return await asyncio.to_thread(self.judge, claim, passages, context)

    def judge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """The judgment by the rule above.

        Raises:
            JudgeError: There is no text to judge by, or the model fails.
        """
        begun = perf_counter()
        text, is_cut, claim_tokens = self._claim(claim)
        room = self._classifier.longest - self._classifier.overhead - claim_tokens - MARGIN
        title = context.source.title
        if context.source.scanned:
            passages = read_recognized(claim, passages)
        windows = cut_windows(passages, self._classifier.spans, room, title)
        if not text or not windows:
            raise JudgeError(
                "not_evidence",
                "The source contains no text to judge the claim by: read it yourself.",
            )
        chances = self._classifier.classify([window.text for window in windows], text)
        best = max(range(len(windows)), key=lambda i: chances[i].support)
        worst = max(range(len(windows)), key=lambda i: chances[i].contradiction)
        label = choose_label(chances[best], chances[worst])
        is_against = label == "contradicted"
        deciding = windows[worst if is_against else best]
        pieces = [
            piece
            for piece in self._deciding_pieces(deciding, text, is_against)
            if not why_no_statement(piece.span, passages, title)
        ]
        if not pieces:
            label = "not_supported"
        support, against = chances[best].support, chances[worst].contradiction
        score = min(support, 1 - against) if is_against else support
        rationale = self._rationale(support, against, len(windows), is_cut)
        confidence = round(_confidence(label, support, against), 4)
        return Judgment(
            label=label,
            confidence=confidence,
            score=round(score, 4),
            rationale=rationale,
            reason=first_sentence(rationale),
            sure=confidence >= SURE_FROM,
            evidence=tuple(Evidence(quote=piece.text, span=piece.span) for piece in pieces),
            judge=self.spec,
            latency_ms=round((perf_counter() - begun) * 1000),
        )

    def _claim(self, claim: str) -> tuple[str, bool, int]:
        """The claim as it is read, whether its end was cut off, and its tokens."""
        text = without_markers(claim).strip() or claim.strip()
        spans = self._classifier.spans(text)
        most = int(self._classifier.longest * CLAIM_SHARE)
        if len(spans) <= most:
            return text, False, len(spans)
        return text[: spans[most - 1][1]], True, most

    def _deciding_pieces(self, window: SentenceWindow, claim: str, is_against: bool) -> list[Piece]:
        """The sentence that decides most by itself; with others where it does not alone."""
        if len(window.pieces) == 1:
            return list(window.pieces)
        texts = [window.alone(piece).text for piece in window.pieces]
        chances = self._classifier.classify(texts, claim)
        shares = [c.contradiction if is_against else c.support for c in chances]
        order = sorted(range(len(shares)), key=lambda i: -shares[i])
        count = 1 if shares[order[0]] >= ALONE else QUOTES
        return [window.pieces[i] for i in sorted(order[:count])]

    def _rationale(self, support: float, against: float, windows: int, is_cut: bool) -> str:
        place = "in the passages" if windows == 1 else f"in the best of {windows} parts of them"
        parts = [
            f"The model {self._model.files.folder.name} finds the claim supported with "
            f"{round(100 * support)} % {place}."
        ]
        if against >= 0.005:
            parts.append(f"It finds it contradicted with {round(100 * against)} % at most.")
        if is_cut:
            parts.append("The claim is too long for the model: its end was not read.")
        if UNSURE[0] <= support < UNSURE[1]:
            parts.append("The judge cannot tell: please check yourself.")
        return " ".join(parts)


def choose_label(best: PairProbabilities, worst: PairProbabilities) -> VerdictLabel:
    """The label of the window that supports most and of the one that contradicts most."""
    if worst.top == "contradiction" and worst.contradiction > best.support:
        return "contradicted"
    return "supported" if best.top == "support" else "not_supported"


def open_nli_judge(text: str) -> NliJudge:
    """The judge with the model behind `nli:`: a path with options, or the name that runs keep.

    Raises:
        UnknownJudge: There is no such model, a package or file is missing or damaged, or nobody
            says what its outputs mean.
    """
    model = locate(text)
    with _LOCK:
        classifier = _OPENED.pop(model.name, None) or PairClassifier(model)
        _OPENED[model.name] = classifier
        while len(_OPENED) > OPEN_AT_ONCE:
            del _OPENED[next(iter(_OPENED))]
    return NliJudge(model, classifier)


def _confidence(label: VerdictLabel, support: float, against: float) -> float:
    """How likely the label is by the model's own probabilities."""
    if label == "supported":
        return support
    return against if label == "contradicted" else (1 - support) * (1 - against)
