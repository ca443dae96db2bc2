"""The store: outputs, runs, sources' texts, verdicts and human labels in one DuckDB file.

Named, forward-only migrations, one file each in `schema/`; a released one is never edited.

Texts that hold lone surrogates cannot be stored in a VARCHAR, so outputs are kept as their
`surrogatepass` bytes and records as ASCII-escaped JSON; the columns beside a record exist for
finding it. Verdicts and labels are only ever inserted: what is current is a view.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.errors import NewerDatabase, NotFoundError, StoreError
from workbench.records.bibliography import ReferenceCheck
from workbench.records.citation import (
    Claim,
    Reference,
    Sentence,
    cited_works,
    unchecked_reference,
    with_corrections,
)
from workbench.records.review import Label, LabelledCitation
from workbench.records.reviewers import normalize_reviewer_name, utc_now
from workbench.records.run_listing import RunSummary
from workbench.records.source import Source
from workbench.records.text import Json, replace_surrogates
from workbench.records.verdict import (
    CitationResult,
    HumanLabel,
    Judgment,
    Run,
    parse_source,
    parse_source_matches,
)
from workbench.store.admin.sql_query import read_frame
from workbench.store.connection import keep_open, transaction
from workbench.store.labels.label_rules import (
    decision_of,
    ensure_citation_exists,
    give_label,
    knows_run,
)
from workbench.store.labels.review_context import ReviewerContext
from workbench.store.rows import (
    Convert,
    Row,
    Values,
    add_run_row,
    add_sources,
    append_rows,
    ensure_not_erased,
    insert_label,
    insert_record,
    is_unfinished,
    judge_columns,
    read_chat_judgments,
    read_column,
    read_labels,
    read_number,
    read_records,
    read_sentence_corrections,
    read_spending,
    record_json,
    sort_key,
    stored_text,
    verdict_row,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from duckdb import DuckDBPyConnection
    from pandas import DataFrame


_CHECKED: set[tuple[int, int]] = set()
"""Device and number of files that this process made or looked through for macros (10 ms each)."""


@cache
def read_migrations() -> tuple[tuple[str, str], ...]:
    """Name and SQL of every migration, in the order in which they are applied."""
    files = sorted(Path(__file__).with_name("schema").glob("m*.sql"))
    return tuple((file.stem, file.read_text("utf-8")) for file in files)


def migrate(connection: "DuckDBPyConnection", path: Path) -> None:
    """Bring an opened database to this version; does nothing where it is there already.

    Raises:
        NewerDatabase: The file holds a migration that this version does not know.
        StoreError: A macro in it takes the place of a function of DuckDB.
    """
    applied = _applied(connection)
    file = path.stat()
    if applied and (file.st_dev, file.st_ino) not in _CHECKED:
        _refuse_shadowing(connection, path)
    _CHECKED.add((file.st_dev, file.st_ino))
    unknown = applied - {name for name, _ in read_migrations()}
    if unknown:
        raise NewerDatabase(
            f"The database {path} was written by a later version of the workbench "
            f"({', '.join(sorted(unknown))}); update the workbench, or name another file with --db."
        )
    missing = [(name, statements) for name, statements in read_migrations() if name not in applied]
    if missing:  # or nothing is written, so that a file that is read-only can be read
        connection.execute(
            "create table if not exists migrations (name varchar primary key, applied_at timestamptz)"
        )
    for name, statements in missing:
        connection.execute(statements)
        connection.execute("insert into migrations values (?, now())", [name])


def _refuse_shadowing(connection: "DuckDBPyConnection", path: Path) -> None:
    """Refuse a database in which queries would mean something else: `count` may be a macro."""
    functions = "select function_name from system.main.duckdb_functions() where"
    macros = connection.execute(f"{functions} not internal").fetchall()
    if macros:
        taken = {*macros} & {*connection.execute(f"{functions} internal").fetchall()}
        if taken:
            names = ", ".join(sorted(name for (name,) in taken)[:5])
            raise StoreError(
                f"The database {path} contains macros that replace functions of DuckDB ({names}), "
                "so queries would give wrong results: drop them, restore a backup that you made "
                "yourself, or name another file with --db."
            )


def _applied(connection: "DuckDBPyConnection") -> set[str]:
    """The names of the migrations that a database has; none of one that is new."""
    from duckdb import CatalogException, TransactionException

    try:  # forty times as fast as looking through the catalog first
        return {name for (name,) in connection.execute("select name from migrations").fetchall()}
    except CatalogException:
        with suppress(TransactionException):  # where there was none to end
            connection.rollback().begin()
        return set()


Clock = Callable[[], datetime]
_Record = TypeVar("_Record")

_REAL_ITEMS = (
    "where r.id not in (select id from examples where kind = 'run') or (r.id, v.citation_id) in "
    "(select (run_id, citation_id) from real_current_labels)"
)
_LISTED = """
(select s.*, coalesce(d.data_set, '') as data_set
    from run_summaries s left join imported_runs d on d.run_id = s.id)
