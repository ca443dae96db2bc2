"""Every pair that the encoder is trained on, as it will read it: labelled, corrupted, derived.

`python -m workbench.judging.training.encoder.training_pairs --data DATA --out FILE` writes them as
JSON lines. Labels: `s` supported, `p` partially, `n` not supported (neither said nor denied), `c`
contradicted, `x` anything but supported, where a set does not tell which.

Claims of public sets stand alone; those of a report stand under headings, behind other sentences,
in the answer to a question. An encoder that meets such text only where it decides takes all of it
for a reason. So many claims get some of it, whatever their label: headings, other claims about the
same source or about another one, a question.
"""

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from workbench.judging.pair_reader import HEADING_CHARS, context_text, pair_text
from workbench.judging.passages import choose, load_chooser, select_passages
from workbench.judging.training.pairs import (
    CORRUPTIONS,
    Pair,
    find_names,
    load_pairs,
    make_negative,
    rows_of,
)
from workbench.language.quantities import find_quantities
from workbench.language.tokenization import segment
from workbench.records.context import NO_CONTEXT, JudgeContext, SourceFacts
from workbench.shipped import JUDGE_DATA

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


SEED = 20261123
LABELS = {"supported": "s", "partially_supported": "p", "not_supported": "n", "contradicted": "c"}
UNTOLD = frozenset(("citation_integrity", "fever_nli_dev", "mnli_dev", "begin_wow", "q2_wow"))
"""Sets whose *not supported* may be a contradiction."""
LIKE_THE_WORK = frozenset(("wice", "expertqa"))
"""Sets that the calibrated model is fitted on, with the encoder's scores: half of their groups are
development pairs."""
MEASURE_ONLY = frozenset(("infotabs",))
"""Sets whose terms do not allow weights that ship."""
DEVELOPMENT_SHARE = 0.06
SURROUNDED_SHARE = 0.4
"""How many of the claims that stand alone get text around them."""
OWN = "own_examples"
EXAMPLES = JUDGE_DATA / "examples.jsonl"
CONTRAST = JUDGE_DATA.parent / "contrast"
LONG_SOURCE = 2200
BEST_CHARS = 1350
"""Code points of a long source that are taken out to leave one without evidence."""
LONGEST_JOINED = 400
"""Code points of two joined claims."""
UNJOINED = frozenset(("scone_nli", "evidence_inference", "diasumfact_qmsum"))
"""Sets whose claims make no sense together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderPair:
    """What the encoder reads, with its label; `split` is `train` or `dev`, whole groups in one."""

    claim: str
    context: str
    source: str
    label: str
    origin: str
    group: str
    split: str


def collect(data: Path, examples: Path | None) -> Iterator[EncoderPair]:
    """Every pair with those derived from it, many of them with some text around the claim."""
    generator = random.Random(SEED)
    pairs = [*load_pairs(data), *load_nli(data), *load_contrast()]
    pairs += load_examples(examples) if examples else ()
    surroundings = Surroundings.of((pair.origin, pair.group, pair.claim) for pair in pairs)
    for pair in _collect(pairs, generator):
        if pair.context or generator.random() > SURROUNDED_SHARE:
            yield pair
            continue
        context = surroundings.draw(pair.group, pair.claim, pair.source, generator)
        yield replace(pair, context=context_text(context))


def _collect(pairs: Sequence[Pair], generator: random.Random) -> Iterator[EncoderPair]:
    by_origin: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_origin.setdefault(pair.origin, []).append(pair)
    for number, pair in enumerate(pairs):
        if number % 1000 == 0:
            print(f"{number} of {len(pairs)}", file=sys.stderr, flush=True)
        if pair.origin in MEASURE_ONLY:
            continue
        label = LABELS[pair.label]
        if label == "n" and pair.origin in UNTOLD:
            label = "x"
        yield encoder_pair(pair, label, pair.origin)
        if _gives_others(pair):
            yield from derived(pair, label, by_origin[pair.origin], generator)
    yield from joined_claims([pair for pair in pairs if _gives_others(pair)], generator)


def _gives_others(pair: Pair) -> bool:
    """Whether other pairs are made from it: from sets like the work, only in training."""
    if pair.origin in LIKE_THE_WORK:
        return split_of(pair.origin, pair.group) == "train"
    return pair.origin not in MEASURE_ONLY


def encoder_pair(pair: Pair, label: str, origin: str) -> EncoderPair:
    """A pair as the encoder reads it."""
    title = pair.context.source.title
    passages = select_passages(pair.claim, pair.source, 3000, title, pair.context)
    text = pair_text(pair.claim, passages, pair.context)
    return EncoderPair(
        claim=text.claim, context=text.context, source=text.source, label=label, origin=origin,
        group=pair.group, split=split_of(pair.origin, pair.group),
    )  # fmt: skip


def split_of(origin: str, group: str) -> str:
    """`train` or `dev`; a group's pairs go together."""
    digest = hashlib.sha256(group.encode("utf-8", "replace")).digest()
    share = 0.5 if origin in LIKE_THE_WORK else DEVELOPMENT_SHARE
    return "dev" if int.from_bytes(digest[:4], "big") < share * 2**32 else "train"


