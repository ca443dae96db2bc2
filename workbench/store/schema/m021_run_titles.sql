-- who renamed a run, when, and what it was called before; `runs.name` is the title that counts
create table run_titles (
    id varchar primary key,
    run_id varchar not null,
    title varchar not null,
    before varchar not null,
    reviewer varchar not null,
    created_at timestamptz not null
);
