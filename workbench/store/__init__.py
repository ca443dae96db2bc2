"""What do we remember? One DuckDB file of outputs, runs, sources, verdicts and labels."""

from typing import TYPE_CHECKING

from workbench.lazy import lazy_exports

if TYPE_CHECKING:
    from workbench.store.admin.backup import back_up, read_backup, restore
    from workbench.store.admin.erasure import Erasures
    from workbench.store.admin.examples import ExampleWorkspace
    from workbench.store.admin.spending import SpendingAccount, attempt_account, run_account
    from workbench.store.bibliography.answers import IndexAnswerRepository
    from workbench.store.bibliography.checks import ReferenceCheckRepository
    from workbench.store.bibliography.labelled import LabelledReferenceQueries
    from workbench.store.bibliography.labels import EntryLabelRepository
    from workbench.store.bibliography.registries import RegistryRepository
    from workbench.store.connection import keep_open, rewrite_stamp
    from workbench.store.evaluation.evaluation_examples import EvaluationRepository
    from workbench.store.evaluation.offline_judgments import OfflineJudgmentRepository
    from workbench.store.evaluation.policy_simulation import RunOutcomeRepository
    from workbench.store.evaluation.predictions import PredictionRepository
    from workbench.store.evaluation.reference_sets import ReferenceSetRepository, anchors_sha256
    from workbench.store.evaluation.splits import Splits
    from workbench.store.evaluation.thresholds import Thresholds
    from workbench.store.labels.agreement import AgreementQueries
    from workbench.store.labels.bulk_labels import BulkLabelRepository
    from workbench.store.labels.comments import CommentRepository
    from workbench.store.labels.examples import Examples
    from workbench.store.labels.guides import Guides
    from workbench.store.labels.imports import Imports
    from workbench.store.labels.label_scope import LabelScope
    from workbench.store.labels.label_service import LabelRepository
    from workbench.store.labels.reviewer_labels import ReviewerLabels
    from workbench.store.labels.reviewers import ReviewerRepository
    from workbench.store.prompts.optimizations import OptimizationRepository
    from workbench.store.prompts.repository import Prompts
    from workbench.store.queues.open_work import OpenWorkQueries
    from workbench.store.queues.queues import Queues
    from workbench.store.queues.review_tasks import RESERVATION_TIMEOUT, ReviewTaskService
    from workbench.store.runs.claim_corrections import Corrections
    from workbench.store.runs.correction_decisions import CorrectionDecisionRepository
    from workbench.store.runs.dashboard import DashboardQueries
    from workbench.store.runs.items import CitationQuery
    from workbench.store.runs.recent_items import RecentItems
    from workbench.store.runs.run_import import merge_runs
    from workbench.store.runs.run_titles import RunTitles
    from workbench.store.runs.run_verdicts import RunVerdictRepository
    from workbench.store.runs.search import Search
    from workbench.store.runs.traces import Traces
    from workbench.store.runs.verdict_buffer import VerdictWriteBuffer
    from workbench.store.sources.repository import SourceRepository
    from workbench.store.store import Store

__all__ = [
    "AgreementQueries",
    "BulkLabelRepository",
    "CitationQuery",
    "CommentRepository",
    "CorrectionDecisionRepository",
    "Corrections",
    "DashboardQueries",
    "EntryLabelRepository",
    "Erasures",
    "EvaluationRepository",
    "ExampleWorkspace",
    "Examples",
    "Guides",
    "Imports",
    "IndexAnswerRepository",
    "LabelRepository",
    "LabelScope",
    "LabelledReferenceQueries",
    "OfflineJudgmentRepository",
    "OpenWorkQueries",
    "OptimizationRepository",
    "PredictionRepository",
    "Prompts",
    "Queues",
    "RESERVATION_TIMEOUT",
    "RecentItems",
    "ReferenceCheckRepository",
    "ReferenceSetRepository",
    "RegistryRepository",
    "ReviewTaskService",
    "ReviewerLabels",
    "ReviewerRepository",
    "RunOutcomeRepository",
    "RunTitles",
    "RunVerdictRepository",
    "Search",
    "SourceRepository",
    "SpendingAccount",
    "Splits",
    "Store",
    "Thresholds",
    "Traces",
    "VerdictWriteBuffer",
    "anchors_sha256",
    "attempt_account",
    "back_up",
    "keep_open",
    "merge_runs",
    "read_backup",
    "restore",
    "rewrite_stamp",
    "run_account",
]

__getattr__ = lazy_exports(__name__, __file__)