"""


class Store:
    """The workbench's memory in one file; every method opens the file and lets go of it again.

    Any number of threads and processes may use one file. Verdicts and labels are only inserted.
    All methods raise StoreError (NewerDatabase) when the file cannot be used.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._migrated = False

    @contextmanager
    def transaction(self) -> Iterator["DuckDBPyConnection"]:
        """A connection for one unit of work: all of it is kept, or none where it raises.

        Raises:
            StoreError: The file cannot be used.
        """
        if self._migrated and not self.path.exists():
            self._migrated = False
        with transaction(self.path) as connection:
            if not self._migrated:
                migrate(connection, self.path)
            yield connection
        self._migrated = True

    def row_counts(self) -> dict[str, int]:
        """The number of rows of each table, in alphabetical order."""
        with self.transaction() as connection:
            tables = read_column(
                connection,
                "select table_name from duckdb_tables() where not internal and not temporary "
                "order by table_name",
            )
            return {
                table: read_number(connection, f'select count(*) from "{table}"')
                for table in tables
            }

    # -- runs -------------------------------------------------------------------------------

    def add_run(self, run: Run, text: str, name: str = "") -> None:
        """Remember a run that begins and the output it is about; one that is resumed is known."""
        with self.transaction() as connection:
            ensure_not_erased(connection, run.id)
            add_run_row(connection, run, name, text, run.citations)

    def set_config(self, run: Run) -> None:
        """Remember a run's options as they are now: they hold a batch that was submitted."""
        with self.transaction() as connection:
            ensure_not_erased(connection, run.id)
            connection.execute(
                "update runs set config = ?, judge_name = ?, panel = ?, prompt = ? where id = ?",
                [json.dumps(dict(run.config)), *judge_columns(run), run.id],
            )

    def add_verdict(self, run_id: str, result: CitationResult) -> None:
        """Remember one finished citation of a run."""
        self.add_verdicts(run_id, [result])

    def add_verdicts(self, run_id: str, results: Sequence[CitationResult]) -> None:
        """Remember several finished citations in one unit; a citation already there is kept."""
        if not results:
            return
        now = datetime.now(UTC)
        read = [result.source for result in results if result.source and result.source.text]
        texts = {source.sha256: source for source in read}
        with self.transaction() as connection:
            ensure_not_erased(connection, run_id)
            add_sources(connection, texts.values(), now)
            judged_ids = read_column(
                connection, "select citation_id from verdicts where run_id = ?", [run_id]
            )
            rows = [
                verdict_row(run_id, result, now)
                for result in results
                if result.citation.id not in judged_ids
            ]
            append_rows(connection, "verdicts", rows)

    def replace_verdict(self, run_id: str, result: CitationResult) -> None:
        """Remember a citation that was checked again; the verdicts before it stay in place."""
        now = datetime.now(UTC)
        with self.transaction() as connection:
            ensure_not_erased(connection, run_id)
            if result.source:
                add_sources(connection, [result.source], now)
            last = read_number(
                connection,
                "select coalesce(max(version), 0) from verdicts where run_id = ? "
                "and citation_id = ?",
                [run_id, result.citation.id],
            )
            append_rows(connection, "verdicts", [verdict_row(run_id, result, now, last + 1)])

    def verdict_history(self, run_id: str, citation_id: str) -> list[CitationResult]:
        """Every verdict a citation of a run was ever given, oldest first; sources without text."""
        with self.transaction() as connection:
            records = read_column(
                connection,
                "select record from verdicts where run_id = ? and citation_id = ? order by version",
                [run_id, citation_id],
            )
        return [CitationResult.from_dict(json.loads(record)) for record in records]

    def finish_run(self, run: Run) -> None:
        """Remember that a run has ended, what it cost, and any verdict not yet kept.

        Citations that a stop left unchecked are not verdicts: the run can be continued with them.
        """
        self.add_verdicts(
            run.id, [result for result in run.citations if not is_unfinished(run, result)]
        )
        with self.transaction() as connection:
            connection.execute(
                "insert into run_completions values (?, now(), ?, ?, ?, ?, ?)",
                [run.id, run.finished, run.cost_usd, json.dumps(dict(run.timings)),
                 run.reserved_usd, run.unpriced_calls],
            )  # fmt: skip

    def get_run(self, run_id: str) -> Run:
        """A run with the verdicts kept so far, in text order; sources come without their text.

        Citations that have no verdict yet come as they were announced, with the error `cancelled`.

        Raises:
            NotKept: No run has that id.
        """
        with self.transaction() as connection:
            run = connection.execute(
                "select output_sha256, r.created_at, judge, config, reference_list, claims, "
                "placeholders, source_matches, sentences, body from runs r "
                "left join outputs o on o.sha256 = output_sha256 where r.id = ?",
                [run_id],
            ).fetchall()
            end = connection.execute(
                "select finished, timings from last_run_completions where run_id = ?", [run_id]
            ).fetchall()
            records = read_column(
                connection, "select record from current_verdicts where run_id = ?", [run_id]
            )
            corrections = read_sentence_corrections(
                connection, "current_sentence_corrections where run_id = ?", [run_id]
            )
            spending = read_spending(connection, run_id)
            check_rows = connection.execute(
                "select position, record from current_reference_checks where run_id = ?", [run_id]
            ).fetchall()
        if not run:
            raise self._no_run(run_id)
        output_sha256, created_at, judge, config, references, claims, placeholders = run[0][:7]
        matches, sentences, body = run[0][7:]
        results = [CitationResult.from_dict(json.loads(record)) for record in records]
        judged_ids = {result.citation.id for result in results}
        results += [
            CitationResult.from_dict(item)
            for item in json.loads(placeholders)
            if item["id"] not in judged_ids
        ]
        results.sort(key=sort_key)
        listed = tuple(Reference.from_dict(item) for item in json.loads(references))
        finished, timings = end[0] if end else (False, "{}")
        # a run that an earlier version began and did not end has no account
        judged = sum(judgment.cost_usd for result in results for judgment in result.judgments)
        return Run(
            id=run_id,
            output_sha256=output_sha256,
            created_at=created_at,
            judge=tuple(json.loads(judge)),
            config=json.loads(config),
            citations=tuple(results),
            cost_usd=spending.settled_usd if end else max(spending.settled_usd, judged),
            reserved_usd=spending.reserved_usd,
            unpriced_calls=spending.unpriced_calls,
            timings=json.loads(timings),
            finished=finished,
            references=listed,
            reference_checks=_checks_in_order(
                cited_works(listed, (result.citation for result in results)), dict(check_rows)
            ),
            claims=tuple(Claim.from_dict(item) for item in json.loads(claims)),
            source_matches=parse_source_matches(json.loads(matches or "[]")),
            sentences=with_corrections(
                map(Sentence.from_dict, json.loads(sentences or "[]")), corrections
            ),
            text=stored_text(body),
        )

    def list_runs(self, limit: int = 500, shas: Sequence[str] = ()) -> list[RunSummary]:
        """The newest runs first, each with its totals; of some outputs, where hashes are named."""
        chosen = "where coalesce(list_contains(?::varchar[], output_sha256), true)"
        return self._summaries(
            f"{chosen} order by created_at desc, id limit ?", [shas or None, limit]
        )

    def get_summary(self, run_id: str) -> RunSummary:
        """One run's line of the list.

        Raises:
            NotKept: No run has that id.
        """
        summaries = self._summaries("where id = ?", [run_id])
        if not summaries:
            raise self._no_run(run_id)
        return summaries[0]

    def _no_run(self, run_id: str) -> NotFoundError:
        return NotFoundError(f"There is no run {run_id!r} in {self.path}; see the list of runs.")

    def _summaries(self, clause: str, values: Sequence[object]) -> list[RunSummary]:
        with self.transaction() as connection:
            return read_records(connection, RunSummary, f"from {_LISTED} {clause}", values)

    def get_output(self, sha256: str) -> str:
        """The text of an agent output, exactly as given.

        Raises:
            NotKept: No output has that hash.
        """
        with self.transaction() as connection:
            select = "select body from outputs where sha256 = ?"
            rows = connection.execute(select, [sha256]).fetchall()
        if not rows:
            raise NotFoundError(f"There is no output {sha256[:12]} in {self.path}.")
        return stored_text(rows[0][0])

    def get_judgment(self, key: str) -> Judgment | None:
        """The judgment kept under a key of `judgment_key`; None when there is none."""
        with self.transaction() as connection:
            records = read_column(connection, "select record from judgments where key = ?", [key])
        return Judgment.from_dict(json.loads(records[0])) if records else None

    def add_judgment(self, key: str, judgment: Judgment) -> None:
        """Remember a judgment that was paid for; the first one under a key stays."""
        with self.transaction() as connection:
            connection.execute(
                "insert into judgments values (?, ?, now(), ?) on conflict do nothing",
                [
                    key,
                    record_json(judgment.to_dict()),
                    0.0 if judgment.price_unknown else judgment.cost_usd,
                ],
            )

    def paid_usd(self) -> float:
        """What all kept judgments cost."""
        with self.transaction() as connection:
            (paid,) = read_column(connection, "select coalesce(sum(cost_usd), 0) from judgments")
        return float(paid)

    # -- sources ----------------------------------------------------------------------------

    def add_source(self, source: Source) -> None:
        """Remember a source's text as the judge saw it; one text of one body is kept once."""
        with self.transaction() as connection:
            add_sources(connection, [source], datetime.now(UTC))

    def get_source(self, run_id: str, citation_id: str) -> Source | None:
        """The source of one verdict with its facts, text and pages; None when it has none."""
        with self.transaction() as connection:
            rows = connection.execute(
                "select v.record, s.body, s.pages from current_verdicts v join source_texts s "
                "on s.sha256 = v.source_sha256 and s.text_sha256 = v.text_sha256 "
                "where v.run_id = ? and v.citation_id = ?",
                [run_id, citation_id],
            ).fetchall()
        if not rows:
            return None
        record, body, pages = rows[0]
        facts: Mapping[str, Json] = json.loads(record)
        text = stored_text(body)
        return parse_source(facts["source"], text=text, pages=json.loads(pages))

    def labelled_citations(self, run_id: str | None = None) -> Iterator[LabelledCitation]:
        """Every verdict of one run, or of all, with its current labels; in run and text order.

        Example labels are left out, and of all runs those of the example workspace, but for items
        that real work labelled.
        """
        where, values = ("where r.id = ?", [run_id]) if run_id else (_REAL_ITEMS, [])
        with self.transaction() as connection:
            rows = connection.execute(
                "select r.id, r.name, r.output_sha256, r.created_at, v.record "
                "from current_verdicts v "
                f"join runs r on r.id = v.run_id {where} "
                "order by r.created_at, r.id, v.position, v.citation_id",
                values,
            ).fetchall()
            beside = read_chat_judgments(
                connection, "run_id = $run" if run_id else "true", {"run": run_id} if run_id else {}
            )
        by_citation: dict[tuple[str, str], list[Label]] = {}
        source = f"real_current_labels{' where run_id = ?' if run_id else ''}"
        for label in self._labels(source, values):
            by_citation.setdefault((label.run_id, label.citation_id), []).append(label)
        for labels in by_citation.values():
            labels.sort(key=lambda label: label.role == "adjudication")
        for identifier, name, output_sha256, created_at, record in rows:
            result = CitationResult.from_dict(json.loads(record))
            yield LabelledCitation(
                run_id=identifier,
                name=name,
                output_sha256=output_sha256,
                created_at=created_at,
                result=result,
                labels=tuple(by_citation.get((identifier, result.citation.id), ())),
                beside=beside.get((identifier, result.citation.id), ()),
            )

    # -- labels -----------------------------------------------------------------------------

    def label(
        self, run: Run | str, citation_id: str, label: HumanLabel, *, author: str, note: str = ""
    ) -> Label | None:
        """The label that was given to a citation; None where this author has said the same already.

        It replaces the author's own current label only. A run that is not kept yet is kept first.

        Raises:
            UsageError: There is no such citation, label or run, or the author has no name.
        """
        decision = decision_of(label, note)
        seat = ReviewerContext(reviewer=normalize_reviewer_name(author))
        run_id = run if isinstance(run, str) else run.id
        with keep_open():  # one opening instead of two
            with self.transaction() as connection:
                is_known = knows_run(connection, run_id)
            if isinstance(run, Run) and run.text and not is_known:
                self.add_run(run, run.text)
                self.finish_run(run)
            with self.transaction() as connection:
                ensure_citation_exists(connection, self.path, run_id, citation_id)
                return give_label(connection, seat, run_id, citation_id, decision, utc_now())

    def add_label(self, label: Label) -> None:
        """Remember a human decision, once; one that replaces another leaves that one in place."""
        with self.transaction() as connection:
            insert_label(connection, label)

    def withdraw_label(self, label_id: str, reviewer: str) -> None:
        """Take a label back by a new entry: the one it replaced, if any, is current again."""
        with self.transaction() as connection:
            connection.execute(
                "insert into label_withdrawals values (?, ?, now()) on conflict do nothing",
                [label_id, replace_surrogates(reviewer)],
            )

    def labels(self, run_id: str) -> list[Label]:
        """The current labels of a run, oldest first: not replaced and not taken back."""
        return self._labels("current_labels where run_id = ?", [run_id])

    def label_history(self, run_id: str, citation_id: str) -> list[Label]:
        """Every label a citation was ever given, oldest first."""
        return self._labels("labels where run_id = ? and citation_id = ?", [run_id, citation_id])

    def all_labels(self) -> list[Label]:
        """Every label of every run that no later one replaces, oldest first."""
        return self._labels("current_labels", [])

    def _labels(self, source: str, values: list[str]) -> list[Label]:
        with self.transaction() as connection:
            return read_labels(connection, source, values)

    # -- tables -----------------------------------------------------------------------------

    def frame(self, sql: str, values: Sequence[str | int | float | None] = ()) -> "DataFrame":
        """What a query over the database gives, as a table of pandas; `?` stand for the values.

        One SELECT over this database alone (no files, addresses or extensions), in a process of
        its own, about 0.2 s. It may take 10 seconds, in which others wait for the file, and 1 GiB
        of memory, and give 1,000,000 rows of 256 MiB together. Raises UsageError for anything else.
        """
        self.row_counts()  # the tables are there and up to date
        return read_frame(self.path, sql, values)


