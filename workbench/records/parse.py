"""Published JSON back to records: the inverse of each `to_dict()`.

Every function raises KeyError, TypeError or ValueError on JSON of another shape; those who read
files translate that into a sentence.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import TypeVar, cast, get_args

from workbench.errors import ERROR_KINDS
from workbench.records.bibliography import (
    ANSWER_KINDS,
    REFERENCE_STATUSES,
    RETRACTION_KINDS,
    WORK_TYPES,
    Author,
    FieldComparison,
    IndexAnswer,
    ReferenceCheck,
    ReferenceEntry,
    RetractionNotice,
)
from workbench.records.citation import (
    CITATION_KINDS,
    SCOPE_KINDS,
    Citation,
    Claim,
    ClaimScope,
    Reference,
    Target,
    TargetForm,
)
from workbench.records.context import ClaimContext, TableCell
from workbench.records.corrections import ProposedCorrection
from workbench.records.source import MATCH_WAYS, Page, Source, SourceMatch
from workbench.records.text import Excerpt, Json, Span
from workbench.records.text_edits import TextEdit
from workbench.records.verdict import (
    NOTE_KINDS,
    VERDICT_LABELS,
    CitationResult,
    ErrorInfo,
    Evidence,
    JudgedPart,
    Judgment,
    Layers,
    Note,
    Run,
    Status,
)

Raw = Mapping[str, Json]
Choice = TypeVar("Choice", bound=str)
TARGET_FORMS: tuple[TargetForm, ...] = get_args(TargetForm)
STATUSES: tuple[Status, ...] = get_args(Status)


def _map(value: Json) -> Raw:
    if not isinstance(value, Mapping):
        raise TypeError(f"expected a JSON object, got {type(value).__name__}")
    return value


def _list(value: Json) -> list[Json]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"expected a JSON list, got {type(value).__name__}")
    return list(value)


def _one_of(value: Json, choices: tuple[Choice, ...]) -> Choice:
    for choice in choices:
        if choice == value:
            return choice
    raise ValueError(f"{value!r} is none of {', '.join(choices)}")


def _opt_str(value: Json) -> str | None:
    return None if value is None else str(value)


def _opt_int(value: Json) -> int | None:
    return None if value is None else _int(value)


def _int(value: Json) -> int:
    return int(cast(int, value))


def _float(value: Json) -> float:
    return float(cast(float, value))


def _span(raw: Raw) -> Span:
    return Span(_int(raw["start"]), _int(raw["end"]))


def _excerpt(raw: Raw) -> Excerpt:
    return Excerpt(span=_span(raw), text=str(raw["text"]))


def _moment(value: Json) -> datetime | None:
    return None if value is None else datetime.fromisoformat(str(value))


def parse_target(raw: Json) -> Target | None:
    """A target, or None for null."""
    if raw is None:
        return None
    raw = _map(raw)
    reference = raw.get("reference")
    return Target(
        form=_one_of(raw["form"], TARGET_FORMS),
        value=str(raw["value"]),
        reference=None if reference is None else _int(reference),
    )


def parse_citation(raw: Raw) -> Citation:
    """A citation from its published JSON; other keys are ignored."""
    claim = raw.get("claim")
    return Citation(
        id=str(raw["id"]),
        kind=_one_of(raw["kind"], CITATION_KINDS),
        raw=str(raw["raw"]),
        span=_span(raw),
        identifier=str(raw["identifier"]),
        context=_span(_map(raw["context"])),
        claim=None if claim is None else _excerpt(_map(claim)),
        target=parse_target(raw.get("target")),
        unlinked=_opt_str(raw.get("unlinked")),
        reference=_opt_int(raw.get("reference")),
        claim_context=parse_claim_context(raw.get("claim_context")),
        wording=_opt_str(raw.get("wording")),
        scope=_scope(raw.get("scope")),
    )


def _scope(raw: Json) -> ClaimScope | None:
    if raw is None:
        return None
    raw = _map(raw)
    return ClaimScope(
        kind=_one_of(raw["kind"], SCOPE_KINDS),
        span=_span(raw),
        text=str(raw["text"]),
        guess=raw["guess"] is True,
    )


def parse_claim_context(raw: Json) -> ClaimContext | None:
    """The context of a claim, or None for null."""
    if raw is None:
        return None
    raw = _map(raw)
    before, table = raw.get("before"), raw.get("table")
    return ClaimContext(
        headings=tuple(_excerpt(_map(heading)) for heading in _list(raw.get("headings"))),
        before=None if before is None else _span(_map(before)),
        table=None if table is None else _table_cell(_map(table)),
        question=_opt_str(raw.get("question")),
        date=_opt_str(raw.get("date")),
    )


def _table_cell(raw: Raw) -> TableCell:
    def part(name: str) -> Excerpt | None:
        span = raw.get(f"{name}_span")
        return None if span is None else Excerpt(span=_span(_map(span)), text=str(raw[name]))

    return TableCell(header=part("header"), row=part("row"))


def parse_reference(raw: Raw) -> Reference:
    """A reference entry from its published JSON."""
    year = raw.get("year")
    return Reference(
        label=_opt_str(raw.get("label")),
        span=_span(raw),
        text=str(raw["text"]),
        title=_opt_str(raw.get("title")),
        authors=tuple(str(author) for author in _list(raw.get("authors"))),
        year=None if year is None else _int(year),
        doi=_opt_str(raw.get("doi")),
        target=parse_target(raw.get("target")),
    )


def parse_claim(raw: Raw) -> Claim:
    """A claim from its published JSON."""
    return Claim(
        id=str(raw["id"]),
        span=_span(raw),
        text=str(raw["text"]),
        citations=tuple(str(citation) for citation in _list(raw.get("citations"))),
    )


def parse_source(raw: Json, *, text: str = "", pages: Json = None) -> Source | None:
    """A source's facts, or None for null; the text is kept apart and may be handed in."""
    if raw is None:
        return None
    raw = _map(raw)
    status, count = raw.get("status"), raw.get("pages")
    return Source(
        url=str(raw["url"]),
        final_url=str(raw["final_url"]),
        status=None if status is None else _int(status),
        content_type=str(raw["content_type"]),
        bytes=_int(raw["bytes"]),
        sha256=str(raw["sha256"]),
        title=_opt_str(raw.get("title")),
        fetched_at=_moment(raw.get("fetched_at")),
        truncated=bool(raw["truncated"]),
        text=text,
        pages=tuple(
            Page(number=_int(page["number"]), span=_span(page), scanned=bool(page.get("scanned")))
            for page in map(_map, _list(pages))
        ),
        page_count=None if count is None else _int(count),
        author=_opt_str(raw.get("author")),
        published=_opt_str(raw.get("published")),
        site=_opt_str(raw.get("site")),
    )


