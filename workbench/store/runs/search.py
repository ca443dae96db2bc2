"""Full search over everything the file holds: outputs, claims, rationales, notes, comments, sources."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.records.queue import ItemFilter
from workbench.records.run_listing import HIT_KINDS, HitKind, SearchHit, SearchResults
from workbench.records.text import Excerpt, Span, replace_surrogates
from workbench.store.rows import read_number, stored_text
from workbench.store.runs.items import patterns_of, selection
from workbench.store.store import Repository

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NEVER = datetime.min.replace(tzinfo=UTC)
AROUND = 80
"""Characters of context on either side of the first match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Where:
    """How the texts of one kind are matched, and how those of a page are fetched."""

    matching: str
    text: str
    fetched: str
    within: str
    """That a text belongs to the citations of a filter, which are in the table `allowed`."""
    tail: str = ""


_JUDGED = (
    "select v.run_id || '/' || v.citation_id as key, v.created_at as made from current_verdicts v"
)
_WITHIN_JUDGED = "(run_id, citation_id) in (select (run_id, citation_id) from allowed)"
_FETCH_JUDGED = (
    "select h.key, r.name, v.run_id, v.citation_id, '', h.made, v.verdict, v.{0} from hits h "
    "join current_verdicts v on v.run_id || '/' || v.citation_id = h.key "
    "join runs r on r.id = v.run_id"
)
# bytes of a lone surrogate are no UTF-8; for matching they are as good as question marks
_WHERE: Mapping[HitKind, _Where] = {
    "output": _Where(
        matching="select sha256 as key, created_at as made from outputs",
        text="decode(body, 'replace')",
        within="sha256 in (select output_sha256 from runs where id in (select run_id from "
        "allowed))",
        fetched="select h.key, o.name, (select arg_max(r.id, r.created_at) from runs r "
        "where r.output_sha256 = o.sha256 and {run}), null, '', h.made, null, o.body from hits h "
        "join outputs o on o.sha256 = h.key",
    ),
    "claim": _Where(
        matching=_JUDGED,
        text="claim",
        within=_WITHIN_JUDGED,
        fetched=_FETCH_JUDGED.format("claim"),
    ),
    "rationale": _Where(
        matching=_JUDGED,
        text="rationale",
        within=_WITHIN_JUDGED,
        fetched=_FETCH_JUDGED.format("rationale"),
    ),
    "note": _Where(
        matching="select id as key, created_at as made from active_labels",
        text="concat_ws(' ', note, array_to_string(tags, ' '))",
        within=_WITHIN_JUDGED,
        fetched="select h.key, r.name, l.run_id, l.citation_id, l.reviewer, h.made, v.verdict, "
        "concat_ws(' ', l.note, array_to_string(l.tags, ' ')) from hits h "
        "join labels l on l.id = h.key join runs r on r.id = l.run_id left join current_verdicts v "
        "on v.run_id = l.run_id and v.citation_id = l.citation_id",
    ),
    "comment": _Where(
        matching="select id as key, created_at as made from citation_comments",
        text="body",
        within=_WITHIN_JUDGED,
        fetched="select h.key, r.name, c.run_id, c.citation_id, c.author, h.made, v.verdict, "
        "c.body from hits h join citation_comments c on c.id = h.key join runs r on r.id = c.run_id "
        "left join current_verdicts v on v.run_id = c.run_id and v.citation_id = c.citation_id",
    ),
    "source": _Where(
        matching="select text_sha256 as key, first_seen as made from source_texts",
        text="decode(body, 'replace')",
        within="text_sha256 in (select text_sha256 from allowed)",
        # one text may have been read out of several bodies
        tail="qualify row_number() over (partition by text_sha256 order by first_seen) = 1",
        fetched="select h.key, s.title, v.run_id, v.citation_id, '', h.made, null, s.body "
        "from hits h join source_texts s on s.text_sha256 = h.key and s.first_seen = h.made "
        "left join (select text_sha256, arg_max(run_id, (created_at, citation_id)) as run_id, "
        "arg_max(citation_id, (created_at, citation_id)) as citation_id from current_verdicts "
        "where text_sha256 in (select key from hits) and {citation} group by text_sha256"
        ") v on v.text_sha256 = h.key",
    ),
}


