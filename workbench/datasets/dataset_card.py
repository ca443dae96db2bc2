"""The card of a data set: what is in it, from where, under which licences, how people agreed."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.datasets.export import ExportCounts
from workbench.records.export_formats import FORMATS
from workbench.records.fields import ReviewField
from workbench.records.text import replace_surrogates

SPLITS = {"train": "train", "dev": "validation", "test": "test", "none": "unplaced"}
"""Our parts by the names that loaders know; what stands in no part comes last."""
_SPDX: Mapping[str, str] = {
    "mit": "mit", "apache-2.0": "apache-2.0", "cc0": "cc0-1.0", "cc0-1.0": "cc0-1.0",
    "cc-by-4.0": "cc-by-4.0", "cc by 4.0": "cc-by-4.0", "cc by-sa 4.0": "cc-by-sa-4.0",
}  # fmt: skip
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (10**6, "100K<n<1M"))
_CONTEXT_FIELDS: Mapping[str, str] = {
    "context": "the text before the claim",
    "title": "the headings above the claim, joined by ` > `, or the question",
    "question": "the question that the text answers",
    "table_header": "the header of the claim's table",
    "table_row": "the label of the claim's row in its table",
    "written": "the date of the text",
    "source_title": "the source's own title",
    "source_site": "the source's publisher or site",
    "source_author": "the source's author",
    "source_published": "the date that the source gives for itself",
}
_MOST_ROWS = 200
"""So many origins, people and judges are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMetadata:
    """What a card says beyond the rows, supplied by the caller."""

    title: str
    selection: str = "everything with a verdict"
    """Which items were chosen, in words."""
    agreement: tuple[str, ...] = ()
    """Figures of agreement between people, each a sentence with its interval and n."""
    guide_version: int | None = None
    guide: str = ""
    """The label guide's text."""
    how_split: str = ""
    """How the parts were made, in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFile:
    """A file of the data set."""

    name: str
    sha256: str
    rows: int
    split: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What was written."""

    format: str
    files: tuple[WrittenFile, ...]
    source_text: bool
    prompt: str | None = None
    """Id of the prompt that fine-tuning data is made with."""
    extra: str = field(default="")
    """What the format has to say of itself, in Markdown."""
    fields: tuple[ReviewField, ...] = ()
    """That labels answer."""


def card_text(metadata: CardMetadata, contents: Contents, tally: ExportCounts) -> str:
    """The card in Markdown, without anything that changes from one export to the next."""
    parts = [f"# {card_line(metadata.title)}\n"]
    parts.append(
        "Claims with the sources they cite, the verdicts of a judge, and the labels that people "
        f"gave. Format: `{contents.format}`. Chosen: {card_line(metadata.selection)}.\n"
    )
    parts.append(_counts(tally))
    parts.append(_terms(tally, contents.source_text))
    if tally.context_counts:
        parts.append(_context(tally))
    parts.append(_people(metadata, tally))
    if contents.fields:
        parts.append(_fields(contents))
    parts.append(_split(metadata, tally))
    if contents.prompt:
        parts.append(_prompting(contents.prompt, tally))
    if contents.extra:
        parts.append(contents.extra)
    parts.append(
        "## Files\n\n"
        + card_table(
            ("file", "rows", "sha256"),
            [(file.name, file.rows, file.sha256) for file in contents.files],
        )
    )
    if metadata.guide:
        parts.append(_guide(metadata))
    return "\n".join(parts)


def front_matter(metadata: CardMetadata, contents: Contents, tally: ExportCounts) -> str:
    """The YAML that loaders read: licence, size, and which file is which split."""
    lines = ["---", f"pretty_name: {_quoted(card_line(metadata.title))}"]
    licences = {licence for _, licence in tally.origins}
    identifiers = {_SPDX.get(licence.lower()) for licence in licences}
    (only,) = identifiers if len(identifiers) == 1 else (None,)
    lines.append(f"license: {only or 'other'}")
    if only is None and licences:
        lines.append(f"license_name: {_quoted('; '.join(sorted(licences))[:300])}")
    lines += ["task_categories:", "- text-classification", "task_ids:", "- fact-checking"]
    lines += ["- natural-language-inference", "tags:", "- citations", "- attribution"]
    size = next((name for limit, name in _SIZES if tally.rows < limit), "n>1M")
    lines += ["size_categories:", f"- {size}", "configs:", "- config_name: default"]
    lines.append("  data_files:" if contents.files else "  data_files: []")
    for file in contents.files:
        lines += [f"  - split: {file.split}", f"    path: {file.name}"]
    return "\n".join([*lines, "---", "", ""])


