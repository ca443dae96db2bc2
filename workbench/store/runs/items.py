"""The items behind a number: citations of all runs, filtered, searched, counted and put in order.

What a reviewer types into a search box: words that must all occur, and "phrases" in quotes.

A term becomes a pattern that the database (RE2) and Python read alike: any case, with or without
accents, any white space between words, either form of apostrophe and hyphen; a compatibility
character (`⼈`, `Ａ`, `ﬁ`) is found as what it represents.
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from workbench.errors import UsageError
from workbench.records.evaluation import JudgeKey
from workbench.records.queue import CitationListItem, ItemFilter
from workbench.records.run_listing import FilterFacets, ItemOrder
from workbench.records.text import compatible_variants, fold_compatible, replace_surrogates
from workbench.store.evaluation.evaluation_examples import SAME_JUDGE_SQL, judge_values
from workbench.store.rows import read_number, read_records
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


_TERMS = re.compile(r'["“”„«]([^"“”„«»]*)["“”„«»]?|([^\s"“”„«»]+)')
_ALIKE = ("'’ʼ′", "-‐‑–−")
_MARKS = "[\u0300-\u036f]*"
_LIGATURES = {"ff": "ﬀ", "fi": "ﬁ", "fl": "ﬂ", "ffi": "ﬃ", "ffl": "ﬄ"}
_PIECES = re.compile(r"ff[il]|f[fil]|.", re.IGNORECASE | re.DOTALL)
MOST_TERMS = 12
LONGEST_QUERY = 1_000
"""Characters of a query; the pattern of a longer one does not compile in the database."""


def terms_of(query: str) -> tuple[str, ...]:
    """The words and phrases of a query as typed, each once; at most twelve."""
    terms = [
        " ".join((phrase or word).split())
        for phrase, word in _TERMS.findall(replace_surrogates(query))
    ]
    return tuple(dict.fromkeys(term for term in terms if term))[:MOST_TERMS]


def compile_term_regex(term: str) -> str:
    """The regular expression, to be matched without regard to case, that finds a term."""
    composed = fold_compatible(unicodedata.normalize("NFC", term))
    pattern = "".join(_piece(piece) for piece in _PIECES.findall(composed))
    literal = r"\s+".join(re.escape(word) for word in term.split())
    if not pattern:  # nothing but accents
        return literal
    return pattern if composed == term else f"(?:{pattern}|{literal})"


def patterns_of(query: str) -> tuple[str, ...]:
    """The pattern of each term of a query; all of them have to match.

    Raises:
        UsageError: The query is longer than `LONGEST_QUERY`.
    """
    if len(query) > LONGEST_QUERY:
        raise UsageError(
            f"A search takes at most {LONGEST_QUERY:,} characters, and this one has "
            f"{len(query):,}; search for a few words of it."
        )
    return tuple(dict.fromkeys(compile_term_regex(term) for term in terms_of(query)))


def _piece(piece: str) -> str:
    """The pattern of a letter, or of letters that a font may set as one (`ﬁ`)."""
    apart = [_letter(letter) for letter in piece]
    joined = _LIGATURES.get(piece.lower(), "")
    if len(piece) < 2:
        return apart[0]
    if len(piece) == 2:
        return f"(?:{apart[0]}{apart[1]}|{joined})"
    last = _LIGATURES[piece[1:].lower()]
    return f"(?:{apart[0]}(?:{apart[1]}{apart[2]}|{last})|ﬀ{apart[2]}|{joined})"


def _letter(letter: str) -> str:
    if letter.isspace():
        return r"\s+"
    for alike in _ALIKE:
        if letter in alike:
            return f"[{alike}]"
    parts = unicodedata.normalize("NFD", letter)
    base, marks = parts[0], parts[1:]
    if not all("\u0300" <= mark <= "\u036f" for mark in marks):
        return f"(?:{re.escape(letter)}|{re.escape(parts)})"
    if "\u0300" <= base <= "\u036f":
        return ""
    variants = _accented().get(base.lower(), "") + _compatible(base)
    return (
        f"[{base}{variants}]{_MARKS}" if variants else re.escape(base) + (_MARKS if marks else "")
    )


def _compatible(letter: str) -> str:
    """The compatibility characters that represent a letter in either case."""
    variants = compatible_variants()
    cases = dict.fromkeys((letter, letter.lower(), letter.upper()))
    return "".join(variants.get(case, "") for case in cases)


@cache
def _accented() -> dict[str, str]:
    """For each letter the small letters that are it with an accent."""
    accented: dict[str, str] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x2000)):
        letter = chr(code)
        base = unicodedata.normalize("NFD", letter)[0]
        if base != letter and base.isalpha() and letter == letter.lower():
            accented[base.lower()] = accented.get(base.lower(), "") + letter
    return accented


Value = str | float | int | list[str] | None
Values = dict[str, Value]
SECONDARY_KINDS = ("quote", "statistic")

EXAMPLE_RUNS = "(select id from examples where kind = 'run')"
OWN_LABEL_SQL = "(by_person and not list_contains(tags, 'imported'))"
"""A label that was given here, and did not come in a file."""
_HUMAN = """
left join (
    select run_id, citation_id, list(distinct label order by label) as labels,
        list(distinct reviewer) as reviewers, list(distinct fault) as faults,
        flatten(list(tags)) as tags,
        count(distinct label) filter (role = 'review') as opinions,
        count(distinct reviewer) filter (role = 'review') as people,
        bool_or(role = 'adjudication') as settled
    from counted_current_labels where {among} group by run_id, citation_id
) h on h.run_id = v.run_id and h.citation_id = v.citation_id
"""
_ORDERS: Mapping[ItemOrder, str] = {
    "document": "r.created_at, r.id, v.position, v.citation_id",
    "random": "md5($seed || ':' || v.run_id || ':' || v.citation_id)",
    "uncertain_first": "{doubt} nulls last, r.created_at, r.id, v.position, v.citation_id",
    "certain_first": "v.confidence desc nulls last, r.created_at, r.id, v.position, v.citation_id",
    "newest": "r.created_at desc, r.id, v.position, v.citation_id",
    "host": "v.host nulls last, r.created_at, r.id, v.position, v.citation_id",
}


def count_items(connection: "DuckDBPyConnection", chosen: ItemFilter) -> int:
    """How many items a filter lets through, within a unit of work."""
    body, values = selection(chosen)
    return read_number(connection, f"select count(*) {body}", values)


def selection(chosen: ItemFilter) -> tuple[str, Values]:
    """The `from … where …` of a filter over verdicts `v`, runs `r` and labels `h`; its values."""
    where: list[str] = []
    values: Values = {}

    def need(condition: str, **parameters: Value) -> None:
        where.append(condition)
        values.update(parameters)

    if chosen.runs:
        need("v.run_id in (select unnest($runs))", runs=list(chosen.runs))
    if chosen.kinds:
        need("v.kind in (select unnest($kinds))", kinds=list(chosen.kinds))
    else:
        need(f"v.kind not in {SECONDARY_KINDS}")
    columns = _judge_columns(chosen)
    if chosen.verdicts:
        need(f"{columns.verdict} in (select unnest($verdicts))", verdicts=list(chosen.verdicts))
    if chosen.error_kinds:
        need("v.error_kind in (select unnest($errors))", errors=list(chosen.error_kinds))
    if chosen.hosts:
        need(
            "(coalesce(v.host, '') in (select unnest($hosts)) "
            "or len(list_filter($domains, lambda x: ends_with('.' || v.host, x))) > 0)",
            hosts=[host.lower().removeprefix("www.") for host in chosen.hosts],
            domains=[host.lower()[1:] for host in chosen.hosts if host.startswith("*.")],
        )
    for number, pattern in enumerate(patterns_of(chosen.words)):
        need(
            f"(regexp_matches(v.claim, $word{number}, 'i') "
            f"or regexp_matches(v.rationale, $word{number}, 'i'))",
            **{f"word{number}": pattern},
        )
    if chosen.confidence_below is not None:
        need(f"{columns.confidence} < $below", below=chosen.confidence_below)
    if chosen.near is not None:
        need(f"abs({columns.score} - $near) <= $band", near=chosen.near, band=chosen.band)
    if chosen.imported is not None:
        among = "in" if chosen.imported else "not in"
        need(f"v.run_id {among} (select run_id from imported_runs)")
    if chosen.examples is not None:
        among = "in" if chosen.examples else "not in"
        need(f"v.run_id {among} {EXAMPLE_RUNS}")
    if chosen.judges_differ:
        need("v.judges_differ")
    if chosen.judge:
        judge_parameters = judge_values(JudgeKey.of(chosen.judge, chosen.prompt))
        need(f"({SAME_JUDGE_SQL} or o.run_id is not null)", **judge_parameters)
    _need_people(chosen, need)
    _need_part(chosen, need)
    people = _HUMAN.format(among=OWN_LABEL_SQL if chosen.own_labels else "true")
    return (
        f"from current_verdicts v join runs r on r.id = v.run_id {people} {columns.join}"
        f"where {' and '.join(where)}",
        values,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgeColumns:
    """The columns of the judge's verdict on an item."""

    verdict: str = "v.verdict"
    confidence: str = "v.confidence"
    score: str = "v.score"
    join: str = ""


