-- what users imported to look works up in without a network: a library, or a table of retractions
create table reference_registries (
    name varchar primary key,
    kind varchar not null,
    file_name varchar not null,
    sha256 varchar not null,
    imported_at timestamptz not null,
    records integer not null,
    problems varchar not null
);
-- ids are unique over all registries; a record's words are those of its title, folded
create table registry_records (
    id bigint not null,
    registry varchar not null,
    words varchar not null,
    record varchar not null
);
-- an inverted index, in the order of its terms: a look-up reads few of them. A term is a folded
-- identifier, a title, an author with a year, or a word of a title (`store/bibliography/terms.py`)
create table registry_terms (
    registry varchar not null,
    term varchar not null,
    works integer not null,
    ids bigint[] not null
);
create index registry_record_ids on registry_records (id);
create index registry_term_names on registry_terms (term);
create table retractions (
    registry varchar not null,
    position integer not null,
    doi varchar not null,
    pmid varchar not null,
    title_key varchar not null,
    author_key varchar not null,
    kind varchar not null,
    notice varchar,
    date varchar,
    reason varchar not null
);

-- what services answered: asked again only when it is old, and replayed offline
create table index_answers (
    service varchar not null,
    question_sha256 varchar not null,
    question varchar not null,
    status integer not null,
    body blob not null,
    asked_at timestamptz not null,
    primary key (service, question_sha256)
);

-- whether the work of an entry exists; only inserted, the newest row of an entry counts.
-- A position is the entry's index in the references of its run.
create table reference_checks (
    id varchar primary key,
    run_id varchar not null,
    position integer not null,
    status varchar not null,
    score double,
    record varchar not null,
    created_at timestamptz not null
);
create table reference_labels (
    id varchar primary key,
    run_id varchar not null,
    position integer not null,
    decision varchar not null,
    reviewer varchar not null,
    created_at timestamptz not null,
    reason varchar,
    note varchar not null,
    replaces varchar,
    status_shown varchar,
    score_shown double,
    queue_id varchar
);
create table reference_label_withdrawals (
    label_id varchar primary key,
    reviewer varchar not null,
    created_at timestamptz not null
);
create view current_reference_checks as
    select * from reference_checks
    qualify row_number() over (
        partition by run_id, position order by created_at desc, id desc
    ) = 1;
create view active_reference_labels as
    select l.* from reference_labels l
        anti join reference_label_withdrawals w on w.label_id = l.id;
create view current_reference_labels as
    select l.* from active_reference_labels l
        anti join (select replaces from active_reference_labels where replaces is not null) later
            on later.replaces = l.id;
