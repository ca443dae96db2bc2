"""Labelled pairs of claim and source to train and measure with, from a folder of public data.

Turn a true claim into a false one by one small change: number, name, negation, opposite, place.

For training and for stress tests: a judge that reads must score the original above its corruption.
Pure; the generator decides, so the same seed gives the same corruptions.
"""

import gzip
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from workbench.language.quantities import find_quantities
from workbench.language.tokenization import (
    OPPOSITES,
    find_words,
    normalize_word,
    without_markers,
)
from workbench.records.context import LONGEST_BEFORE, NO_CONTEXT, JudgeContext, SourceFacts

_META = "(meta data) "
_LEAD_CHARS = 60
"""The first characters of a claim are enough to find it in its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A labelled pair."""

    claim: str
    source: str
    label: str
    group: str
    origin: str
    context: JudgeContext = NO_CONTEXT
    """Where the claim stands, and what the source says of itself, as far as the set tells."""


def load_pairs(data: Path) -> Iterator[Pair]:
    """Every labelled pair of a data folder that may be trained on, in a fixed order."""
    for path in sorted((data / "pairs").glob("*.jsonl")):
        for row in rows_of(path):
            origin = str(row["origin"])
            yield Pair(
                claim=str(row["claim"]),
                source=str(row["source"]),
                label=str(row["label"]),
                group=f"{origin}:{row['group']}",
                origin=origin,
            )
    for row in rows_of(data / "wice" / "articles_dev.jsonl"):
        sentences, meta = row["evidence"], row["meta"]
        assert isinstance(sentences, list) and isinstance(meta, dict)
        yield Pair(
            claim=str(row["claim"]),
            source="\n".join(str(s) for s in sentences),
            label=str(row["label"]),
            group=f"wice:{meta['claim_title']}",
            origin="wice",
            context=_article(meta, [str(s) for s in sentences]),
        )
    yield from _expertqa(data / "expertqa" / "rand_val.jsonl")


def _expertqa(path: Path) -> Iterator[Pair]:
    """The claims of expert answers with at least 15 words of evidence."""
    labels = {"Complete": "supported", "Partial": "partially_supported"}
    labels["Incomplete"] = "not_supported"
    for number, row in enumerate(rows_of(path)):
        answers = row["answers"]
        assert isinstance(answers, dict)
        for answer in answers.values():
            answer_text = str(answer["answer_string"])
            for claim in answer["claims"]:
                text = "\n\n".join(str(e) for e in claim["evidence"])
                if claim["support"] in labels and len(text.split()) >= 15:
                    yield Pair(
                        claim=str(claim["claim_string"]),
                        source=text,
                        label=labels[claim["support"]],
                        group=f"expertqa:{number}",
                        origin="expertqa",
                        context=JudgeContext(
                            question=str(row["question"]),
                            before=_before(answer_text, str(claim["claim_string"])),
                        ),
                    )


def _article(meta: dict[str, str], sentences: list[str]) -> JudgeContext:
    """Where a Wikipedia claim stands, and what the cited page says of itself in its first lines."""
    sections = [part.strip(' ."') for part in meta["claim_section"].split(":")]
    meta_lines = [line.removeprefix(_META) for line in sentences if line.startswith(_META)]
    facts = {name: value.strip() for name, _, value in (line.partition(":") for line in meta_lines)}
    return JudgeContext(
        headings=(meta["claim_title"], *filter(None, sections)),
        before=meta["claim_context"].strip()[-LONGEST_BEFORE:],
        source=SourceFacts(title=facts.get("TITLE") or None, site=facts.get("PUBLISHER") or None),
    )


def _before(answer: str, claim: str) -> str:
    """The part of an answer before a claim; empty where the claim was changed."""
    at = answer.find(claim[:_LEAD_CHARS])
    return answer[:at].strip()[-LONGEST_BEFORE:] if at > 0 else ""


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines, compressed or not."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


Corruption = Literal["number", "name", "negation", "opposite"]
CORRUPTIONS: tuple[Corruption, ...] = get_args(Corruption)

_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|should|may|might|does|do|did)\b"
    r"(?! not\b)"
)
_NOT = re.compile(r"\b(is|are|was|were|has|have|had|will|would|can|could|does|do|did) not\b ?")
_NAME = re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*\b")


def make_negative(
    claim: str, kind: Corruption, generator: random.Random, names: Sequence[str] = ()
) -> str | None:
    """The claim with one change of a kind that makes it false; None where it offers no place.

    `names` are other names to swap in; without one that differs a name is not swapped. A negation
    is taken out where there is one, and put in after the first auxiliary where there is none.
    """
    if kind == "number":
        return _number(claim, generator)
    if kind == "name":
        return _name(claim, generator, names)
    if kind == "negation":
        return negate(claim)
    return _opposite(claim, generator)


def find_names(text: str) -> list[str]:
    """Capitalised names inside sentences, each once, in text order; for swapping."""
    name_starts = {word.start for word in find_words(text) if word.name}
    names = (match.group() for match in _NAME.finditer(text) if match.start() in name_starts)
    return list(dict.fromkeys(names))


def negate(claim: str) -> str | None:
    """The claim with its negation taken out, or with one put in; None without an auxiliary."""
    negated = _NOT.search(claim)
    if negated:
        auxiliary_text = negated.group(1) + " "
        return claim[: negated.start()] + auxiliary_text + claim[negated.end() :]
    auxiliary = _AUXILIARY.search(claim)
    if auxiliary is None:
        return None
    return f"{claim[: auxiliary.end()]} not{claim[auxiliary.end() :]}"


def _number(claim: str, generator: random.Random) -> str | None:
    places = [q for q in find_quantities(without_markers(claim)) if claim[q.start].isdigit()]
    if not places:
        return None
    place = generator.choice(places)
    digits = re.match(r"\d[\d,.]*\d|\d", claim[place.start : place.end])
    if digits is None:
        return None
    old = digits.group()
    new = _other_number(old, place.is_year, generator)
    return claim[: place.start] + new + claim[place.start + len(old) :]


def _other_number(old: str, is_year: bool, generator: random.Random) -> str:
    """Another number of the same shape: same length, same separators."""
    if is_year and old.isdigit():
        return str(int(old) + generator.choice([-1, 1]) * generator.randint(2, 12))
    while True:
        new = "".join(generator.choice("0123456789") if c.isdigit() else c for c in old)
        if new[0] == "0" and old[0] != "0":
            new = generator.choice("123456789") + new[1:]
        if new != old:
            return new


def _name(claim: str, generator: random.Random, names: Sequence[str]) -> str | None:
    claim_names = find_names(claim)
    spare = [
        name for name in names if name not in claim and not any(k in name for k in claim_names)
    ]
    if not claim_names or not spare:
        return None
    old = generator.choice(claim_names)
    same = [name for name in spare if name.count(" ") == old.count(" ")] or spare
    return claim.replace(old, generator.choice(same), 1)


def _opposite(claim: str, generator: random.Random) -> str | None:
    places = [w for w in find_words(claim) if normalize_word(claim[w.start : w.end]) in OPPOSITES]
    if not places:
        return None
    place = generator.choice(places)
    old = claim[place.start : place.end]
    new = generator.choice(sorted(OPPOSITES[normalize_word(old)]))
    new = new.capitalize() if old[0].isupper() else new
    return claim[: place.start] + new + claim[place.end :]
