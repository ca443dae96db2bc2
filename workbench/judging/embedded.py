"""The `local` judge: reasons that can be shown, weighed by a small model trained on labels.

It needs no key and no network. It sees which of the claim's words, names and numbers the source
holds and where, and says so. The score is a calibrated probability; what it was trained on, and how
far it can be trusted, stands in `data/judge/MODEL_CARD.md`.

The sentence for people comes from what can be checked by hand, never from a score.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Lock
from time import perf_counter

from workbench.errors import JudgeError
from workbench.judging.calculation_checks import calculation_of, calculations_of
from workbench.judging.evidence_choice import choose_evidence, overlap, replacement_of
from workbench.judging.features import ILLEGIBLE, FeatureVector, extract_features, read_recognized
from workbench.judging.judge import FreeJudge
from workbench.judging.pair_reader import PairReading, load_reader, reader_missing
from workbench.judging.passages import load_chooser
from workbench.judging.proposals import propose_swap
from workbench.judging.quotes import passage_of
from workbench.judging.reading_model import REPEATED_SCORE, is_repeated, load_model, values_of
from workbench.language.assertions import is_absence
from workbench.language.calculations import FoundCalculation
from workbench.language.quantities import clashes, find_quantities, matches
from workbench.language.tokenization import content_stems
from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.corrections import CORRECTED_LABELS, ProposedCorrection
from workbench.records.source import Passage
from workbench.records.text import fold_compatible
from workbench.records.verdict import QUOTED_LABELS, Calculation, Evidence, Judgment, VerdictLabel
from workbench.shipped import JUDGE_DATA

_LOADING = Lock()
COPIED_FROM = 0.85
"""Share of the claim's words in one sentence from which it says the same in nearly the same words."""
MOST_FROM = 0.6


def tell_reason(
    claim: str,
    features: FeatureVector,
    label: VerdictLabel,
    evidence: Sequence[Evidence],
    sure: bool,
) -> str:
    """Why the embedded judge gives a label, in one sentence that a reader can check.

    Only of a verdict that the judge is sure of is it said what the source means; of another, what
    stands in it.
    """
    if label in ("contradicted", "not_supported", "partially_supported"):
        clash = _clash(features)
        if clash:
            return clash
    if label == "not_supported" and is_absence(claim):
        return "No passage was found that says that the source looked for this and found none."
    if not evidence and label == "not_supported":
        return f"No passage of the source says this{_lacking(claim, features)}."
    if label == "contradicted":
        return "The quoted passage seems to say otherwise."
    if label == "supported" and sure:
        words = (
            "nearly the same words"
            if features.values["cover_sentence"] >= COPIED_FROM
            else "other words"
        )
        return f"The quoted passage says the same in {words}."
    lacking = _lacking(claim, features)
    if label == "not_supported":
        return f"The nearest passage does not say this{lacking}."
    share = features.values["cover_window"]
    found = "Most of" if share >= MOST_FROM else "Part of"
    return f"{found} the claim's words stand in the quoted passage{lacking}."


def _clash(features: FeatureVector) -> str:
    """What claim and source plainly give otherwise; empty where nothing is seen."""
    for difference in features.differences:
        if not difference.holds:
            return f"Source: {difference.given}. Claim: {difference.claimed}."
    if features.opposites:
        claimed, given = features.opposites[0]
        return f"The source says “{given}”; the claim says “{claimed}”."
    if features.values["polarity_sentence"]:
        return "The same words are negated on one side only."
    return ""


def _lacking(claim: str, features: FeatureVector) -> str:
    """What of the claim the source does not hold, to go on a sentence with."""
    numbers = [claim[q.start : q.end] for q in features.missing_numbers[:2]]
    names = [claim[word.start : word.end] for word in features.missing_names[:2]]
    missing = list(dict.fromkeys([*numbers, *names]))
    if not missing and features.uncovered:
        longest = max(features.uncovered, key=lambda span: span.end - span.start)
        missing = [" ".join(longest.of(claim).split())[:60]]
    return f"; not found: {', '.join(f'“{words}”' for words in missing)}" if missing else ""


UNSURE = (0.4, 0.6)
"""Scores in here say little either way: the rationale says that a person should look."""
DENIED = 0.2
"""The most that a claim scores whose number or name the evidence gives otherwise."""
_REPEATED_TEXT = "The claim stands in the source in its own words."
MOST_QUOTED = 4
MOST_ELSEWHERE = 4
"""So many sentences outside the best are looked at for a number that those do not hold."""


