"""Labelled citations as they go into data sets, and the formats of these: one entry and one writer each."""

from dataclasses import dataclass, replace
from typing import Literal

from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.corrections import CorrectionDecision
from workbench.records.review import LabelledCitation
from workbench.records.verdict import Judgment

_CONTENT_TYPES = {
    "jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "json": "application/json",
    "parquet": "application/vnd.apache.parquet", "zip": "application/zip",
    "md": "text/markdown; charset=utf-8",
}  # fmt: skip
_IN_COLUMNS = "`answer_NAME` is the active answer, `answers_NAME` has those of all reviewers."
_IN_ROWS = "`answers` has the active answer by field, each of `labels` its own."
_LEFT_OUT = "Lines of this format do not contain them."


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format and what has to be known of it everywhere."""

    title: str
    ending: str
    """Of its file, without a period; a folder is downloaded as a zip file."""
    says: str
    """What is in it, in a sentence."""
    of: Literal["citations", "references", "corrections"] = "citations"
    answers: str = _IN_COLUMNS
    """Where the card says that answers to questions of queues are."""
    paired: bool = False
    """Whether it needs a gold label and the source's text."""
    asked: bool = False
    """Whether it is made with the judge's prompt."""

    @property
    def content_type(self) -> str:
        """Of a download over HTTP."""
        return _CONTENT_TYPES[self.ending]


FORMATS = {
    "jsonl": ExportFormat(
        "JSONL",
        "jsonl",
        "All fields of each citation, one JSON object per line.",
        answers=_IN_ROWS,
    ),
    "csv": ExportFormat(
        "CSV", "csv", "One row per citation, for spreadsheets; cells never contain formulas."
    ),
    "parquet": ExportFormat("Parquet", "parquet", "Typed columns, for DuckDB and pandas."),
    "huggingface": ExportFormat(
        "Hugging Face folder",
        "zip",
        "Train, validation and test as Parquet with a data card; `load_dataset` reads it.",
    ),
    "label-studio": ExportFormat(
        "Label Studio tasks",
        "json",
        "The judge's verdicts as predictions, labels as annotations.",
        answers="Annotations contain them as regions `answer_NAME`.",
    ),
    "chat-anthropic": ExportFormat(
        "Fine-tuning, Anthropic",
        "jsonl",
        "The judge's prompts with human answers.",
        answers=_LEFT_OUT,
        paired=True,
        asked=True,
    ),
    "chat-openai": ExportFormat(
        "Fine-tuning, OpenAI",
        "jsonl",
        "The judge's prompts with human answers.",
        answers=_LEFT_OUT,
        paired=True,
        asked=True,
    ),
    "preference": ExportFormat(
        "Preference pairs",
        "jsonl",
        "Human corrections preferred over the judge's answers.",
        answers="`answers` has the active answer by field.",
        paired=True,
        asked=True,
    ),
    "pairs": ExportFormat(
        "Labelled pairs",
        "jsonl",
        "Claim, source and active label.",
        answers=_IN_ROWS,
        paired=True,
    ),
    "references": ExportFormat(
        "References, JSONL",
        "jsonl",
        "Entries of reference lists: the check, the record, what reviewers decided.",
        "references",
    ),
    "references-csv": ExportFormat(
        "References, CSV",
        "csv",
        "One row per entry, for spreadsheets; cells never contain formulas.",
        "references",
    ),
    "references-parquet": ExportFormat(
        "References, Parquet", "parquet", "Typed columns of the same rows.", "references"
    ),
    "correction-pairs": ExportFormat(
        "Corrections as preference pairs",
        "jsonl",
        "Corrections that were taken or edited are preferred over the claim; refused ones are "
        "rejected.",
        "corrections",
    ),
    "corrected-markdown": ExportFormat(
        "Corrected output, Markdown",
        "md",
        "The text of a run with the corrections that were taken, and a list of the changes.",
        "corrections",
    ),
    "sentences": ExportFormat(
        "Sentences, JSONL",
        "jsonl",
        "Sentences that reviewers decided on: text, place, kind by the rules, corrected kind.",
        "corrections",
    ),
    "sentences-csv": ExportFormat(
        "Sentences, CSV",
        "csv",
        "One row per sentence, for spreadsheets; cells never contain formulas.",
        "corrections",
    ),
}
EXPORT_FORMATS = tuple(FORMATS)


def _names(of: str) -> tuple[str, ...]:
    return tuple(name for name, export_format in FORMATS.items() if export_format.of == of)


CITATION_FORMATS, REFERENCE_FORMATS = _names("citations"), _names("references")
CORRECTION_FORMATS = _names("corrections")
ASKED = tuple(name for name, export_format in FORMATS.items() if export_format.asked)
"""Formats that are made with the judge's prompt."""
PAIRED = tuple(name for name, export_format in FORMATS.items() if export_format.paired)
"""Formats that need a gold label and the source's text."""


PartName = Literal["train", "dev", "test"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFacts:
    """What the file said of an item besides its claim, source and labels."""

    item: str
    """The id that the item has in its file."""
    group: str
    """Items of one group stay on one side of every split; empty where the file names none."""
    origin: str
    """Name of the data set, or of the file."""
    licence: str
    """As the file states it; empty where it does not."""
    slices: tuple[tuple[str, str], ...] = ()
    """Name and value of what figures can be told apart by: domain, system, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One row of a data set."""

    row: LabelledCitation
    source_text: str | None
    """As the judge saw it; None where the citation has no readable source."""
    facts: ImportedFacts | None = None
    """None for what was checked here and not imported."""
    part: PartName | None = None
    """None for an item that is in no part: unlabelled, or tied to several parts."""
    opinion: Judgment | None = None
    """What a judge said of it when it was asked about labelled items, outside of the run."""
    correction: CorrectionDecision | None = None
    """The newest decision on a correction that a judge proposed of its claim."""
    before: str = ""
    """The words of `claim_context.before` in its output."""
    judge_input: tuple[str, JudgeContext] | None = None
    """Claim and context as a judge would be asked about it; None where nobody worked it out."""

    @property
    def id(self) -> str:
        """The item's id in the file it came from, else its run's and its own."""
        if self.facts:
            return self.facts.item
        return f"{self.row.run_id}/{self.row.result.citation.id}"

    @property
    def context(self) -> JudgeContext:
        """What a judge is told besides its claim and passages."""
        if self.judge_input:
            return self.judge_input[1]
        result = self.row.result
        claim_context = result.citation.claim_context
        judge_context = claim_context.for_judge(self.before) if claim_context else NO_CONTEXT
        return (
            replace(judge_context, source=result.source.self_description())
            if result.source
            else judge_context
        )

    @property
    def judgment(self) -> Judgment | None:
        """What the judge of its run said, else the one that was asked later."""
        return self.row.result.judgment or self.opinion

    @property
    def group_key(self) -> str:
        """What keeps it with others: the file's group (empty without), else its output."""
        if self.facts:
            return self.facts.group
        return f"output:{self.row.output_sha256[:16]}"

    @property
    def origin(self) -> str:
        """The data set it came in with; what was checked here has none."""
        return self.facts.origin if self.facts else ""

    @property
    def licence(self) -> str:
        """As its file states it; empty where it does not."""
        return self.facts.licence if self.facts else ""
