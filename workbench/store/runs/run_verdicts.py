"""Whole sets of runs, labelled or not, as rates and lists of what to label next need them."""

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.records.evaluation import ALL_LABELS, JudgeKey, LabelFilter
from workbench.records.run_listing import RunItem
from workbench.records.verdict import HumanLabel
from workbench.store.evaluation.evaluation_examples import (
    GROUP_KEY_SQL,
    SAME_JUDGE_SQL,
    judge_values,
)
from workbench.store.labels.label_rules import CHOSEN_LABELS, filter_values
from workbench.store.store import Repository

_BODY = f"""
from current_verdicts v join counted_runs r on r.id = v.run_id
    left join imported_items i on i.run_id = v.run_id and i.citation_id = v.citation_id
    left join gold_labels g on g.run_id = v.run_id and g.citation_id = v.citation_id
    left join drawn d on d.run_id = v.run_id and d.citation_id = v.citation_id
    {{others}}
    left join (select * from split_items where split_id = $split) s
        on s.run_id = v.run_id and s.citation_id = v.citation_id
where {SAME_JUDGE_SQL} and v.status = 'ok' and v.score is not null
    and v.kind not in ('quote', 'statistic')
    and ($since is null or r.created_at >= $since::timestamptz)
    and ($until is null or r.created_at < $until::timestamptz)
    and (len($runs::varchar[]) = 0 or v.run_id in (select unnest($runs::varchar[])))
"""
# an item of the test part is no item without a label
_NOT_LOCKED = "and not (coalesce(s.part, '') = 'test' and g.label is not null)"
_OTHERS = "left join others o on o.run_id = v.run_id and o.citation_id = v.citation_id"
_ITEMS = f"""
with drawn as (
    select distinct l.run_id, l.citation_id from counted_current_labels l
        join queues q on q.id = l.queue_id where q.item_order = 'random'
),
others as (
    select run_id, citation_id, list(verdict order by judge) as verdicts
    from current_offline_judgments where error_kind is null group by run_id, citation_id
)
select v.run_id, v.citation_id, v.verdict, v.score, {GROUP_KEY_SQL} as question,
    v.host as domain, v.kind, g.label, d.run_id is not null as random,
    list_prepend(v.verdict, coalesce(o.verdicts, [])) as verdicts
{_BODY.format(others=_OTHERS)} {_NOT_LOCKED} order by r.created_at, v.run_id, v.position, v.citation_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdictColumns:
    """What a judge said in a set of runs, by column; enough for rates, and quick to read."""

    supported: Sequence[bool]
    """Whether the judge says so."""
    questions: Sequence[int]
    """Numbers of what items were asked in."""
    labels: Sequence[HumanLabel | None]
    """As `RunItem.label`."""
    random: Sequence[bool]


_SHARES = f"""
with {CHOSEN_LABELS},
drawn as (
    select distinct l.run_id, l.citation_id from current_labels l
        join queues q on q.id = l.queue_id where q.item_order = 'random'
),
found as (
    select v.verdict = 'supported' as supported, {GROUP_KEY_SQL} as question, g.label,
        d.run_id is not null as random
    {_BODY.format(others="")} {_NOT_LOCKED}
)
select supported, dense_rank() over (order by question) - 1, label, random from found
"""


class RunVerdictRepository(Repository):
    """Reading what a judge said in its runs."""

    def read(
        self,
        judge: JudgeKey,
        split_id: str | None,
        *,
        runs: Sequence[str] = (),
        since: str | None = None,
        until: str | None = None,
    ) -> list[RunItem]:
        """The citations that a judge gave a verdict on, in run order.

        Args:
            judge: Whose runs.
            split_id: The split whose test part is locked.
            runs: Only these; all where empty.
            since: Only of runs from this moment on, ISO 8601.
            until: Only of runs before this one.
        """
        values = _query_values(judge, split_id, runs, since, until)
        return self._records(RunItem, _ITEMS, values)

    def shares(
        self,
        judge: JudgeKey,
        split_id: str | None,
        *,
        runs: Sequence[str] = (),
        since: str | None = None,
        until: str | None = None,
        labels: LabelFilter = ALL_LABELS,
    ) -> RunVerdictColumns:
        """The same as `read` reads, as rates need it: by column, in any order.

        Only `labels` count.
        """
        values = _query_values(judge, split_id, runs, since, until) | filter_values(labels)
        rows = self._rows(_SHARES, values)
        supported, questions, gold, random = zip(*rows, strict=True) if rows else [()] * 4
        return RunVerdictColumns(
            supported=supported, questions=questions, labels=gold, random=random
        )


def _query_values(
    judge: JudgeKey,
    split_id: str | None,
    runs: Sequence[str],
    since: str | None,
    until: str | None,
) -> dict[str, str | bool | list[str] | list[int] | None]:
    return {
        **judge_values(judge),
        "split": split_id,
        "runs": list(runs),
        "since": since,
        "until": until,
    }
