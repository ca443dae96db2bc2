"""Labelled items beside a judge's verdicts, as calibration reads them: one query for all."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from workbench.records.evaluation import (
    ALL_LABELS,
    OTHER_SOURCE_TYPE,
    SLICES,
    SOURCE_TYPES,
    EvaluationColumns,
    EvaluationSet,
    JudgeKey,
    LabelFilter,
)
from workbench.records.verdict import JUDGE_ERRORS, NOT_ASKED
from workbench.store.labels.label_rules import CHOSEN_LABELS, filter_values
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

GROUP_KEY_SQL = "coalesce(nullif(i.group_key, ''), i.key, r.output_sha256)"
"""What an item was asked in: the group its file names, itself where it names none, its output."""
SECONDARY_KINDS = ("quote", "statistic")
"""Kinds that another marker cites for, left out as they are everywhere."""

SAME_JUDGE_SQL = "(r.judge_name = $judge and r.prompt = $prompt)"
"""Whether a run was judged by the judge that is looked at; `judge_values` holds what it needs."""

JUDGED_EXAMPLES_SQL = f"""
{CHOSEN_LABELS},
labelled as (
    select l.run_id, l.citation_id, g.label
    from (select distinct run_id, citation_id from current_labels) l
        left join gold_labels g using (run_id, citation_id)
),
judged_examples as (
    select g.run_id, g.citation_id, g.label, r.created_at, {GROUP_KEY_SQL} as question, i.slices,
        {SAME_JUDGE_SQL} as own,
        case when own then v.verdict else o.verdict end as verdict,
        case when own then v.score else o.score end as score,
        case when own then v.error_kind else o.error_kind end as error_kind,
        (own and v.run_id is not null) or o.run_id is not null as judged,
        s.part, s.run_id is not null as placed,
        v.position, v.kind, v.host, v.claim, v.source_sha256, v.text_sha256
    from labelled g join runs r on r.id = g.run_id
        left join current_verdicts v on v.run_id = g.run_id and v.citation_id = g.citation_id
        left join imported_items i on i.run_id = g.run_id and i.citation_id = g.citation_id
        left join (
            select * from current_offline_judgments where judge = $judge and prompt = $prompt
        ) o on o.run_id = g.run_id and o.citation_id = g.citation_id
        left join (select * from split_items where split_id = $split) s
            on s.run_id = g.run_id and s.citation_id = g.citation_id
    where coalesce(v.kind, '') not in {SECONDARY_KINDS}
)
"""
"""Every labelled item with its gold label, null where it has none, and what a judge says of it.

`example_values` holds what it needs.
"""
_ITEMS = f"""
with {JUDGED_EXAMPLES_SQL}
select v.run_id || '/' || v.citation_id, v.verdict, coalesce(v.score, 0), v.label, v.question,
    v.error_kind, {{slices}}
from judged_examples v {{more}}
where v.label is not null and v.judged and v.part in (select unnest($parts::varchar[]))
    and (v.error_kind is null or v.error_kind in {JUDGE_ERRORS})
order by v.created_at, v.run_id, v.position, v.citation_id
"""
_TEXTS = """
left join (select distinct sha256, text_sha256, content_type from source_texts) t
    on t.sha256 = v.source_sha256 and t.text_sha256 = v.text_sha256
"""
# function words tell a language written in Latin letters; a claim without any stays unnamed
_LANGUAGE = r"""
case when regexp_matches(v.claim, '[\p{Hiragana}\p{Katakana}]') then 'Japanese'
    when regexp_matches(v.claim, '\p{Han}') then 'Chinese'
    when regexp_matches(v.claim, '\p{Hangul}') then 'Korean'
    when regexp_matches(v.claim, '\p{Cyrillic}') then 'Cyrillic script'
    when regexp_matches(v.claim, '\p{Arabic}') then 'Arabic script'
    when regexp_matches(v.claim, '(?i)\b(the|of|and|were|that|with|by|for|is)\b') then 'English'
    when regexp_matches(v.claim, '(?i)\b(und|der|das|ist|nicht|eine|wird)\b') then 'German'
    when regexp_matches(v.claim, '(?i)\b(les|des|est|une|dans|aux)\b') then 'French'
    when regexp_matches(v.claim, '(?i)\b(los|las|una|del|por|como)\b') then 'Spanish'
    when v.claim is not null then 'other' end
"""
_SOURCE_TYPE = " ".join(
    [
        "case",
        *(f"when t.content_type ilike '%{mark}%' then '{name}'" for mark, name in SOURCE_TYPES),
        f"when t.content_type is not null then '{OTHER_SOURCE_TYPE}' end",
    ]
)
_SOURCE_TYPE_ALONE = f"null, null, {_SOURCE_TYPE}, null, null, null"
_SLICES = rf"""
v.host, v.kind, {_SOURCE_TYPE},
case when length(v.claim) < 80 then 'claim below 80 characters'
    when length(v.claim) < 160 then 'claim of 80 to 159 characters'
    when v.claim is not null then 'claim of 160 characters or more' end,
{_LANGUAGE}, v.slices
"""
_COUNTS = f"""
with {JUDGED_EXAMPLES_SQL}
select count(label),
    count(label) filter (not judged or error_kind in {NOT_ASKED}),
    count(label) filter (judged and error_kind is not null
        and error_kind not in {NOT_ASKED + JUDGE_ERRORS}),
    count(label) filter (placed and part is null),
    count(*) filter (label is null)
