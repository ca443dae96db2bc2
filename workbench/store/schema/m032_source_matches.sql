-- the given sources of a run, each with the citations that it answers and why; null before there were any
alter table runs add column source_matches varchar;
