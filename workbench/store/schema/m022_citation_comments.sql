-- what reviewers tell each other about a citation; only inserted
create table citation_comments (
    id varchar primary key,
    run_id varchar not null,
    citation_id varchar not null,
    body varchar not null,
    author varchar not null,
    created_at timestamptz not null
);
