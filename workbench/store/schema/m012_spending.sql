create sequence spending_call_ids;
-- totals stand beside the calls: a cap is checked in the same time however many calls there were
create table spending_accounts (
    id varchar primary key,
    purpose varchar not null,
    settled_usd double not null,
    reserved_usd double not null,
    unpriced_calls integer not null,
    opened_at timestamptz not null,
    closed_at timestamptz
);
create table spending_calls (
    id bigint primary key,
    account_id varchar not null,
    judge varchar not null,
    -- of the judgment; only while it is not settled
    key varchar not null,
    -- null: the model's price is unknown
    reserved_usd double,
    reserved_at timestamptz not null,
    cost_usd double,
    settled_at timestamptz
);
alter table run_ends add column reserved_usd double default 0;
alter table run_ends add column unpriced_calls integer default 0;
create or replace view last_run_ends as
    select run_id, max(ended_at) as ended_at, arg_max(finished, ended_at) as finished,
        arg_max(cost_usd, ended_at) as cost_usd, arg_max(timings, ended_at) as timings,
        arg_max(reserved_usd, ended_at) as reserved_usd,
        arg_max(unpriced_calls, ended_at) as unpriced_calls
    from run_ends group by run_id;
-- an ended run says what it cost; what was spent after a kill is in its account alone
create view run_spending as
    select r.id as run_id,
        round(greatest(coalesce(e.cost_usd, 0), coalesce(a.settled_usd, 0)), 9) as cost_usd,
        round(coalesce(a.reserved_usd, e.reserved_usd, 0), 9) as reserved_usd,
        coalesce(a.unpriced_calls, e.unpriced_calls, 0) as unpriced_calls
    from runs r left join last_run_ends e on e.run_id = r.id
        left join spending_accounts a on a.id = 'run:' || r.id;
create or replace view run_summaries as
    select r.id, r.name, r.output_sha256, r.created_at, r.judge,
        coalesce(e.finished, false) as finished, e.ended_at, s.cost_usd, s.reserved_usd,
        s.unpriced_calls,
        r.found, coalesce(v.done, 0) as done, coalesce(v.resolved, 0) as resolved,
        coalesce(v.supported, 0) as supported, coalesce(v.errors, 0) as errors,
        coalesce(l.labelled, 0) as labelled
    from runs r left join last_run_ends e on e.run_id = r.id
        join run_spending s on s.run_id = r.id
        left join (
            select run_id, count(*) as done, count(*) filter (status = 'ok') as resolved,
                count(*) filter (verdict = 'supported') as supported, count(error_kind) as errors
            from current_verdicts where kind not in ('quote', 'statistic') group by run_id
        ) v on v.run_id = r.id
        left join (
            select run_id, count(distinct citation_id) as labelled
            from current_labels anti join (
                select run_id, citation_id from verdicts where kind in ('quote', 'statistic')
            ) asides using (run_id, citation_id)
            group by run_id
        ) l on l.run_id = r.id;
