"""Records as rows and back, by the fields that they declare."""

import json
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin, get_type_hints

from workbench.errors import StoreError
from workbench.masking import mask_known
from workbench.records.citation import SentenceCorrection
from workbench.records.codec import Record, reader_of, to_json
from workbench.records.evaluation import JudgeKey
from workbench.records.fields import FieldAnswer, parse_answers
from workbench.records.review import Label
from workbench.records.source import Source
from workbench.records.spending import Spending
from workbench.records.text import Json, replace_surrogates, text_bytes, text_sha256
from workbench.records.verdict import CitationResult, Judgment, Run

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from duckdb import DuckDBPyConnection


Row = tuple[Any, ...]
Values = Sequence[object] | Mapping[str, object]
Convert = Callable[[Any], object]
_Record = TypeVar("_Record")

PAIRS = "(select unnest($runs::varchar[]) as run_id, unnest($citations::varchar[]) as citation_id)"
"""The table of some citations; `pair_values` holds what it needs."""


SPAN = "{'start': start_at, 'end': end_at} as span"
"""The columns of a span."""


def pair_values(items: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """What `PAIRS` needs: the ids of runs and of citations in them."""
    pairs = list(items)
    return {"runs": [run_id for run_id, _ in pairs], "citations": [name for _, name in pairs]}


def read_records(
    connection: "DuckDBPyConnection",
    record: type[_Record],
    query: str,
    values: Values = (),
    **readers: Convert,
) -> list[_Record]:
    """The rows of a query as records: each column is the field of its name.

    Lists and JSON become what the field's type says; `readers` convert columns of another form.
    """
    result = connection.execute(query, values)
    names = [column[0] for column in result.description or ()]
    known = {**_readers(cast(Hashable, record)), **readers}
    converted = [(name, known[name]) for name in names if name in known]
    records = []
    for row in result.fetchall():
        cells = dict(zip(names, row, strict=True))
        for name, convert in converted:
            cells[name] = convert(cells[name])
        records.append(record(**cells))
    return records


@cache
def _readers(record: Any) -> Mapping[str, Convert]:  # noqa: ANN401  # a dataclass
    hints = get_type_hints(record)
    return {
        field.name: _cell_reader(hints[field.name])
        for field in fields(record)
        if _is_structured(hints[field.name])
    }


def _is_structured(hint: object) -> bool:
    """Whether a type is none that the database has: a list, a mapping or a record."""
    kinds = [kind for part in (hint, *get_args(hint)) for kind in (get_origin(part), part)]
    return any(
        isinstance(kind, type) and issubclass(kind, (tuple, Mapping, Record)) for kind in kinds
    )


def _cell_reader(hint: object) -> Convert:
    read, empty = reader_of(hint), () if get_origin(hint) is tuple else None

    def read_cell(value: Any) -> object:  # noqa: ANN401  # of any column
        if value is None or value == "[]":
            return empty
        return read(json.loads(value) if isinstance(value, str) else value)

    return read_cell


def insert_record(
    connection: "DuckDBPyConnection",
    table: str,
    record: "DataclassInstance",
    *,
    omit: Collection[str] = (),
    once: bool = False,
    **others: object,
) -> None:
    """Add a record as a row: each field is the column of its name, but for those to `omit`.

    `others` are further columns, or other values; with `once` a row whose key is there is kept.
    """
    row = {
        name: others[name] if name in others else write(getattr(record, name))
        for name, write in _writers(type(record))
        if name not in omit
    } | others
    connection.execute(
        f"insert into {table} ({', '.join(row)}) values ({', '.join('?' * len(row))})"
        f"{' on conflict do nothing' if once else ''}",
        list(row.values()),
    )


@cache
def _writers(record: Any) -> tuple[tuple[str, Convert], ...]:  # noqa: ANN401  # a dataclass
    hints = get_type_hints(record)
    return tuple((field.name, _cell_writer(hints[field.name])) for field in fields(record))


def _cell_writer(hint: object) -> Convert:
    if not _is_structured(hint):
        return lambda value: replace_surrogates(value) if isinstance(value, str) else value
    inside = get_args(hint)[:1]
    if get_origin(hint) is tuple and (inside == (str,) or not isinstance(inside[0], type)):
        return lambda value: [replace_surrogates(part) for part in value]
    return lambda value: json.dumps(to_json(value))


def stored_text(body: bytes | None) -> str:
    """The text of its stored bytes, as `text_bytes` gives them; empty for none."""
    return bytes(body or b"").decode("utf-8", "surrogatepass")


def where_of(**filters: object) -> tuple[str, list[object]]:
    """The condition on columns that rows with these values meet, and the values; None is any."""
    chosen = {name: value for name, value in filters.items() if value is not None}
    return " and ".join(f"{name} = ?" for name in chosen) or "true", list(chosen.values())


def read_column(
    connection: "DuckDBPyConnection", query: str, values: Values = ()
) -> tuple[Any, ...]:
    """The only column of a query."""
    return tuple(value for (value,) in connection.execute(query, values).fetchall())


def read_number(connection: "DuckDBPyConnection", query: str, values: Values = ()) -> int:
    """The only value of a query, a whole number."""
    ((number,),) = connection.execute(query, values).fetchall()
    return int(number)


def append_rows(
    connection: "DuckDBPyConnection", table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    """Add rows of all columns of a table, all at once; none of them is there yet."""
    if rows:
        with connection.appender(table) as appender:
            appender.append_rows(rows)


def append_new_rows(
    connection: "DuckDBPyConnection", table: str, rows: Sequence[tuple[object, ...]]
) -> None:
    """Add rows of all columns of a table, all at once; those that are there are left alone."""
    if rows:
        connection.execute(f"create or replace temp table new_rows as from {table} limit 0")
        append_rows(connection, "new_rows", rows)
        connection.execute(f"insert into {table} from new_rows on conflict do nothing")
        connection.execute("drop table new_rows")


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
placeholders, found, judge_name, panel, prompt, trace_id, source_matches, sentences)"""
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
        json.dumps([sentence.to_dict() for sentence in run.sentences]) if run.sentences else None,
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
    texts = {(s.sha256, text_sha256(s.text)): s for s in sources if s.text}
    if not texts:
        return
    known = connection.execute(
        "select sha256, text_sha256 from source_texts "
        f"where sha256 in ({', '.join('?' * len(texts))})",
        [sha256 for sha256, _ in texts],
    ).fetchall()
    rows = [
        (*key, replace_surrogates(source.title or ""), source.content_type, text_bytes(source.text),
         json.dumps([
            {"number": p.number, **p.span.to_dict(), **({"scanned": True} if p.scanned else {})}
            for p in source.pages
         ]), now)
        for key, source in texts.items()
        if key not in known
    ]  # fmt: skip
    append_rows(connection, "source_texts", rows)


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


def read_sentence_corrections(
    connection: "DuckDBPyConnection", source: str, values: Sequence[object] = ()
) -> list[SentenceCorrection]:
    """The corrections of sentences of a table or view with its conditions, in text order."""
    return read_records(
        connection,
        SentenceCorrection,
        f"select {_SENTENCE_COLUMNS} from {source} order by run_id, start_at, end_at",
        values,
    )


_SENTENCE_COLUMNS = ", ".join(field.name for field in fields(SentenceCorrection))


def _answers(stored: str) -> tuple[FieldAnswer, ...]:
    return parse_answers(json.loads(stored)) if stored != "[]" else ()
