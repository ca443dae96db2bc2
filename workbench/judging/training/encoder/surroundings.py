"""Text around a claim that says nothing about whether it holds, for training. Pure but for its draw.

Claims of public sets stand alone; those of a report stand under headings, behind other sentences,
in the answer to a question. An encoder that meets such text only where it decides takes all of it
for a reason. So many claims get some of it, whatever their label: headings, other claims about the
same source or about another one, a question.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.judging.pair_reader import HEADING_CHARS
from workbench.records import JudgeContext

HEADINGS: Mapping[str, Sequence[str]] = {
    "en": ("Overview", "Background", "Results", "Key findings", "What the evidence says", "Limits"),
    "de": ("Überblick", "Hintergrund", "Ergebnisse", "Was bekannt ist", "Einordnung"),
    "es": ("Resumen", "Antecedentes", "Resultados", "Lo que se sabe", "Conclusiones"),
    "fr": ("Aperçu", "Contexte", "Résultats", "Ce que l'on sait", "Conclusions"),
    "zh": ("概述", "背景", "主要发现", "结果", "结论"),
}
QUESTIONS: Mapping[str, Sequence[str]] = {
    "en": ("What is known about {}?", "How reliable is what is said of {}?", "Tell me about {}."),
    "de": ("Was ist über {} bekannt?", "Wie steht es um {}?"),
    "es": ("¿Qué se sabe sobre {}?", "¿Qué ocurrió con {}?"),
    "fr": ("Que sait-on de {} ?", "Que s'est-il passé avec {} ?"),
    "zh": ("关于{}，目前知道什么？", "{}的情况如何？"),
}
TOPIC_CHARS = 40
FOREIGN_SHARE = 0.25
"""How often the sentence before is about something else."""
_ORIGIN_LANGUAGE = re.compile(r"_(de|es|fr|zh)(?:_|\Z)")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The claims about a source, by their group, to stand around one another."""

    by_group: Mapping[str, Sequence[str]]
    languages: Mapping[str, str]
    """The language of each group."""
    others: Sequence[str]

    @classmethod
    def of(cls, claims: Iterable[tuple[str, str, str]]) -> "Surroundings":
        """Of `(origin, group, claim)`."""
        by_group: dict[str, list[str]] = {}
        languages: dict[str, str] = {}
        for origin, group, claim in claims:
            by_group.setdefault(group, []).append(claim)
            languages[group] = language_of(origin)
        return cls(by_group, languages, [text for group in by_group.values() for text in group[:3]])

    def draw(self, group: str, claim: str, source: str, generator: random.Random) -> JudgeContext:
        """Headings, a sentence before the claim, a question: one of them at least."""
        language = self.languages.get(group, "en")
        near = [text for text in self.by_group.get(group, ()) if text != claim]
        headings: list[str] = []
        before = question = ""
        if generator.random() < 0.6:
            headings = [generator.choice(HEADINGS[language])]
            if generator.random() < 0.5:
                headings.insert(0, _title(source))
        if generator.random() < 0.6:
            pool = near if near and generator.random() > FOREIGN_SHARE else self.others
            before = generator.choice(pool)
            before = before if before != claim else ""
        if not (headings or before) or generator.random() < 0.4:
            topic = _title(source) or generator.choice(near or self.others)[:TOPIC_CHARS]
            question = generator.choice(QUESTIONS[language]).format(topic)
        return JudgeContext(
            headings=tuple(filter(None, headings)), before=before, question=question or None
        )


def language_of(origin: str) -> str:
    """The language of a set by its name; English where it tells none."""
    match = _ORIGIN_LANGUAGE.search(origin)
    return match.group(1) if match else "en"


def _title(source: str) -> str:
    """The first line of a source where it is short enough for a title."""
    first = source.split("\n", 1)[0].strip()
    return first if len(first) <= HEADING_CHARS else ""
