-- a record with a lone surrogate is malformed JSON to DuckDB: it is read with U+FFFD in its place
create temp macro whole(record) as case when json_valid(record) then record
    else regexp_replace(record, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g') end;

-- `retracted`, `concern` or `corrected`; null for a work without a notice
alter table reference_checks add column retraction varchar;
update reference_checks set retraction = whole(record)->>'$.retraction.kind';
drop macro whole;

create or replace view current_reference_checks as
    select * from reference_checks
    qualify row_number() over (
        partition by run_id, position order by created_at desc, id desc
    ) = 1;

-- with how many references were looked up, and how many ask for a look
create or replace view run_summaries as
    select r.id, r.name, r.output_sha256, r.created_at, r.judge,
        coalesce(e.finished, false) as finished, e.ended_at, s.cost_usd, s.reserved_usd,
        s.unpriced_calls,
        r.found, coalesce(v.done, 0) as done, coalesce(v.resolved, 0) as resolved,
        coalesce(v.supported, 0) as supported, coalesce(v.errors, 0) as errors,
        coalesce(l.labelled, 0) as labelled,
        coalesce(c.looked_up, 0) as "references", coalesce(c.problems, 0) as reference_problems
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
        ) l on l.run_id = r.id
        left join (
            select run_id, count(*) as looked_up,
                count(*) filter (status in ('differs', 'other_work', 'not_found')
                    or coalesce(retraction, 'corrected') <> 'corrected') as problems
            from current_reference_checks group by run_id
        ) c on c.run_id = r.id;