def parse_judgment(raw: Json) -> Judgment | None:
    """A judgment from its published JSON, or None for null."""
    if raw is None:
        return None
    raw = _map(raw)
    return Judgment(
        label=_one_of(raw["label"], VERDICT_LABELS),
        confidence=_float(raw["confidence"]),
        score=_float(raw["score"]),
        rationale=str(raw["rationale"]),
        reason=str(raw.get("reason", "")),
        sure=raw.get("sure") is not False,
        evidence=tuple(parse_evidence(_map(item)) for item in _list(raw.get("evidence"))),
        judge=str(raw["judge"]),
        prompt=_opt_str(raw.get("prompt")),
        input_tokens=_int(raw.get("input_tokens", 0)),
        output_tokens=_int(raw.get("output_tokens", 0)),
        cost_usd=_float(raw.get("cost_usd") or 0.0),
        price_unknown=raw.get("price_unknown") is True,
        latency_ms=_int(raw.get("latency_ms", 0)),
        uncovered=tuple(_span(_map(item)) for item in _list(raw.get("uncovered"))),
        standalone=_opt_str(raw.get("standalone")),
        parts=tuple(
            JudgedPart(
                span=_span(part),
                label=_one_of(part["label"], VERDICT_LABELS),
                score=_float(part["score"]),
            )
            for part in map(_map, _list(raw.get("parts")))
        ),
        proposed_correction=_proposed_correction(raw.get("proposed_correction")),
    )


