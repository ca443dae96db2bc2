"""Named, forward-only migrations; a released one is never edited.

Texts that hold lone surrogates cannot stand in a VARCHAR, so outputs are kept as their
`surrogatepass` bytes and records as ASCII-escaped JSON; the columns beside a record exist for
finding it. Verdicts and labels are only ever inserted: what is current is a view.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import NewerDatabase
from workbench.store.schema_anchors import M010_ANCHORS
from workbench.store.schema_calibration import M008_CALIBRATION
from workbench.store.schema_imports import M007_IMPORTS
from workbench.store.schema_labels import M011_LABEL_ORIGIN, M013_CLAIM_WORDINGS, M014_CLAIM_SCOPES
from workbench.store.schema_prompts import M009_PROMPTS
from workbench.store.schema_reviews import M004_REVIEWS
from workbench.store.schema_spending import M012_SPENDING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

M001_INITIAL = """
create table outputs (
    sha256 varchar primary key,
    name varchar not null,
    body blob not null,
    created_at timestamptz not null
);
create table runs (
    id varchar primary key,
    output_sha256 varchar not null,
    name varchar not null,
    created_at timestamptz not null,
    judge varchar not null,
    config varchar not null,
    reference_list varchar not null,
    claims varchar not null,
    placeholders varchar not null,
    found integer not null
);
create table run_ends (
    run_id varchar not null,
    ended_at timestamptz not null,
    finished boolean not null,
    cost_usd double not null,
    timings varchar not null
);
create table judgments (
    key varchar primary key,
    record varchar not null,
    created_at timestamptz not null
);
create view last_run_ends as
    select run_id, max(ended_at) as ended_at, arg_max(finished, ended_at) as finished,
        arg_max(cost_usd, ended_at) as cost_usd, arg_max(timings, ended_at) as timings
    from run_ends group by run_id;
create table source_texts (
    sha256 varchar not null,
    text_sha256 varchar not null,
    title varchar,
    content_type varchar not null,
    body blob not null,
    pages varchar not null,
    first_seen timestamptz not null,
    primary key (sha256, text_sha256)
);
create table verdicts (
    run_id varchar not null,
    citation_id varchar not null,
    position integer not null,
    kind varchar not null,
    status varchar not null,
    verdict varchar not null,
    error_kind varchar,
    source_sha256 varchar,
    text_sha256 varchar,
    confidence double,
    score double,
    record varchar not null,
    created_at timestamptz not null,
    version integer not null,
    primary key (run_id, citation_id, version)
);
create view current_verdicts as
    select * from verdicts v
    where version = (
        select max(version) from verdicts later
        where later.run_id = v.run_id and later.citation_id = v.citation_id
    );
create table labels (
    id varchar primary key,
    run_id varchar not null,
    citation_id varchar not null,
    label varchar not null,
    reviewer varchar not null,
    created_at timestamptz not null,
    note varchar not null,
    replaces varchar,
    judge_label varchar
);
create view current_labels as
    select * from labels l
    where not exists (select 1 from labels later where later.replaces = l.id);
create view run_summaries as
    select r.id, r.name, r.output_sha256, r.created_at, r.judge,
        coalesce(e.finished, false) as finished, e.ended_at, coalesce(e.cost_usd, 0) as cost_usd,
        r.found,
        count(v.citation_id) filter (v.kind not in ('quote', 'statistic')) as done,
        count(v.citation_id) filter (v.status = 'ok' and v.kind not in ('quote', 'statistic'))
            as resolved,
        count(v.citation_id) filter (v.verdict = 'supported' and v.kind not in
            ('quote', 'statistic')) as supported,
        count(v.citation_id) filter (v.error_kind is not null and v.kind not in
            ('quote', 'statistic')) as errors,
        (select count(*) from current_labels l where l.run_id = r.id) as labelled
    from runs r left join last_run_ends e on e.run_id = r.id
        left join current_verdicts v on v.run_id = r.id
    group by all;
"""

M002_WITHDRAWALS = """
create table withdrawals (
    label_id varchar primary key,
    reviewer varchar not null,
    created_at timestamptz not null
);
create or replace view current_labels as
    select * from labels l
    where l.id not in (select label_id from withdrawals)
    and not exists (
        select 1 from labels later
        where later.replaces = l.id and later.id not in (select label_id from withdrawals)
    );