def _counts(tally: ExportCounts) -> str:
    rows: list[tuple[str | int, ...]] = [(name, number) for name, number in by_count(tally.labels)]
    left_out = "".join(f"- {number} {reason}\n" for reason, number in by_count(tally.excluded))
    section = f"## Rows\n\n{tally.rows} items in {len(tally.groups)} groups.\n\n"
    section += card_table(("active label", "items"), rows)
    return section + (f"\nLeft out:\n\n{left_out}" if left_out else "")


def _terms(tally: ExportCounts, source_text: bool) -> str:
    rows = [
        (origin, licence, number)
        for (origin, licence), number in sorted(tally.origins.items())[:_MOST_ROWS]
    ]
    source_note = (
        "Source texts are part of the rows; they stay under the licences below.\n\n"
        if source_text
        else "Source texts and quotes from them were left out; offsets and hashes remain.\n\n"
    )
    return f"## Origins and licences\n\n{source_note}" + card_table(
        ("origin", "licence", "items"), rows
    )


def _context(tally: ExportCounts) -> str:
    rows = [
        (f"`{name}`", says, tally.context_counts[name]) for name, says in _CONTEXT_FIELDS.items()
    ]
    return (
        "## Context\n\nWhat the words of a claim refer to and what its source is, where it is "
        "known: judges are told it, and it is no evidence. In JSONL the claim's part is "
        "`claim_context`; chats hold it in the question.\n\n"
        + card_table(("field", "what it is", "items"), [row for row in rows if row[2]])
    )


def _people(metadata: CardMetadata, tally: ExportCounts) -> str:
    section = "## People and judges\n\n"
    section += card_table(("who labelled", "labels"), by_count(tally.reviewers)[:_MOST_ROWS])
    if tally.from_data_sets:
        section += (
            f"\n{tally.from_data_sets} labels came with a data set that names no annotator; they "
            f"count for no person.\n"
        )
    if tally.judges:
        section += "\n" + card_table(("judge", "verdicts"), by_count(tally.judges)[:_MOST_ROWS])
    if metadata.agreement:
        section += "\nAgreement between people on the items with two labels or more:\n\n"
        section += "".join(f"- {card_line(line)}\n" for line in metadata.agreement)
    else:
        section += "\nNo two people labelled the same item, so their agreement is not known.\n"
    if metadata.guide_version:
        section += f"\nLabelling guide: version {metadata.guide_version}, in full below.\n"
    return section


def _fields(contents: Contents) -> str:
    return (
        "## Questions beside the label\n\nAn answer stands as a label does: the adjudicator's, else "
        f"that of more than half. {FORMATS[contents.format].answers}\n\n"
        + card_table(
            ("name", "question", "answer"),
            [(field.name, field.question, _answer(field)) for field in contents.fields],
        )
    )


def _answer(field: ReviewField) -> str:
    if field.kind == "score":
        return f"{field.low} to {field.high}"
    if field.kind == "text":
        return "a text"
    return f"{'one' if field.kind == 'choice' else 'several'} of {', '.join(field.options)}"


def _split(metadata: CardMetadata, tally: ExportCounts) -> str:
    rows = [
        (SPLITS[part], part if part != "none" else "in no split", tally.parts[part])
        for part in SPLITS
        if tally.parts[part]
    ]
    description = f"{card_line(metadata.how_split)}\n\n" if metadata.how_split else ""
    return f"## Splits\n\n{description}" + card_table(("file", "split", "items"), rows)


def _prompting(prompt: str, tally: ExportCounts) -> str:
    section = (
        f"## Prompt\n\nQuestions are asked as the judge asks them, by the prompt `{prompt}`. "
        "Quotes in the answers are, in this order of preference:\n\n"
    )
    return section + card_table(("quotes", "items"), by_count(tally.quotes))


def _guide(metadata: CardMetadata) -> str:
    fence = "~" * max(3, 1 + max((len(run) for run in _runs(metadata.guide)), default=0))
    guide = replace_surrogates(metadata.guide)
    return f"## Labelling guide, version {metadata.guide_version}\n\n{fence}\n{guide}\n{fence}\n"


def _runs(text: str) -> list[str]:
    return [run for run in "".join(c if c == "~" else " " for c in text).split() if run]


def by_count(counted: Counter[str]) -> list[tuple[str, int]]:
    """Names with their numbers, the largest first."""
    return sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))


def card_table(head: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """A table in Markdown; foreign text is escaped."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(cell: str | int) -> str:
    if isinstance(cell, int):
        return f"{cell}"
    return (
        card_line(cell)[:300].replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;") or "–"
    )


def card_line(text: str) -> str:
    """A text as one line."""
    return " ".join(replace_surrogates(text).split())


def _quoted(text: str) -> str:
    return json.dumps(text)
