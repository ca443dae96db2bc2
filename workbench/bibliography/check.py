"""From an entry and what the indexes returned for it to one finding.

How probable it is that an entry describes a work that exists.

A logistic regression over how the best record compares. Its weights come from
`python tests/bench/bench_references.py DATA --fit`; what they are worth is in
`data/references/MODEL_CARD.md`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from workbench.bibliography.compare import RecordComparison, compare_record
from workbench.bibliography.keys import fold_arxiv, fold_doi, fold_pmid, title_words
from workbench.records.bibliography import (
    RETRACTION_KINDS,
    FieldComparison,
    IndexAnswer,
    IndexReply,
    ReferenceEntry,
    ReferenceStatus,
    RetractionNotice,
    csl_text,
    placeholder_reason,
)
from workbench.records.text import Json, JsonDict


def entry_placeholder(entry: ReferenceEntry) -> tuple[str, str, str] | None:
    """The field of an entry that holds a placeholder, what it holds, and why it is one."""
    for field in ("doi", "arxiv", "url"):
        value: str | None = getattr(entry, field)
        if value and (reason := placeholder_reason(value)):
            return field, value, reason
    return None


_BIAS = -0.779
_WEIGHTS: dict[str, float] = {
    "similarity": 1.774,
    "shared_authors": 1.16,
    "title agrees": 2.514,
    "title differs": -1.922,
    "authors agrees": 1.029,
    "authors differs": -0.438,
}
"""Venue, year and identifiers are left out: how often an existing work is described with a wrong
one says more about the data than about the work."""


def existence_score(
    fields: Sequence[FieldComparison], similarity: float, shared_authors: float
) -> float:
    """The probability, from 0 to 1, that the work exists, given the nearest record.

    Args:
        fields: The comparison with the nearest record; none where no record is near.
        similarity: That of the titles, from 0 to 1.
        shared_authors: Share of the entry's authors whom the record names.
    """
    features = existence_features(fields, similarity, shared_authors)
    total = _BIAS + sum(_WEIGHTS[name] * value for name, value in features.items())
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), 4)


def existence_features(
    fields: Sequence[FieldComparison], similarity: float, shared_authors: float
) -> dict[str, float]:
    """The values that the regression reads, by name."""
    features = dict.fromkeys(_WEIGHTS, 0.0)
    features["similarity"] = similarity
    features["shared_authors"] = shared_authors
    for comparison in fields:
        if comparison.agrees is not None:
            feature = f"{comparison.field} {'agrees' if comparison.agrees else 'differs'}"
            if feature in features:
                features[feature] = 1.0
    return features


SAME_TITLE = 0.85
"""Similarity from which two titles are one title written differently, whoever wrote the works."""
NEAR_TITLE = 0.55
"""Similarity from which two titles by the same people are one work."""
NEAR_AUTHORS = 0.5
"""Share of the entry's authors that makes them the same people."""
SAME_WORK_BY_IDENTIFIER = 0.5
"""Similarity from which the work under an entry's identifier is the one that it describes."""
DISTINCT_WORDS = 4
"""Words that a title needs to name a work without its authors."""
_SEVERITY = {"retracted": 2, "concern": 1, "corrected": 0}


class Finding(NamedTuple):
    """What is concluded of an entry."""

    status: ReferenceStatus
    fields: tuple[FieldComparison, ...]
    record: JsonDict | None
    record_from: str | None
    score: float | None
    indexes: tuple[IndexAnswer, ...]
    retraction: RetractionNotice | None
    why: str


def conclude(
    entry: ReferenceEntry, text: str, replies: Sequence[IndexReply], *, year_now: int
) -> Finding:
    """One finding from what the indexes returned.

    `matches` and `differs` need a record of the same work: the same identifier and a title that is
    near, or the same title by people who are not all others. An identifier whose record has
    another title makes `other_work`, also where the work itself is known under another one.
    `not_found` needs at least one index that should hold the work to have answered, and none of
    those that were asked to have failed.

    Args:
        entry: What the entry says.
        text: The entry as it stands.
        replies: One for each index, asked or not.
        year_now: The present year.
    """
    unknown = unknown_identifiers(entry, replies)
    compared = [
        compare_record(
            entry, record, index=reply.answer.name, text=text, unknown=unknown, year_now=year_now
        )
        for reply in replies
        for record in reply.records
        if not _about_another(record)
    ]
    by_identifier = _best([comparison for comparison in compared if comparison.same_identifier])
    of_the_work = [comparison for comparison in compared if is_same_work(comparison, entry)]
    same_work = _best(of_the_work)
    holding = {comparison.index_name for comparison in of_the_work}
    chosen = same_work
    if by_identifier is not None and not is_same_work(by_identifier, entry):
        return _other_work(entry, by_identifier, same_work, replies, compared, holding)
    if chosen is None:
        return _missing(entry, replies, compared, unknown)
    placeholder = entry_placeholder(entry)
    fields = _with_placeholder(chosen.fields, placeholder)
    differing = [comparison for comparison in fields if comparison.agrees is False]
    status: ReferenceStatus = "differs" if differing else "matches"
    return Finding(
        status=status,
        fields=fields,
        record=chosen.record,
        record_from=chosen.index_name,
        score=existence_score(chosen.fields, chosen.title.similarity, chosen.shared_authors),
        indexes=_answers(replies, holding),
        retraction=retraction_of(compared, chosen),
        why=" ".join(f"{field.field.capitalize()}: {field.why}" for field in differing),
    )


