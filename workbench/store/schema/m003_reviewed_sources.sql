create table acceptances (
    id varchar primary key,
    sha256 varchar not null,
    url varchar not null,
    reviewer varchar not null,
    reason varchar not null,
    created_at timestamptz not null
);
create table acceptance_withdrawals (
    acceptance_id varchar primary key,
    reviewer varchar not null,
    created_at timestamptz not null
);
create view current_acceptances as
    select * from acceptances where id not in (select acceptance_id from acceptance_withdrawals);
create table handed_over (
    id varchar primary key,
    sha256 varchar not null,
    url varchar not null,
    form varchar not null,
    name varchar not null,
    reviewer varchar not null,
    note varchar not null,
    created_at timestamptz not null
);
