create table traces (
    id varchar primary key,
    name varchar not null,
    input blob not null,
    output blob not null,
    model varchar not null,
    metadata varchar not null,
    created_at timestamptz not null
);
