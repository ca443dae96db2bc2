"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""

from workbench.store.admin.backup import (
    LARGEST_RESTORE,
    RestoreResult,
    back_up,
    read_backup,
    restore,
)
from workbench.store.admin.erasure import ErasurePlan, ErasureResult, Erasures
from workbench.store.admin.manifest import Backup, Member
from workbench.store.admin.spending import SpendingAccount, attempt_account, run_account
from workbench.store.connection import rewrite_stamp
from workbench.store.evaluation.evaluation_examples import (
    JUDGE_ERRORS,
    NOT_ASKED,
    SLICES,
    EvaluationRepository,
    EvaluationSet,
    JudgeKey,
    labels_sha256,
)
from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
from workbench.store.evaluation.policy_simulation import (
    CitationOutcome,
    RunOutcomeRepository,
    RunOutcomes,
)
from workbench.store.evaluation.predictions import PredictionRepository
from workbench.store.evaluation.reference_sets import (
    ReferenceCandidate,
    ReferenceSetRepository,
    anchors_sha256,
)
from workbench.store.evaluation.splits import SplitCandidate, Splits
from workbench.store.evaluation.thresholds import Thresholds
from workbench.store.labels.agreement import AgreementQueries, DisagreementCounts
from workbench.store.labels.examples import ExampleKey, Examples
from workbench.store.labels.gold import UNKNOWN_GUIDE
from workbench.store.labels.guides import LONGEST_GUIDE, Guides
from workbench.store.labels.imports import ImportRecord, Imports
from workbench.store.labels.label_service import LabelRepository
from workbench.store.labels.reviewer_labels import JudgedByReviewer, ReviewerLabels
from workbench.store.labels.reviewer_names import LONGEST_NAME, normalize_reviewer_name
from workbench.store.labels.reviewers import ReviewerRepository
from workbench.store.prompts.optimizations import OptimizationRepository
from workbench.store.prompts.repository import Prompts
from workbench.store.queues.queues import Queues
from workbench.store.queues.review_tasks import RESERVATION_TIMEOUT, ReviewTaskService
from workbench.store.runs.claim_corrections import LONGEST_WORDING, Corrections
from workbench.store.runs.dashboard import (
    DashboardQueries,
    DashboardSummary,
    HostErrors,
    ReviewerDays,
    ReviewerStats,
    RunDay,
)
from workbench.store.runs.items import CitationQuery, FilterFacets, ItemOrder
from workbench.store.runs.recent_items import NamedRef, RecentItems
from workbench.store.runs.run_import import ExternalRun, RunImportResult, merge_runs
from workbench.store.runs.run_verdicts import RunItem, RunVerdictRepository
from workbench.store.runs.search import HIT_KINDS, HitKind, Search, SearchHit, SearchResults
from workbench.store.runs.summaries import RunSummary
from workbench.store.runs.traces import Trace, Traces
from workbench.store.runs.verdict_buffer import VerdictWriteBuffer
from workbench.store.sources.repository import (
    HandedAs,
    RunVersion,
    SourceCitation,
    SourceOverride,
    SourceRepository,
    SuppliedSource,
)
from workbench.store.store import Store

__all__ = [
    "AgreementQueries",
    "Backup",
    "CitationOutcome",
    "CitationQuery",
    "Corrections",
    "DashboardQueries",
    "DashboardSummary",
    "DisagreementCounts",
    "ErasurePlan",
    "ErasureResult",
    "Erasures",
    "EvaluationRepository",
    "EvaluationSet",
    "ExampleKey",
    "Examples",
    "ExternalRun",
    "FilterFacets",
    "Guides",
    "HIT_KINDS",
    "HandedAs",
    "HitKind",
    "HostErrors",
    "ImportRecord",
    "Imports",
    "ItemOrder",
    "JUDGE_ERRORS",
    "JudgeKey",
    "JudgedByReviewer",
    "LARGEST_RESTORE",
    "LONGEST_GUIDE",
    "LONGEST_NAME",
    "LONGEST_WORDING",
    "LabelRepository",
    "Member",
    "NOT_ASKED",
    "NamedRef",
    "OfflineJudgmentRepository",
    "OptimizationRepository",
    "PredictionRepository",
    "Prompts",
    "Queues",
    "RESERVATION_TIMEOUT",
    "RecentItems",
    "ReferenceCandidate",
    "ReferenceSetRepository",
    "RestoreResult",
    "ReviewTaskService",
    "ReviewerDays",
    "ReviewerLabels",
    "ReviewerRepository",
    "ReviewerStats",
    "RunDay",
    "RunImportResult",
    "RunItem",
    "RunOutcomeRepository",
    "RunOutcomes",
    "RunSummary",
    "RunVerdictRepository",
    "RunVersion",
    "SLICES",
    "Search",
    "SearchHit",
    "SearchResults",
    "SourceCitation",
    "SourceOverride",
    "SourceRepository",
    "SpendingAccount",
    "SplitCandidate",
    "Splits",
    "Store",
    "SuppliedSource",
    "Thresholds",
    "Trace",
    "Traces",
    "UNKNOWN_GUIDE",
    "VerdictWriteBuffer",
    "anchors_sha256",
    "attempt_account",
    "back_up",
    "labels_sha256",
    "merge_runs",
    "normalize_reviewer_name",
    "read_backup",
    "restore",
    "rewrite_stamp",
    "run_account",
]
