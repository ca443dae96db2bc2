"""Human labels between records and rows."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.records.fields import parse_answers
from workbench.records.review import Label
from workbench.records.text import Json, Span, replace_surrogates
from workbench.records.verdict import Evidence
from workbench.store.row_mapping import ensure_not_erased

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

COLUMNS = (
    "id, run_id, citation_id, label, reviewer, created_at, note, replaces, judge_label, role, "
    "saw_judge, verdict_version, evidence, wrong_evidence, fault, tags, guide, queue_id, seconds, "
    "by_person, answers"
)
"""In the order in which labels are written and read."""


def insert_label(
    connection: "DuckDBPyConnection", label: Label, position: int | None = None
) -> None:
    """Add a label, at a position of its queue; one whose id is there already is left alone.

    Raises:
        StoreError: The label's output was erased.
    """
    ensure_not_erased(connection, label.run_id)
    connection.execute(
        f"insert into labels ({COLUMNS}, queue_position) values ({', '.join('?' * 22)}) "
        "on conflict do nothing",
        [
            label.id,
            label.run_id,
            label.citation_id,
            label.label,
            replace_surrogates(label.reviewer),
            label.created_at,
            replace_surrogates(label.note),
            label.replaces,
            label.judge_label,
            label.role,
            label.saw_judge,
            label.verdict_version,
            json.dumps([evidence.to_dict() for evidence in label.evidence]),
            json.dumps([span.to_dict() for span in label.wrong_evidence]),
            label.fault,
            [replace_surrogates(tag) for tag in label.tags],
            label.guide,
            label.queue_id,
            label.seconds,
            label.by_person,
            json.dumps([answer.to_dict() for answer in label.answers]),
            position,
        ],
    )


def read_labels(
    connection: "DuckDBPyConnection",
    source: str,
    values: Sequence[str | int | list[str] | None] = (),
) -> list[Label]:
    """The labels of a table or view with its conditions, oldest first."""
    rows = connection.execute(
        f"select {COLUMNS} from {source} order by created_at, id", list(values)
    ).fetchall()
    return [_label(dict(zip(COLUMNS.split(", "), row, strict=True))) for row in rows]


def _label(row: dict[str, object]) -> Label:
    evidence: Sequence[Mapping[str, Json]] = json.loads(str(row["evidence"]))
    wrong: Sequence[Mapping[str, int]] = json.loads(str(row["wrong_evidence"]))
    tags = row["tags"]
    fields = row | {
        "evidence": tuple(map(Evidence.from_dict, evidence)),
        "wrong_evidence": tuple(_span(passage) for passage in wrong),
        "tags": tuple(tags) if isinstance(tags, list) else (),
        "answers": parse_answers(json.loads(str(row["answers"]))),
    }
    return Label(**fields)  # type: ignore[arg-type]  # the columns hold what a label was made of


def _span(raw: Mapping[str, Json]) -> Span:
    start, end = raw["start"], raw["end"]
    assert isinstance(start, int) and isinstance(end, int)
    return Span(start, end)
