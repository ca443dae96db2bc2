-- the runs in which imported data sets are kept: no judge made them
create view imported_runs as
    select i.run_id, any_value(s.name) as data_set
    from imported_items i join imports s on s.id = i.import_id group by i.run_id;

-- with the data set; empty for a run of the pipeline
create or replace view run_summaries as
    select r.id, r.name, r.output_sha256, r.created_at, r.judge,
        coalesce(e.finished, false) as finished, e.ended_at, s.cost_usd, s.reserved_usd,
        s.unpriced_calls,
        r.found, coalesce(v.done, 0) as done, coalesce(v.resolved, 0) as resolved,
        coalesce(v.supported, 0) as supported, coalesce(v.errors, 0) as errors,
        coalesce(l.labelled, 0) as labelled,
        coalesce(c.looked_up, 0) as "references", coalesce(c.problems, 0) as reference_problems,
        coalesce(d.data_set, '') as data_set
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
        ) c on c.run_id = r.id
        left join imported_runs d on d.run_id = r.id;
