"""Our own pairs of sources for one claim: about what its context names, and about something else.

`data/judge/referents.jsonl` holds them, written for this project.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.records import JudgeContext, SourceFacts
from workbench.shipped import JUDGE_DATA

FILE = JUDGE_DATA / "referents.jsonl"
KINDS = (
    "person", "thing", "edition", "group", "period", "place", "table cell", "list item",
    "according to",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferentPair:
    """A claim in its context and two sources that say the same of different things."""

    id: str
    lang: str
    kind: str
    """One of `KINDS`: what the claim refers to."""
    needs_context: bool
    """Whether the claim by itself does not tell which source is the right one."""
    claim: str
    context: JudgeContext
    """Where the claim stands; its source is that of `sides`."""
    right: str
    wrong: str
    right_facts: SourceFacts
    wrong_facts: SourceFacts

    @property
    def sides(self) -> tuple[tuple[str, JudgeContext], tuple[str, JudgeContext]]:
        """The right and the wrong source, each as its text and the context to judge it in."""
        return (
            (self.right, replace(self.context, source=self.right_facts)),
            (self.wrong, replace(self.context, source=self.wrong_facts)),
        )


def load_referent_pairs(path: Path = FILE) -> Iterator[ReferentPair]:
    """The pairs in the file's order; raises `ValueError` or `KeyError` for a line of other form."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            context, right, wrong = row["context"], row["right"], row["wrong"]
            yield ReferentPair(
                id=row["id"],
                lang=row["lang"],
                kind=row["kind"],
                needs_context=row["needs_context"],
                claim=row["claim"],
                context=JudgeContext(
                    headings=tuple(context["headings"]),
                    before=context["before"],
                    table_header=context["table_header"],
                    table_row=context["table_row"],
                    question=context["question"],
                ),
                right=right["text"],
                wrong=wrong["text"],
                right_facts=_facts(right),
                wrong_facts=_facts(wrong),
            )


def _facts(source: Mapping[str, str]) -> SourceFacts:
    return SourceFacts(title=source["title"], site=source["site"])
