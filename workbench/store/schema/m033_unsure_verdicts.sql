-- whether the judge is not sure of its verdict; null in rows from before judges told it
alter table verdicts add column unsure boolean;
create or replace view current_verdicts as
    select v.* from verdicts v
        anti join (
            select run_id, citation_id, version - 1 as version from verdicts where version > 1
        ) later using (run_id, citation_id, version);
update verdicts set unsure = false where confidence is not null;
