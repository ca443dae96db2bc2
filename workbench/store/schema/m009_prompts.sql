create table prompts (
    id varchar primary key,
    name varchar not null,
    version integer not null,
    template varchar not null,
    origin varchar not null,
    note varchar not null,
    author varchar not null,
    parent varchar,
    created_at timestamptz not null
);
-- apart from the templates: examples go when the output that they came from is erased
create table prompt_values (
    prompt_id varchar not null,
    name varchar not null,
    value varchar not null
);
create table prompt_items (
    prompt_id varchar not null,
    position integer not null,
    run_id varchar not null,
    citation_id varchar not null
);
create table optimisations (
    id varchar primary key,
    record varchar not null,
    created_at timestamptz not null
);
create table optimisation_steps (
    optimisation_id varchar not null,
    round integer not null,
    stage varchar not null,
    record varchar not null,
    cost_usd double not null,
    created_at timestamptz not null
);
-- runs name the prompt of their language models; earlier ones by what their judgments say
update runs
    set config = left(config, length(config) - 1) || case when config = '{}' then '' else ', ' end
        || '"prompt": "' || said.prompt || '"}'
    from (
        select run_id, min(prompt) as prompt from (
            -- no JSON function: texts with lone surrogates are no JSON to them
            select run_id, unnest(regexp_extract_all(record, '"prompt": "([^"]+)"', 1)) as prompt
            from verdicts
        ) where prompt not like 'together@%' group by run_id
    ) said
    where said.run_id = runs.id;