class LocalJudge(FreeJudge):
    """Judges with the shipped weights; stateless and safe to share between threads."""

    spec = "local"
    calculates = True

    def __init__(self, folder: Path = JUDGE_DATA) -> None:
        self._folder = folder
        missing = reader_missing(folder)
        self._model = load_model("words" if missing else "reading", folder)
        self._reader_missing = f"Judged by its words alone: {missing}" if missing else ""

    async def ajudge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """The judgment; raises `JudgeError` when there is no text to judge by."""
        return self.judge(claim, passages, context)

    def judge(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext = NO_CONTEXT
    ) -> Judgment:
        """The judgment; raises `JudgeError` when there is no text to judge by.

        The encoder reads `context` beside the claim; without it the claim by itself.
        """
        begun = perf_counter()
        if not any(passage.text.strip() for passage in passages):
            raise JudgeError(
                "not_evidence",
                "The source contains no text to judge the claim by: read it yourself.",
            )
        readable = read_recognized(claim, passages) if context.source.scanned else passages
        features = compute_features(claim, readable)
        reading = self._read(claim, readable, context)
        scored = self._model.score(values_of(features.values, reading))
        label, score, against = self._model.label(scored), scored.supported, scored.against
        decisive = reading.decisive if reading else None
        swap = propose_swap(claim, features, "contradicted", judge=self.spec)
        by_values = _denied_by_values(features, swap)
        found = calculations_of(claim, passages)
        calculation = calculation_of(found)
        differs = calculation is not None and not calculation.agrees
        if calculation and calculation.agrees:
            # the figure is right: neither missing, nor another than the source's
            by_values, features = None, _without_figures(features, found)
        denied = by_values or _denied_by_words(claim, features, passages)
        if denied:
            supports = label in ("supported", "partially_supported")
            label = by_values or (denied if supports else label)
            score, against = min(score, DENIED), max(against, 0.5)
        elif label == "contradicted" and readable is not passages:
            illegible = any(ILLEGIBLE in sentence.text for sentence in features.best)
            label = "not_supported" if illegible else label
        repeated = denied is None and is_repeated(features.values)
        if repeated:
            label, score = "supported", max(score, REPEATED_SCORE)
        elif calculation and denied is None and label != "supported":
            label, score, against = _with_right_figure(features, score)
        if differs:
            label, score, against = "contradicted", min(score, DENIED), max(against, 0.5)
        sentences, title = features.sentences, context.source.title
        evidence = choose_evidence(claim, features.best, decisive, sentences, passages, title)
        if calculation and (differs or label == "supported"):
            evidence = _operand_evidence(calculation, features, passages) or evidence
        if not evidence and label in QUOTED_LABELS:
            label = "not_supported"
        rationale = (
            _REPEATED_TEXT
            if repeated
            else _tell_reading(reading, label, score, against, evidence)
            if reading
            else "",
            explain(claim, features, label, score),
            self._reader_missing,
        )
        # which figures a claim means is read from its words: a person should see them
        sure = not differs and (
            by_values == label == "contradicted"
            or (denied is None and (repeated or scored.sure(label)))
        )
        return Judgment(
            label=label,
            confidence=round(score if repeated else scored.confidence(label), 4),
            score=round(score, 4),
            rationale=" ".join(filter(None, rationale)),
            reason=f"{calculation.line}."
            if calculation and (differs or label == "supported")
            else tell_reason(claim, features, label, evidence, sure),
            sure=sure,
            evidence=evidence,
            judge=self.spec,
            latency_ms=round((perf_counter() - begun) * 1000),
            uncovered=features.uncovered,
            calculation=calculation,
            proposed_correction=swap if label in CORRECTED_LABELS else None,
        )

    def _read(
        self, claim: str, passages: Sequence[Passage], context: JudgeContext
    ) -> PairReading | None:
        """What the encoder reads; None where there is none to run."""
        with _LOADING:  # the first claims are read side by side: each would load its own
            reader = load_reader(self._folder)
        return reader.read(claim, passages, context) if reader else None


def _denied_by_values(
    features: FeatureVector, swap: ProposedCorrection | None
) -> VerdictLabel | None:
    """The label of a claim that its evidence repeats with another number or name; None for any other.

    The figure has another sign, unit or currency, or in the same place of the same words stands
    another number or name. What cannot be compared is not contradicted.
    """
    if features.clashes:
        return "contradicted" if "different" in features.clashes else "not_supported"
    return "contradicted" if swap else None


CALCULATED = 0.7
HALF_CALCULATED = 0.44
"""What a claim scores whose figure follows from the source's, with most of its words there or not."""
WITH_FIGURES = 0.45
"""Share of the claim's words beside figures that bear it out: they are seldom in one sentence."""


def _with_right_figure(features: FeatureVector, score: float) -> tuple[VerdictLabel, float, float]:
    """The label, score and P(contradicted) of a claim whose figures follow from the source's.

    That a figure is right says nothing of the rest: only where the quoted window holds most of the
    claim's words, and no name or number is missing, is it all supported.
    """
    missing = features.missing_numbers or features.missing_names or features.opposites
    if missing or features.values["cover_window"] < WITH_FIGURES:
        return "partially_supported", max(score, HALF_CALCULATED), 0.0
    return "supported", max(score, CALCULATED), 0.0


def _without_figures(features: FeatureVector, found: Sequence[FoundCalculation]) -> FeatureVector:
    """The features without the missing numbers that follow from the source's."""
    missing = [
        number
        for number in features.missing_numbers
        if not any(c.start < number.end and number.start < c.end for c in found)
    ]
    return replace(features, missing_numbers=tuple(missing))