"""

M003_REVIEWED_SOURCES = """
create table acceptances (
    id varchar primary key,
    sha256 varchar not null,
    url varchar not null,
    reviewer varchar not null,
    reason varchar not null,
    created_at timestamptz not null
);
create table acceptance_withdrawals (
    acceptance_id varchar primary key,
    reviewer varchar not null,
    created_at timestamptz not null
);
create view current_acceptances as
    select * from acceptances where id not in (select acceptance_id from acceptance_withdrawals);
create table handed_over (
    id varchar primary key,
    sha256 varchar not null,
    url varchar not null,
    form varchar not null,
    name varchar not null,
    reviewer varchar not null,
    note varchar not null,
    created_at timestamptz not null
);
"""

# quotes and statistics are left out of what a run found, so a label on one is no reviewed citation
M005_LABELLED_CITATIONS = """
create or replace view run_summaries as
    select r.id, r.name, r.output_sha256, r.created_at, r.judge,
        coalesce(e.finished, false) as finished, e.ended_at, coalesce(e.cost_usd, 0) as cost_usd,
        r.found, coalesce(v.done, 0) as done, coalesce(v.resolved, 0) as resolved,
        coalesce(v.supported, 0) as supported, coalesce(v.errors, 0) as errors,
        coalesce(l.labelled, 0) as labelled
    from runs r left join last_run_ends e on e.run_id = r.id
        left join (
            select run_id, count(*) as done, count(*) filter (status = 'ok') as resolved,
                count(*) filter (verdict = 'supported') as supported, count(error_kind) as errors
            from current_verdicts where kind not in ('quote', 'statistic') group by run_id
        ) v on v.run_id = r.id
        left join (
            select run_id, count(distinct citation_id) as labelled
            from current_labels anti join (
                select run_id, citation_id from verdicts where kind in ('quote', 'statistic')
            ) asides using (run_id, citation_id)
            group by run_id
        ) l on l.run_id = r.id;
"""

M006_TRACES = """
create table traces (
    id varchar primary key,
    name varchar not null,
    input blob not null,
    output blob not null,
    model varchar not null,
    metadata varchar not null,
    created_at timestamptz not null
);
"""

MIGRATIONS: tuple[tuple[str, str], ...] = (
    ("m001_initial", M001_INITIAL),
    ("m002_withdrawals", M002_WITHDRAWALS),
    ("m003_reviewed_sources", M003_REVIEWED_SOURCES),
    ("m004_reviews", M004_REVIEWS),
    ("m005_labelled_citations", M005_LABELLED_CITATIONS),
    ("m006_traces", M006_TRACES),
    ("m007_imports", M007_IMPORTS),
    ("m008_calibration", M008_CALIBRATION),
    ("m009_prompts", M009_PROMPTS),
    ("m010_anchors", M010_ANCHORS),
    ("m011_label_origin", M011_LABEL_ORIGIN),
    ("m012_spending", M012_SPENDING),
    ("m013_claim_wordings", M013_CLAIM_WORDINGS),
    ("m014_claim_scopes", M014_CLAIM_SCOPES),
)


def migrate(connection: "DuckDBPyConnection", path: Path) -> None:
    """Bring an opened database to this version; does nothing where it is there already.

    Raises:
        NewerDatabase: The file holds a migration that this version does not know.
    """
    applied = _applied(connection)
    unknown = applied - {name for name, _ in MIGRATIONS}
    if unknown:
        raise NewerDatabase(
            f"The database {path} was written by a later version of the workbench "
            f"({', '.join(sorted(unknown))}); update the workbench, or name another file with --db."
        )
    missing = [(name, statements) for name, statements in MIGRATIONS if name not in applied]
    if not missing:  # writes nothing, so that a file that is read-only can be read
        return
    connection.execute(
        "create table if not exists migrations (name varchar primary key, applied_at timestamptz)"
    )
    for name, statements in missing:
        connection.execute(statements)
        connection.execute("insert into migrations values (?, now())", [name])


def _applied(connection: "DuckDBPyConnection") -> set[str]:
    """The names of the migrations that a database has; none of one that is new."""
    known = connection.execute(
        "select count(*) from duckdb_tables() where schema_name = 'main' and "
        "table_name = 'migrations'"
    ).fetchone()
    if not known or not known[0]:
        return set()
    return {name for (name,) in connection.execute("select name from migrations").fetchall()}