def _judge_columns(chosen: ItemFilter) -> _JudgeColumns:
    if not chosen.judge:
        return _JudgeColumns()
    own_sql = f"case when {SAME_JUDGE_SQL} then v.{{0}} else o.{{0}} end"
    return _JudgeColumns(
        verdict=own_sql.format("verdict"),
        confidence=own_sql.format("confidence"),
        score=own_sql.format("score"),
        join="left join (select * from current_offline_judgments where judge = $judge "
        "and prompt = $prompt) o on o.run_id = v.run_id and o.citation_id = v.citation_id ",
    )


class _Need(Protocol):
    def __call__(self, condition: str, **parameters: Value) -> None: ...


def _need_people(chosen: ItemFilter, need: _Need) -> None:
    if chosen.reviewed is not None:
        need(f"h.run_id is {'not ' if chosen.reviewed else ''}null")
    if chosen.judge_differs:
        need("len(list_filter(h.labels, lambda x: x <> v.verdict and x <> 'cannot_tell')) > 0")
    if chosen.reviewers_differ:
        need("h.opinions > 1 and h.people > 1 and not h.settled")
    for name in ("labels", "reviewers", "faults", "tags"):
        chosen_values = cast(tuple[str, ...], getattr(chosen, name))
        if chosen_values:
            need(f"list_has_any(h.{name}, ${name})", **{name: list(chosen_values)})
    if chosen.adjudicated is not None:
        need(f"coalesce(h.settled, false) = {chosen.adjudicated}")
    if chosen.queue:
        need(
            "(v.run_id, v.citation_id) in "
            "(select (run_id, citation_id) from queue_items where queue_id = $queue)",
            queue=chosen.queue,
        )
    when, values = "", dict[str, Value]()
    for name, moment in (("since", chosen.labelled_from), ("until", chosen.labelled_before)):
        if moment:
            when += f" and created_at {'>=' if name == 'since' else '<'} ${name}::timestamptz"
            values[name] = moment
    if chosen.own_labels:
        when += f" and {OWN_LABEL_SQL}"
    if values:
        by_reviewers = " and list_contains($reviewers, reviewer)" if chosen.reviewers else ""
        need(_among(f"counted_active_labels where true{when}{by_reviewers}"), **values)
    for number, saying in enumerate(chosen.said):
        turn, label, reviewer = saying.split("|", 2)
        within = " and queue_id = $queue" if chosen.queue else ""
        need(
            _among(
                "(select * from counted_active_labels where role = 'review' "
                f"and reviewer = $reviewer{number}{within}{when} qualify row_number() over "
                "(partition by run_id, citation_id order by "
                f"created_at {'' if turn == 'first' else 'desc'}, id) = 1) "
                f"where label = $label{number}"
            ),
            **{f"reviewer{number}": reviewer, f"label{number}": label},
        )


