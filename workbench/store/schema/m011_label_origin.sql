-- false for the labels that a data set came with, whose annotators it does not name
alter table labels add column by_person boolean default true;
create or replace view standing_labels as
    select l.* from labels l anti join withdrawals w on w.label_id = l.id;
create or replace view current_labels as
    select l.* from standing_labels l
        anti join (select replaces from standing_labels where replaces is not null) later
            on later.replaces = l.id;
update labels set by_person = false
where list_contains(tags, 'imported') and reviewer in (
    select origin || ' annotators' from imported_items
    union select name || ' annotators' from imports
);
-- 0 is the guide as shipped. Unknown stay imported labels, which were given by another guide, and
-- those from before the workbench had one.
update labels set guide = coalesce(
    (select max(version) from guides where guides.created_at <= labels.created_at), 0
)
where guide is null and not list_contains(tags, 'imported')
    and created_at >= (select applied_at from migrations where name = 'm004_reviews');
