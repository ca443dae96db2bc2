"""Prompts, their versions and what optimised them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.errors import NotFoundError, StoreError, UsageError
from workbench.records.evaluation import JudgeKey
from workbench.records.optimization import (
    Optimisation,
    OptimisationStep,
    parse_optimisation,
    parse_step,
)
from workbench.records.prompts import (
    Prompt,
    PromptOrigin,
    PromptVersion,
    checked_prompt,
    prompt_name,
    template_variables,
)
from workbench.records.reviewers import LONGEST_NOTE, normalize_reviewer_name, utc_now
from workbench.records.text import replace_surrogates
from workbench.store.labels.agreement import ItemKey
from workbench.store.rows import PAIRS, pair_values, read_number, record_json
from workbench.store.store import Clock, Repository, Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_COLUMNS = "id, name, version, template, origin, note, author, parent, created_at"


class Prompts(Repository):
    """The prompts that users wrote, and those that came with the workbench."""

    def __init__(self, store: Store, shipped: Sequence[Prompt] = (), now: Clock = utc_now) -> None:
        """`shipped` are read-only: they are listed and found beside those of the file."""
        super().__init__(store, now)
        self._shipped = tuple(
            PromptVersion(id=prompt.id, prompt=prompt, origin="shipped") for prompt in shipped
        )

    def all(self) -> list[PromptVersion]:
        """Every version, shipped ones first, then by name and version."""
        with self._store.transaction() as connection:
            return [*self._shipped, *_read(connection)]

    def names(self) -> list[str]:
        """The names, each once, shipped ones first."""
        return list(dict.fromkeys(version.prompt.name for version in self.all()))

    def history(self, name: str) -> list[PromptVersion]:
        """The versions of a name, newest first.

        Raises:
            StoreError: There is none of that name.
        """
        versions = [version for version in self.all() if version.prompt.name == name]
        if not versions:
            raise self._unknown_prompt(name)
        return sorted(versions, key=lambda version: -version.prompt.version)

    def get(self, ref: str) -> PromptVersion:
        """The version with that id or `name@version`, or the newest of that name.

        Raises:
            StoreError: There is none.
        """
        name = ref.strip()
        versions = [
            version
            for version in self.all()
            if name in (version.id, version.title, version.prompt.name)
        ]
        if not versions:
            raise self._unknown_prompt(name)
        return max(versions, key=lambda version: version.prompt.version)

    def add(
        self,
        name: str,
        template: str,
        *,
        author: str,
        note: str = "",
        parent: str | None = None,
        values: Mapping[str, str] | None = None,
        origin: PromptOrigin = "written",
        items: Sequence[tuple[str, str]] = (),
    ) -> PromptVersion:
        """The new version of a name; the same template and values again give the one there is.

        Args:
            name: Of the prompt; a shipped one's name is taken.
            template: System part, a line `=====`, message part.
            author: Who wrote it.
            note: What changed, or what it is for.
            parent: The version that it was made from: id, `name@version` or name.
            values: The values of its other variables.
            origin: How it came about.
            items: Runs and citations that examples among the values were drawn from.

        Raises:
            UsageError: The name, the template or a value cannot be used; the message says why.
            StoreError: There is no such parent.
        """
        checked_name = prompt_name(name)
        if any(checked_name == shipped.prompt.name for shipped in self._shipped):
            raise UsageError(
                f"The prompt {checked_name} is built in and cannot be changed; choose another name."
            )
        draft = checked_prompt(checked_name, 0, template, values)
        by = normalize_reviewer_name(author)
        above = self.get(parent).id if parent else None
        with self._store.transaction() as connection:
            versions = _read(connection, checked_name)
            for version in versions:
                if (version.prompt.template, version.prompt.values) == (
                    draft.template,
                    draft.values,
                ):
                    return version
            number = max((version.prompt.version for version in versions), default=0) + 1
            prompt = checked_prompt(checked_name, number, template, values)
            added = PromptVersion(
                id=prompt.id,
                prompt=prompt,
                origin=origin,
                note=replace_surrogates(note.strip())[:LONGEST_NOTE],
                author=by,
                parent=above,
                created_at=self._now(),
                items=tuple("/".join(item) for item in items),
            )
            _insert(connection, added, items)
        return added

    def _unknown_prompt(self, reference: str) -> StoreError:
        titles = ", ".join(sorted({version.title for version in self.all()})) or "none at all"
        return StoreError(
            f"There is no prompt {replace_surrogates(reference)[:80]!r}; known are {titles}."
        )


def _insert(
    connection: "DuckDBPyConnection", added: PromptVersion, items: Sequence[tuple[str, str]]
) -> None:
    connection.execute(
        f"insert into prompts ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            added.id, added.prompt.name, added.prompt.version, added.prompt.template, added.origin,
            added.note, added.author, added.parent, added.created_at,
        ],
    )  # fmt: skip
    for name, value in added.prompt.values:
        connection.execute("insert into prompt_values values (?, ?, ?)", [added.id, name, value])
    connection.execute(
        "insert into prompt_items select $id, unnest(range(len($runs::varchar[]))), "
        "unnest($runs::varchar[]), unnest($citations::varchar[])",
        {"id": added.id, **pair_values(items)},
    )


def _read(connection: "DuckDBPyConnection", name: str | None = None) -> list[PromptVersion]:
    rows = connection.execute(
        f"select {_COLUMNS} from prompts where $name is null or name = $name "
        "order by name, version",
        {"name": name},
    ).fetchall()
    values: dict[str, list[tuple[str, str]]] = {}
    for prompt_id, variable, value in connection.execute(
        "select prompt_id, name, value from prompt_values order by name"
    ).fetchall():
        values.setdefault(prompt_id, []).append((variable, value))
    items: dict[str, list[str]] = {}
    for prompt_id, item in connection.execute(
        "select prompt_id, run_id || '/' || citation_id from prompt_items order by position"
    ).fetchall():
        items.setdefault(prompt_id, []).append(item)
    return [
        PromptVersion(
            id=row[0],
            prompt=Prompt(
                name=row[1],
                version=row[2],
                template=row[3],
                variables=template_variables(row[3]),
                values=tuple(values.get(row[0], ())),
            ),
            origin=row[4],
            note=row[5],
            author=row[6],
            parent=row[7],
            created_at=row[8],
            items=tuple(items.get(row[0], ())),
        )
        for row in rows
    ]


DEV_LOOKS = "stage = 'dev' and round > 0"


class OptimizationRepository(Repository):
    """The series and their steps; what is kept is never changed."""

    def add(self, planned: Optimisation) -> Optimisation:
        """The series as it is kept, without a step, with the next id."""
        with self._store.transaction() as connection:
            number = read_number(connection, "select count(*) from optimizations")
            added = replace(planned, id=f"o{number + 1}", created_at=self._now())
            connection.execute(
                "insert into optimizations values (?, ?, ?)",
                [added.id, json.dumps(added.to_dict()), added.created_at],
            )
        return added

    def all(self) -> list[Optimisation]:
        """Every series, newest first."""
        records = self._column("select record from optimizations order by created_at desc, id desc")
        return [parse_optimisation(record) for record in records]

    def get(self, optimization_id: str) -> Optimisation:
        """The series with that id.

        Raises:
            NotKept: There is none.
        """
        identifier = optimization_id.strip()
        runs = [run for run in self.all() if run.id == identifier]
        if not runs:
            raise NotFoundError(
                f"There is no optimisation {identifier[:40]!r} in {self._store.path}; `workbench "
                f"prompts optimisations` lists them."
            )
        return runs[0]

    def record(self, optimization_id: str, step: OptimisationStep) -> OptimisationStep:
        """Keep a step as it happened; the step with its time."""
        now = self._now()
        row = {**step.to_dict(), "created_at": now.isoformat()}
        self._rows(
            "insert into optimization_steps values (?, ?, ?, ?, ?, ?, ?)",
            [
                optimization_id, step.round, step.stage, record_json(row), step.cost_usd, now,
                step.candidate,
            ],
        )  # fmt: skip
        return parse_step(json.dumps(row))

    def steps(self, optimization_id: str) -> list[OptimisationStep]:
        """The steps of a series, oldest first."""
        records = self._column(
            "select record from optimization_steps where optimization_id = ? "
            "order by created_at, rowid",
            [optimization_id],
        )
        return [parse_step(record) for record in records]

    def looks_before(self, series: Optimisation) -> int:
        """How often series that began before it looked at dev of the same split."""
        others = [
            other.id
            for other in self.all()
            if other.split_id == series.split_id
            and (other.created_at, other.id) < (series.created_at, series.id)
        ]
        return self._number(
            f"select count(*) from optimization_steps where {DEV_LOOKS} "
            "and optimization_id in (select unnest(?::varchar[]))",
            [others],
        )

    def judged_cost(self, series: Optimisation, judge: JudgeKey) -> float:
        """What a judge's opinions cost since a series began, in USD; those not yet in a step too.

        Answers that were paid for before and only found again count at their price.
        """
        (cost,) = self._column(
            "select coalesce(sum(cost_usd), 0) from offline_judgments where judge = $judge "
            "and prompt = $prompt and created_at >= $since and evaluation_id is null",
            {"judge": judge.name, "prompt": judge.prompt, "since": series.created_at},
        )
        return float(cost)

    def reasons(self, keys: Sequence[ItemKey]) -> Mapping[ItemKey, tuple[str, ...]]:
        """What reviewers said of items besides the label: note and fault, without names."""
        rows = self._rows(
            "select run_id, citation_id, label, note, coalesce(fault, '') from counted_current_labels "
            f"semi join {PAIRS} using (run_id, citation_id) "
            "where note <> '' or fault is not null order by created_at, id",
            pair_values(keys),
        )
        reasons: dict[ItemKey, tuple[str, ...]] = {}
        for run_id, citation_id, label, note, fault in rows:
            where = f", fault in {fault}" if fault else ""
            reason = f"{label}{where}: {note}".rstrip(": ")
            reasons[run_id, citation_id] = (*reasons.get((run_id, citation_id), ()), reason)
        return reasons