def is_same_work(comparison: RecordComparison, entry: ReferenceEntry) -> bool:
    """Whether a record is that of the work that an entry means, however it is described."""
    title = comparison.title
    if comparison.same_identifier:
        return (
            title.agrees is not False
            or title.similarity >= SAME_WORK_BY_IDENTIFIER
            or (comparison.shared_authors >= NEAR_AUTHORS and title.similarity >= NEAR_TITLE - 0.2)
        )
    if title.agrees is None:
        # in another script: only its authors and its place can tell
        agreeing = {field.field for field in comparison.fields if field.agrees}
        return title.title != "" and {"authors", "year", "venue"} <= agreeing
    if title.agrees or title.similarity >= SAME_TITLE:
        authors = next((field for field in comparison.fields if field.field == "authors"), None)
        if authors is None or authors.agrees is None or comparison.shared_authors > 0:
            return True
        others = [field for field in comparison.fields if field.field in ("year", "venue")]
        confirmed = any(field.agrees for field in others)
        # the title of a textbook chapter or an editorial names many works
        return len(title_words(entry.title or "")) >= DISTINCT_WORDS or confirmed
    return title.similarity >= NEAR_TITLE and comparison.shared_authors >= NEAR_AUTHORS


def unknown_identifiers(entry: ReferenceEntry, replies: Sequence[IndexReply]) -> frozenset[str]:
    """The entry's identifiers that those with authority over them do not know, folded.

    A list of one's own speaks for an identifier only where no service was asked about it.
    """
    services = [reply for reply in replies if not reply.answer.name.startswith("registry:")]
    asked = [reply for reply in services if reply.answer.answer in ("match", "none", "error")]
    unknown = {
        _folded_identifier(reply.identifier_unknown)
        for reply in (services if asked else replies)
        if reply.identifier_unknown
    }
    known = {
        _folded_identifier(value)
        for reply in replies
        for record in reply.records
        for value in (csl_text(record, "DOI"), csl_text(record, "PMID"))
        if value
    }
    return frozenset(unknown - known)


def retraction_of(
    compared: Sequence[RecordComparison], chosen: RecordComparison
) -> RetractionNotice | None:
    """The gravest notice that any record of the same work carries; None without one."""
    notices = [
        notice
        for comparison in compared
        if comparison is chosen
        or (comparison.title.agrees and comparison.shared_authors > 0)
        or (comparison.same_identifier and comparison.same_identifier == chosen.same_identifier)
        if (notice := _notice(comparison.record, comparison.index_name))
    ]
    return max(notices, key=lambda notice: _SEVERITY[notice.kind], default=None)


def _best(compared: Sequence[RecordComparison]) -> RecordComparison | None:
    """The record that fits best: same title, fewest differences, most agreement, then the first."""
    return max(
        compared,
        key=lambda comparison: (
            comparison.title.agrees is True,
            -comparison.differing,
            comparison.agreeing,
            comparison.title.similarity,
        ),
        default=None,
    )


def _other_work(
    entry: ReferenceEntry,
    by_identifier: RecordComparison,
    same_work: RecordComparison | None,
    replies: Sequence[IndexReply],
    compared: Sequence[RecordComparison],
    holding: set[str],
) -> Finding:
    other = by_identifier.title.title or "another work"
    why = f"{by_identifier.same_identifier} belongs to another work: “{other}”."
    chosen = same_work or by_identifier
    fields = chosen.fields
    if same_work is not None:
        known = csl_text(same_work.record, "DOI") or csl_text(same_work.record, "URL")
        why += " The work that the entry describes exists" + (f" under {known}." if known else ".")
        fields = tuple(
            replace(comparison, agrees=False, why=why)
            if comparison.field in ("doi", "arxiv", "pmid") and comparison.agrees is not True
            else comparison
            for comparison in fields
        )
    return Finding(
        status="other_work",
        fields=fields,
        record=chosen.record,
        record_from=chosen.index_name,
        score=existence_score(chosen.fields, chosen.title.similarity, chosen.shared_authors),
        indexes=_answers(replies, holding | {by_identifier.index_name}),
        retraction=retraction_of(compared, same_work) if same_work else None,
        why=why,
    )


