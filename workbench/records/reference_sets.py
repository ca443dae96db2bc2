"""Frozen anchor sets: labelled items that judges are asked about again as time goes by."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from workbench.records.codec import Record
from workbench.records.text import JsonDict, format_iso8601
from workbench.records.verdict import HumanLabel


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSet(Record):
    """A named set of labelled items as they stood when it was frozen; it never changes."""

    id: str
    """`a1`, `a2` and so on: short enough to type."""
    name: str
    size: int
    """Items at freezing; fewer are left once an output among them was erased."""
    strata: Mapping[str, int]
    """Items at freezing, by the label that people gave."""
    seed: int
    parts: tuple[str, ...]
    """The parts of the split that it was drawn from; never the locked test set."""
    sha256: str
    """Of its items: which, their texts' hashes, and their labels."""
    created_by: str
    created_at: datetime
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceExample:
    """One item of an anchor set, as it was at freezing."""

    run_id: str
    citation_id: str
    version: int
    """Which verdict of the citation holds its claim and names its source's text."""
    question: str
    """What it was asked in; items of one question are not independent."""
    gold: HumanLabel
    claim_sha256: str
    """Of the claim's text in UTF-8."""
    source_sha256: str
    """Of the source's bytes."""
    text_sha256: str
    """Of the source's text."""

    @property
    def item(self) -> str:
        """The item's name in statistics."""
        return f"{self.run_id}/{self.citation_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceExampleStatus:
    """What became of an anchor since it was frozen; the frozen text and label still count."""

    anchor: ReferenceExample
    label: HumanLabel | None
    """The label that stands today; None where the labels were taken back or differ."""
    moved: bool
    """Whether its claim or its source's text has another version by now."""
    readable: bool
    """Whether its frozen text is still there to ask about."""
    part: str | None
    """Where it stands in the split in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceEvaluation:
    """One time that a judge was asked about an anchor set."""

    id: str
    """The set's id and a number: `a1.3` is the third asking of `a1`."""
    anchor_id: str
    judge: str
    """SPEC."""
    prompt: str
    """Id of the prompt; empty for a judge without one."""
    created_by: str
    created_at: datetime
    answers: int
    """Anchors that have an answer, errors of the judge included."""
    cost_usd: float
    last_at: datetime | None
    """When the newest answer came."""

    def to_dict(self) -> JsonDict:
        """The asking as listed."""
        return {
            "id": self.id,
            "judge": self.judge,
            "prompt": self.prompt or None,
            "created_by": self.created_by,
            "created_at": format_iso8601(self.created_at),
            "answers": self.answers,
            "cost_usd": round(self.cost_usd, 6),
            "last_at": format_iso8601(self.last_at) if self.last_at else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What a judge said of a labelled item, once."""

    item: str
    group: str
    """What keeps items together: those of one question err together."""
    human: str
    """The label that people gave."""
    label: str
    """The judge's; `unverifiable` where it gave none."""
    score: float
    """P(supported); 0 where it gave no verdict."""
    rationale: str = ""
    error: str | None = None
    cost_usd: float = 0.0
    latency_ms: float | None = None
    """How long the judge took; None where it is not known."""

    @property
    def right(self) -> bool:
        """Whether judge and people agree on supported or not."""
        return (self.label == "supported") == (self.human == "supported")
