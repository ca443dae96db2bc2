create table withdrawals (
    label_id varchar primary key,
    reviewer varchar not null,
    created_at timestamptz not null
);
create or replace view current_labels as
    select * from labels l
    where l.id not in (select label_id from withdrawals)
    and not exists (
        select 1 from labels later
        where later.replaces = l.id and later.id not in (select label_id from withdrawals)
    );