def _among(labels: str) -> str:
    return f"(v.run_id, v.citation_id) in (select (run_id, citation_id) from {labels})"


def _need_part(chosen: ItemFilter, need: _Need) -> None:
    if chosen.gold:
        need(
            "(v.run_id, v.citation_id) in (select (run_id, citation_id) from gold_labels "
            "where label in (select unnest($gold)))",
            gold=list(chosen.gold),
        )
    if chosen.split:
        need(
            "(v.run_id, v.citation_id) in (select (run_id, citation_id) from split_items "
            "where split_id = $split and part in (select unnest($parts::varchar[])))",
            split=chosen.split,
            parts=list(chosen.parts),
        )


def ordering(chosen: ItemFilter, order: ItemOrder, seed: int, values: Values) -> str:
    """The `order by` of a named order; adds the values that it needs."""
    if order == "random":
        values["seed"] = str(seed)
    columns = _judge_columns(chosen)
    doubt = columns.confidence if chosen.near is None else f"abs({columns.score} - $near)"
    return _ORDERS[order].format(doubt=doubt)


def _tally(connection: "DuckDBPyConnection", column: str) -> dict[str, int]:
    rows = connection.execute(
        f"select x, count(*) from ({column}) t(x) where x is not null "
        "group by x order by count(*) desc, x limit 100"
    ).fetchall()
    return dict(rows)


