"""What chats (`handoff:NAME`) said of items beside the judge of their run."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.records.verdict import Judgment

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def read_chat_judgments(
    connection: "DuckDBPyConnection", where: str, values: Mapping[str, str]
) -> dict[tuple[str, str], tuple[Judgment, ...]]:
    """The newest verdict of every `handoff:NAME` on items, by item, in the order of their names."""
    rows = connection.execute(
        "select run_id, citation_id, record from current_offline_judgments "
        "where judge like 'handoff:%' and judge not like '% + %' and record is not null "
        f"and {where} order by run_id, citation_id, judge",
        values,
    ).fetchall()
    judgments: dict[tuple[str, str], tuple[Judgment, ...]] = {}
    for run_id, citation_id, record in rows:
        judgment = Judgment.from_dict(json.loads(record))
        if judgment is not None:
            key = (run_id, citation_id)
            judgments[key] = (*judgments.get(key, ()), judgment)
    return judgments