def _missing(
    entry: ReferenceEntry,
    replies: Sequence[IndexReply],
    compared: Sequence[RecordComparison],
    unknown: frozenset[str],
) -> Finding:
    """No record is that of the work: not found, or not checked with the reason."""
    placeholder = entry_placeholder(entry)
    fields = _with_placeholder((), placeholder)
    if unknown:
        fields += tuple(
            FieldComparison(
                field=name,
                entry_value=value,
                record_value=None,
                agrees=False,
                why="This identifier is not known.",
            )
            for name in ("doi", "arxiv", "pmid")
            if (value := getattr(entry, name)) and _folded_identifier(value) in unknown
        )
    answers = _answers(replies, set())
    reason = _why_not_checked(entry, answers)
    nearest = _best([comparison for comparison in compared if comparison.title.similarity >= 0.4])
    if reason:
        if placeholder:
            reason = f"{placeholder[2]} {reason}"
        return Finding("not_checked", fields, None, None, None, answers, None, reason)
    names = [answer.name for answer in answers if answer.covers and answer.answer == "none"]
    why = f"{_joined(names)} should hold it and {'does' if len(names) == 1 else 'do'} not."
    if placeholder:
        why = f"{placeholder[2]} {why}"
    if nearest is not None:
        why += f" The nearest title is “{nearest.title.title}”."
    similarity = nearest.title.similarity if nearest else 0.0
    score = existence_score((), similarity, nearest.shared_authors if nearest else 0.0)
    return Finding("not_found", fields, None, None, score, answers, None, why)


def _why_not_checked(entry: ReferenceEntry, answers: Sequence[IndexAnswer]) -> str:
    """Why nothing can be said of an entry that no index has; empty where it is not found."""
    covering = [answer for answer in answers if answer.covers]
    failed = [answer for answer in covering if answer.answer == "error"]
    missing_from = [answer.name for answer in covering if answer.answer == "none"]
    unasked = [answer for answer in covering if answer.answer == "not_asked" and answer.why]
    by_registry = any(name.startswith("registry:") for name in missing_from)
    if missing_from and not failed and (by_registry or not unasked):
        return ""
    if entry.unreadable:
        return entry.unreadable
    if failed:
        return f"{_joined([answer.name for answer in failed])} could not be asked: {failed[0].why}"
    if not entry.title and not (entry.doi or entry.arxiv or entry.pmid or entry.isbn):
        return "The entry has no title and no identifier that could be looked up."
    if not answers:
        return "No index was asked: allow look-ups, or give a registry."
    refusing = next((answer for answer in covering if answer.why), None)
    if refusing is not None:
        return refusing.why
    libraries = [
        answer.name
        for answer in answers
        if answer.answer == "none" and answer.name.startswith("registry:")
    ]
    if not covering and libraries:
        do = "do" if len(libraries) > 1 else "does"
        return f"{_joined(libraries)} {do} not have it and need not; no index was asked."
    if not covering:
        return "No index that was asked holds works of this kind."
    return "No index was asked: allow look-ups, or give a registry."


def _with_placeholder(
    fields: tuple[FieldComparison, ...], placeholder: tuple[str, str, str] | None
) -> tuple[FieldComparison, ...]:
    if placeholder is None:
        return fields
    name, value, reason = placeholder
    known = next((comparison for comparison in fields if comparison.field == name), None)
    comparison = FieldComparison(
        field=name,
        entry_value=value,
        record_value=known.record_value if known else None,
        agrees=False,
        why=reason,
    )
    return (*(other for other in fields if other.field != name), comparison)


def _answers(replies: Sequence[IndexReply], holding: set[str]) -> tuple[IndexAnswer, ...]:
    """What each index said of this work: one that returned other works only has none."""
    return tuple(
        replace(reply.answer, answer="none", why=reply.answer.why or "It returned other works.")
        if reply.answer.answer == "match" and reply.answer.name not in holding
        else reply.answer
        for reply in replies
    )


def _about_another(record: JsonDict) -> bool:
    """Whether a record is that of a review, a correction or a notice under the work's title."""
    custom: Json = record.get("custom")
    return isinstance(custom, Mapping) and bool(custom.get("about"))


def _notice(record: JsonDict, index: str) -> RetractionNotice | None:
    custom: Json = record.get("custom")
    notice = custom.get("retraction") if isinstance(custom, Mapping) else None
    if not isinstance(notice, Mapping):
        return None
    kind = next((kind for kind in RETRACTION_KINDS if kind == notice.get("kind")), None)
    if kind is None:
        return None
    date, address, source = notice.get("date"), notice.get("notice"), notice.get("from")
    return RetractionNotice(
        kind=kind,
        date=date if isinstance(date, str) else None,
        notice=address if isinstance(address, str) else None,
        source=source if isinstance(source, str) else index,
    )


def _folded_identifier(value: str) -> str:
    return fold_doi(value) or fold_arxiv(value) or fold_pmid(value)


def _joined(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
