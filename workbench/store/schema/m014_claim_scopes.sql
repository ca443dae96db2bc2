-- null where the claim is the words between the boundaries alone
alter table claim_corrections add column scope varchar;
