"""Which lines of a table of retractions concern the work of an entry?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.records.registries import FoundRetraction, RecordKeys

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from pyarrow import Table  # type: ignore[import-untyped]

_RETRACTIONS = """
with matched as (
    select entry, t.*, true as by_identifier from searched s join retractions t on s.doi = t.doi
        where s.doi <> ''
    union select entry, t.*, true from searched s join retractions t on s.pmid = t.pmid
        where s.pmid <> ''
    union select entry, t.*, false from searched s join retractions t
        on s.title_key = t.title_key
        and (s.author_key = t.author_key or s.author_key = '' or t.author_key = '')
        where s.words > 3 and (s.doi = '' or t.doi = '' or s.doi = t.doi)
)
select entry, registry, kind, notice, date, reason, bool_or(by_identifier) from matched
group by entry, registry, position, kind, notice, date, reason
order by entry, date desc nulls last, registry, position
"""


def find_retractions(
    connection: "DuckDBPyConnection", keys: Sequence[RecordKeys]
) -> list[list[FoundRetraction]]:
    """For each of the keys the lines on its work in tables of retractions, newest first."""
    found: list[list[FoundRetraction]] = [[] for _ in keys]
    if not keys:
        return found
    connection.register("searched", _rows(keys))
    try:
        lines = connection.execute(_RETRACTIONS).fetchall()
    finally:
        connection.unregister("searched")
    for entry, *line in lines:
        found[entry].append(FoundRetraction(*line))
    return found


def _rows(keys: Sequence[RecordKeys]) -> "Table":
    """The keys as rows; `entry` is their place in the list."""
    import pyarrow

    return pyarrow.table(
        {
            "entry": pyarrow.array(range(len(keys)), pyarrow.int32()),
            "words": pyarrow.array([len(key.words) for key in keys], pyarrow.int32()),
            "title_key": pyarrow.array([key.title for key in keys], pyarrow.string()),
            "author_key": pyarrow.array([key.author for key in keys], pyarrow.string()),
            "doi": pyarrow.array([key.doi for key in keys], pyarrow.string()),
            "pmid": pyarrow.array([key.pmid for key in keys], pyarrow.string()),
        }
    )