def derived(
    pair: Pair, label: str, others: Sequence[Pair], generator: random.Random
) -> Iterator[EncoderPair]:
    """Pairs made from one: corruptions, other passages and sources, copies, another context."""
    yield from _copies(pair, generator)
    if label != "s":
        return
    names = find_names(pair.source)
    for kind in CORRUPTIONS:
        if pair.origin == "scone_nli" or (kind == "negation" and generator.random() < 0.5):
            continue
        false = make_negative(pair.claim, kind, generator, names)
        if false:
            yield encoder_pair(replace(pair, claim=false), "c", f"corrupt_{kind}")
    other_source = _other_number_in_source(pair, generator)
    if other_source:
        yield encoder_pair(replace(pair, source=other_source), "c", "corrupt_source")
    if len(pair.source) > LONG_SOURCE:
        rest = _without_best(pair)
        if rest:
            yield encoder_pair(replace(pair, source=rest), "x", "other_passage")
    if generator.random() < 0.25:
        other = generator.choice(others)
        if other.group != pair.group:
            yield encoder_pair(replace(pair, source=other.source), "n", "foreign")
    yield from _contexts(pair, others, generator)


def joined_claims(pairs: Sequence[Pair], generator: random.Random) -> Iterator[EncoderPair]:
    """Two claims about one source as one: supported only if both are, partially if one is."""
    by_source: dict[str, list[Pair]] = {}
    for pair in pairs:
        if len(pair.claim) <= LONGEST_JOINED // 2 and pair.origin not in UNJOINED:
            by_source.setdefault(pair.source, []).append(pair)
    for same_source in by_source.values():
        generator.shuffle(same_source)
        for first, second in zip(same_source[::2], same_source[1::2], strict=False):
            label = _joined_label(first, second)
            if label and first.claim != second.claim:
                claim = _joined(first, second, generator)
                yield encoder_pair(replace(first, claim=claim, context=NO_CONTEXT), label, "joined")


def _joined_label(first: Pair, second: Pair) -> str | None:
    labels = {LABELS[first.label], LABELS[second.label]}
    if labels == {"s"}:
        return "s"
    if first.origin in UNTOLD:
        return "x"
    if "c" in labels:
        return "c"
    return "p" if "s" in labels else "n"


def _joined(first: Pair, second: Pair, generator: random.Random) -> str:
    """Two sentences, or in English at times one."""
    ends = first.claim.rstrip()
    ends += "" if ends[-1:] in ".!?。！？" else "."
    language = language_of(first.origin)
    if language == "en" and generator.random() < 0.5:
        return f"{ends[:-1]}, and {second.claim}"
    return f"{ends}{'' if language == 'zh' else ' '}{second.claim}"


def _copies(pair: Pair, generator: random.Random) -> Iterator[EncoderPair]:
    """A sentence of the source as claim; and the same with one change that makes it false."""
    if generator.random() > 0.1:
        return
    sentences = [span.of(pair.source).strip() for span in segment(pair.source)]
    whole = [s for s in sentences if 15 < len(s) < 260 and s[-1] in '.!。！»”"']
    if not whole:
        return
    claim = generator.choice(whole)
    yield encoder_pair(replace(pair, claim=claim, context=NO_CONTEXT), "s", "copy")
    kind = generator.choice(CORRUPTIONS)
    false = make_negative(claim, kind, generator, find_names(pair.source))
    if false:
        yield encoder_pair(replace(pair, claim=false, context=NO_CONTEXT), "c", "corrupt_copy")


