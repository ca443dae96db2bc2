-- quotes and statistics are left out of what a run found, so a label on one is no reviewed citation
create or replace view run_summaries as
    select r.id, r.name, r.output_sha256, r.created_at, r.judge,
        coalesce(e.finished, false) as finished, e.ended_at, coalesce(e.cost_usd, 0) as cost_usd,
        r.found, coalesce(v.done, 0) as done, coalesce(v.resolved, 0) as resolved,
        coalesce(v.supported, 0) as supported, coalesce(v.errors, 0) as errors,
        coalesce(l.labelled, 0) as labelled
    from runs r left join last_run_ends e on e.run_id = r.id
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
