"""WiCE: claims of Wikipedia with the cited article in sentences, or with chunks of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.datasets.entries import (
    Annotation,
    ImportEntry,
    InvalidEntryError,
    Skipped,
    before_of,
    checked,
    label_of,
    line_of,
    skipped,
    word_of,
)
from workbench.datasets.line_reader import Numbered, json_lines
from workbench.datasets.read_pairs import needed, text_of
from workbench.records.context import JudgeContext
from workbench.records.text import Json, JsonDict, Span
from workbench.records.verdict import HumanLabel

ORIGIN = "WiCE"
LICENCE = "text CC BY-SA, annotations ODC-BY"
ANNOTATORS = "WiCE annotators"
LEAD = "Abstract."
"""Its word for what stands on a page before the first section: no heading."""


def read_wice(
    path: Path, names: Mapping[str, HumanLabel] | None = None
) -> Iterator[ImportEntry | Skipped]:
    """The claims in the file's order; claims of one page are one group.

    The supporting sentences are the annotators' evidence: all that stand in any of the sets.
    Where a claim has several rows with chunks of its article, one after another, it is one item
    whose source is the chunks in their order.

    Raises:
        UnreadableInput: The file is missing, empty, binary or damaged.
    """
    chunk_rows: list[Numbered] = []
    for line in json_lines(path):
        if isinstance(line, Skipped):
            yield line
            continue
        chunk = _chunk_of(line[1])
        if chunk_rows and (chunk is None or chunk != _chunk_of(chunk_rows[0][1])):
            yield _joined(chunk_rows, names)
            chunk_rows = []
        if chunk is None:
            yield _entry_or_skip([line], names)
        else:
            chunk_rows.append(line)
    if chunk_rows:
        yield _joined(chunk_rows, names)


def _chunk_of(row: JsonDict) -> str | None:
    """The id of the claim of which the row is one chunk; None for a whole article."""
    meta = row.get("meta")
    if not isinstance(meta, dict) or "chunk_idx" not in meta:
        return None
    return text_of(meta, "id") or None


@dataclass(frozen=True, slots=True)
class _Sentence:
    number: int
    text: str


def _joined(rows: list[Numbered], names: Mapping[str, HumanLabel] | None) -> ImportEntry | Skipped:
    return _entry_or_skip(rows, names)


def _entry_or_skip(
    rows: list[Numbered], names: Mapping[str, HumanLabel] | None
) -> ImportEntry | Skipped:
    line, row = rows[0]
    try:
        return checked(_entry(line, row, _sentences([chunk for _, chunk in rows]), names))
    except InvalidEntryError as error:
        return skipped(line, error)


def _sentences(rows: list[JsonDict]) -> list[_Sentence]:
    """The sentences of all rows with their numbers in the article, each once, in its order."""
    sentences: dict[int, str] = {}
    for row in rows:
        evidence = row.get("evidence")
        if not isinstance(evidence, list):
            raise InvalidEntryError("its evidence is not a list of sentences")
        meta = row.get("meta")
        listed = meta.get("chunk_idx") if isinstance(meta, dict) else None
        numbers = listed if isinstance(listed, list) else range(len(evidence))
        for number, text in zip(numbers, evidence, strict=False):
            if isinstance(number, int) and isinstance(text, str):
                sentences.setdefault(number, text)
    return [_Sentence(number, sentences[number]) for number in sorted(sentences)]


def _entry(
    line: int,
    row: JsonDict,
    sentences: list[_Sentence],
    names: Mapping[str, HumanLabel] | None,
) -> ImportEntry:
    meta = row.get("meta")
    facts = meta if isinstance(meta, dict) else {}
    page = text_of(facts, "claim_title")
    places: dict[int, Span] = {}
    at = 0
    for sentence in sentences:
        places[sentence.number] = Span(at, at + len(sentence.text))
        at += len(sentence.text) + 1
    chosen = _chosen(row.get("supporting_sentences")) | _chosen([facts.get("oracle_idx")])
    return ImportEntry(
        line=line,
        id=text_of(facts, "id"),
        claim=needed(row, "claim"),
        source="\n".join(sentence.text for sentence in sentences),
        opinions=(
            Annotation(
                annotator=ANNOTATORS,
                by_person=False,
                label=label_of(row.get("label"), names),
                word=word_of(row.get("label")),
                evidence=tuple(
                    places[number]
                    for number in sorted(chosen)
                    if number in places and places[number].start < places[number].end
                ),
            ),
        ),
        group=f"wice:{page}" if page else "",
        context=_context(facts, page),
        origin=ORIGIN,
        licence=LICENCE,
    )


def _context(facts: Mapping[str, Json], page: str) -> JudgeContext:
    """The page and its sections as headings, and what stands before the claim."""
    sections = text_of(facts, "claim_section").split(".:")
    headings = [page, *(name.rstrip(". ") for name in sections if name != LEAD)]
    before = facts.get("claim_context")
    return JudgeContext(
        headings=tuple(line_of(name) for name in headings if name.strip()),
        before=before_of(before) if isinstance(before, str) else "",
    )


def _chosen(sets: Json) -> set[int]:
    numbers: set[int] = set()
    for sentence_set in sets if isinstance(sets, list) else ():
        numbers |= (
            {number for number in sentence_set if isinstance(number, int)}
            if isinstance(sentence_set, list)
            else set()
        )
    return numbers
