"""Full search over everything the file holds: outputs, claims, rationales, notes, sources."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, get_args

from workbench.records import Excerpt, Span, shown
from workbench.store.store import Store
from workbench.store.words import patterns_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

HitKind = Literal["output", "claim", "rationale", "note", "source"]
HIT_KINDS: tuple[HitKind, ...] = get_args(HitKind)
AROUND = 80
"""Characters of context on either side of the first match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One text in which all words of a query occur."""

    kind: HitKind
    name: str
    """Of the output; of a source, its title."""
    run_id: str | None
    """Where to see it: for an output its newest run, for a source the newest that read it."""
    citation_id: str | None
    excerpt: Excerpt
    """The first match with its surroundings; offsets are into the whole text."""
    matches: tuple[Span, ...]
    """The matches within the excerpt; offsets are into the excerpt's words."""
    author: str
    """Of a note; empty otherwise."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One page of hits."""

    hits: tuple[Hit, ...]
    """In the order of `HIT_KINDS`, newest first within a kind."""
    counts: Mapping[HitKind, int]
    """All hits of each kind that was searched, in the same order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Where:
    """How the texts of one kind are matched, and how those of a page are fetched."""

    matching: str
    text: str
    fetched: str
    tail: str = ""


_JUDGED = (
    "select v.run_id || '/' || v.citation_id as key, v.created_at as made from current_verdicts v"
)
_FETCH_JUDGED = (
    "select h.key, r.name, v.run_id, v.citation_id, '', h.made, v.{0} from hits h "
    "join current_verdicts v on v.run_id || '/' || v.citation_id = h.key "
    "join runs r on r.id = v.run_id"
)
# bytes of a lone surrogate are no UTF-8; for matching they are as good as question marks
_WHERE: Mapping[HitKind, _Where] = {
    "output": _Where(
        matching="select sha256 as key, created_at as made from outputs",
        text="decode(body, 'replace')",
        fetched="select h.key, o.name, (select arg_max(r.id, r.created_at) from runs r "
        "where r.output_sha256 = o.sha256), null, '', h.made, o.body from hits h "
        "join outputs o on o.sha256 = h.key",
    ),
    "claim": _Where(matching=_JUDGED, text="claim", fetched=_FETCH_JUDGED.format("claim")),
    "rationale": _Where(
        matching=_JUDGED, text="rationale", fetched=_FETCH_JUDGED.format("rationale")
    ),
    "note": _Where(
        matching="select id as key, created_at as made from standing_labels",
        text="concat_ws(' ', note, array_to_string(tags, ' '))",
        fetched="select h.key, r.name, l.run_id, l.citation_id, l.reviewer, h.made, "
        "concat_ws(' ', l.note, array_to_string(l.tags, ' ')) from hits h "
        "join labels l on l.id = h.key join runs r on r.id = l.run_id",
    ),
    "source": _Where(
        matching="select text_sha256 as key, first_seen as made from source_texts",
        text="decode(body, 'replace')",
        # one text may have been read out of several bodies
        tail="qualify row_number() over (partition by text_sha256 order by first_seen) = 1",
        fetched="select h.key, s.title, v.run_id, v.citation_id, '', h.made, s.body from hits h "
        "join source_texts s on s.text_sha256 = h.key and s.first_seen = h.made left join ("
        "select text_sha256, arg_max(run_id, (created_at, citation_id)) as run_id, "
        "arg_max(citation_id, (created_at, citation_id)) as citation_id from current_verdicts "
        "where text_sha256 in (select key from hits) group by text_sha256"
        ") v on v.text_sha256 = h.key",
    ),
}


class Search:
    """Finding texts by their words.

    All methods raise StoreError when the file cannot be used.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(
        self,
        query: str,
        kinds: Sequence[HitKind] = HIT_KINDS,
        *,
        limit: int = 50,
        offset: int = 0,
    ) -> Found:
        """The texts in which every word and "phrase" of a query occurs; none for no words.

        Case, accents and white space do not matter; a word is found inside longer ones too.
        """
        patterns = patterns_of(query)
        wanted = [kind for kind in HIT_KINDS if kind in kinds]
        if not patterns:
            return Found(hits=(), counts=dict.fromkeys(wanted, 0))
        counts: dict[HitKind, int] = {}
        hits: list[Hit] = []
        with self._store._unit() as connection:
            for kind in wanted:
                before = sum(counts.values())
                counts[kind] = _match(connection, kind, patterns)
                skipped = max(0, offset - before)
                room = limit - len(hits)
                if room > 0 and skipped < counts[kind]:
                    hits += _page(connection, kind, patterns, room, skipped)
        return Found(hits=tuple(hits), counts=counts)


def _match(connection: "DuckDBPyConnection", kind: HitKind, patterns: Sequence[str]) -> int:
    """Put the keys of all matches into the table `matched`; their number."""
    where = _WHERE[kind]
    conditions = " and ".join(f"regexp_matches({where.text}, ?, 'i')" for _ in patterns)
    connection.execute(
        f"create or replace temp table matched as {where.matching} where {conditions} {where.tail}",
        list(patterns),
    )
    ((number,),) = connection.execute("select count(*) from matched").fetchall()
    return int(number)


def _page(
    connection: "DuckDBPyConnection",
    kind: HitKind,
    patterns: Sequence[str],
    limit: int,
    offset: int,
) -> list[Hit]:
    connection.execute(
        "create or replace temp table hits as select * from matched "
        "order by made desc, key limit ? offset ?",
        [limit, offset],
    )
    rows = connection.execute(f"{_WHERE[kind].fetched} order by h.made desc, h.key").fetchall()
    compiled = [re.compile(pattern, re.IGNORECASE) for pattern in patterns]
    return [
        _hit(kind, name, run_id, citation_id, author, at, _text(body), compiled)
        for _, name, run_id, citation_id, author, at, body in rows
    ]


def _text(body: str | bytes | None) -> str:
    if isinstance(body, str):
        return body
    return shown(bytes(body or b"").decode("utf-8", "surrogatepass"))


def _hit(
    kind: HitKind,
    name: str | None,
    run_id: str | None,
    citation_id: str | None,
    author: str,
    at: datetime,
    text: str,
    patterns: Sequence[re.Pattern[str]],
) -> Hit:
    firsts = [match for match in (pattern.search(text) for pattern in patterns) if match]
    first = min(firsts, key=lambda match: match.start()) if firsts else None
    start = max(0, first.start() - AROUND) if first else 0
    end = min(len(text), (first.end() if first else 0) + AROUND)
    words = text[start:end]
    found = {
        Span(*match.span())
        for pattern in patterns
        for match in pattern.finditer(words)
        if match.start() < match.end()
    }
    return Hit(
        kind=kind,
        name=name or "",
        run_id=run_id,
        citation_id=citation_id,
        excerpt=Excerpt(span=Span(start, end), text=words),
        matches=tuple(sorted(found)),
        author=author,
        at=at,
    )
