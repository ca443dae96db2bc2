-- the given sources of a run, each with the citations that it answers and why; null where none was given
alter table runs add column source_matches varchar;
