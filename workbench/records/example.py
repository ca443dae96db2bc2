"""A labelled citation as it goes into a data set: with its source's text and where it came from."""

from dataclasses import dataclass, replace
from typing import Literal

from workbench.records.context import NO_CONTEXT, JudgeContext
from workbench.records.corrections import CorrectionDecision
from workbench.records.review import LabelledCitation
from workbench.records.verdict import Judgment

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
