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
from collections.abc import Sequence
from time import perf_counter

from workbench.errors import JudgeError
from workbench.judging.nli.classifier import PairClassifier
from workbench.judging.nli.labels import PairProbabilities
from workbench.judging.nli.places import LocatedModel, locate
from workbench.judging.nli.windows import Piece, SentenceWindow, cut_windows
from workbench.judging.number_alignment import read_recognized
from workbench.judging.segment import first_sentence
from workbench.judging.statements import passage_of, why_no_statement
from workbench.judging.tokenization import without_markers
from workbench.records import (
    NO_CONTEXT,
    Evidence,
    JudgeContext,
    Judgment,
    Passage,
    SourceFacts,
    VerdictLabel,
)

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


class NliJudge:
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
            if (passage := passage_of(piece.span, passages)) is None
            or not why_no_statement(piece.span, passage)
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

    def worst_cost_usd(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> float | None:
        """Nothing: it runs on this machine."""
        return 0.0

    async def aclose(self) -> None:
        """Nothing to close: an opened model is shared."""

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
