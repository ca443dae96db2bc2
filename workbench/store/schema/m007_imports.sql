create table imports (
    id varchar primary key,
    format varchar not null,
    name varchar not null,
    sha256 varchar not null,
    imported integer not null,
    labels integer not null,
    known integer not null,
    skipped integer not null,
    reviewer varchar not null,
    created_at timestamptz not null
);
create table imported_items (
    key varchar primary key,
    run_id varchar not null,
    citation_id varchar not null,
    item varchar not null,
    group_key varchar not null,
    origin varchar not null,
    licence varchar not null,
    slices varchar not null,
    import_id varchar not null
);
