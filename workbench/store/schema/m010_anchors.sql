create table anchor_sets (
    id varchar primary key,
    name varchar not null unique,
    size integer not null,
    strata varchar not null,
    seed integer not null,
    parts varchar[] not null,
    sha256 varchar not null,
    created_by varchar not null,
    created_at timestamptz not null,
    note varchar not null
);
create table anchor_items (
    anchor_id varchar not null,
    position integer not null,
    run_id varchar not null,
    citation_id varchar not null,
    version integer not null,
    question varchar not null,
    gold varchar not null,
    claim_sha256 varchar not null,
    source_sha256 varchar not null,
    text_sha256 varchar not null
);
create table anchor_askings (
    id varchar primary key,
    anchor_id varchar not null,
    judge varchar not null,
    prompt varchar not null,
    created_by varchar not null,
    created_at timestamptz not null
);
-- in which asking of an anchor set a judge said something; null for all else
alter table opinions add column asking_id varchar;
create or replace view current_opinions as
    select * from opinions
    qualify row_number() over (
        partition by run_id, citation_id, judge, prompt order by created_at desc
    ) = 1;
