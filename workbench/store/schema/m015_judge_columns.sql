-- a record with a lone surrogate is malformed JSON to DuckDB: it is read with U+FFFD in its place
create temp macro whole(record) as case when json_valid(record) then record
    else regexp_replace(record, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g') end;

-- who judged a run: its judges as one name, the rule by which a panel decides, the prompt's id
alter table runs add column judge_name varchar default '';
alter table runs add column panel varchar default '';
alter table runs add column prompt varchar default '';
alter table runs add column trace_id varchar;
update runs set panel = coalesce(whole(config)->>'$.panel', ''),
    prompt = coalesce(whole(config)->>'$.prompt', ''), trace_id = whole(config)->>'$.trace_id';
update runs set judge_name = array_to_string(from_json(whole(judge), '["varchar"]'), ' + ')
    || case when json_array_length(whole(judge)) > 1 and panel not in ('', 'majority')
        then ' (' || panel || ')' else '' end;
alter table verdicts add column target_form varchar;
update verdicts set target_form = whole(record)->>'$.target.form';
alter table judgments add column cost_usd double default 0;
update judgments set cost_usd = coalesce((whole(record)->>'$.cost_usd')::double, 0);
alter table optimisation_steps add column candidate varchar default '';
update optimisation_steps set candidate = coalesce(whole(record)->>'$.candidate', '');
drop macro whole;

-- tables, columns and views by the field's terms
drop view current_labels;
drop view standing_labels;
drop view current_skips;
drop view current_opinions;
drop view last_run_ends;
alter table run_ends rename to run_completions;
alter table withdrawals rename to label_withdrawals;
alter table handed_over rename to supplied_sources;
alter table skips rename to queue_skips;
alter table reveals rename to judgment_reveals;
alter table part_openings rename to test_set_accesses;
alter table opinions rename to offline_judgments;
alter table offline_judgments rename column asking_id to evaluation_id;
alter table anchor_sets rename to reference_sets;
alter table anchor_items rename to reference_examples;
alter table reference_examples rename column anchor_id to reference_set_id;
alter table anchor_askings rename to reference_evaluations;
alter table reference_evaluations rename column anchor_id to reference_set_id;
alter table optimisations rename to optimizations;
alter table optimisation_steps rename to optimization_steps;
alter table optimization_steps rename column optimisation_id to optimization_id;

create view active_labels as
    select l.* from labels l anti join label_withdrawals w on w.label_id = l.id;
create view current_labels as
    select l.* from active_labels l
        anti join (select replaces from active_labels where replaces is not null) later
            on later.replaces = l.id;
create view current_queue_skips as
    select queue_id, position, reviewer, max(created_at) as created_at,
        arg_max(reason, created_at) as reason
    from queue_skips group by queue_id, position, reviewer having arg_max(skipped, created_at);
create view current_offline_judgments as
    select * from offline_judgments
    qualify row_number() over (
        partition by run_id, citation_id, judge, prompt order by created_at desc
    ) = 1;
create view last_run_completions as
    select run_id, max(ended_at) as ended_at, arg_max(finished, ended_at) as finished,
        arg_max(cost_usd, ended_at) as cost_usd, arg_max(timings, ended_at) as timings,
        arg_max(reserved_usd, ended_at) as reserved_usd,
        arg_max(unpriced_calls, ended_at) as unpriced_calls
    from run_completions group by run_id;
create or replace view current_verdicts as
    select v.* from verdicts v
        anti join (
            select run_id, citation_id, version - 1 as version from verdicts where version > 1
        ) later using (run_id, citation_id, version);
create or replace view run_spending as
    select r.id as run_id,
        round(greatest(coalesce(e.cost_usd, 0), coalesce(a.settled_usd, 0)), 9) as cost_usd,
        round(coalesce(a.reserved_usd, e.reserved_usd, 0), 9) as reserved_usd,
        coalesce(a.unpriced_calls, e.unpriced_calls, 0) as unpriced_calls
    from runs r left join last_run_completions e on e.run_id = r.id
        left join spending_accounts a on a.id = 'run:' || r.id;
create or replace view run_summaries as
    select r.id, r.name, r.output_sha256, r.created_at, r.judge,
        coalesce(e.finished, false) as finished, e.ended_at, s.cost_usd, s.reserved_usd,
        s.unpriced_calls,
        r.found, coalesce(v.done, 0) as done, coalesce(v.resolved, 0) as resolved,
        coalesce(v.supported, 0) as supported, coalesce(v.errors, 0) as errors,
        coalesce(l.labelled, 0) as labelled
    from runs r left join last_run_completions e on e.run_id = r.id
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
            ) secondary using (run_id, citation_id)
            group by run_id
        ) l on l.run_id = r.id;