def _other_number_in_source(pair: Pair, generator: random.Random) -> str | None:
    """The source with one number of the claim given otherwise, wherever it stands."""
    in_claim = [pair.claim[q.start : q.end] for q in find_quantities(pair.claim)]
    numbers = [match.group() for text in in_claim if (match := re.search(r"\d[\d.,]*\d|\d", text))]
    held = [
        number for number in numbers if re.search(rf"(?<!\d){re.escape(number)}(?!\d)", pair.source)
    ]
    if not held:
        return None
    number = generator.choice(held)
    other = make_negative(number, "number", generator)
    if other is None:
        return None
    return re.sub(rf"(?<![\d.,]){re.escape(number)}(?!\d)", other, pair.source)


def _without_best(pair: Pair) -> str | None:
    """A long source without the passages that are likeliest to be evidence."""
    best = choose(load_chooser(), pair.claim, pair.source, BEST_CHARS)
    rest, at = [], 0
    for passage in best:
        rest.append(pair.source[at : passage.start])
        at = passage.end
    rest.append(pair.source[at:])
    text = "\n".join(rest)
    return text if len(text) > 400 else None


def _contexts(
    pair: Pair, others: Sequence[Pair], generator: random.Random
) -> Iterator[EncoderPair]:
    """A claim whose subject, the source's title, is only in its context; and with another there."""
    title = pair.source.split("\n", 1)[0] if "\n" in pair.source else pair.source.split(" . ")[0]
    name = re.sub(r"\s*[(,].*", "", title).strip()
    if not 3 <= len(name) <= 60 or not pair.claim.startswith(name + " "):
        return
    rest = pair.claim[len(name) :]
    claim = generator.choice(("It", "This", "He", "She", "They")) + rest
    other = generator.choice(others).source.split("\n", 1)[0].split(" . ")[0]
    other_name = re.sub(r"\s*[(,].*", "", other).strip()
    source = SourceFacts(title=name)
    right = JudgeContext(headings=(name,), source=source)
    yield encoder_pair(replace(pair, claim=claim, context=right), "s", "context")
    if 3 <= len(other_name) <= 60 and other_name not in pair.source:
        wrong = JudgeContext(headings=(other_name,), source=source)
        yield encoder_pair(replace(pair, claim=claim, context=wrong), "n", "context")


def load_nli(data: Path) -> Iterator[Pair]:
    """The pairs of `nli/*.jsonl.gz`."""
    for path in sorted((data / "nli").glob("*.jsonl.gz")):
        for row in rows_of(path):
            yield Pair(
                claim=row["claim"], source=row["source"], label=row["label"],
                group=f"{row['origin']}:{row['group']}", origin=row["origin"],
            )  # fmt: skip


def load_contrast() -> Iterator[Pair]:
    """The claims of the contrast set that are not for measuring (its README has the rule)."""
    for pair in read_contrast(CONTRAST):
        group = pair.group.removeprefix("contrast:").encode()
        if int(hashlib.sha256(group).hexdigest(), 16) % 10:
            yield pair


def read_contrast(folder: Path) -> Iterator[Pair]:
    """All claims of a folder of contrast sets."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        for row in rows_of(path):
            yield Pair(
                claim=row["claim"], source=row["source"], label=row["label"],
                group=f"contrast:{row['group']}", origin=f"contrast_{row['lang']}",
                context=JudgeContext(before=row["context"], source=SourceFacts(title=row["title"])),
            )  # fmt: skip


def load_examples(path: Path) -> Iterator[Pair]:
    """Our own examples (`data/judge/examples.jsonl`)."""
    for row in rows_of(path):
        yield Pair(
            claim=row["claim"], source=row["source"], label=row["label"],
            group=f"own:{row['group']}", origin=f"{OWN}_{row['language']}",
        )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pairs and print how many there are of each origin."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--examples", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    counts: Counter[tuple[str, str, str]] = Counter()
    with gzip.open(options.out, "wt", encoding="utf-8") as out:
        for pair in collect(options.data, options.examples):
            counts[pair.origin, pair.split, pair.label] += 1
            text = json.dumps(asdict(pair), ensure_ascii=False)
            out.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
    for (origin, split, label), number in sorted(counts.items()):
        print(origin, split, label, number)


if __name__ == "__main__":
    main()