from judged_examples where part in (select unnest($parts::varchar[])) or part is null
"""
_WHOSE = f"""
with {CHOSEN_LABELS},
among as (
    select * from current_labels
        semi join (select * from split_items where split_id = $split
            and part in (select unnest($parts::varchar[]))) using (run_id, citation_id)
        semi join gold_labels using (run_id, citation_id)
)
select (select count(distinct reviewer) from among where by_person),
    (select count(*) from (select run_id, citation_id from among where not by_person
        except select run_id, citation_id from among where by_person))
"""
# candidates of an optimization run that were not saved as prompts
_NOT_STORED = """
select candidate from optimization_steps where candidate <> '' except select id from prompts
"""


class EvaluationRepository(Repository):
    """Reading labelled items beside a judge's verdicts."""

    def judges(self) -> list[tuple[JudgeKey, int]]:
        """Who has given verdicts on labelled items, on how many; most first."""
        rows = self._rows(
            "with judged as (select r.judge_name as name, r.prompt, run_id, citation_id "
            "from current_verdicts v join runs r on r.id = v.run_id "
            "where r.judge_name <> '' and v.score is not null union "
            "select judge as name, prompt, run_id, citation_id from current_offline_judgments "
            f"where verdict is not null and prompt not in ({_NOT_STORED})) "
            "select name, prompt, count(distinct (run_id, citation_id)) from judged "
            "semi join gold_labels using (run_id, citation_id) "
            "group by all order by 3 desc, name, prompt"
        )
        return [(JudgeKey.of(name, prompt), number) for name, prompt, number in rows]

    def read(
        self,
        judge: JudgeKey,
        split_id: str,
        parts: Sequence[str],
        *,
        slices: bool = False,
        labels: LabelFilter = ALL_LABELS,
    ) -> EvaluationSet:
        """The items of some parts of a split, in a fixed order, with their slices if asked for.

        Only `labels` count.
        """
        values = example_values(judge, split_id, parts, labels)
        with self._store.transaction() as connection:
            items = _examples(connection, values, _SLICES if slices else "")
            ((labelled, unjudged, unread, nowhere, disputed),) = connection.execute(
                _COUNTS, values
            ).fetchall()
            ((people, from_data_sets),) = connection.execute(
                _WHOSE, {"split": split_id, "parts": list(parts), **filter_values(labels)}
            ).fetchall()
        return EvaluationSet(
            items=items,
            humans=people,
            from_data_sets=from_data_sets,
            labelled=labelled,
            no_gold_label=disputed,
            unjudged=unjudged,
            unread=unread,
            in_no_part=nowhere,
        )

    def with_source_types(
        self, judge: JudgeKey, split_id: str, parts: Sequence[str], labels: LabelFilter = ALL_LABELS
    ) -> EvaluationColumns:
        """The same items alone, of whose slices only the source type is told."""
        values = example_values(judge, split_id, parts, labels)
        with self._store.transaction() as connection:
            return _examples(connection, values, _SOURCE_TYPE_ALONE)

    def state(self) -> str:
        """A short text that changes whenever a label, a verdict or an opinion is added."""
        return self._state(
            "labels", "label_withdrawals", "verdicts", "offline_judgments", "split_items",
            "thresholds", "test_set_accesses",
        )  # fmt: skip


def _examples(
    connection: "DuckDBPyConnection",
    values: Mapping[str, str | list[str] | list[int] | None],
    slices: str,
) -> EvaluationColumns:
    query = _ITEMS.format(slices=slices or "null", more=_TEXTS if slices else "")
    rows = connection.execute(query, dict(values)).fetchall()
    columns = zip(*rows, strict=True) if rows else [()] * 7
    items, judges, scores, humans, groups, errors, *slice_columns = columns
    return EvaluationColumns(
        items=items,
        judges=judges,
        scores=scores,
        humans=humans,
        groups=groups,
        errors=errors,
        slices=[_slices(row) for row in zip(*slice_columns, strict=True)] if slices else (),
    )


def _slices(values: Sequence[str | None]) -> tuple[tuple[str, str], ...]:
    slices = {name: value for name, value in zip(SLICES, values, strict=False) if value}
    if values[-1] and values[-1] != "[]":
        slices |= {name: value for name, value in json.loads(values[-1]) if value}
    return tuple(slices.items())


def judge_values(judge: JudgeKey) -> dict[str, str]:
    """What `SAME_JUDGE_SQL` needs; offline judgments are stored under the same two names."""
    return {"judge": judge.name, "prompt": judge.prompt}


def example_values(
    judge: JudgeKey, split_id: str, parts: Sequence[str], labels: LabelFilter
) -> dict[str, str | list[str] | list[int] | None]:
    """What `JUDGED_EXAMPLES_SQL` needs, and `$parts`."""
    return {
        **judge_values(judge),
        **filter_values(labels),
        "split": split_id,
        "parts": list(parts),
    }
