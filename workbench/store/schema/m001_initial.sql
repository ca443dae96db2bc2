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