def _operand_evidence(
    calculation: Calculation, features: FeatureVector, passages: Sequence[Passage]
) -> tuple[Evidence, ...]:
    """The sentences or rows that the operands stand in."""
    places = [operand.span for operand in calculation.operands]
    spans = dict.fromkeys(
        sentence.span
        for place in places
        for sentence in features.sentences
        if sentence.span.start <= place.start and place.end <= sentence.span.end
    )
    chosen = [(span, passage_of(span, passages)) for span in [*spans][:MOST_QUOTED]]
    return tuple(
        Evidence(quote=passage.words_at(span), span=span) for span, passage in chosen if passage
    )


def _denied_by_words(
    claim: str, features: FeatureVector, passages: Sequence[Passage]
) -> VerdictLabel | None:
    """The label of a claim whose words the source denies, takes back, or says of another subject."""
    wanted = content_stems(claim)
    best = sorted(features.best, key=lambda s: -len(wanted & s.stems))
    numbers = [number for number in find_quantities(claim) if not number.weak]
    held = [given for sentence in best for given in find_quantities(sentence.text)]
    missing = [number for number in numbers if not matches(number, held)]
    elsewhere = (
        s
        for s in features.sentences
        if s not in best and any(matches(q, find_quantities(s.text)) for q in missing)
    )
    for place, sentence in enumerate([*best, *islice(elsewhere, MOST_ELSEWHERE if missing else 0)]):
        passage = passage_of(sentence.span, passages)
        other = (
            replacement_of(claim, sentence.span, features.sentences, passage) if passage else None
        )
        if passage is None or other is None or other.reason == "pull quote":
            continue
        if other.reason == "another subject":
            text = "\n".join(map(passage.words_at, other.spans))
            given, others = find_quantities(text), find_quantities(sentence.text)
            borrowed = [q for q in numbers if matches(q, others) and not matches(q, given)]
            if borrowed:
                return "contradicted" if clashes(borrowed, text) else "not_supported"
        elif not place:
            return "contradicted" if other.reason == "denied" else "not_supported"
    return None


def compute_features(claim: str, passages: Sequence[Passage]) -> FeatureVector:
    """What is seen of a claim and its passages, with all the numbers that the model weighs.

    Compatibility characters are read as the plain ones they stand for, one for one: spans hold.
    """
    plain = [replace(passage, text=fold_compatible(passage.text)) for passage in passages]
    return extract_features(fold_compatible(claim), plain, load_chooser().rarity)


def _tell_reading(
    reading: PairReading,
    label: VerdictLabel,
    score: float,
    against: float,
    evidence: Sequence[Evidence],
) -> str:
    """How likely the claim is supported, and where the first quote was decisive, that it was.

    `against` is P(contradicted) of a claim that is not supported, where as many are contradicted as
    are just not stated: it says nothing of a claim that is.
    """
    decisive = reading.decisive
    shown = decisive and evidence and overlap(evidence[0].span, decisive)
    counted = "; the first quote counted most" if shown else ""
    sentence = f"Read together: supported {score:.0%}{counted}."
    if label == "supported" or against < 0.5:
        return sentence
    return f"{sentence} If it is not, the source more likely contradicts it than omits it."


def explain(claim: str, reading: FeatureVector, label: VerdictLabel, score: float) -> str:
    """The reasons in words: what of the claim the source holds, and what it does not."""
    share = round(100 * reading.values["cover_all"])
    parts = [f"The passages hold {share} % of the claim's words, weighed by how rare they are."]
    if reading.missing_numbers:
        numbers = ", ".join(claim[q.start : q.end] for q in reading.missing_numbers[:4])
        parts.append(f"Missing numbers: {numbers}.")
    for number in reading.differences[:2]:
        how = f": {number.distance}" if number.distance else ""
        allowed = " The claim's wording allows that." if number.holds else ""
        parts.append(
            f"The evidence gives {number.given} where the claim gives {number.claimed}{how}.{allowed}"
        )
    if reading.missing_names:
        names = ", ".join(dict.fromkeys(claim[w.start : w.end] for w in reading.missing_names[:4]))
        parts.append(f"Missing names: {names}.")
    if reading.opposites:
        pairs = "; ".join(f"“{a}” against “{b}”" for a, b in reading.opposites[:2])
        parts.append(f"Opposite words in claim and evidence: {pairs}.")
    if reading.values["polarity_sentence"]:
        parts.append("The same words are negated on one side only.")
    elif reading.negation_differs:
        parts.append("Only one of claim and evidence is negated.")
    longest = sorted(sorted(reading.uncovered, key=lambda span: span.start - span.end)[:4])
    if longest and label != "contradicted":
        words = "; ".join(f"“{span.of(claim)}”" for span in longest)
        parts.append(f"Not covered: {words}.")
    if score < UNSURE[1] and (label == "supported" or score >= UNSURE[0]):
        parts.append("The judge cannot tell: please check yourself.")
    return " ".join(parts)
