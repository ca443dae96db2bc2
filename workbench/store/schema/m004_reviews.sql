alter table labels add column role varchar default 'review';
alter table labels add column saw_judge boolean;
alter table labels add column verdict_version integer;
alter table labels add column evidence varchar default '[]';
alter table labels add column wrong_evidence varchar default '[]';
alter table labels add column fault varchar;
alter table labels add column tags varchar[] default [];
alter table labels add column guide integer;
alter table labels add column queue_id varchar;
alter table labels add column queue_position integer;
alter table labels add column seconds double;
update labels set saw_judge = true where judge_label is not null;
create view standing_labels as
    select l.* from labels l anti join withdrawals w on w.label_id = l.id;
create or replace view current_labels as
    select l.* from standing_labels l
        anti join (select replaces from standing_labels where replaces is not null) later
            on later.replaces = l.id;

alter table verdicts add column claim varchar;
alter table verdicts add column rationale varchar;
alter table verdicts add column host varchar;
alter table verdicts add column judges_differ boolean default false;
-- a record with a lone surrogate is malformed JSON to DuckDB: it is read with U+FFFD in its place
create temp macro whole(record) as case when json_valid(record) then record
    else regexp_replace(record, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g') end;
create temp macro host_in(url) as nullif(regexp_extract(lower(url),
    '^[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?(?:www\.)?([^/:?#]+)', 1), '');
update verdicts set claim = r.claim, rationale = r.rationale, host = r.host,
    judges_differ = r.judges_differ
from (
    select run_id, citation_id, version, j->>'$.claim.text' as claim,
        array_to_string(list_prepend(j->>'$.judgment.rationale', list_filter(
            j->>'$.judgments[*].rationale', lambda x: x <> j->>'$.judgment.rationale')), chr(10)
        ) as rationale,
        coalesce(host_in(j->>'$.source.final_url'), host_in(j->>'$.source.url'),
            case j->>'$.target.form' when 'url' then host_in(j->>'$.target.value')
                when 'doi' then 'doi.org' when 'arxiv' then 'arxiv.org'
                when 'pmid' then 'pubmed.ncbi.nlm.nih.gov' end) as host,
        len(list_distinct(j->>'$.judgments[*].label')) > 1 as judges_differ
    from (select run_id, citation_id, version, whole(record)::json as j from verdicts)
) r
where r.run_id = verdicts.run_id and r.citation_id = verdicts.citation_id
    and r.version = verdicts.version;
drop macro whole;
drop macro host_in;
create or replace view current_verdicts as
    select v.* from verdicts v
        anti join (
            select run_id, citation_id, version - 1 as version from verdicts where version > 1
        ) later using (run_id, citation_id, version);
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
            from current_labels group by run_id
        ) l on l.run_id = r.id;

create table queues (
    id varchar primary key,
    name varchar not null,
    filter varchar not null,
    item_order varchar not null,
    seed integer not null,
    blind boolean not null,
    reviews integer not null,
    role varchar not null,
    created_by varchar not null,
    created_at timestamptz not null
);
create table queue_items (
    queue_id varchar not null,
    position integer not null,
    run_id varchar not null,
    citation_id varchar not null
);
create table queue_assignments (
    queue_id varchar not null,
    reviewer varchar not null,
    assigned boolean not null,
    created_at timestamptz not null
);
create view current_assignments as
    select queue_id, reviewer from queue_assignments
    group by queue_id, reviewer having arg_max(assigned, created_at);
create table queue_states (
    queue_id varchar not null,
    is_open boolean not null,
    reviewer varchar not null,
    created_at timestamptz not null
);
create table reservations (
    queue_id varchar not null,
    reviewer varchar not null,
    position integer not null,
    opened_at timestamptz not null,
    held_until timestamptz not null,
    primary key (queue_id, reviewer)
);
create table skips (
    queue_id varchar not null,
    position integer not null,
    reviewer varchar not null,
    skipped boolean not null,
    reason varchar not null,
    created_at timestamptz not null
);
create view current_skips as
    select queue_id, position, reviewer, max(created_at) as created_at,
        arg_max(reason, created_at) as reason
    from skips group by queue_id, position, reviewer having arg_max(skipped, created_at);
create table reveals (
    run_id varchar not null,
    citation_id varchar not null,
    reviewer varchar not null,
    queue_id varchar,
    created_at timestamptz not null
);
create table guides (
    version integer primary key,
    body varchar not null,
    author varchar not null,
    note varchar not null,
    created_at timestamptz not null
);
create table claim_corrections (
    id varchar primary key,
    run_id varchar not null,
    citation_id varchar not null,
    start_at integer not null,
    end_at integer not null,
    reviewer varchar not null,
    created_at timestamptz not null
);
create table erasures (
    id varchar primary key,
    reviewer varchar not null,
    reason varchar not null,
    created_at timestamptz not null,
    run_ids varchar[] not null,
    verdicts integer not null,
    labels integer not null,
    sources integer not null
);