def _proposed_correction(raw: Json) -> ProposedCorrection | None:
    if raw is None:
        return None
    raw = _map(raw)
    return ProposedCorrection(
        text=str(raw["text"]),
        edits=tuple(
            TextEdit(span=_span(edit), text=str(edit["text"]))
            for edit in map(_map, _list(raw.get("edits")))
        ),
        why=str(raw.get("why") or ""),
        judge=str(raw["judge"]),
    )


def parse_evidence(raw: Raw) -> Evidence:
    """A piece of evidence from its published JSON."""
    page = raw.get("page")
    return Evidence(
        quote=str(raw["quote"]),
        span=_span(raw),
        page=None if page is None else _int(page),
        scanned=bool(raw.get("scanned")),
    )


def _note(raw: Raw) -> Note:
    span = raw.get("span")
    return Note(
        kind=_one_of(raw["kind"], NOTE_KINDS),
        message=str(raw["message"]),
        span=None if span is None else _span(_map(span)),
    )


def _layer(raw: Raw, name: str) -> bool | None:
    value = raw.get(name)
    return None if value is None else bool(value)


def parse_result(raw: Raw) -> CitationResult:
    """One citation's result from its published JSON; its source comes without text."""
    error = raw.get("error")
    layers = _map(raw.get("layers") or {})
    judgments = (parse_judgment(item) for item in _list(raw.get("judgments")))
    return CitationResult(
        citation=parse_citation(raw),
        status=_one_of(raw["status"], STATUSES),
        verdict=_one_of(raw["verdict"], VERDICT_LABELS),
        error=None
        if error is None
        else ErrorInfo(
            kind=_one_of(_map(error)["kind"], ERROR_KINDS),
            message=str(_map(error)["message"]),
        ),
        source=parse_source(raw.get("source")),
        judgment=parse_judgment(raw.get("judgment")),
        judgments=tuple(judgment for judgment in judgments if judgment is not None),
        layers=Layers(
            exists=_layer(layers, "exists"),
            resolves=_layer(layers, "resolves"),
            derivable=_layer(layers, "derivable"),
            in_scope=_layer(layers, "in_scope"),
        ),
        notes=tuple(_note(_map(item)) for item in _list(raw.get("notes"))),
    )


_COSTS = ("reserved_usd", "price_unknown", "unpriced_calls", "known_cost_usd")
"""What a published run's config says about its cost, beside the options."""


def parse_reference_check(raw: Raw) -> ReferenceCheck:
    """A check of a reference from its published JSON; where its fields stand is not in it."""
    record, notice = raw.get("record"), raw.get("retraction")
    return ReferenceCheck(
        label=_opt_str(raw.get("label")),
        span=_span(raw),
        text=str(raw["text"]),
        entry=parse_reference_entry(_map(raw["entry"])),
        status=_one_of(raw["status"], REFERENCE_STATUSES),
        fields=tuple(
            FieldComparison(
                field=str(item["field"]),
                entry_value=_opt_str(item.get("given")),
                record_value=_opt_str(item.get("found")),
                agrees=_layer(item, "agrees"),
                why=str(item.get("why") or ""),
            )
            for item in map(_map, _list(raw.get("fields")))
        ),
        record=dict(_map(record)) if record is not None else None,
        record_from=_opt_str(raw.get("record_from")),
        score=None if raw.get("score") is None else _float(raw["score"]),
        indexes=tuple(
            IndexAnswer(
                name=str(item["name"]),
                answer=_one_of(item["answer"], ANSWER_KINDS),
                why=str(item.get("why") or ""),
                question=str(item.get("question") or ""),
                covers=item.get("covers") is not False,
                asked_at=_opt_str(item.get("asked_at")),
            )
            for item in map(_map, _list(raw.get("indexes")))
        ),
        retraction=_retraction(_map(notice)) if notice is not None else None,
        why=str(raw.get("why") or ""),
    )


