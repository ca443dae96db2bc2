"""The split of the labelled examples: whether there is one, and looks at its locked test part."""

from collections import Counter
from collections.abc import Collection, Mapping

from workbench.services.calibration.measurement import current_split
from workbench.services.database import Database
from workbench.store.evaluation.splits import Splits


def has_split(database: Database) -> bool:
    """Whether labelled examples were ever split."""
    return bool(Splits(database).all())


def items_by_part(database: Database, run_ids: Collection[str]) -> Mapping[str, int]:
    """How many labelled items of some runs stand in each part, or would be put there now.

    Items in no part are counted under `none`; nothing is kept by this.
    """
    if not run_ids:
        return {}
    wanted = frozenset(run_ids)
    parts, _ = current_split(database)
    return Counter(part or "none" for (run_id, _), part in parts.items() if run_id in wanted)
