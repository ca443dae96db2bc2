-- the label that stands for an item: an adjudicated one, else that of more than half of the people
create view gold_labels as
    with votes as (
        select run_id, citation_id, label, count(*) as n from current_labels group by all
    ),
    counted as (
        select run_id, citation_id, arg_max(label, n) as label, max(n) as most, sum(n) as given
        from votes group by run_id, citation_id
    ),
    settled as (
        select run_id, citation_id, arg_max(label, created_at) as label
        from current_labels where role = 'adjudication' group by run_id, citation_id
    )
    select run_id, citation_id, coalesce(s.label, c.label) as label
    from counted c left join settled s using (run_id, citation_id)
    where s.label is not null or 2 * c.most > c.given;
create table splits (
    id varchar primary key,
    name varchar not null,
    seed integer not null,
    shares varchar not null,
    ties varchar[] not null,
    created_by varchar not null,
    created_at timestamptz not null
);
create table split_items (
    split_id varchar not null,
    run_id varchar not null,
    citation_id varchar not null,
    part varchar,
    placed_at timestamptz not null
);
create table part_openings (
    id varchar primary key,
    split_id varchar not null,
    reviewer varchar not null,
    reason varchar not null,
    figures varchar not null,
    created_at timestamptz not null
);
create table opinions (
    run_id varchar not null,
    citation_id varchar not null,
    judge varchar not null,
    prompt varchar not null,
    verdict varchar not null,
    score double,
    confidence double,
    error_kind varchar,
    record varchar,
    cost_usd double not null,
    created_at timestamptz not null
);
create view current_opinions as
    select * from opinions
    qualify row_number() over (
        partition by run_id, citation_id, judge, prompt order by created_at desc
    ) = 1;
create table thresholds (
    id varchar primary key,
    record varchar not null,
    created_at timestamptz not null
);
