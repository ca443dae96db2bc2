-- a queue holds citations or entries of reference lists; those stand in it as `reference:POSITION`
alter table queues add column item_kind varchar default 'citations';

drop view current_reference_labels;
drop view active_reference_labels;
alter table reference_labels add column role varchar default 'review';
alter table reference_labels add column seconds double;
alter table reference_labels add column queue_position integer;
create view active_reference_labels as
    select l.*, 'reference:' || l.position as citation_id from reference_labels l
        anti join reference_label_withdrawals w on w.label_id = l.id;
create view current_reference_labels as
    select l.* from active_reference_labels l
        anti join (select replaces from active_reference_labels where replaces is not null) later
            on later.replaces = l.id;