class CitationQuery(Repository):
    """Finding citations by what the judge and people said of them."""

    def find(
        self,
        chosen: ItemFilter,
        *,
        order: ItemOrder = "document",
        seed: int = 0,
        limit: int = 100,
        offset: int = 0,
    ) -> list[CitationListItem]:
        """The items that a filter lets through, in a named order."""
        body, values = selection(chosen)
        with self._store.transaction() as connection:
            # the page first, by its narrow columns: carrying the records through the sort is slow
            connection.execute(
                "create temp table page as select v.run_id, v.citation_id, v.version, h.labels, "
                f"row_number() over (order by {ordering(chosen, order, seed, values)}) as place "
                f"{body} order by place limit $limit offset $offset",
                values | {"limit": limit, "offset": offset},
            )
            items = read_records(
                connection,
                CitationListItem,
                "select run_id, citation_id, r.name, v.kind, v.record as raw, "
                "coalesce(v.claim, '') as claim, v.verdict, v.confidence, v.score, v.error_kind, "
                "v.host, labels from page join verdicts v using (run_id, citation_id, version) "
                "join runs r on r.id = run_id order by place",
                raw=lambda record: replace_surrogates(str(json.loads(record)["raw"])),
            )
            connection.execute("drop table page")
        return items

    def count(self, chosen: ItemFilter) -> int:
        """How many items a filter lets through."""
        with self._store.transaction() as connection:
            return count_items(connection, chosen)

    def choices(self, chosen: ItemFilter) -> FilterFacets:
        """What the items of a filter can be narrowed by."""
        body, values = selection(chosen)
        with self._store.transaction() as connection:
            connection.execute(
                "create temp table chosen as select v.kind, v.verdict, v.error_kind, v.host, "
                f"h.labels, h.reviewers, h.tags {body}",
                values,
            )
            tallies = {
                name: _tally(connection, f"select {name} from chosen")
                for name in ("kind", "verdict", "error_kind", "host")
            }
            tallies |= {
                name: _tally(connection, f"select unnest(list_distinct({name})) from chosen")
                for name in ("labels", "reviewers", "tags")
            }
            connection.execute("drop table chosen")
        return FilterFacets(
            kinds=tallies["kind"],
            verdicts=tallies["verdict"],
            error_kinds=tallies["error_kind"],
            hosts=tallies["host"],
            labels=tallies["labels"],
            reviewers=tallies["reviewers"],
            tags=tallies["tags"],
        )