def parse_reference_entry(raw: Raw) -> ReferenceEntry:
    """What an entry says, from the published JSON of a check."""
    kind = raw.get("type")
    return ReferenceEntry(
        title=_opt_str(raw.get("title")),
        authors=tuple(
            Author(family=str(author["family"]), given=str(author.get("given") or ""))
            for author in map(_map, _list(raw.get("authors")))
        ),
        authors_complete=raw.get("authors_complete") is not False,
        year=None if raw.get("year") is None else _int(raw["year"]),
        venue=_opt_str(raw.get("venue")),
        volume=_opt_str(raw.get("volume")),
        issue=_opt_str(raw.get("issue")),
        pages=_opt_str(raw.get("pages")),
        doi=_opt_str(raw.get("doi")),
        arxiv=_opt_str(raw.get("arxiv")),
        pmid=_opt_str(raw.get("pmid")),
        isbn=_opt_str(raw.get("isbn")),
        url=_opt_str(raw.get("url")),
        type=_one_of(kind, WORK_TYPES) if kind is not None else None,
        court=_opt_str(raw.get("court")),
    )


def _retraction(raw: Raw) -> RetractionNotice:
    return RetractionNotice(
        kind=_one_of(raw["kind"], RETRACTION_KINDS),
        date=_opt_str(raw.get("date")),
        notice=_opt_str(raw.get("notice")),
        source=str(raw.get("from") or ""),
    )


def parse_run(raw: Raw, *, references: Json = None, claims: Json = None) -> Run:
    """A run from its published JSON; references and claims, which that leaves out, are given."""
    created_at = _moment(raw["created_at"])
    if created_at is None:
        raise ValueError("a run has a moment")
    config = _map(raw["config"])
    return Run(
        id=str(raw["id"]),
        output_sha256=str(raw["output_sha256"]),
        created_at=created_at,
        judge=tuple(map(str, _list(raw["judge"]))),
        config={
            **{name: value for name, value in config.items() if name not in _COSTS},
            **({"notices": raw["notices"]} if raw.get("notices") else {}),
        },
        citations=tuple(parse_result(_map(item)) for item in _list(raw["citations"])),
        cost_usd=_float(raw["total_cost_usd"] or config.get("known_cost_usd") or 0.0),
        reserved_usd=_float(config.get("reserved_usd") or 0.0),
        unpriced_calls=_int(config.get("unpriced_calls") or 0),
        timings={name: _float(value) for name, value in _map(raw.get("timings") or {}).items()},
        references=tuple(parse_reference(_map(item)) for item in _list(references)),
        reference_checks=tuple(
            parse_reference_check(_map(item)) for item in _list(raw.get("references"))
        ),
        claims=tuple(parse_claim(_map(item)) for item in _list(claims)),
        source_matches=parse_source_matches(raw.get("source_matches")),
    )


def parse_source_matches(raw: Json) -> tuple[SourceMatch, ...]:
    """The given sources of a run from its published JSON; none where it says nothing of them."""
    return tuple(
        SourceMatch(
            source=str(item.get("source")),
            url=_opt_str(item.get("url")),
            title=_opt_str(item.get("title")),
            citations=tuple(map(str, _list(item.get("citations")))),
            by=None if item.get("by") is None else _one_of(item.get("by"), MATCH_WAYS),
            why=str(item.get("why") or ""),
        )
        for item in map(_map, _list(raw))
    )
