"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""

from workbench.store.activity import (
    Activity,
    Glance,
    HostErrors,
    ReviewerDays,
    ReviewerLine,
    RunDay,
)
from workbench.store.backup import Backup, Member, Restored, back_up, read_backup, restore
from workbench.store.connection import generation
from workbench.store.corrections import Corrections
from workbench.store.erasure import Erased, ErasurePlan, Erasures
from workbench.store.examples import Examples
from workbench.store.guides import LONGEST_GUIDE, Guides
from workbench.store.imports import ImportRecord, Imports
from workbench.store.items import Choices, ItemOrder, Items
from workbench.store.labelling import Labelling
from workbench.store.names import Named, Names
from workbench.store.people import LONGEST_NAME, People, reviewer_name
from workbench.store.queues import Queues
from workbench.store.recording import Recording
from workbench.store.reviews import Disputes, Reviews
from workbench.store.search import HIT_KINDS, Found, Hit, HitKind, Search
from workbench.store.sources import Acceptance, HandedAs, HandedOver, RunStamp, SourceBook, Use
from workbench.store.store import RunSummary, Store
from workbench.store.traces import Trace, Traces
from workbench.store.turns import HELD_FOR, Turns

__all__ = [
    "Acceptance",
    "Activity",
    "Backup",
    "Choices",
    "Corrections",
    "Disputes",
    "Erased",
    "ErasurePlan",
    "Erasures",
    "Examples",
    "Found",
    "Glance",
    "Guides",
    "HELD_FOR",
    "HIT_KINDS",
    "HandedAs",
    "HandedOver",
    "Hit",
    "HitKind",
    "HostErrors",
    "ImportRecord",
    "Imports",
    "ItemOrder",
    "Items",
    "LONGEST_GUIDE",
    "LONGEST_NAME",
    "Labelling",
    "Member",
    "Named",
    "Names",
    "People",
    "Queues",
    "Recording",
    "Restored",
    "ReviewerDays",
    "ReviewerLine",
    "Reviews",
    "RunDay",
    "RunStamp",
    "RunSummary",
    "Search",
    "SourceBook",
    "Store",
    "Trace",
    "Traces",
    "Turns",
    "Use",
    "back_up",
    "generation",
    "read_backup",
    "restore",
    "reviewer_name",
]
