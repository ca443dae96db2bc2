"""Court decisions among the entries of a list: told apart by what only their text says."""

import asyncio

from workbench.pipeline.reference_checks import ReferenceOptions, check_references
from workbench.records.bibliography import IndexAnswer, IndexReply, ReferenceCheck, ReferenceEntry
from workbench.records.citation import Reference
from workbench.records.text import JsonDict, Span

DECISION: JsonDict = {
    "type": "legal_case",
    "title": "Tarn v. Orlan",
    "number": "11-CV-445",
    "issued": {"date-parts": [[2012]]},
}


class Library:
    """A registry of one decision."""

    name = "library"
    description = "One decision."

    def covers(self, entry: ReferenceEntry) -> bool:
        return entry.type == "legal_case"

    async def look_up(self, entry: ReferenceEntry) -> IndexReply:
        return IndexReply(answer=IndexAnswer(name=self.name, answer="match"), records=(DECISION,))


def check(*texts: str) -> list[ReferenceCheck]:
    """The checks of entries that were read as articles."""
    references = [
        (
            Reference(
                label=None,
                span=Span(0, len(text)),
                text=text,
                title=None,
                authors=None,
                year=None,
                doi=None,
                target=None,
            ),
            ReferenceEntry(title="Tarn v", type="article-journal"),
        )
        for text in texts
    ]
    options = ReferenceOptions(registries=[Library()], year_now=2026)
    return asyncio.run(check_references(references, options))


def test_two_docket_numbers_of_one_case_are_two_findings() -> None:
    right, wrong = check(
        "Tarn v. Orlan, No. 11-CV-445 (W.D. Pa. July 10, 2012)",
        "Tarn v. Orlan, No. 11-CV-454 (W.D. Pa. July 10, 2012)",
    )
    assert (right.status, wrong.status) == ("matches", "differs")
    assert right.entry.type == "legal_case"
    assert [field.field for field in wrong.fields if field.agrees is False] == ["docket_number"]