class Repository:
    """One topic of a store; every public method is one unit of work.

    All of them raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store, now: Clock = utc_now) -> None:
        self._store = store
        self._now = now

    def _rows(self, query: str, values: Values = ()) -> list[Row]:
        """The rows that one statement gives; none where it only writes."""
        with self._store.transaction() as connection:
            return connection.execute(query, values).fetchall()

    def _insert(self, table: str, record: "DataclassInstance", **others: Any) -> None:  # noqa: ANN401
        """Add a record as a row, in a unit of its own; see `insert_record`."""
        with self._store.transaction() as connection:
            insert_record(connection, table, record, **others)

    def _column(self, query: str, values: Values = ()) -> tuple[Any, ...]:
        """The only column of one query."""
        with self._store.transaction() as connection:
            return read_column(connection, query, values)

    def _number(self, query: str, values: Values = ()) -> int:
        """The only value of one query, a whole number."""
        with self._store.transaction() as connection:
            return read_number(connection, query, values)

    def _state(self, *tables: str) -> str:
        """A short text that changes whenever a row is added to one of some tables."""
        counts = self._rows("select " + ", ".join(f"(select count(*) from {t})" for t in tables))
        return "/".join(map(str, counts[0]))

    def _records(
        self, record: type[_Record], query: str, values: Values = (), **readers: Convert
    ) -> list[_Record]:
        """The rows of one query as records; see `read_records`."""
        with self._store.transaction() as connection:
            return read_records(connection, record, query, values, **readers)


def _checks_in_order(
    works: Sequence[Reference], records: Mapping[int, str]
) -> tuple[ReferenceCheck, ...]:
    """The stored checks in the order of the cited works; nothing for runs without checks."""
    if not records:
        return ()
    return tuple(
        ReferenceCheck.from_dict(json.loads(records[position]))
        if position in records
        else unchecked_reference(work)
        for position, work in enumerate(works)
    )