class Search(Repository):
    """Finding texts by their words."""

    def find(
        self,
        query: str,
        kinds: Sequence[HitKind] = HIT_KINDS,
        *,
        within: ItemFilter | None = None,
        limit: int = 50,
        offset: int = 0,
        each: int | None = None,
    ) -> SearchResults:
        """The texts in which every word and "phrase" of a query occurs; none for no words.

        Case, accents and white space do not matter; a word is found inside longer ones too. A
        filter leaves the texts of its citations: outputs that hold one, sources that one leans on,
        and of the notes on them those of its reviewers and labels. With `each` the first so many of
        every kind come, in place of a page through all kinds.
        """
        patterns = patterns_of(query)
        searched_kinds = [kind for kind in HIT_KINDS if kind in kinds]
        if not patterns:
            return SearchResults(hits=(), counts=dict.fromkeys(searched_kinds, 0))
        counts: dict[HitKind, int] = {}
        hits: list[SearchHit] = []
        narrowed = within if within is not None and within.to_dict() else None
        with self._store.transaction() as connection:
            if narrowed:
                body, values = selection(narrowed)
                connection.execute(
                    "create or replace temp table allowed as "
                    f"select v.run_id, v.citation_id, v.text_sha256 {body}",
                    values,
                )
            for kind in searched_kinds:
                before = sum(counts.values())
                counts[kind] = _match(connection, kind, patterns, narrowed)
                skipped = max(0, offset - before)
                room = limit - len(hits)
                if each is not None:
                    skipped, room = 0, each
                if room > 0 and skipped < counts[kind]:
                    hits += _page(connection, kind, patterns, room, skipped, narrowed is not None)
        return SearchResults(hits=tuple(hits), counts=counts)


def _match(
    connection: "DuckDBPyConnection",
    kind: HitKind,
    patterns: Sequence[str],
    within: ItemFilter | None,
) -> int:
    """Put the keys of all matches into the table `matched`; their number."""
    where = _WHERE[kind]
    conditions = [f"regexp_matches({where.text}, ?, 'i')" for _ in patterns]
    values: list[str | list[str]] = list(patterns)
    if within:
        conditions.insert(0, where.within)
    if within and kind == "note":
        for column, allowed in (("reviewer", within.reviewers), ("label", within.labels)):
            if allowed:
                conditions.append(f"{column} in (select unnest(?))")
                values.append(list(allowed))
    connection.execute(
        f"create or replace temp table matched as {where.matching} "
        f"where {' and '.join(conditions)} {where.tail}",
        values,
    )
    return read_number(connection, "select count(*) from matched")


def _page(
    connection: "DuckDBPyConnection",
    kind: HitKind,
    patterns: Sequence[str],
    limit: int,
    offset: int,
    narrowed: bool,
) -> list[SearchHit]:
    connection.execute(
        "create or replace temp table hits as select * from matched "
        "order by made desc, key limit ? offset ?",
        [limit, offset],
    )
    fetched = _WHERE[kind].fetched.format(
        run="r.id in (select run_id from allowed)" if narrowed else "true",
        citation=_WITHIN_JUDGED if narrowed else "true",
    )
    rows = connection.execute(f"{fetched} order by h.made desc, h.key").fetchall()
    compiled = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]
    return [
        replace(
            _hit(kind, _text(body), compiled),
            name=name or "",
            run_id=run_id,
            citation_id=citation_id,
            author=author,
            at=at,
            verdict=verdict,
        )
        for _, name, run_id, citation_id, author, at, verdict, body in rows
    ]


def _text(body: str | bytes | None) -> str:
    if isinstance(body, str):
        return body
    return replace_surrogates(stored_text(body))


def _hit(kind: HitKind, text: str, patterns: Sequence[re.Pattern[str]]) -> SearchHit:
    """The place of the first match in a text; what it belongs to is filled in by the caller."""
    firsts = [match for match in (pattern.search(text) for pattern in patterns) if match]
    first = min(firsts, key=lambda match: match.start()) if firsts else None
    start = max(0, first.start() - AROUND) if first else 0
    end = min(len(text), (first.end() if first else 0) + AROUND)
    words = text[start:end]
    matches = {
        Span(*match.span())
        for pattern in patterns
        for match in pattern.finditer(words)
        if match.start() < match.end()
    }
    return SearchHit(
        kind=kind,
        name="",
        run_id=None,
        citation_id=None,
        excerpt=Excerpt(span=Span(start, end), text=words),
        matches=tuple(sorted(matches)),
        author="",
        at=_NEVER,
    )
