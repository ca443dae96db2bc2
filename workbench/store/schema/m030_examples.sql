-- what belongs to the example workspace of the first start: `kind` is run, queue, reviewer, prompt,
-- reference_set or step (how far seeding came, and that the examples were removed)
create table examples (
    kind varchar not null,
    id varchar not null,
    primary key (kind, id)
);

-- A label is an example where an example reviewer gave it, or where anybody gave it in an example
-- queue. Example labels count in figures only as long as there is no other label.
create view example_labels as
    select id from labels
    where reviewer in (select id from examples where kind = 'reviewer')
        or queue_id in (select id from examples where kind = 'queue');
create view uncounted_labels as
    select e.id from example_labels e
    where exists (select 1 from active_labels l anti join example_labels x on x.id = l.id);
create view counted_active_labels as
    select l.* from active_labels l anti join uncounted_labels u on u.id = l.id;
create view counted_current_labels as
    select l.* from current_labels l anti join uncounted_labels u on u.id = l.id;

-- for exports: of real work alone, or of the examples alone
create view real_active_labels as
    select l.* from active_labels l anti join example_labels e on e.id = l.id;
create view real_current_labels as
    select l.* from current_labels l anti join example_labels e on e.id = l.id;
create view example_active_labels as
    select l.* from active_labels l semi join example_labels e on e.id = l.id;
create view example_current_labels as
    select l.* from current_labels l semi join example_labels e on e.id = l.id;

create view example_reference_labels as
    select id from reference_labels
    where reviewer in (select id from examples where kind = 'reviewer')
        or queue_id in (select id from examples where kind = 'queue');
create view uncounted_reference_labels as
    select e.id from example_reference_labels e
    where exists (
        select 1 from active_reference_labels l anti join example_reference_labels x on x.id = l.id
    );
create view counted_active_reference_labels as
    select l.* from active_reference_labels l anti join uncounted_reference_labels u on u.id = l.id;
create view counted_current_reference_labels as
    select l.* from current_reference_labels l
        anti join uncounted_reference_labels u on u.id = l.id;

create view real_active_reference_labels as
    select l.* from active_reference_labels l
        anti join example_reference_labels e on e.id = l.id;
create view real_current_reference_labels as
    select l.* from current_reference_labels l
        anti join example_reference_labels e on e.id = l.id;
create view example_active_reference_labels as
    select l.* from active_reference_labels l
        semi join example_reference_labels e on e.id = l.id;
create view example_current_reference_labels as
    select l.* from current_reference_labels l
        semi join example_reference_labels e on e.id = l.id;

-- example runs count in figures over runs only as long as there is no other run
create view counted_runs as
    select r.* from runs r
    where r.id not in (select id from examples where kind = 'run')
        or not exists (
            select 1 from runs where id not in (select id from examples where kind = 'run')
        );

-- as in m008, of the labels that count
create or replace view gold_labels as
    with votes as (
        select run_id, citation_id, label, count(*) as n from counted_current_labels group by all
    ),
    counted as (
        select run_id, citation_id, arg_max(label, n) as label, max(n) as most, sum(n) as given
        from votes group by run_id, citation_id
    ),
    settled as (
        select run_id, citation_id, arg_max(label, created_at) as label
        from counted_current_labels where role = 'adjudication' group by run_id, citation_id
    )
    select run_id, citation_id, coalesce(s.label, c.label) as label
    from counted c left join settled s using (run_id, citation_id)
    where s.label is not null or 2 * c.most > c.given;
