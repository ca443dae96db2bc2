"""What a reviewer may see of an item: everything, or what is left when the judge is hidden."""

import json
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.records.review import Label, Role
from workbench.records.source import Source
from workbench.records.text import Span
from workbench.records.verdict import SOURCE_READ, CitationResult, Evidence, Layers, parse_source
from workbench.store.rows import read_column, read_labels, read_number, stored_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewerContext:
    """Who looks at items, and in which capacity."""

    reviewer: str
    role: Role = "review"
    queue_id: str | None = None
    """None outside of any queue."""
    blind: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """An item as the store has it, and what its reviewer knows of it."""

    run_id: str
    citation_id: str
    result: CitationResult | None
    """None while it has no verdict, and where it was erased."""
    version: int | None
    """Of the verdict, counted from 1."""
    text_sha256: str | None
    labels: tuple[Label, ...]
    """Current ones, oldest first."""
    own_label: Label | None
    """The label that a new one of this reviewer takes the place of."""
    decided: bool
    """Whether the reviewer has a standing label of this queue."""
    saw_judge: bool
    """Whether the reviewer was ever shown a verdict of this item."""


def load_item_view(
    connection: "DuckDBPyConnection", run_id: str, citation_id: str, seat: ReviewerContext
) -> ItemView:
    """What there is of an item, within a unit of work."""
    rows = connection.execute(
        "select record, version, text_sha256 from verdicts where run_id = ? and citation_id = ? "
        "order by version desc limit 1",
        [run_id, citation_id],
    ).fetchall()
    ever = read_labels(
        connection, "labels where run_id = ? and citation_id = ?", [run_id, citation_id]
    )
    revealed = read_number(
        connection,
        "select count(*) from judgment_reveals where run_id = ? and citation_id = ? and reviewer = ?",
        [run_id, citation_id, seat.reviewer],
    )
    return _item_view(
        (run_id, citation_id),
        seat,
        rows[0] if rows else (None, None, None),
        ever,
        _withdrawn(connection, ever),
        revealed=revealed > 0,
    )


def load_item_views(
    connection: "DuckDBPyConnection", items: Sequence[tuple[str, str]], seat: ReviewerContext
) -> list[ItemView]:
    """What there is of several items, by run and citation id; each table is read once for all."""
    listed = (
        "(select unnest(?::varchar[]) as run_id, unnest(?::varchar[]) as citation_id) listed "
        "using (run_id, citation_id)"
    )
    ids = [[run_id for run_id, _ in items], [citation_id for _, citation_id in items]]
    verdicts = {
        (row[0], row[1]): row[2:]
        for row in connection.execute(
            "select run_id, citation_id, record, version, text_sha256 from verdicts "
            f"semi join {listed} qualify row_number() over "
            "(partition by run_id, citation_id order by version desc) = 1",
            ids,
        ).fetchall()
    }
    ever = read_labels(connection, f"(select * from labels semi join {listed}) found", ids)
    withdrawn = _withdrawn(connection, ever)
    revealed = set(
        connection.execute(
            f"select run_id, citation_id from judgment_reveals semi join {listed} "
            "where reviewer = ?",
            [*ids, seat.reviewer],
        ).fetchall()
    )
    labels: dict[tuple[str, str], list[Label]] = {}
    for label in ever:
        labels.setdefault((label.run_id, label.citation_id), []).append(label)
    return [
        _item_view(
            item,
            seat,
            verdicts.get(item, (None, None, None)),
            labels.get(item, []),
            withdrawn,
            revealed=item in revealed,
        )
        for item in items
    ]


def _withdrawn(connection: "DuckDBPyConnection", labels: Sequence[Label]) -> set[str]:
    """The ids of those labels that were taken back."""
    return set(
        read_column(
            connection,
            "select label_id from label_withdrawals "
            "where label_id in (select unnest(?::varchar[]))",
            [[label.id for label in labels]],
        )
    )


def _item_view(
    item: tuple[str, str],
    seat: ReviewerContext,
    verdict: tuple[str | None, int | None, str | None],
    ever: Sequence[Label],
    withdrawn: Set[str],
    *,
    revealed: bool,
) -> ItemView:
    """An item of its newest verdict's record, version and text, and all its labels ever."""
    record, version, text_sha256 = verdict
    standing = [label for label in ever if label.id not in withdrawn]
    replaced = {label.replaces for label in standing}
    current = tuple(label for label in standing if label.id not in replaced)
    own_labels = [
        label
        for label in current
        if label.role == seat.role
        # the gold is one: an adjudicator takes over from another
        and (label.reviewer == seat.reviewer or seat.role == "adjudication")
    ]
    return ItemView(
        run_id=item[0],
        citation_id=item[1],
        result=CitationResult.from_dict(json.loads(record)) if record else None,
        version=version,
        text_sha256=text_sha256,
        labels=current,
        own_label=own_labels[-1] if own_labels else None,
        decided=any(
            label.queue_id == seat.queue_id and label.reviewer == seat.reviewer
            for label in standing
        ),
        saw_judge=revealed
        or any(label.reviewer == seat.reviewer and label.saw_judge for label in ever),
    )


def load_source(connection: "DuckDBPyConnection", sight: ItemView) -> Source | None:
    """The item's source with its text and pages; None where it has none."""
    source = sight.result.source if sight.result else None
    if source is None or sight.text_sha256 is None:
        return None
    rows = connection.execute(
        "select body, pages from source_texts where sha256 = ? and text_sha256 = ?",
        [source.sha256, sight.text_sha256],
    ).fetchall()
    if not rows:
        return None
    body, pages = rows[0]
    text = stored_text(body)
    return parse_source(source.to_dict(), text=text, pages=json.loads(pages))


def evidence_from_spans(
    source: Source | None, spans: tuple[Span, ...]
) -> tuple[Evidence, ...] | None:
    """The spans with the words and pages they cover; None where one lies outside the text."""
    if any(source is None or not 0 <= span.start < span.end <= len(source.text) for span in spans):
        return None
    return tuple(Evidence.in_source(source, span) for span in spans if source is not None)


def hide_judgment(result: CitationResult) -> CitationResult:
    """The result without what the judge said; that a source could not be retrieved stays."""
    layers = Layers(exists=result.layers.exists, resolves=result.layers.resolves)
    hidden = replace(result, judgment=None, judgments=(), layers=layers, notes=())
    if result.status != "ok" and result.error and result.error.kind not in SOURCE_READ:
        return hidden
    return replace(hidden, status="ok", verdict="unverifiable", error=None)
