"""What the Data sets page says: formats, licences, results, what is left to be mapped; pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.datasets import ASKED, Entry, Skipped
from workbench.fronts.ui.escape import cut, file_stem
from workbench.fronts.ui.verdicts import STYLES

Side = Literal["out", "in"]
SIDES: dict[Side, str] = {"out": "Take out", "in": "Take in"}
OUT_WORDS: dict[str, tuple[str, str, str]] = {
    "jsonl": ("JSONL", "jsonl", "Everything that is known of each citation, an object a line."),
    "csv": ("CSV", "csv", "One row a citation, for spreadsheets; no cell is a formula."),
    "parquet": ("Parquet", "parquet", "Columns with types, for DuckDB and pandas."),
    "huggingface": (
        "Hugging Face folder",
        "zip",
        "Train, validation and test as Parquet with a data card; `load_dataset` reads it.",
    ),
    "label-studio": (
        "Label Studio tasks",
        "json",
        "The judge's verdicts as predictions, labels as annotations.",
    ),
    "chat-anthropic": (
        "Fine-tuning, Anthropic",
        "jsonl",
        "The judge's questions with people's answers.",
    ),
    "chat-openai": (
        "Fine-tuning, OpenAI",
        "jsonl",
        "The judge's questions with people's answers.",
    ),
    "preference": (
        "Preference pairs",
        "jsonl",
        "Where people corrected the judge: their answer over the judge's.",
    ),
    "pairs": ("Labelled pairs", "jsonl", "Claim, source and the label that stands."),
}
"""Name, ending and a sentence of each format."""
IN_WORDS: dict[str, str] = {
    "pairs": "Labelled pairs, JSONL",
    "expertqa": "ExpertQA",
    "wice": "WiCE",
    "label-studio": "Label Studio export",
    "csv": "CSV",
}
FIELD_WORDS: dict[str, str] = {
    "claim": "Claim", "source": "Source text", "label": "Label", "id": "Id",
    "group": "Group (question, page)", "annotator": "Annotator", "note": "Note", "url": "Address",
    "title": "Title of the source", "origin": "Origin", "licence": "Licence",
}  # fmt: skip
PART_WORDS = {"train": "Train", "dev": "Dev", "test": "Test (locked)"}
LOOKED_AT = 500
"""Entries that are looked at before an import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The beginning of a file, read as it would be imported."""

    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]

    @property
    def words(self) -> str:
        """How much of it could be read."""
        read, left = len(self.entries), len(self.skipped)
        if not read and not left:
            return "There is nothing in it."
        beginning = f"Of the first {read + left:,} entries " if left or read > 1 else ""
        told = f"{beginning}{read:,} can be used" if beginning else f"{read:,} entry can be used"
        return f"{told}{f', {left:,} would be left out' if left else ''}."


def default_parts(format_name: str) -> list[str]:
    """Training data leaves the test part out, unless somebody says otherwise."""
    return ["train", "dev"] if format_name in ASKED else []


def terms_words(terms: Mapping[tuple[str | None, str | None], int]) -> list[str]:
    """A line for each origin and licence, most items first."""
    return [
        f"{number:,} {'item' if number == 1 else 'items'} from "
        + ("what was checked here" if origin is None else f"{origin or 'a file without a name'}")
        + f": {_licence(licence)}"
        for (origin, licence), number in terms.items()
    ]


def _licence(licence: str | None) -> str:
    if licence is None:
        return "licence not stated, sources stay under the terms of their publishers"
    return licence or "licence not stated"


def file_name(format_name: str, name: str) -> str:
    """What the download is called."""
    return f"{file_stem(name)}-{format_name}.{OUT_WORDS[format_name][1]}"


def unknown_labels(skipped: Iterable[Skipped]) -> list[str]:
    """The words in a file that stand for no label of ours, most frequent first."""
    found: Counter[str] = Counter()
    for one in skipped:
        if one.reason.startswith("its label is '"):
            found[one.reason.split("'")[1]] += 1
    return [word for word, _ in found.most_common(12)]


def entry_rows(entries: Sequence[Entry], most: int = 5) -> list[dict[str, str]]:
    """The first entries as rows of a table."""
    return [
        {
            "Line": f"{one.line}",
            "Claim": cut(one.claim, 160),
            "Source": cut(one.source, 160),
            "Labels": ", ".join(
                f"{cut(said.annotator, 40)}: {STYLES[said.label].word}"
                if said.annotator
                else STYLES[said.label].word
                for said in one.opinions
            )
            or "none",
            "Group": cut(one.group, 60),
        }
        for one in entries[:most]
    ]


def skipped_rows(skipped: Sequence[Skipped], most: int = 200) -> list[dict[str, str | int]]:
    """Lines that were left out as rows of a table."""
    return [{"Line": one.line, "Reason": cut(one.reason, 300)} for one in skipped[:most]]


def done_words(imported: int, labels: int, known: int, left_out: int) -> str:
    """What an import brought, in a sentence."""
    if not imported and not known:
        return f"Nothing came in: {left_out:,} entries were left out."
    told = f"{imported:,} new {'item' if imported == 1 else 'items'} with {labels:,} new labels"
    if not imported:
        told = f"No new items, {labels:,} new labels"
    if known:
        told += f"; {known:,} {'was' if known == 1 else 'were'} there already"
    if left_out:
        told += f"; {left_out:,} left out"
    return f"{told}."
