-- what judges said of statements and sources when they were asked about a run's matrix; without a
-- record where the source shares no word with the statement, so that nobody was asked
create table matrix_cells (
    run_id varchar not null,
    start_at integer not null,
    end_at integer not null,
    source_sha256 varchar not null,
    judge varchar not null,
    record varchar,
    created_at timestamptz not null
);
