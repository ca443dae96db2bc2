"""Runs, verdicts, sources and labels as rows of the database, and back."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.errors import StoreError
from workbench.masking import mask_known
from workbench.records.evaluation import JudgeKey
from workbench.records.fields import FieldAnswer, parse_answers
from workbench.records.review import Label
from workbench.records.source import Source
from workbench.records.spending import Spending
from workbench.records.text import Json, replace_surrogates, text_bytes, text_sha256
from workbench.records.verdict import CitationResult, Judgment, Run
from workbench.store.rows import insert_record, read_records

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
LABEL_COLUMNS = ", ".join(field.name for field in fields(Label))
"""Those of the tables and views of labels that a label is made of."""


def sort_key(result: CitationResult) -> tuple[int, str]:
    """Text order."""
    return result.citation.start, result.citation.id


def is_unfinished(run: Run, result: CitationResult) -> bool:
    """Whether a stop left the citation unchecked: no verdict, the run can be continued."""
    return (
        not run.finished
        and result.status == "error"
        and result.error is not None
        and result.error.kind == "cancelled"
    )


RUN_COLUMNS = """(id, output_sha256, name, created_at, judge, config, reference_list, claims,
placeholders, found, judge_name, panel, prompt, trace_id, source_matches)"""
"""The columns of a run, as `run_row` fills them."""


def run_row(
    run: Run, name: str, placeholders: Sequence[CitationResult] = ()
) -> tuple[str | datetime | int | None, ...]:
    """The row of a run; `placeholders` stand for citations until they have a verdict."""
    return (
        run.id,
        run.output_sha256,
        replace_surrogates(name),
        run.created_at,
        json.dumps(list(run.judge)),
        json.dumps(dict(run.config)),
        json.dumps([reference.to_dict() for reference in run.references]),
        json.dumps([claim.to_dict() for claim in run.claims]),
        record_json([result.to_dict() for result in placeholders]),
        run.total_citations_found,
        *judge_columns(run),
        _text(run, "trace_id") or None,
        json.dumps([match.to_dict() for match in run.source_matches])
        if run.source_matches
        else None,
    )


def add_run_row(
    connection: "DuckDBPyConnection",
    run: Run,
    name: str,
    text: str,
    placeholders: Sequence[CitationResult] = (),
) -> None:
    """Store a run and its output; either stays as it is where it is there already."""
    connection.execute(
        "insert into outputs values (?, ?, ?, ?) on conflict do nothing",
        [run.output_sha256, replace_surrogates(name), text_bytes(text), run.created_at],
    )
    row = run_row(run, name, placeholders)
    connection.execute(
        f"insert into runs {RUN_COLUMNS} values ({', '.join('?' * len(row))}) "
        "on conflict do nothing",
        list(row),
    )


def judge_columns(run: Run) -> tuple[str, str, str]:
    """The name of who judged, the rule of a panel, and the prompt's id, empty where unknown."""
    panel, prompt = _text(run, "panel"), _text(run, "prompt")
    judge = JudgeKey(specs=tuple(run.judge), rule=panel or "majority")
    return replace_surrogates(judge.name), panel, prompt


def _text(run: Run, option: str) -> str:
    value = run.config.get(option)
    return replace_surrogates(value) if isinstance(value, str) else ""


def read_spending(connection: "DuckDBPyConnection", run_id: str) -> Spending:
    """What a run has cost so far, over all attempts at it."""
    rows = connection.execute(
        "select cost_usd, reserved_usd, unpriced_calls from run_spending where run_id = ?", [run_id]
    ).fetchall()
    settled, reserved, unpriced = rows[0] if rows else (0.0, 0.0, 0)
    return Spending(settled_usd=settled, reserved_usd=reserved, unpriced_calls=unpriced)


def ensure_not_erased(connection: "DuckDBPyConnection", run_id: str) -> None:
    """Nothing, unless the run's output was erased: then nothing more of it may be kept.

    Raises:
        StoreError: It was.
    """
    rows = connection.execute(
        "select created_at from erasures where list_contains(run_ids, ?)", [run_id]
    ).fetchall()
    if rows:
        raise StoreError(
            f"The output of run {run_id} was erased on {rows[0][0]:%Y-%m-%d}; nothing else of it "
            f"is stored."
        )


