-- null where the text's own words stand
alter table claim_corrections add column wording varchar;
