"""The finding on an entry that cites a court decision: offline reasons first, then what indexes say."""

from collections.abc import Sequence
from typing import NamedTuple

from workbench.bibliography.cases.citation import CaseCitation
from workbench.bibliography.cases.compare import compare_case, stands_at
from workbench.bibliography.cases.finding import CaseFinding, check_citation
from workbench.bibliography.cases.names import share_party
from workbench.bibliography.cases.records import CaseRecord, case_record, citation_of
from workbench.records.bibliography import (
    FieldComparison,
    IndexReply,
    ReferenceEntry,
    ReferenceStatus,
)
from workbench.records.text import JsonDict


class CaseConclusion(NamedTuple):
    """What is concluded of an entry that cites a court decision."""

    status: ReferenceStatus
    fields: tuple[FieldComparison, ...]
    record: JsonDict | None
    record_from: str | None
    why: str


class _Candidate(NamedTuple):
    """A record beside the citation."""

    record: CaseRecord
    source: str
    fields: tuple[FieldComparison, ...]
    at_citation: bool

    def agreement(self, field: str) -> bool | None:
        """What was found of a field; None where it was not compared."""
        return next((known.agrees for known in self.fields if known.field == field), None)

    @property
    def rank(self) -> tuple[bool, bool, int, int]:
        """The better candidate is greater."""
        agreements = [comparison.agrees for comparison in self.fields]
        return (
            self.agreement("case_name") is not False,
            self.at_citation,
            -agreements.count(False),
            agreements.count(True),
        )


def conclude_case(
    entry: ReferenceEntry,
    text: str,
    replies: Sequence[IndexReply],
    year_now: int,
    quotations: Sequence[FieldComparison] = (),
) -> CaseConclusion:
    """Whether the decision that an entry cites exists, and whether it is described right.

    A record at the cited volume and page, or one of the same parties that agrees in the year, the
    volume, the page or the docket number, or differs in nothing, is the work: `matches`, or `differs` with the fields.
    Where the cited page holds a case that shares no party with the entry's it is `other_work`.
    With no record, a citation that cannot be right is `not_found` without anybody's answer;
    another one where every index that covers it answered and none has it.

    Args:
        entry: The entry as read; its fields count where its text has no citation.
        text: The entry's own text.
        replies: What the indexes and registries returned.
        year_now: The present year.
        quotations: Quotations of the decision, compared with its text.
    """
    citation = citation_of(entry, text)
    finding = check_citation(citation, year_now)
    candidates = _candidates(citation, replies)
    described = [candidate for candidate in candidates if _is_the_work(candidate)]
    at_citation = [candidate for candidate in candidates if candidate.at_citation]
    if described:
        best = max(described, key=lambda candidate: candidate.rank)
        conclusion = _described(best, finding, quotations)
        if at_citation and not best.at_citation:
            there = _other_case(citation, at_citation[0]).why
            conclusion = conclusion._replace(why=f"{conclusion.why} {there}")
        return conclusion
    if at_citation:
        return _other_case(citation, max(at_citation, key=lambda candidate: candidate.rank))
    return _without_record(finding, replies, candidates)


def _candidates(citation: CaseCitation, replies: Sequence[IndexReply]) -> list[_Candidate]:
    candidates = []
    for reply in replies:
        for item in reply.records:
            record = case_record(item)
            if record is not None:
                fields = compare_case(citation, record)
                here = stands_at(citation, record) is not None
                candidates.append(_Candidate(record, reply.answer.name, fields, here))
    return candidates


def _is_the_work(candidate: _Candidate) -> bool:
    """Whether a record is of the decision that the citation means."""
    same_name = candidate.agreement("case_name")
    if candidate.at_citation:
        names = candidate.fields[0]
        return same_name is not False or share_party(
            names.entry_value or "", names.record_value or ""
        )
    # Parties meet more than once: where the rest differs, the name alone is not the decision.
    agreed = any(
        candidate.agreement(field) for field in ("volume", "pages", "year", "docket_number")
    )
    differing = any(comparison.agrees is False for comparison in candidate.fields)
    return same_name is True and (agreed or not differing)


def _described(
    candidate: _Candidate, finding: CaseFinding, quotations: Sequence[FieldComparison]
) -> CaseConclusion:
    fields = (*candidate.fields, *quotations)
    reasons = [comparison.why for comparison in fields if comparison.agrees is False]
    if reasons and finding.impossible:
        reasons.insert(0, finding.impossible)
    status: ReferenceStatus = "differs" if reasons else "matches"
    return CaseConclusion(
        status, fields, candidate.record.item, candidate.source, " ".join(reasons)
    )


def _other_case(citation: CaseCitation, candidate: _Candidate) -> CaseConclusion:
    venue = stands_at(citation, candidate.record)
    why = (
        f"{venue.text if venue else 'The cited page'} is another case, "
        f"“{candidate.record.name}”; the entry names “{citation.name}”."
    )
    return CaseConclusion(
        "other_work", candidate.fields, candidate.record.item, candidate.source, why
    )


def _without_record(
    finding: CaseFinding, replies: Sequence[IndexReply], candidates: Sequence[_Candidate]
) -> CaseConclusion:
    """The finding where no record is of the decision."""
    if finding.impossible:
        return CaseConclusion("not_found", (), None, None, finding.impossible)
    covering = [reply for reply in replies if reply.answer.covers]
    asked = [reply for reply in covering if reply.answer.answer != "not_asked"]
    failed = [reply for reply in asked if reply.answer.answer == "error"]
    if failed:
        why = " ".join(reply.answer.why for reply in failed if reply.answer.why)
        names = ", ".join(reply.answer.name for reply in failed)
        return CaseConclusion("not_checked", (), None, None, why or f"{names} did not answer.")
    if asked:
        names = ", ".join(reply.answer.name for reply in asked)
        why = f"No decision with this citation or of these parties is in {names}."
        namesakes = [item.record.name for item in candidates if item.agreement("case_name")]
        if namesakes:
            why += f" “{namesakes[0]}” is, with another citation and of another year."
        return CaseConclusion("not_found", (), None, None, why)
    reasons = [reply.answer.why for reply in covering if reply.answer.why]
    why = finding.not_checked or (
        reasons[0] if reasons else "No index of court decisions was asked."
    )
    return CaseConclusion("not_checked", (), None, None, why)