def add_sources(connection: "DuckDBPyConnection", sources: Iterable[Source], now: datetime) -> None:
    """Keep the texts of sources; a text that is there already is left alone."""
    for source in sources:
        if not source.text:
            continue
        pages: Json = [
            {"number": p.number, **p.span.to_dict(), **({"scanned": True} if p.scanned else {})}
            for p in source.pages
        ]
        connection.execute(
            "insert into source_texts values (?, ?, ?, ?, ?, ?, ?) on conflict do nothing",
            [
                source.sha256,
                text_sha256(source.text),
                replace_surrogates(source.title or ""),
                source.content_type,
                text_bytes(source.text),
                json.dumps(pages),
                now,
            ],
        )


def _rationales(result: CitationResult) -> list[str]:
    """What the joint judgment says, and each of the panel that says something else."""
    joint = result.judgment.rationale if result.judgment else ""
    others = [judgment.rationale for judgment in result.judgments if judgment.rationale != joint]
    return [joint, *others]


def record_json(record: Json) -> str:
    """A record that holds words of a judge or of an error, as it is kept: without secrets in use.

    Such words are masked where they come in; this is the last place before the disk.
    """
    return mask_known(json.dumps(record))


VerdictRow = tuple[
    str, str, int, str, str, str, str | None, str | None, str | None, float | None, float | None,
    str, datetime, int, str | None, str | None, str | None, bool, str | None, str | None,
    bool | None,
]  # fmt: skip

_HOST = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?(?:www\.)?([^/:?#]+)")
_SERVICES = {"doi": "doi.org", "arxiv": "arxiv.org", "pmid": "pubmed.ncbi.nlm.nih.gov"}


def host_of(result: CitationResult) -> str | None:
    """The host that a source came from, or that a citation without one points to; no `www.`."""
    source, target = result.source, result.citation.target
    addresses = [source.final_url, source.url] if source else []
    if target and target.form == "url":
        addresses.append(target.value)
    for address in addresses:
        match = _HOST.match(replace_surrogates(address).lower())
        if match:
            return match[1]
    return _SERVICES.get(target.form) if target else None


def verdict_row(run_id: str, result: CitationResult, now: datetime, version: int = 1) -> VerdictRow:
    """The row of one verdict: columns to find it by, and its record."""
    source, judgment, claim = result.source, result.judgment, result.citation.claim
    target = result.citation.target
    return (
        run_id,
        result.citation.id,
        result.citation.start,
        result.citation.kind,
        result.status,
        result.verdict,
        result.error.kind if result.error else None,
        source.sha256 if source else None,
        text_sha256(source.text) if source and source.text else None,
        judgment.confidence if judgment else None,
        judgment.score if judgment else None,
        record_json(result.to_dict()),
        now,
        version,
        replace_surrogates(claim.text) if claim else None,
        mask_known(replace_surrogates("\n".join(_rationales(result)))) if judgment else None,
        host_of(result),
        len({judgment.label for judgment in result.judgments}) > 1,
        target.form if target else None,
        judgment.proposed_correction.judge if judgment and judgment.proposed_correction else None,
        result.unsure if judgment else None,
    )


def read_chat_judgments(
    connection: "DuckDBPyConnection", where: str, values: Mapping[str, str]
) -> dict[tuple[str, str], tuple[Judgment, ...]]:
    """What chats (`handoff:NAME`) said of items beside the judge of their run, by item.

    That is the newest verdict of each, in the order of their names.
    """
    rows = connection.execute(
        "select run_id, citation_id, record from current_offline_judgments "
        "where judge like 'handoff:%' and judge not like '% + %' and record is not null "
        f"and {where} order by run_id, citation_id, judge",
        values,
    ).fetchall()
    judgments: dict[tuple[str, str], tuple[Judgment, ...]] = {}
    for run_id, citation_id, record in rows:
        judgment = Judgment.from_dict(json.loads(record))
        key = (run_id, citation_id)
        judgments[key] = (*judgments.get(key, ()), judgment)
    return judgments


def insert_label(
    connection: "DuckDBPyConnection", label: Label, position: int | None = None
) -> None:
    """Add a label, at a position of its queue; one whose id is there already is left alone.

    Raises:
        StoreError: The label's output was erased.
    """
    ensure_not_erased(connection, label.run_id)
    insert_record(connection, "labels", label, once=True, queue_position=position)


def read_labels(
    connection: "DuckDBPyConnection",
    source: str,
    values: Sequence[object] = (),
) -> list[Label]:
    """The labels of a table or view with its conditions, oldest first."""
    return read_records(
        connection,
        Label,
        f"select {LABEL_COLUMNS} from {source} order by created_at, id",
        values,
        answers=_answers,
    )


def _answers(stored: str) -> tuple[FieldAnswer, ...]:
    return parse_answers(json.loads(stored)) if stored != "[]" else ()
