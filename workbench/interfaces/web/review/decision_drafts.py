"""Drafts of the details of a label, kept while the item is being decided; pure.

Drafts live in the process, not in a page: closing or reloading a tab loses none. They are stored
with the label, and then discarded.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from workbench.services.decision_details import DecisionDetails

DRAFTS_KEPT = 5_000
"""In one process; the oldest are dropped first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPlace:
    """Identifies a draft by database, item and reviewer."""

    database: Path
    run_id: str
    citation_id: str
    reviewer: str


_DRAFTS: OrderedDict[DraftPlace, DecisionDetails] = OrderedDict()
_LOCK = threading.Lock()


def find_draft(place: DraftPlace) -> DecisionDetails | None:
    """The draft of that key, if any."""
    with _LOCK:
        return _DRAFTS.get(place)


def keep_draft(place: DraftPlace, details: DecisionDetails) -> None:
    """Keep a draft until it is stored with a label."""
    with _LOCK:
        _DRAFTS[place] = details
        _DRAFTS.move_to_end(place)
        while len(_DRAFTS) > DRAFTS_KEPT:
            _DRAFTS.popitem(last=False)


def drop_draft(place: DraftPlace) -> None:
    """Discard a draft: it was stored, or the label was undone."""
    with _LOCK:
        _DRAFTS.pop(place, None)
