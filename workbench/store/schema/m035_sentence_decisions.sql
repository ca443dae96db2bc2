-- what reviewers say of sentences is taken back and given in queues as labels are; `stated_in` is the
-- citation whose source states a sentence that does not cite it. In a queue a sentence stands as
-- `sentence:START-END`
drop view current_sentence_corrections;
alter table sentence_corrections add column stated_in varchar;
alter table sentence_corrections add column queue_id varchar;
alter table sentence_corrections add column queue_position integer;
alter table sentence_corrections add column seconds double;
create table sentence_correction_withdrawals (
    correction_id varchar primary key,
    reviewer varchar not null,
    created_at timestamptz not null
);
create view active_sentence_corrections as
    select c.*, c.author as reviewer, 'review' as role,
        'sentence:' || c.start_at || '-' || c.end_at as citation_id
    from sentence_corrections c
        anti join sentence_correction_withdrawals w on w.correction_id = c.id;
create view current_sentence_corrections as
    select * from active_sentence_corrections
    qualify row_number() over (
        partition by run_id, start_at, end_at order by created_at desc, id desc
    ) = 1;

-- where sources of a run state, or contradict, a sentence that has no citation, as a judge says; only
-- inserted. A reviewer takes or refuses it by a correction that is newer
create table sentence_suggestions (
    id varchar primary key,
    run_id varchar not null,
    start_at integer not null,
    end_at integer not null,
    citation_id varchar not null,
    label varchar not null,
    score double not null,
    quote varchar not null,
    judge varchar not null,
    created_at timestamptz not null,
    sure boolean not null
);
