-- what each sentence of a run's text is there for; null in runs from before that was read
alter table runs add column sentences varchar;
-- what reviewers say that a sentence is there for; only inserted, the newest counts
create table sentence_corrections (
    id varchar primary key,
    run_id varchar not null,
    start_at integer not null,
    end_at integer not null,
    kind varchar not null,
    author varchar not null,
    created_at timestamptz not null
);
create view current_sentence_corrections as
    select * from sentence_corrections
    qualify row_number() over (
        partition by run_id, start_at, end_at order by created_at desc, id desc
    ) = 1;
