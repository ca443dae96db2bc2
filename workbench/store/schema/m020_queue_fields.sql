-- what a queue asks beside the label, and what its labels answer; both lists of objects as JSON
alter table queues add column fields varchar default '[]';
alter table labels add column answers varchar default '[]';
drop view current_labels;
drop view active_labels;
create view active_labels as
    select l.* from labels l anti join label_withdrawals w on w.label_id = l.id;
create view current_labels as
    select l.* from active_labels l
        anti join (select replaces from active_labels where replaces is not null) later
            on later.replaces = l.id;
