-- the runs in which imported data sets are kept: no judge made them
create view imported_runs as
    select i.run_id, any_value(s.name) as data_set
    from imported_items i join imports s on s.id = i.import_id group by i.run_id;
