"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""

from workbench.store.activity import (
    Activity,
    Glance,
    HostErrors,
    ReviewerDays,
    ReviewerLine,
    RunDay,
)
from workbench.store.anchors import Anchors, Freezable, anchors_sha256
from workbench.store.backup import LARGEST_RESTORE, Restored, back_up, read_backup, restore
from workbench.store.connection import generation
from workbench.store.corrections import LONGEST_WORDING, Corrections
from workbench.store.erasure import Erased, ErasurePlan, Erasures
from workbench.store.examples import ExampleKey, Examples
from workbench.store.gold import UNKNOWN_GUIDE
from workbench.store.guides import LONGEST_GUIDE, Guides
from workbench.store.imports import ImportRecord, Imports
from workbench.store.items import Choices, ItemOrder, Items
from workbench.store.judged import (
    NOT_ASKED,
    OF_THE_JUDGE,
    SLICES,
    JudgedBook,
    JudgedItems,
    JudgeName,
    labels_sha256,
)
from workbench.store.judged_rates import RunItem, RunItems
from workbench.store.labelling import Labelling
from workbench.store.manifest import Backup, Member
from workbench.store.merging import MadeRun, Merged, merge_runs
from workbench.store.names import Named, Names
from workbench.store.opinions import Opinions
from workbench.store.optimisations import Optimisations
from workbench.store.people import People
from workbench.store.prompts import Prompts
from workbench.store.queues import Queues
from workbench.store.recording import Recording
from workbench.store.reviewer import LONGEST_NAME, reviewer_name
from workbench.store.reviewer_labels import JudgedByReviewer, ReviewerLabels
from workbench.store.reviews import Disputes, Reviews
from workbench.store.said import SaidBook
from workbench.store.search import HIT_KINDS, Found, Hit, HitKind, Search
from workbench.store.sources import Acceptance, HandedAs, HandedOver, RunStamp, SourceBook, Use
from workbench.store.spending import SpendingAccount, attempt_account, run_account
from workbench.store.splits import Placeable, Splits
from workbench.store.stances import RunStances, Stance, Stances
from workbench.store.store import Store
from workbench.store.summaries import RunSummary
from workbench.store.thresholds import Thresholds
from workbench.store.traces import Trace, Traces
from workbench.store.turns import HELD_FOR, Turns

__all__ = [
    "Acceptance",
    "Activity",
    "Anchors",
    "Backup",
    "Choices",
    "Corrections",
    "Disputes",
    "Erased",
    "ErasurePlan",
    "Erasures",
    "ExampleKey",
    "Examples",
    "Found",
    "Freezable",
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
    "JudgeName",
    "JudgedBook",
    "JudgedByReviewer",
    "JudgedItems",
    "LARGEST_RESTORE",
    "LONGEST_GUIDE",
    "LONGEST_NAME",
    "LONGEST_WORDING",
    "Labelling",
    "MadeRun",
    "Member",
    "Merged",
    "NOT_ASKED",
    "Named",
    "Names",
    "OF_THE_JUDGE",
    "Opinions",
    "Optimisations",
    "People",
    "Placeable",
    "Prompts",
    "Queues",
    "Recording",
    "Restored",
    "ReviewerDays",
    "ReviewerLabels",
    "ReviewerLine",
    "Reviews",
    "RunDay",
    "RunItem",
    "RunItems",
    "RunStamp",
    "RunStances",
    "RunSummary",
    "SLICES",
    "SaidBook",
    "Search",
    "SourceBook",
    "SpendingAccount",
    "Splits",
    "Stance",
    "Stances",
    "Store",
    "Thresholds",
    "Trace",
    "Traces",
    "Turns",
    "UNKNOWN_GUIDE",
    "Use",
    "anchors_sha256",
    "attempt_account",
    "back_up",
    "generation",
    "labels_sha256",
    "merge_runs",
    "read_backup",
    "restore",
    "reviewer_name",
    "run_account",
]
