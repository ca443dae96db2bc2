"""One entry as a card: what it says beside what its record says, and who was asked; pure."""

import re
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

from workbench.presentation.escape import truncate, web_address
from workbench.presentation.reference_list import (
    EntryList,
    SpanReader,
    citation_chip,
    differing_words,
    is_problem,
    marked_text,
    split_marked,
)
from workbench.presentation.reference_styles import (
    ANSWERS,
    DECISIONS,
    FIELD_NAMES,
    LEAD,
    NOTICES,
    REASONS,
    finding_style,
    index_name,
    likelihood,
    without_prefixes,
)
from workbench.presentation.run_view import ReviewState
from workbench.records.bibliography import (
    FieldComparison,
    IndexAnswer,
    ReferenceCheck,
    RetractionNotice,
    csl_text,
)
from workbench.records.format import format_timestamp
from workbench.records.reference_labels import EntryLabel
from workbench.records.text import JsonDict, Span, replace_surrogates

_DOI = re.compile(r"10\.\d{4,9}/\S+")


def entry_card_data(
    entries: EntryList,
    review: ReviewState,
    position: int,
    *,
    with_spans: SpanReader,
    corrected: str | None = None,
    own_label: EntryLabel | None = None,
    others: Sequence[EntryLabel] = (),
) -> JsonDict:
    """The card's data for one entry.

    Args:
        entries: The list that it belongs to.
        review: The run's review, for the citations that point at it.
        position: The entry's index in the run's references.
        with_spans: Adds the places of the entry's fields to its check.
        corrected: The entry as its record has it, in its own style; None where nothing is wrong.
        own_label: The reviewer's current decision.
        others: Other reviewers' current decisions, oldest first.
    """
    reference, check = entries.references[position], entries.check(position)
    name = reference.label or ""
    base: JsonDict = {
        "id": f"{review.run.id}:{position}",
        "place": f"Reference {position + 1:,} of {len(entries.references):,}",
        "name": truncate(name, 24) if name not in ("", str(position + 1)) else "",
        "cites": [citation_chip(review, name) for name in entries.cited.get(position, ())],
        "label": label_data(own_label) if own_label else None,
        "people": [label_data(label) for label in others],
    }
    if check is None:
        address = web_address(reference.target.value) if reference.target else None
        return {
            **base,
            "finding": None,
            "text": [[replace_surrogates(reference.text or reference.title or ""), False]],
            "address": address,
            "why": "This reference has not been looked up yet; use “Check references”.",
        }
    return {
        **base,
        "finding": finding_style(check).to_dict(),
        "meaning": finding_style(check).meaning,
        "notice": _notice(check.retraction) if check.retraction else None,
        "likely": likelihood(check.score),
        "text": marked_text(with_spans(check)),
        "why": _why(check),
        "unread": replace_surrogates(check.entry.unreadable or ""),
        "fields": [_field(field) for field in sorted(check.fields, key=_weight)],
        "record": _record(check),
        "address": _entry_address(check),
        "indexes": [_answer(answer) for answer in check.indexes],
        "corrected": _corrected(check.text, corrected) if corrected else None,
        "lead": LEAD if is_problem(check) else "",
    }


def label_data(label: EntryLabel) -> JsonDict:
    """A decision as the card shows it."""
    reason = REASONS[label.reason] if label.reason and label.reason != "fabricated" else ""
    return {
        **DECISIONS[label.decision].to_dict(),
        "by": truncate(label.reviewer, 40),
        "when": format_timestamp(label.created_at),
        "reason": reason,
        "note": replace_surrogates(label.note),
    }


def _why(check: ReferenceCheck) -> str:
    """The finding's reason where the table of fields does not say it already."""
    if check.status == "differs" and any(field.why for field in check.fields):
        return ""
    said = {field.why for field in check.fields}
    return "" if check.why in said else replace_surrogates(without_prefixes(check.why))


def _weight(comparison: FieldComparison) -> int:
    """What differs comes first, what cannot be told last."""
    return {False: 0, True: 1, None: 2}[comparison.agrees]


def _field(comparison: FieldComparison) -> JsonDict:
    entry = replace_surrogates(comparison.entry_value or "")
    record = replace_surrogates(comparison.record_value or "")
    state = {True: "agrees", False: "differs", None: "unknown"}[comparison.agrees]
    differing: tuple[list[Span], list[Span]] = ([], [])
    if comparison.agrees is False:
        differing = differing_words(entry, record)
    return {
        "name": FIELD_NAMES.get(comparison.field, comparison.field.replace("_", " ")),
        "entry": split_marked(entry, differing[0]) if entry else [],
        "record": split_marked(record, differing[1]) if record else [],
        "state": state,
        "why": replace_surrogates(without_prefixes(comparison.why)),
    }


def _record(check: ReferenceCheck) -> JsonDict | None:
    if check.record is None:
        return None
    doi = csl_text(check.record, "DOI")
    url = csl_text(check.record, "URL")
    address = doi_address(doi) or (web_address(url) if url else None)
    return {
        "from": truncate(index_name(check.record_from or ""), 60),
        "title": truncate(csl_text(check.record, "title") or "", 300),
        "address": address,
        "shown": truncate(doi or url or "", 120) if address else "",
    }


def _entry_address(check: ReferenceCheck) -> str | None:
    """Where the entry itself leads: its address, else its DOI."""
    entry = check.entry
    return (web_address(entry.url) if entry.url else None) or doi_address(entry.doi)


def doi_address(doi: str | None) -> str | None:
    """The address of a DOI; None for what is none.

    >>> doi_address("10.5555/a<b>"), doi_address("javascript:alert(1)")
    ('https://doi.org/10.5555/a%3Cb%3E', None)
    """
    if not doi or not _DOI.fullmatch(doi):
        return None
    return "https://doi.org/" + quote(replace_surrogates(doi), safe="/:;()._-")


def _notice(notice: RetractionNotice) -> JsonDict:
    where = notice.notice or ""
    address = doi_address(where) or (web_address(where) if where else None)
    facts = [notice.date or "", f"says {index_name(notice.source)}" if notice.source else ""]
    return {
        **NOTICES[notice.kind].to_dict(),
        "facts": ", ".join(filter(None, facts)),
        "address": address,
        "shown": truncate(where, 120),
    }


def _answer(answer: IndexAnswer) -> JsonDict:
    outside = answer.answer == "not_asked" and not answer.covers
    words = "not asked: does not cover it" if outside else ANSWERS[answer.answer]
    return {
        "name": truncate(index_name(answer.name), 60),
        "answer": answer.answer,
        "words": words,
        "why": replace_surrogates(without_prefixes(answer.why)),
        "question": truncate(answer.question, 300),
        "when": _when(answer.asked_at),
        "local": answer.name.startswith("registry:"),
    }


def _when(moment: str | None) -> str:
    if not moment:
        return ""
    try:
        return format_timestamp(datetime.fromisoformat(moment))
    except ValueError:
        return truncate(moment, 30)


def _corrected(text: str, corrected: str) -> JsonDict:
    text, corrected = replace_surrogates(text), replace_surrogates(corrected)
    return {
        "pieces": split_marked(corrected, differing_words(text, corrected)[1]),
        "text": corrected,
    }
