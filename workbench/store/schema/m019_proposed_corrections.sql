-- the judge that proposes the claim as the source bears it out; null where nobody does
alter table verdicts add column correction_judge varchar;
create or replace view current_verdicts as
    select v.* from verdicts v
        anti join (
            select run_id, citation_id, version - 1 as version from verdicts where version > 1
        ) later using (run_id, citation_id, version);

-- what reviewers made of proposed corrections; only inserted. The text is null where it is refused.
create table correction_decisions (
    id varchar primary key,
    run_id varchar not null,
    citation_id varchar not null,
    choice varchar not null,
    start_at integer not null,
    end_at integer not null,
    claim varchar not null,
    proposed varchar not null,
    text varchar,
    judge varchar not null,
    reviewer varchar not null,
    created_at timestamptz not null,
    reason varchar not null,
    replaces varchar
);
create table correction_decision_withdrawals (
    decision_id varchar primary key,
    reviewer varchar not null,
    created_at timestamptz not null
);
create view current_correction_decisions as
    with active as (
        select d.* from correction_decisions d
            anti join correction_decision_withdrawals w on w.decision_id = d.id
    )
    select a.* from active a
        anti join (select replaces from active where replaces is not null) later
            on later.replaces = a.id;
