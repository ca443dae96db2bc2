"""Labelled pairs of claim and source to train and measure with, from a folder of public data."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
